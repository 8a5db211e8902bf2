package resp

var connectionCommands = []*command{
	{name: "ping", arity: -1, flags: flagFast | flagSubscribed, group: "connection", since: "1.0.0", summary: "Answers PONG, or the argument.", run: ping},
	{name: "echo", arity: 2, flags: flagFast, group: "connection", since: "1.0.0", summary: "Answers the argument.", run: func(c *client, args [][]byte) { c.out.bulk(args[1]) }},
	{name: "select", arity: 2, flags: flagFast | flagKeys, group: "connection", since: "1.0.0", summary: "Selects a table by its number or name.", run: selectTable},
	{name: "auth", arity: -2, flags: flagFast | flagNoAuth, group: "connection", since: "1.0.0", summary: "Makes the connection a user's.", run: auth},
	{name: "hello", arity: -1, flags: flagFast | flagNoAuth, group: "connection", since: "6.0.0", summary: "Chooses the protocol's version, and answers what the server is.", run: hello},
	{name: "quit", arity: -1, flags: flagFast | flagNoAuth | flagNow | flagSubscribed, group: "connection", since: "1.0.0", summary: "Closes the connection.", run: quit},
	{name: "reset", arity: 1, flags: flagFast | flagNoAuth | flagNow | flagSubscribed, group: "connection", since: "6.2.0", summary: "Makes the connection as new.", run: resetClient},
	{name: "client", arity: -2, group: "connection", since: "2.4.0", summary: "Tells about connections.", subs: append([]*command{
		{name: "id", arity: 2, since: "5.0.0", summary: "Gives the connection's number.", run: func(c *client, _ [][]byte) { c.out.int(c.id) }},
		{name: "info", arity: 2, since: "6.2.0", summary: "Tells about the connection.", run: func(c *client, _ [][]byte) { c.out.verbatim(c.line() + "\n") }},
		{name: "list", arity: -2, flags: flagAdmin, since: "2.4.0", summary: "Tells about all connections.", run: clientList},
		{name: "kill", arity: -3, flags: flagAdmin, since: "2.4.0", summary: "Closes connections.", run: clientKill},
		{name: "setname", arity: 3, since: "2.6.9", summary: "Gives the connection a name.", run: clientSetname},
		{name: "getname", arity: 2, since: "2.6.9", summary: "Gives the connection's name.", run: clientGetname},
		{name: "setinfo", arity: 4, since: "7.2.0", summary: "Says which library the client uses.", run: clientSetinfo},
		{name: "reply", arity: 3, since: "3.2.0", summary: "Says whether commands are answered.", run: clientReply},
		{name: "no-evict", arity: 3, flags: flagAdmin, since: "7.0.0", summary: "Does nothing: no connection is closed for memory.", run: onOrOff},
		{name: "no-touch", arity: 3, since: "7.2.0", summary: "Does nothing: commands always use their keys.", run: onOrOff},
		{name: "help", arity: 2, since: "5.0.0", summary: "Lists the subcommands.", run: help("CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"CACHING YES|NO", "    Whether the keys of the next command are tracked.",
			"GETNAME", "    The connection's name.",
			"GETREDIR", "    The number of the connection that invalidations go to.",
			"ID", "    The connection's number.",
			"INFO", "    What there is to know of the connection.",
			"KILL <ip:port>", "    Closes the connection from <ip:port>.",
			"KILL <option> <value> [<option> <value> [...]]", "    Closes connections by ID, ADDR, LADDR, TYPE or USER, this one only with SKIPME no.",
			"REPLY ON|OFF|SKIP", "    Whether commands are answered.",
			"LIST [TYPE <type>] [ID <id> ...]", "    What there is to know of all connections.",
			"SETINFO LIB-NAME|LIB-VER <value>", "    Says which library the client uses.",
			"SETNAME <name>", "    Gives the connection a name.",
			"TRACKING ON|OFF [REDIRECT <id>] [BCAST] [PREFIX <prefix> ...] [OPTIN] [OPTOUT] [NOLOOP]", "    Whether the connection is told when keys change that it has read.",
			"TRACKINGINFO", "    How the connection's keys are tracked.")},
	}, trackingCommands...)},
}

// redisVersion is the version of Redis whose commands and replies these are.
const redisVersion = "7.0.15"

