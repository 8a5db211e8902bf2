package resp

import (
	"math/rand/v2"

	"github.com/frankenshare/frankenshare/sharedstate"
)

var scanCommands = []*command{
	{name: "scan", arity: -2, flags: reads, group: "generic", since: "2.8.0", summary: "Lists the keys of the selected table in pages.", run: scan},
	{name: "keys", arity: 2, flags: reads, group: "generic", since: "1.0.0", summary: "Lists the keys of the selected table that match a pattern.", run: keys},
	{name: "randomkey", arity: 1, flags: reads, group: "generic", since: "1.0.0", summary: "Gives any key of the selected table.", run: randomkey},
	{name: "dbsize", arity: 1, flags: reads | flagFast, group: "server", since: "1.0.0", summary: "Counts the keys of the selected table.", run: dbsize},
}

// A transaction's commands that go through a whole table see it as it is when they run, with what the transaction has done to it; it is
// not checked at the end that it still is so.

// pending are the keys that the transaction has changed in a table, true for those that are there.
func (c *client) pending(t *sharedstate.Table) (cleared bool, changed map[string]bool) {
	cleared, keys := c.tx.Pending(t)
	for key, present := range keys {
		if changed == nil {
			changed = make(map[string]bool)
		}
		changed[key] = present
	}
	return cleared, changed
}

// page is a page of keys on its way to the client.
type page struct {
	client  *client
	pattern string // "*" for all keys
	kind    string // only keys of that type; "" for all
	cleared bool
	changed map[string]bool
	found   []string
}

func (p *page) wants(key string, kind sharedstate.Kind) bool {
	return (p.pattern == "*" || matches(p.pattern, key)) && (p.kind == "" || typeName(kind) == p.kind) && p.client.user.mayTouch(key)
}

// add takes the keys of some rows that the transaction has not changed.
func (p *page) add(rows *sharedstate.Rows) {
	for row := range rows.All() {
		if _, changed := p.changed[row.Key]; !p.cleared && !changed && p.wants(row.Key, row.Value.Kind()) {
			p.found = append(p.found, row.Key)
		}
	}
}

// addPending takes the keys that the transaction has changed.
func (p *page) addPending(t *sharedstate.Table) {
	for key, present := range p.changed {
		if f, _ := p.client.tx.Find(t, key); present && p.wants(key, f.Kind) {
			p.found = append(p.found, key)
		}
	}
}

func scan(c *client, args [][]byte) {
	cursor, ok := parseUint(args[1])
	if !ok {
		c.out.error("ERR invalid cursor")
		return
	}
	p := page{client: c, pattern: "*"}
	count := 10
	for i := 2; i < len(args); i += 2 {
		if i+1 == len(args) {
			c.out.error(syntax)
			return
		}
		switch arg := args[i+1]; {
		case is(args[i], "count"):
			n, ok := parseInt(arg)
			if !ok {
				c.out.error(notInteger)
				return
			}
			if n < 1 {
				c.out.error(syntax)
				return
			}
			count = int(min(n, 1<<20))
		case is(args[i], "match"):
			p.pattern = string(arg)
		case is(args[i], "type"):
			p.kind = string(lowered(nil, arg))
		default:
			c.out.error(syntax)
			return
		}
	}
	t := c.current()
	p.cleared, p.changed = c.pending(t)
	var rows sharedstate.Rows
	next, err := t.ScanPage(cursor, count, true, &rows)
	if err != nil {
		c.out.error(errorText(err))
		return
	}
	p.add(&rows)
	if next == 0 {
		p.addPending(t)
	}
	c.out.array(2)
	c.out.text(uintText(next))
	c.out.texts(p.found...)
}

// pageRows is how many rows at a time a command looks at that goes through a whole table.
const pageRows = 4096

func keys(c *client, args [][]byte) {
	t := c.current()
	p := page{client: c, pattern: string(args[1])}
	p.cleared, p.changed = c.pending(t)
	for cursor := uint64(0); ; {
		var rows sharedstate.Rows
		next, err := t.ScanPage(cursor, pageRows, true, &rows)
		if err != nil {
			c.out.error(errorText(err))
			return
		}
		p.add(&rows)
		if cursor = next; cursor == 0 {
			break
		}
	}
	p.addPending(t)
	c.out.texts(p.found...)
}

func randomkey(c *client, _ [][]byte) {
	t := c.current()
	p := page{client: c, pattern: "*"}
	p.cleared, p.changed = c.pending(t)
	stripes := uint64(t.Stripes())
	start := rand.Uint64N(stripes<<32-1) + 1
	for cursor, wrapped := start, false; len(p.found) == 0; {
		var rows sharedstate.Rows
		next, err := t.ScanPage(cursor, 16, true, &rows)
		if err != nil {
			c.out.error(errorText(err))
			return
		}
		p.add(&rows)
		if next == 0 {
			if wrapped {
				break
			}
			wrapped = true
		}
		if cursor = next; wrapped && cursor > start {
			break
		}
	}
	p.addPending(t)
	if n := len(p.found); n > 0 {
		c.out.text(p.found[rand.IntN(n)])
	} else {
		c.out.null()
	}
}

func dbsize(c *client, _ [][]byte) {
	t := c.current()
	cleared, changed := c.pending(t)
	n := 0
	if !cleared {
		n = t.Len()
	}
	for key, present := range changed {
		there := !cleared && t.Has(key)
		switch {
		case present && !there:
			n++
		case !present && there:
			n--
		}
	}
	c.out.int(int64(n))
}
