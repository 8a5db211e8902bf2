package resp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// address is where a connection comes from, as Redis writes it.
func (c *client) address() string { return addressText(c.conn.RemoteAddr()) }

func (c *client) localAddress() string { return addressText(c.conn.LocalAddr()) }

func addressText(a interface {
	Network() string
	String() string
}) string {
	if strings.HasPrefix(a.Network(), "unix") {
		return a.String() + ":0"
	}
	return a.String()
}

// line is the connection in CLIENT LIST.
func (c *client) line() string {
	c.mu.Lock()
	s := c.shown
	c.mu.Unlock()
	age := time.Since(c.created)
	cmd := "NULL"
	if last := c.last.Load(); last != nil {
		cmd = last.full
	}
	flags := ""
	for _, f := range []struct {
		is     bool
		letter string
	}{{s.monitor, "O"}, {s.subscribed+s.psubscribed > 0, "P"}, {s.queued >= 0, "x"}, {s.redirection >= 0, "t"}} {
		if f.is {
			flags += f.letter
		}
	}
	flags = cmp.Or(flags, "N")
	user := s.user
	if user == "" {
		user = "(none)"
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=0 name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=0 multi=%d watch=%d qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r cmd=%s user=%s redir=%d resp=%d lib-name=%s lib-ver=%s",
		c.id, c.address(), c.localAddress(), s.name, int(age.Seconds()), int((age - time.Duration(c.active.Load())).Seconds()), flags, s.db, s.subscribed, s.psubscribed, s.queued, s.watching, cmd, user, s.redirection, s.proto, s.libName, s.libVersion)
}

// kindOf is the connection's type for CLIENT LIST and KILL.
func (c *client) kindOf() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown.subscribed+c.shown.psubscribed > 0 {
		return "pubsub"
	}
	return "normal"
}

// isClientType says whether a word is a type of connections; those of replicas there are none.
func isClientType(arg []byte) bool {
	return is(arg, "normal") || is(arg, "pubsub") || is(arg, "master") || is(arg, "replica") || is(arg, "slave")
}

func clientList(c *client, args [][]byte) {
	wanted := func(*client) bool { return true }
	switch {
	case len(args) == 2:
	case len(args) == 4 && is(args[2], "type"):
		if !isClientType(args[3]) {
			c.out.error("ERR Unknown client type '" + string(args[3]) + "'")
			return
		}
		wanted = func(x *client) bool { return is(args[3], x.kindOf()) }
	case len(args) > 3 && is(args[2], "id"):
		ids := make(map[int64]bool)
		for _, arg := range args[3:] {
			n, ok := parseInt(arg)
			if !ok {
				c.out.error("ERR Invalid client ID")
				return
			}
			ids[n] = true
		}
		wanted = func(x *client) bool { return ids[x.id] }
	default:
		c.out.error(syntax)
		return
	}
	var b strings.Builder
	for _, x := range c.server.sorted() {
		if wanted(x) {
			b.WriteString(x.line())
			b.WriteByte('\n')
		}
	}
	c.out.verbatim(b.String())
}

// sorted are the clients by their numbers.
func (s *Server) sorted() []*client {
	list := s.all()
	slices.SortFunc(list, func(x, y *client) int { return int(x.id - y.id) })
	return list
}

func clientKill(c *client, args [][]byte) {
	if len(args) == 3 {
		for _, x := range c.server.all() {
			if x.address() == string(args[2]) {
				c.end1(x)
				c.out.ok()
				return
			}
		}
		c.out.error("ERR No such client")
		return
	}
	chosen, skipMe, bad := c.killFilter(args[2:])
	if bad != "" {
		c.out.error(bad)
		return
	}
	n := int64(0)
	for _, x := range c.server.all() {
		if (x != c || !skipMe) && chosen(x) {
			c.end1(x)
			n++
		}
	}
	c.out.int(n)
}

// end1 ends a client; its own after the reply.
func (c *client) end1(x *client) {
	if x == c {
		c.closing = true
	} else {
		x.kill()
	}
}

// killFilter reads the options of CLIENT KILL.
func (c *client) killFilter(args [][]byte) (chosen func(*client) bool, skipMe bool, bad string) {
	var all []func(*client) bool
	skipMe = true
	if len(args)%2 != 0 {
		return nil, false, syntax
	}
	for i := 0; i < len(args); i += 2 {
		value := args[i+1]
		switch {
		case is(args[i], "id"):
			n, ok := parseInt(value)
			if !ok || n < 1 {
				return nil, false, "ERR client-id should be greater than 0"
			}
			all = append(all, func(x *client) bool { return x.id == n })
		case is(args[i], "type"):
			if !isClientType(value) {
				return nil, false, "ERR Unknown client type '" + string(value) + "'"
			}
			all = append(all, func(x *client) bool { return is(value, x.kindOf()) })
		case is(args[i], "addr"):
			all = append(all, func(x *client) bool { return x.address() == string(value) })
		case is(args[i], "laddr"):
			all = append(all, func(x *client) bool { return x.localAddress() == string(value) })
		case is(args[i], "user"):
			if c.server.users[string(value)] == nil {
				return nil, false, "ERR No such user '" + string(value) + "'"
			}
			all = append(all, func(x *client) bool {
				x.mu.Lock()
				defer x.mu.Unlock()
				return x.shown.user == string(value)
			})
		case is(args[i], "skipme") && (is(value, "yes") || is(value, "no")):
			skipMe = is(value, "yes")
		default:
			return nil, false, syntax
		}
	}
	return func(x *client) bool {
		for _, f := range all {
			if !f(x) {
				return false
			}
		}
		return true
	}, skipMe, ""
}