func ping(c *client, args [][]byte) {
	if c.out.proto < 3 && len(args) <= 2 && c.subscriptions.count() > 0 { // it must look like a message
		c.out.array(2)
		c.out.text("pong")
		if len(args) == 1 {
			c.out.text("")
		} else {
			c.out.bulk(args[1])
		}
		return
	}
	switch len(args) {
	case 1:
		c.out.status("PONG")
	case 2:
		c.out.bulk(args[1])
	default:
		c.out.error("ERR wrong number of arguments for 'ping' command")
	}
}

func selectTable(c *client, args [][]byte) {
	t, bad := c.database(args[1])
	if bad != "" {
		c.out.error(bad)
		return
	}
	c.setTable(t.Name())
	c.out.ok()
}

// login makes the connection a user's; an error text when it does not.
func (c *client) login(name string, password []byte) string {
	u := c.server.users[name]
	if u == nil || !u.is(password) {
		return "WRONGPASS invalid username-password pair or user is disabled."
	}
	c.become(u)
	return ""
}

func auth(c *client, args [][]byte) {
	name, password := DefaultUser, args[1]
	switch len(args) {
	case 2:
		if u := c.server.users[DefaultUser]; u != nil && u.Password == "" {
			c.out.error("ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?")
			return
		}
	case 3:
		name, password = string(args[1]), args[2]
	default:
		c.out.error(syntax)
		return
	}
	if bad := c.login(name, password); bad != "" {
		c.out.error(bad)
	} else {
		c.out.ok()
	}
}

func hello(c *client, args [][]byte) {
	proto := c.out.proto
	if len(args) > 1 {
		n, ok := parseInt(args[1])
		if !ok {
			c.out.error("ERR Protocol version is not an integer or out of range")
			return
		}
		if n < 2 || n > 3 {
			c.out.error("NOPROTO unsupported protocol version")
			return
		}
		proto = int(n)
	}
	var name []byte
	for i := 2; i < len(args); {
		switch {
		case is(args[i], "auth") && i+2 < len(args):
			if bad := c.login(string(args[i+1]), args[i+2]); bad != "" {
				c.out.error(bad)
				return
			}
			i += 3
		case is(args[i], "setname") && i+1 < len(args):
			name = args[i+1]
			if !isClientName(name) {
				c.out.error(badClientName)
				return
			}
			i += 2
		default:
			c.out.error("ERR Syntax error in HELLO option '" + string(args[i]) + "'")
			return
		}
	}
	if c.user == nil {
		c.out.error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
		return
	}
	c.setProto(proto)
	c.show(func(s *shown) {
		s.proto = proto
		if name != nil {
			s.name = string(name)
		}
	})
	c.out.dict(7)
	c.out.text("server")
	c.out.text("redis")
	c.out.text("version")
	c.out.text(redisVersion)
	c.out.text("proto")
	c.out.int(int64(proto))
	c.out.text("id")
	c.out.int(c.id)
	c.out.text("mode")
	c.out.text("standalone")
	c.out.text("role")
	c.out.text("master")
	c.out.text("modules")
	c.out.array(0)
}

func quit(c *client, _ [][]byte) {
	c.out.ok()
	c.closing = true
}

func resetClient(c *client, _ [][]byte) {
	c.reset()
	c.out.status("RESET")
}

func onOrOff(c *client, args [][]byte) {
	if is(args[2], "on") || is(args[2], "off") {
		c.out.ok()
	} else {
		c.out.error(syntax)
	}
}

const badClientName = "ERR Client names cannot contain spaces, newlines or special characters."

// isClientName says whether a name can stand in CLIENT LIST.
func isClientName(name []byte) bool {
	for _, b := range name {
		if b < '!' || b > '~' {
			return false
		}
	}
	return true
}

func clientSetname(c *client, args [][]byte) {
	if !isClientName(args[2]) {
		c.out.error(badClientName)
		return
	}
	name := string(args[2])
	c.show(func(s *shown) { s.name = name })
	c.out.ok()
}

func clientGetname(c *client, _ [][]byte) {
	c.mu.Lock()
	name := c.shown.name
	c.mu.Unlock()
	if name == "" {
		c.out.null()
	} else {
		c.out.text(name)
	}
}

func clientSetinfo(c *client, args [][]byte) {
	value := string(args[3])
	if !isClientName(args[3]) {
		c.out.error("ERR " + string(args[2]) + " cannot contain spaces, newlines or special characters.")
		return
	}
	switch {
	case is(args[2], "lib-name"):
		c.show(func(s *shown) { s.libName = value })
	case is(args[2], "lib-ver"):
		c.show(func(s *shown) { s.libVersion = value })
	default:
		c.out.error("ERR Unrecognized option '" + string(args[2]) + "'")
		return
	}
	c.out.ok()
}
