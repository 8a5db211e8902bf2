package resp

import (
	"github.com/frankenshare/frankenshare/sharedstate"
)

var keyCommands = []*command{
	{name: "del", arity: -2, flags: writes, keys: allKeys, group: "generic", since: "1.0.0", summary: "Removes keys.", run: del},
	{name: "unlink", arity: -2, flags: writes | flagFast, keys: allKeys, group: "generic", since: "4.0.0", summary: "Removes keys.", run: del},
	{name: "exists", arity: -2, flags: reads | flagFast, keys: allKeys, group: "generic", since: "1.0.0", summary: "Counts how many of the keys are there.", run: exists},
	{name: "touch", arity: -2, flags: reads | flagFast, keys: allKeys, group: "generic", since: "3.2.1", summary: "Counts how many of the keys are there, and uses them.", run: exists},
	{name: "type", arity: 2, flags: reads | flagFast, keys: oneKey, group: "generic", since: "1.0.0", summary: "Says what a key holds.", run: typeOf},
	{name: "rename", arity: 3, flags: writes, keys: twoKeys, group: "generic", since: "1.0.0", summary: "Gives a value another key.", run: rename},
	{name: "renamenx", arity: 3, flags: writes | flagFast, keys: twoKeys, group: "generic", since: "1.0.0", summary: "Gives a value another key if that is absent.", run: renamenx},
	{name: "copy", arity: -3, flags: writes | flagDenyOOM, keys: twoKeys, group: "generic", since: "6.2.0", summary: "Copies a value to another key.", run: copyKey},
	{name: "move", arity: 3, flags: writes | flagFast, keys: oneKey, group: "generic", since: "1.0.0", summary: "Moves a key to another table.", run: move},
	{name: "flushdb", arity: -1, flags: writes | flagAllKeys, group: "server", since: "1.0.0", summary: "Removes all keys of the selected table.", run: flushdb},
	{name: "flushall", arity: -1, flags: writes | flagAllKeys, group: "server", since: "1.0.0", summary: "Removes all keys of all tables.", run: flushall},
	{name: "object", arity: -2, flags: flagRead, group: "generic", since: "2.2.3", summary: "Tells about the value of a key.", subs: []*command{
		{name: "encoding", arity: 3, flags: reads, keys: subKey, since: "2.2.3", summary: "Says how a value is stored.", run: objectEncoding},
		{name: "refcount", arity: 3, flags: reads, keys: subKey, since: "2.2.3", summary: "Counts the references to a value, which is always one.", run: objectRefcount},
		{name: "idletime", arity: 3, flags: reads, keys: subKey, since: "2.2.3", summary: "Says for how many seconds a key was not used, under the policy lru.", run: objectIdletime},
		{name: "freq", arity: 3, flags: reads, keys: subKey, since: "4.0.0", summary: "Says how often a key is used, under the policy lfu.", run: objectFreq},
		{name: "help", arity: 2, since: "6.2.0", summary: "Lists the subcommands.", run: help("OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"ENCODING <key>", "    How the value of <key> is stored.",
			"FREQ <key>", "    How often <key> is used: a logarithmic count.",
			"IDLETIME <key>", "    For how many seconds <key> was not used.",
			"REFCOUNT <key>", "    The number of references to the value of <key>.")},
	}},
	{name: "memory", arity: -2, flags: flagRead, group: "server", since: "4.0.0", summary: "Tells about the use of memory.", subs: []*command{
		{name: "usage", arity: -3, flags: reads, keys: subKey, since: "4.0.0", summary: "Gives the bytes that a key takes.", run: memoryUsage},
		{name: "doctor", arity: 2, since: "4.0.0", summary: "Says that the tables' memory is bounded.", run: func(c *client, _ [][]byte) { c.out.verbatim(memoryDoctor) }},
		{name: "help", arity: 2, since: "4.0.0", summary: "Lists the subcommands.", run: help("MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"DOCTOR", "    Whether the memory has a problem.",
			"USAGE <key> [SAMPLES <count>]", "    The bytes that <key> and its value take.")},
	}},
}

const memoryDoctor = "Each table has a fixed amount of memory, which INFO memory shows; it never grows.\n"

// help answers a subcommand HELP with its lines.
func help(lines ...string) handler {
	lines = append(lines, "HELP", "    Prints this help.")
	return func(c *client, _ [][]byte) {
		c.out.array(len(lines))
		for _, l := range lines {
			c.out.status(l)
		}
	}
}

func del(c *client, args [][]byte) {
	n := int64(0)
	for _, arg := range args[1:] {
		t, key := c.locate(arg)
		if c.tx.Delete(t, key) {
			n++
		}
	}
	c.out.int(n)
}

func exists(c *client, args [][]byte) {
	n := int64(0)
	for _, arg := range args[1:] {
		t, key := c.locate(arg)
		if _, live := c.tx.Find(t, key); live {
			n++
		}
	}
	c.out.int(n)
}

func typeOf(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	if f, live := c.tx.Find(t, key); live {
		c.out.status(typeName(f.Kind))
	} else {
		c.out.status("none")
	}
}

