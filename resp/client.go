package resp

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/sharedstate"
)

const (
	flushAt      = 64 << 10         // a pipeline's replies are sent when there are that many bytes, else at its end
	maxReplies   = 256 << 20        // the replies to one command; a client that asks for more is closed
	writeTimeout = time.Minute      // a client that takes nothing for so long, or at most for twice that, is closed
	authTimeout  = 10 * time.Second // a client that gives no password, or does not end TLS' handshake, for so long is closed
)

// client is a connection.
type client struct {
	server *Server
	id     int64
	conn   net.Conn
	under  net.Conn // what conn runs on, which is closed without a farewell
	in     *reader
	out    writer
	tx     *sharedstate.Tx
	base   string             // the table's name
	table  *sharedstate.Table // what keys without a prefix are in
	user   *User              // nil until a password is given
	multi  multi

	readUntil  time.Time // the deadline that is set
	writeUntil time.Time // until then the one that is set will do; guarded by queue.writing

	closing   bool  // after the replies that are written
	answering bool  // between the first command that has come and the sending of the last reply
	commands  int64 // that were handled and are not yet counted
	scratch   []byte
	running   struct { // what step runs
		cmd  *command
		args [][]byte
		mark int // where its reply begins
	}
	step func(*sharedstate.Tx) error // runs it, made once

	created  time.Time
	loginBy  time.Time    // a client that has given no password by then is closed
	active   atomic.Int64 // the last command's time in nanoseconds since created
	last     atomic.Pointer[command]
	queue    queue
	killed   atomic.Bool
	mu       sync.Mutex // guards shown
	shown    shown
	detached atomic.Bool // listens for messages, so that silence is no reason to close it

	proto         atomic.Int32 // out.proto, for who sends messages
	subscriptions subscriptions
	tracker       *tracker      // nil without tracking
	caching       bool          // CLIENT CACHING was given for what comes next
	clock         time.Duration // since the server's start: when the last command ended, or the first of a pipeline came
	silence       silence
	pushed        bool // the command has written messages
}

// shown is what other clients see of one.
type shown struct {
	name, libName, libVersion string
	user                      string
	db                        int
	proto                     int
	queued, watching          int // -1: not in MULTI
	subscribed, psubscribed   int
	redirection               int64 // -1 for without tracking
	monitor                   bool
}

func newClient(s *Server, conn net.Conn) *client {
	c := &client{server: s, id: s.stats.lastID.Add(1), conn: direct(conn), under: conn, tx: s.store.NewTx(), created: time.Now(), base: s.options.Table}
	if config := s.tls.Load(); config != nil {
		c.conn = tls.Server(conn, config)
	}
	c.in = newReader(counted{c.conn, &s.stats.input}, unauthenticated)
	c.step = c.stepOnce
	c.queue.wake = make(chan struct{}, 1)
	c.reset()
	return c
}

// reset is what a connection begins with, and RESET goes back to.
func (c *client) reset() {
	c.discard()
	c.server.monitors.remove(c)
	c.unsubscribeAll()
	c.stopTracking()
	c.silence = 0
	c.detached.Store(false)
	c.setProto(2)
	c.out.limit = cmp.Or(c.server.options.maxReplies, maxReplies)
	c.loginBy = time.Now().Add(authTimeout)
	c.user = nil
	if u := c.server.users[DefaultUser]; u != nil && u.Password == "" {
		c.user = u
	}
	c.setTable(c.server.options.Table)
	c.mu.Lock()
	c.shown = shown{proto: 2, queued: -1, redirection: -1}
	c.mu.Unlock()
	c.become(c.user)
}

// become makes the client a user's, or nobody's.
func (c *client) become(u *User) {
	c.user = u
	c.in.limits = unauthenticated
	name := ""
	if u != nil {
		c.in.limits = c.server.limits()
		name = u.Name
	}
	c.show(func(s *shown) { s.user = name })
}

// show changes what others see of the client.
func (c *client) show(change func(*shown)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.shown)
}

// counted counts the bytes that are read.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (r counted) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.n.Add(int64(n))
	return n, err
}

// serve answers commands until the connection ends. A panic ends this client and no other.
func (c *client) serve() {
	defer func() {
		if p := recover(); p != nil {
			c.server.logger.Load().Error("a command panicked; its client is closed", zap.Any("panic", p), zap.String("client", c.conn.RemoteAddr().String()), zap.ByteString("stack", debug.Stack()))
		}
		c.end()
	}()
	if c.shakeHands() != nil {
		return
	}
	for !c.closing {
		args, err := c.in.next()
		if err == nil && args == nil {
			if c.flush() != nil {
				return
			}
			err = c.await()
		}
		if err != nil {
			message, broken := isProtocolError(err)
			if !broken {
				return
			}
			c.fail("ERR " + message)
			c.closing = true
		}
		if args == nil {
			continue
		}
		if !c.answering {
			c.answering = true
			c.queue.hold(c)
			if c.server.slow.on() {
				c.clock = time.Since(c.server.started)
			}
		}
		c.handle(args)
		if c.out.over {
			c.server.logger.Load().Warn("a client is closed that asked for more than a reply may have", zap.String("client", c.conn.RemoteAddr().String()), zap.Int("bytes", c.out.limit))
			return
		}
		if len(c.out.buf) >= flushAt && c.flush() != nil {
			return
		}
	}
	_ = c.flush() // the connection is closed either way
}

