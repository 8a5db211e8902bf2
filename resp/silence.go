package resp

// silence is what CLIENT REPLY has said.
type silence uint8

const (
	silentNever silence = iota
	silentOnce
	silentAlways
)

// handle answers one command line, unless the client wants no answer. Messages are none.
func (c *client) handle(args [][]byte) {
	if c.silence == silentNever {
		c.answer(args)
		return
	}
	mark, before := len(c.out.buf), c.silence
	c.pushed = false
	c.answer(args)
	if c.silence != silentNever && !c.pushed {
		c.out.buf = c.out.buf[:mark]
	}
	if before == silentOnce && c.silence == silentOnce {
		c.silence = silentNever
	}
}

// clientReply has commands answered or not. The answer to itself follows what it says.
func clientReply(c *client, args [][]byte) {
	switch {
	case is(args[2], "on"):
		c.silence = silentNever
		c.out.ok()
	case is(args[2], "off"):
		c.silence = silentAlways
	case is(args[2], "skip"):
		c.silence = max(c.silence, silentOnce)
	default:
		c.out.error(syntax)
	}
}
