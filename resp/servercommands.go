package resp

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

var serverCommands = []*command{
	{name: "command", arity: -1, group: "server", since: "2.8.13", summary: "Tells about all commands.", run: commandAll, subs: []*command{
		{name: "count", arity: 2, since: "2.8.13", summary: "Counts the commands.", run: func(c *client, _ [][]byte) { c.out.int(int64(len(commands))) }},
		{name: "docs", arity: -2, since: "7.0.0", summary: "Gives the documents of commands.", run: commandDocs},
		{name: "info", arity: -2, since: "2.8.13", summary: "Tells about commands.", run: commandInfo},
		{name: "list", arity: -2, since: "7.0.0", summary: "Lists the names of commands.", run: commandList},
		{name: "getkeys", arity: -4, since: "2.8.13", summary: "Lists the keys of a command line.", run: commandGetkeys},
		{name: "help", arity: 2, since: "5.0.0", summary: "Lists the subcommands.", run: help("COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"(no subcommand)", "    What there is to know of all commands.",
			"COUNT", "    How many commands there are.",
			"DOCS [<command-name> ...]", "    The documents of commands.",
			"GETKEYS <full-command>", "    The keys of a command line.",
			"INFO [<command-name> ...]", "    What there is to know of commands.",
			"LIST [FILTERBY ACLCAT <category>|PATTERN <pattern>]", "    The names of commands.")},
	}},
	{name: "config", arity: -2, group: "server", since: "2.0.0", summary: "Tells about settings.", subs: []*command{
		{name: "get", arity: -3, flags: flagAdmin, since: "2.0.0", summary: "Gives the settings whose names match.", run: configGet},
		{name: "set", arity: -4, flags: flagAdmin, since: "2.0.0", summary: "Changes settings until the next start.", run: configSet},
		{name: "resetstat", arity: 2, flags: flagAdmin, since: "2.0.0", summary: "Sets the counters of INFO to zero.", run: configResetstat},
		{name: "help", arity: 2, since: "5.0.0", summary: "Lists the subcommands.", run: help("CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"GET <pattern> [<pattern> ...]", "    The settings whose names match.",
			"SET <directive> <value> [<directive> <value> ...]", "    Changes settings until the next start.",
			"RESETSTAT", "    Sets the counters of INFO to zero.")},
	}},
	{name: "acl", arity: -2, group: "server", since: "6.0.0", summary: "Tells about users.", subs: []*command{
		{name: "whoami", arity: 2, since: "6.0.0", summary: "Gives the name of the connection's user.", run: func(c *client, _ [][]byte) { c.out.text(c.user.Name) }},
		{name: "users", arity: 2, flags: flagAdmin, since: "6.0.0", summary: "Lists the users' names.", run: func(c *client, _ [][]byte) { c.out.texts(slices.Sorted(maps.Keys(c.server.users))...) }},
		{name: "help", arity: 2, since: "6.0.0", summary: "Lists the subcommands.", run: help("ACL <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"USERS", "    The users' names.",
			"WHOAMI", "    The name of the connection's user.")},
	}},
	{name: "module", arity: -2, group: "server", since: "4.0.0", summary: "Tells about modules.", subs: []*command{
		{name: "list", arity: 2, flags: flagAdmin, since: "4.0.0", summary: "Lists the modules, of which there are none.", run: func(c *client, _ [][]byte) { c.out.array(0) }},
		{name: "help", arity: 2, since: "5.0.0", summary: "Lists the subcommands.", run: help("MODULE <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"LIST", "    The modules, of which there are none.")},
	}},
	{name: "info", arity: -1, group: "server", since: "1.0.0", summary: "Tells about the server and its tables.", run: info},
	{name: "monitor", arity: 1, flags: flagAdmin | flagNoMulti | flagAllKeys, group: "server", since: "1.0.0", summary: "Shows the commands of all clients from now on.", run: monitor},
	{name: "time", arity: 1, flags: flagFast, group: "server", since: "2.6.0", summary: "Gives the time as seconds and microseconds.", run: timeNow},
	{name: "role", arity: 1, flags: flagFast, group: "server", since: "2.8.12", summary: "Says that the server is no replica.", run: role},
	{name: "wait", arity: 3, group: "generic", since: "3.0.0", summary: "Answers 0 at once: there are no replicas.", run: wait},
}

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }

func timeNow(c *client, _ [][]byte) {
	now := time.Now()
	c.out.texts(strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond()/1000))
}

func role(c *client, _ [][]byte) {
	c.out.array(3)
	c.out.text("master")
	c.out.int(0)
	c.out.array(0)
}

func wait(c *client, args [][]byte) {
	_, ok := parseInt(args[1])
	timeout, isTime := parseInt(args[2])
	switch {
	case !ok:
		c.out.error(notInteger)
	case !isTime:
		c.out.error("ERR timeout is not an integer or out of range")
	case timeout < 0:
		c.out.error("ERR timeout is negative")
	default:
		c.out.int(0)
	}
}

// allCommands are the rows by their names.
func allCommands() []*command {
	return slices.SortedFunc(maps.Values(commands), func(x, y *command) int { return strings.Compare(x.name, y.name) })
}