// shakeHands does what TLS begins with, in the time that there is for a password.
func (c *client) shakeHands() error {
	secured, ok := c.conn.(*tls.Conn)
	if !ok {
		return nil
	}
	if err := c.conn.SetDeadline(c.loginBy); err != nil {
		return err
	}
	if err := secured.Handshake(); err != nil {
		return err
	}
	return c.conn.SetDeadline(time.Time{})
}

// end lets go of everything.
func (c *client) end() {
	c.discard()
	c.server.monitors.remove(c)
	c.unsubscribeAll()
	c.stopTracking()
	c.queue.close(c)
	_ = c.conn.Close() // nobody is left whom an error would help
	c.server.forget(c)
}

// kill ends the client from another goroutine.
func (c *client) kill() {
	c.killed.Store(true)
	_ = c.under.Close() // the client's goroutine finds it closed
}

// await waits for more bytes.
func (c *client) await() error {
	idle := c.server.options.IdleTimeout
	var until time.Time
	switch {
	case c.user == nil:
		until = c.loginBy
	case idle > 0 && !c.detached.Load():
		until = time.Now().Add(idle)
	}
	if !until.Equal(c.readUntil) {
		c.readUntil = until
		if err := c.conn.SetReadDeadline(until); err != nil {
			return err
		}
	}
	err := c.in.fill()
	c.active.Store(int64(time.Since(c.created)))
	return err
}

// flush sends the replies.
func (c *client) flush() error {
	if c.commands > 0 {
		c.server.stats.commands.Add(c.commands)
		c.commands = 0
	}
	if !c.answering && len(c.out.buf) == 0 {
		return nil
	}
	c.answering = false
	err := c.queue.send(c, c.out.buf)
	if c.out.buf = c.out.buf[:0]; cap(c.out.buf) > 2*flushAt {
		c.out.buf = nil
	}
	return err
}

// fail answers an error, which makes a transaction that is being queued void.
func (c *client) fail(message string) {
	c.server.stats.errors.Add(1)
	c.out.error(message)
	c.multi.void = c.multi.open
}

// answer answers one command line.
func (c *client) answer(args [][]byte) {
	c.commands++
	cmd, bad := lookUp(args)
	if cmd == nil {
		if is(args[0], "exec") {
			c.discard()
			bad = "EXECABORT Transaction discarded because of: " + bad[len("ERR "):]
		}
		c.fail(bad)
		return
	}
	if c.last.Load() != cmd {
		c.last.Store(cmd)
	}
	if c.user == nil {
		if cmd.flags&flagNoAuth == 0 {
			c.fail("NOAUTH Authentication required.")
			return
		}
	} else if refused := c.user.refusal(cmd, args); refused != "" && cmd.flags&flagNoAuth == 0 {
		c.fail(refused)
		return
	}
	if c.out.proto < 3 && cmd.flags&flagSubscribed == 0 && c.subscriptions.count() > 0 {
		c.fail("ERR Can't execute '" + cmd.full + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context")
		return
	}
	if refused := c.misplaced(cmd, args); refused != "" {
		c.fail(refused)
		return
	}
	if c.multi.open && cmd.flags&flagNow == 0 {
		c.enqueue(cmd, args)
		return
	}
	c.run(cmd, args)
	if c.caching && !c.multi.open && !strings.HasPrefix(cmd.full, "client|") {
		c.caching = false
	}
}

// run runs a command that may be run.
func (c *client) run(cmd *command, args [][]byte) {
	if c.server.monitors.any.Load() && cmd.flags&(flagAdmin|flagNoAuth) == 0 {
		c.server.monitors.tell(c, args)
	}
	mark := len(c.out.buf)
	if cmd.flags&flagKeys == 0 {
		cmd.run(c, args)
	} else {
		if c.tracker != nil {
			c.remember(cmd, args)
		}
		c.running.cmd, c.running.args, c.running.mark = cmd, args, mark
		c.replace(mark, c.tx.Run(c.step))
	}
	if len(c.out.buf) > mark && c.out.buf[mark] == '-' {
		c.server.stats.errors.Add(1)
	}
	if c.server.slow.on() {
		now := time.Since(c.server.started)
		c.server.slow.note(c, cmd, args, now-c.clock)
		c.clock = now
	}
}

// setProto changes the protocol's version.
func (c *client) setProto(proto int) {
	c.out.proto = proto
	c.proto.Store(int32(proto))
}

// replace answers the error with which a transaction failed instead of the replies that begin at mark.
func (c *client) replace(mark int, err error) {
	if err != nil {
		c.out.buf = c.out.buf[:mark]
		c.out.error(errorText(err))
	}
}

func (c *client) stepOnce(*sharedstate.Tx) error {
	c.out.buf = c.out.buf[:c.running.mark]
	c.running.cmd.run(c, c.running.args)
	return nil
}

// errorText is what a client is told of an error of the store.
func errorText(err error) string {
	if errors.Is(err, sharedstate.ErrTableFull) {
		return "OOM " + err.Error()
	}
	return "ERR " + err.Error()
}
