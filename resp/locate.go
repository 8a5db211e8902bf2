package resp

import (
	"bytes"
	"fmt"
	"math"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// setTable selects a table by its name.
func (c *client) setTable(name string) bool {
	t, err := c.server.store.Table(name)
	if err != nil {
		return false
	}
	c.base, c.table = name, t
	c.show(func(s *shown) { s.db = c.server.number(t) })
	return true
}

// current is the selected table. One that was removed and has come again is another.
func (c *client) current() *sharedstate.Table {
	if c.table.Dropped() {
		c.setTable(c.base)
	}
	return c.table
}

// locate says which table an argument is a key of, and which key. With prefixes, what stands before the first colon is the table's
// name, if there is such a table. The key is valid as long as the argument.
func (c *client) locate(arg []byte) (*sharedstate.Table, string) {
	if c.server.options.Prefixes {
		if i := bytes.IndexByte(arg, ':'); i > 0 && i <= sharedstate.MaxName {
			if t, err := c.server.store.Table(string(arg[:i])); err == nil {
				return t, view(arg[i+1:])
			}
		}
	}
	return c.current(), view(arg)
}

// misplaced is why a command must not run here: with prefixes, a key that is to be written and could be a key of a table that is
// made later. It would be out of reach from then on.
func (c *client) misplaced(cmd *command, args [][]byte) (refused string) {
	if !c.server.options.Prefixes || cmd.flags&flagWrite == 0 {
		return ""
	}
	cmd.eachKey(args, func(i int) {
		name, _, found := bytes.Cut(args[i], []byte{':'})
		if !found || sharedstate.ValidateName(string(name)) != nil {
			return
		}
		if _, err := c.server.store.Table(string(name)); err != nil {
			refused = fmt.Sprintf("ERR there is no table %q for the key %.80q: with prefixes on, a key of the selected table that has a colon is written %s:%s", name, args[i], c.base, args[i])
		}
	})
	return refused
}

// number is a table's number for SELECT: 0 is the server's own table; the others are counted in the order in which they were made.
func (s *Server) number(t *sharedstate.Table) int {
	base, err := s.store.Table(s.options.Table)
	switch {
	case err != nil:
		return int(t.ID())
	case t == base:
		return 0
	case t.ID() > base.ID():
		return int(t.ID())
	}
	return int(t.ID()) + 1
}

// numbered is the table with a number, nil for none.
func (s *Server) numbered(n int64) *sharedstate.Table {
	base, err := s.store.Table(s.options.Table)
	if err != nil || n < 0 || n > math.MaxUint32 {
		return nil
	}
	if n == 0 {
		return base
	}
	if n <= int64(base.ID()) {
		n--
	}
	t := s.store.ByID(uint32(n))
	if t == nil || t.Dropped() {
		return nil
	}
	return t
}

// database finds a table by its number or name; an error text when there is none.
func (c *client) database(arg []byte) (*sharedstate.Table, string) {
	n, isInt := parseInt(arg)
	if isInt {
		if t := c.server.numbered(n); t != nil {
			return t, ""
		}
	}
	t, err := c.server.store.Table(string(arg))
	switch {
	case err == nil:
		return t, ""
	case isInt:
		return nil, "ERR DB index is out of range"
	}
	return nil, fmt.Sprintf("ERR there is no table %.80q", arg)
}

// put stores a value in the transaction, or answers why not.
func (c *client) put(t *sharedstate.Table, key string, v sharedstate.Value, expiry uint64) bool {
	if err := c.tx.Put(t, key, v, expiry); err != nil {
		c.out.error(errorText(err))
		return false
	}
	return true
}