// transfer writes a value to another place; false after an error reply. PHP objects stay in their table, whose settings have admitted them.
func (c *client) transfer(v sharedstate.Value, expiry uint64, from, to *sharedstate.Table, key string) bool {
	if from != to && v.Kind() == sharedstate.KindObject {
		c.out.error("ERR a PHP object stays in its table")
		return false
	}
	return c.put(to, key, v, expiry)
}

func rename(c *client, args [][]byte) {
	if c.renamed(args, false) {
		c.out.ok()
	}
}

func renamenx(c *client, args [][]byte) {
	if c.renamed(args, true) {
		c.out.int(1)
	}
}

// renamed gives a value another key; false after a reply that says why not.
func (c *client) renamed(args [][]byte, onlyNew bool) bool {
	from, key := c.locate(args[1])
	to, name := c.locate(args[2])
	v, expiry, live := c.tx.Get(from, key)
	if !live {
		c.out.error(noSuchKey)
		return false
	}
	if onlyNew {
		if _, taken := c.tx.Find(to, name); taken {
			c.out.int(0)
			return false
		}
	}
	if from == to && key == name {
		return true
	}
	if !c.transfer(v, expiry, from, to, name) {
		return false
	}
	c.tx.Delete(from, key)
	return true
}

func copyKey(c *client, args [][]byte) {
	from, key := c.locate(args[1])
	to, name := c.locate(args[2])
	replace := false
	for i := 3; i < len(args); i++ {
		switch {
		case is(args[i], "replace"):
			replace = true
		case is(args[i], "db") && i+1 < len(args):
			i++
			t, bad := c.database(args[i])
			if bad != "" {
				c.out.error(bad)
				return
			}
			to, name = t, view(args[2])
		default:
			c.out.error(syntax)
			return
		}
	}
	if from == to && key == name {
		c.out.error("ERR source and destination objects are the same")
		return
	}
	v, expiry, live := c.tx.Get(from, key)
	if live && !replace {
		_, taken := c.tx.Find(to, name)
		live = !taken
	}
	if !live {
		c.out.int(0)
	} else if c.transfer(v, expiry, from, to, name) {
		c.out.int(1)
	}
}

func move(c *client, args [][]byte) {
	from, key := c.locate(args[1])
	to, bad := c.database(args[2])
	switch {
	case bad != "":
		c.out.error(bad)
		return
	case from == to:
		c.out.error("ERR source and destination objects are the same")
		return
	}
	v, expiry, live := c.tx.Get(from, key)
	if live {
		_, taken := c.tx.Find(to, key)
		live = !taken
	}
	if !live {
		c.out.int(0)
	} else if c.transfer(v, expiry, from, to, key) {
		c.tx.Delete(from, key)
		c.out.int(1)
	}
}

// flushMode says whether a flush has the right options; both modes are the same here, for clearing takes no time.
func (c *client) flushMode(args [][]byte) bool {
	if len(args) > 2 || len(args) == 2 && !is(args[1], "sync") && !is(args[1], "async") {
		c.out.error(syntax)
		return false
	}
	return true
}

func flushdb(c *client, args [][]byte) {
	if c.flushMode(args) {
		c.tx.Clear(c.current())
		c.out.ok()
	}
}

func flushall(c *client, args [][]byte) {
	if c.flushMode(args) {
		for _, t := range c.server.store.Tables() {
			c.tx.Clear(t)
		}
		c.out.ok()
	}
}

func objectEncoding(c *client, args [][]byte) {
	t, key := c.locate(args[2])
	if f, live := c.tx.Find(t, key); live {
		c.out.text(encodingName(f))
	} else {
		c.out.null()
	}
}

func objectRefcount(c *client, args [][]byte) {
	t, key := c.locate(args[2])
	if _, live := c.tx.Find(t, key); live {
		c.out.int(1)
	} else {
		c.out.null()
	}
}

func objectIdletime(c *client, args [][]byte) {
	t, key := c.locate(args[2])
	u, live := t.Usage(key)
	switch {
	case !live:
		c.out.null()
	case t.Options().Eviction.Policy == sharedstate.EvictLFU:
		c.out.error("ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	default:
		c.out.int(int64(u.Idle))
	}
}

func objectFreq(c *client, args [][]byte) {
	t, key := c.locate(args[2])
	u, live := t.Usage(key)
	switch {
	case !live:
		c.out.null()
	case t.Options().Eviction.Policy != sharedstate.EvictLFU:
		c.out.error("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	default:
		c.out.int(int64(u.Count))
	}
}

func memoryUsage(c *client, args [][]byte) {
	for i := 3; i < len(args); i += 2 {
		if !is(args[i], "samples") || i+1 == len(args) {
			c.out.error(syntax)
			return
		}
		if n, ok := parseInt(args[i+1]); !ok || n < 0 {
			c.out.error(notInteger)
			return
		}
	}
	t, key := c.locate(args[2])
	if u, live := t.Usage(key); live {
		c.out.int(int64(u.Memory))
	} else {
		c.out.null()
	}
}
