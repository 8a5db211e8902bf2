package resp

// splitWords finds the words of a line, in which they may stand in single or double quotes, and undoes the escapes in place. at is
// the line's distance from where spans are counted. It answers false when a quote is not closed, or not followed by a space.
func splitWords(line []byte, at int, spans []span) ([]span, bool) {
	for i := 0; ; {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		if i == len(line) {
			return spans, true
		}
		w := splitter{line: line, pos: i, end: i}
		if !w.word() {
			return spans, false
		}
		spans = append(spans, span{at + i, at + w.end})
		i = w.pos
	}
}

// splitter reads one word; what it puts is never longer than what it has taken.
type splitter struct {
	line []byte
	pos  int // read from here
	end  int // written to here
}

func (w *splitter) put(c byte) {
	w.line[w.end] = c
	w.end++
}

func (w *splitter) word() bool {
	for w.pos < len(w.line) && !isSpace(w.line[w.pos]) {
		c := w.line[w.pos]
		w.pos++
		if c != '"' && c != '\'' {
			w.put(c)
		} else if !w.quoted(c) {
			return false
		}
	}
	return true
}

// quoted reads on to the closing quote.
func (w *splitter) quoted(quote byte) bool {
	for w.pos < len(w.line) {
		c := w.line[w.pos]
		w.pos++
		switch {
		case c == quote:
			return w.pos == len(w.line) || isSpace(w.line[w.pos])
		case c == '\\' && w.pos < len(w.line) && quote == '"':
			w.escape()
		case c == '\\' && w.pos < len(w.line) && w.line[w.pos] == '\'':
			w.pos++
			w.put('\'')
		default:
			w.put(c)
		}
	}
	return false
}

// escape reads what stands behind a backslash in double quotes.
func (w *splitter) escape() {
	c := w.line[w.pos]
	w.pos++
	switch c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	case 'a':
		c = '\a'
	case 'x':
		if w.pos+1 < len(w.line) {
			if high, low := hexDigit(w.line[w.pos]), hexDigit(w.line[w.pos+1]); high >= 0 && low >= 0 {
				c = byte(high<<4 | low)
				w.pos += 2
			}
		}
	}
	w.put(c)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }
