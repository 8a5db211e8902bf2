package resp

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// monitors are the clients that see the commands of all others.
type monitors struct {
	any  atomic.Bool
	mu   sync.Mutex
	list map[*client]struct{}
}

func monitor(c *client, _ [][]byte) {
	m := &c.server.monitors
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.list == nil {
		m.list = make(map[*client]struct{})
	}
	m.list[c] = struct{}{}
	m.any.Store(true)
	c.detached.Store(true)
	c.show(func(s *shown) { s.monitor = true })
	c.out.ok()
}

func (m *monitors) remove(c *client) {
	if !m.any.Load() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.list, c)
	m.any.Store(len(m.list) > 0)
}

func (m *monitors) has(c *client) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, is := m.list[c]
	return is
}

// tell shows a command to those who watch. What is for who runs the server, and what has passwords, is not shown.
func (m *monitors) tell(c *client, args [][]byte) {
	now := time.Now()
	c.mu.Lock()
	db := c.shown.db
	c.mu.Unlock()
	line := fmt.Appendf(nil, "+%d.%06d [%d %s]", now.Unix(), now.Nanosecond()/1000, db, c.address())
	for _, arg := range args {
		line = appendQuoted(append(line, ' '), arg)
	}
	line = append(line, '\r', '\n')
	m.mu.Lock()
	defer m.mu.Unlock()
	for x := range m.list {
		x.push(line)
	}
}

// appendQuoted appends an argument as one types it.
func appendQuoted(b, arg []byte) []byte {
	b = append(b, '"')
	for _, c := range arg {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\a':
			b = append(b, '\\', 'a')
		case c == '\b':
			b = append(b, '\\', 'b')
		case c < ' ' || c > '~':
			b = fmt.Appendf(b, "\\x%02x", c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
