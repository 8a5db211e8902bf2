package resp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// limits bound what a client can make the server keep while it reads one command.
type limits struct {
	args    int // arguments of a command, its name included
	bulk    int // bytes of one argument
	request int // bytes of a command as it comes in
}

// unauthenticated are the limits of a client that has yet to give a password.
var unauthenticated = limits{args: 10, bulk: 16 << 10, request: 64 << 10}

const (
	maxArgs   = 1 << 20
	maxInline = 64 << 10 // bytes of a line: an inline command, or a length

	firstBuffer = 1 << 10  // of a new client, so that ten thousand idle ones cost little
	keptBuffer  = 16 << 10 // what a client keeps between commands
)

// protocolError is what a client is told before its connection is closed.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// span is an argument's place, counted from the command's first byte, so that the buffer may move.
type span struct{ from, to int }

// reader takes commands out of a stream of bytes, which may be cut anywhere. It looks at no byte twice, however they come.
type reader struct {
	source io.Reader
	limits limits

	buf        []byte
	start, end int  // the bytes that are not yet used up; a command in progress begins at start
	pos        int  // what comes next is looked for here
	searched   int  // there is no end of a line before
	full       bool // the last read has filled the buffer

	left  int // arguments still to come; -1 while no command has begun
	bulk  int // bytes of the argument that comes; -1 while its length has yet to come
	spans []span
	args  [][]byte
}

func newReader(source io.Reader, l limits) *reader {
	return &reader{source: source, limits: l, left: -1, bulk: -1}
}

// next answers the next command, whose arguments are valid until fill is called, or nil when it is not complete.
func (r *reader) next() ([][]byte, error) {
	for {
		done, err := r.parse()
		if err != nil || !done {
			return nil, err
		}
		r.args = r.args[:0]
		for _, s := range r.spans {
			r.args = append(r.args, r.buf[r.start+s.from:r.start+s.to])
		}
		if len(r.args) > 256 && cap(r.args) > 4*len(r.args) {
			r.args = append(make([][]byte, 0, len(r.args)), r.args...)
		}
		r.start = r.pos
		r.searched = r.pos
		r.spans = r.spans[:0]
		r.left, r.bulk = -1, -1
		if len(r.args) > 0 { // an empty command is no command
			return r.args, nil
		}
	}
}

// parse goes on with the command in progress; false when its bytes end before it does.
func (r *reader) parse() (done bool, err error) {
	if r.left < 0 {
		if r.pos == r.end {
			return false, nil
		}
		if r.buf[r.pos] != '*' {
			return r.inline()
		}
		line, err := r.line("too big mbulk count string")
		if line == nil {
			return false, err
		}
		n, ok := parseInt(line[1:])
		switch {
		case !ok || n > maxArgs:
			return false, protocolError("invalid multibulk length")
		case n > int64(r.limits.args):
			return false, protocolError("unauthenticated multibulk length")
		}
		r.left = int(max(n, 0))
	}
	for ; r.left > 0; r.left-- {
		if done, err := r.argument(); !done {
			return false, err
		}
	}
	return true, nil
}

// argument reads one argument.
func (r *reader) argument() (done bool, err error) {
	if r.bulk < 0 {
		if r.pos == r.end {
			return false, nil
		}
		if c := r.buf[r.pos]; c != '$' {
			return false, protocolError(fmt.Sprintf("expected '$', got '%s'", printable(c)))
		}
		n, ok := r.shortLength()
		if !ok {
			line, err := r.line("too big bulk count string")
			if line == nil {
				return false, err
			}
			n, ok = parseInt(line[1:])
		}
		switch {
		case !ok || n < 0 || n > int64(r.limits.bulk) && r.limits != unauthenticated:
			return false, protocolError("invalid bulk length")
		case n > int64(r.limits.bulk):
			return false, protocolError("unauthenticated bulk length")
		}
		r.bulk = int(n)
	}
	if r.end-r.pos < r.bulk+2 {
		return false, nil
	}
	if end := r.pos + r.bulk; r.buf[end] != '\r' || r.buf[end+1] != '\n' {
		return false, protocolError("expected CRLF after the bulk")
	}
	r.spans = append(r.spans, span{r.pos - r.start, r.pos - r.start + r.bulk})
	r.pos += r.bulk + 2
	r.searched = r.pos
	r.bulk = -1
	return true, nil
}

