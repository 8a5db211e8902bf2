package resp

import "strconv"

// writer collects replies, in the protocol's version that the client has asked for.
type writer struct {
	buf   []byte
	proto int // 2 or 3
	limit int // bytes that buf may have
	over  bool
}

// room says whether n bytes more are within the limit. Beyond it nothing is written any more, and the client goes.
func (w *writer) room(n int) bool {
	if w.over = w.over || len(w.buf)+n > w.limit; w.over {
		return false
	}
	return true
}

func (w *writer) line(kind byte, s string) {
	if w.room(len(s)) {
		w.buf = append(append(append(w.buf, kind), s...), '\r', '\n')
	}
}

func (w *writer) number(kind byte, n int64) {
	if w.room(24) {
		w.buf = append(strconv.AppendInt(append(w.buf, kind), n, 10), '\r', '\n')
	}
}

// status writes a short text without line ends.
func (w *writer) status(s string) { w.line('+', s) }

func (w *writer) ok() { w.line('+', "OK") }

// error writes an error, whose first word is its code. Line ends would break the protocol, so they become spaces.
func (w *writer) error(message string) {
	if !w.room(len(message)) {
		return
	}
	w.buf = append(w.buf, '-')
	for i := range len(message) {
		c := message[i]
		if c == '\r' || c == '\n' {
			c = ' '
		}
		w.buf = append(w.buf, c)
	}
	w.buf = append(w.buf, '\r', '\n')
}

func (w *writer) int(n int64) { w.number(':', n) }

func (w *writer) bulk(b []byte) {
	if w.room(len(b) + 24) {
		w.buf = append(strconv.AppendInt(append(w.buf, '$'), int64(len(b)), 10), '\r', '\n')
		w.buf = append(append(w.buf, b...), '\r', '\n')
	}
}

func (w *writer) text(s string) {
	if w.room(len(s) + 24) {
		w.buf = append(strconv.AppendInt(append(w.buf, '$'), int64(len(s)), 10), '\r', '\n')
		w.buf = append(append(w.buf, s...), '\r', '\n')
	}
}

// verbatim writes a text that a terminal shows as it is.
func (w *writer) verbatim(s string) {
	if w.proto < 3 {
		w.text(s)
		return
	}
	if w.room(len(s) + 32) {
		w.buf = append(strconv.AppendInt(append(w.buf, '='), int64(len(s)+4), 10), "\r\ntxt:"...)
		w.buf = append(append(w.buf, s...), '\r', '\n')
	}
}

func (w *writer) null() {
	if w.proto < 3 {
		w.line('$', "-1")
	} else {
		w.line('_', "")
	}
}

func (w *writer) nullArray() {
	if w.proto < 3 {
		w.line('*', "-1")
	} else {
		w.line('_', "")
	}
}

// array announces n replies as one.
func (w *writer) array(n int) { w.number('*', int64(n)) }

// push announces n replies as a message, which protocol 3 tells from a reply.
func (w *writer) push(n int) {
	if w.proto < 3 {
		w.array(n)
	} else {
		w.number('>', int64(n))
	}
}

func (w *writer) pushTexts(all ...string) {
	w.push(len(all))
	for _, s := range all {
		w.text(s)
	}
}

// dict announces n pairs.
func (w *writer) dict(n int) {
	if w.proto < 3 {
		w.array(2 * n)
	} else {
		w.number('%', int64(n))
	}
}

// set announces n replies in no order.
func (w *writer) set(n int) {
	if w.proto < 3 {
		w.array(n)
	} else {
		w.number('~', int64(n))
	}
}

func (w *writer) texts(all ...string) {
	w.array(len(all))
	for _, s := range all {
		w.text(s)
	}
}

func (w *writer) statuses(all ...string) {
	w.set(len(all))
	for _, s := range all {
		w.status(s)
	}
}