func commandAll(c *client, _ [][]byte) {
	rows := allCommands()
	c.out.array(len(rows))
	for _, cmd := range rows {
		c.describe(cmd)
	}
}

func commandInfo(c *client, args [][]byte) {
	if len(args) == 2 {
		commandAll(c, nil)
		return
	}
	c.out.array(len(args) - 2)
	for _, arg := range args[2:] {
		if cmd := named(arg); cmd != nil {
			c.describe(cmd)
		} else {
			c.out.null()
		}
	}
}

// named finds a row by a name such as get or config|get.
func named(arg []byte) *command {
	name, sub, isSub := strings.Cut(string(arg), "|")
	cmd := byName([]byte(name))
	if cmd != nil && isSub {
		return cmd.sub([]byte(sub))
	}
	return cmd
}

// describe answers a row as COMMAND INFO does.
func (c *client) describe(cmd *command) {
	c.out.array(10)
	c.out.text(cmd.full)
	c.out.int(int64(cmd.arity))
	var names []string
	for _, f := range flagNames {
		if cmd.flags&f.flag != 0 {
			names = append(names, f.name)
		}
	}
	c.out.statuses(names...)
	c.out.int(int64(cmd.keys.first))
	c.out.int(int64(cmd.keys.last))
	c.out.int(int64(cmd.keys.step))
	c.out.statuses(cmd.category...)
	c.out.array(0) // tips for clusters
	c.describeKeys(cmd)
	c.out.array(len(cmd.subs))
	for _, sub := range cmd.subs {
		c.describe(sub)
	}
}

// describeKeys answers where the keys are.
func (c *client) describeKeys(cmd *command) {
	if cmd.keys.first == 0 {
		c.out.array(0)
		return
	}
	c.out.array(1)
	c.out.dict(3)
	c.out.text("flags")
	if cmd.flags&flagWrite != 0 {
		c.out.statuses("RW", "UPDATE")
	} else {
		c.out.statuses("RO", "ACCESS")
	}
	c.out.text("begin_search")
	c.out.dict(2)
	c.out.text("type")
	c.out.text("index")
	c.out.text("spec")
	c.out.dict(1)
	c.out.text("index")
	c.out.int(int64(cmd.keys.first))
	c.out.text("find_keys")
	c.out.dict(2)
	c.out.text("type")
	c.out.text("range")
	c.out.text("spec")
	c.out.dict(3)
	c.out.text("lastkey")
	last := cmd.keys.last
	if last > 0 {
		last -= cmd.keys.first
	}
	c.out.int(int64(last))
	c.out.text("keystep")
	c.out.int(int64(cmd.keys.step))
	c.out.text("limit")
	c.out.int(0)
}

func commandDocs(c *client, args [][]byte) {
	rows := allCommands()
	if len(args) > 2 {
		rows = rows[:0]
		for _, arg := range args[2:] {
			if cmd := named(arg); cmd != nil {
				rows = append(rows, cmd)
			}
		}
	}
	c.documents(rows)
}

func (c *client) documents(rows []*command) {
	c.out.dict(len(rows))
	for _, cmd := range rows {
		c.out.text(cmd.full)
		n := 3
		if len(cmd.subs) > 0 {
			n = 4
		}
		c.out.dict(n)
		c.out.text("summary")
		c.out.text(cmd.summary)
		c.out.text("since")
		c.out.text(cmd.since)
		c.out.text("group")
		c.out.text(cmd.group)
		if len(cmd.subs) > 0 {
			c.out.text("subcommands")
			c.documents(cmd.subs)
		}
	}
}

func commandList(c *client, args [][]byte) {
	wanted := func(*command) bool { return true }
	switch {
	case len(args) == 2:
	case len(args) == 5 && is(args[2], "filterby") && is(args[3], "pattern"):
		wanted = func(cmd *command) bool { return matches(string(args[4]), cmd.full) }
	case len(args) == 5 && is(args[2], "filterby") && is(args[3], "aclcat"):
		wanted = func(cmd *command) bool { return slices.Contains(cmd.category, "@"+string(lowered(nil, args[4]))) }
	case len(args) == 5 && is(args[2], "filterby") && is(args[3], "module"):
		wanted = func(*command) bool { return false }
	default:
		c.out.error(syntax)
		return
	}
	var names []string
	for _, cmd := range allCommands() {
		for _, row := range append([]*command{cmd}, cmd.subs...) {
			if (row == cmd || len(args) > 2) && wanted(row) {
				names = append(names, row.full)
			}
		}
	}
	c.out.texts(names...)
}

func commandGetkeys(c *client, args [][]byte) {
	line := args[2:]
	cmd, _ := lookUp(line)
	switch {
	case byName(line[0]) == nil:
		c.out.error("ERR Invalid command specified")
		return
	case cmd == nil:
		c.out.error("ERR Invalid number of arguments specified for command")
		return
	}
	var found []string
	cmd.eachKey(line, func(i int) { found = append(found, string(line[i])) })
	if len(found) == 0 {
		c.out.error("ERR The command has no key arguments")
		return
	}
	c.out.texts(found...)
}