// shortLength reads the line of a length of one or two digits, as most are; false for another, which is not touched.
func (r *reader) shortLength() (n int64, ok bool) {
	b := r.buf[r.pos:r.end]
	switch {
	case len(b) >= 4 && isDigit(b[1]) && b[2] == '\r' && b[3] == '\n':
		n, r.pos = int64(b[1]-'0'), r.pos+4
	case len(b) >= 5 && isDigit(b[1]) && b[1] != '0' && isDigit(b[2]) && b[3] == '\r' && b[4] == '\n':
		n, r.pos = int64(b[1]-'0')*10+int64(b[2]-'0'), r.pos+5
	default:
		return 0, false
	}
	return n, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// line takes what stands before the next CRLF, nil when that has not come.
func (r *reader) line(tooBig string) ([]byte, error) {
	from := max(r.pos, r.searched)
	i := bytes.IndexByte(r.buf[from:r.end], '\n')
	if i < 0 {
		r.searched = r.end
		if r.end-r.pos > maxInline {
			return nil, protocolError(tooBig)
		}
		return nil, nil
	}
	line := r.buf[r.pos : from+i]
	if len(line) > maxInline {
		return nil, protocolError(tooBig)
	}
	if len(line) == 0 || line[len(line)-1] != '\r' {
		return nil, protocolError("expected CRLF after a length")
	}
	r.pos = from + i + 1
	r.searched = r.pos
	return line[:len(line)-1], nil
}

// inline reads a command that is a line of words, as one types it into a terminal.
func (r *reader) inline() (done bool, err error) {
	from := max(r.pos, r.searched)
	i := bytes.IndexByte(r.buf[from:r.end], '\n')
	if i < 0 && r.end-r.pos > maxInline || i >= 0 && from+i-r.pos > maxInline {
		return false, protocolError("too big inline request")
	}
	if i < 0 {
		r.searched = r.end
		return false, nil
	}
	line := r.buf[r.pos : from+i]
	at := r.pos - r.start
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	var ok bool
	if r.spans, ok = splitWords(line, at, r.spans); !ok {
		return false, protocolError("unbalanced quotes in request")
	}
	switch {
	case len(r.spans) > r.limits.args:
		return false, protocolError("unauthenticated multibulk length")
	}
	r.pos = from + i + 1
	return true, nil
}

// fill reads once. It makes room first, by what has come so far and not by what was announced.
func (r *reader) fill() error {
	if r.start == r.end {
		r.pos, r.searched = r.pos-r.start, 0
		r.start, r.end = 0, 0
		if len(r.buf) > keptBuffer {
			r.buf = nil
		}
		if cap(r.args) > 1024 {
			r.args, r.spans = nil, nil
		}
	}
	if r.end-r.start > r.limits.request {
		return protocolError("too big request")
	}
	switch {
	case r.full && len(r.buf) < keptBuffer: // more is likely to come at once
		r.move(make([]byte, max(firstBuffer, 4*len(r.buf))))
	case r.end == len(r.buf) && r.start >= len(r.buf)/2 && r.start > 0:
		r.move(r.buf)
	case r.end == len(r.buf):
		r.move(make([]byte, max(firstBuffer, 2*len(r.buf))))
	}
	n, err := r.source.Read(r.buf[r.end:])
	r.end += n
	r.full = r.end == len(r.buf)
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// move puts the bytes that are not used up at the start of a buffer, which may be its own.
func (r *reader) move(to []byte) {
	copy(to, r.buf[r.start:r.end])
	r.buf = to
	r.end -= r.start
	r.pos -= r.start
	r.searched = max(r.searched-r.start, 0)
	r.start = 0
}

func printable(c byte) string {
	if c < ' ' || c > '~' {
		return fmt.Sprintf("\\x%02x", c)
	}
	return string(rune(c))
}

// isProtocolError gives the message for a client that has broken the protocol.
func isProtocolError(err error) (string, bool) {
	var p protocolError
	if errors.As(err, &p) {
		return p.Error(), true
	}
	return "", false
}
