package resp

import (
	"fmt"
	"strings"
)

// command is a row of the command table, from which everything is known about a command.
type command struct {
	name     string
	arity    int // arguments with the name; -n for at least n
	flags    flags
	keys     keySpec
	group    string
	since    string // the version of Redis that has it first
	summary  string
	run      handler
	subs     []*command // of a command whose second word says what to do
	full     string     // its name with its parent's: config|get
	category []string
}

// handler answers a command. One of a command with flagKeys runs in the client's transaction, and may run again: nothing that it
// does may last but for what it does through c.tx and c.out.
type handler func(c *client, args [][]byte)

// keySpec says which arguments are keys: those from first to last in steps. A negative last counts from the end; first 0 is no keys.
type keySpec struct{ first, last, step int }

var (
	oneKey  = keySpec{1, 1, 1}
	twoKeys = keySpec{1, 2, 1}
	allKeys = keySpec{1, -1, 1}
	pairs   = keySpec{1, -1, 2}
	subKey  = keySpec{2, 2, 1}
)

// flags are what a command is.
type flags uint16

const (
	flagWrite   flags = 1 << iota // changes keys
	flagRead                      // reads keys
	flagKeys                      // runs inside a transaction
	flagDenyOOM                   // may need memory
	flagFast
	flagAdmin   // is for who runs the server
	flagNoAuth  // may be run before a password was given
	flagNoMulti // is refused inside MULTI
	flagNow     // runs at once inside MULTI
	flagPubSub
	flagSubscribed // may be run in protocol 2 by a connection with subscriptions
	flagAllKeys    // touches more keys than its arguments say, and so needs a user who may touch all
)

var flagNames = []struct {
	flag flags
	name string
}{{flagWrite, "write"}, {flagRead, "readonly"}, {flagDenyOOM, "denyoom"}, {flagAdmin, "admin"}, {flagPubSub, "pubsub"}, {flagNoAuth, "no_auth"}, {flagFast, "fast"}}

const (
	reads  = flagRead | flagKeys
	writes = flagWrite | flagKeys
)

// commands are the rows by their lower-case names.
var commands = make(map[string]*command)

func init() {
	for _, rows := range [][]*command{stringCommands, keyCommands, expiryCommands, scanCommands, connectionCommands, serverCommands, multiCommands, pubsubCommands, slowCommands} {
		for _, row := range rows {
			row.full = row.name
			row.complete()
			commands[row.name] = row
		}
	}
}

// complete fills in what follows from a row.
func (cmd *command) complete() {
	cmd.category = cmd.categories()
	for _, sub := range cmd.subs {
		sub.full, sub.group = cmd.name+"|"+sub.name, cmd.group
		sub.complete()
	}
}

func (cmd *command) categories() (list []string) {
	add := func(when bool, name string) {
		if when {
			list = append(list, "@"+name)
		}
	}
	add(cmd.flags&flagRead != 0, "read")
	add(cmd.flags&flagWrite != 0, "write")
	add(cmd.flags&flagAdmin != 0, "admin")
	add(cmd.flags&(flagAdmin|flagAllKeys) != 0 && cmd.flags&flagPubSub == 0, "dangerous")
	switch cmd.group {
	case "string", "pubsub", "connection":
		add(true, cmd.group)
	case "generic":
		add(true, "keyspace")
	case "transactions":
		add(true, "transaction")
	}
	add(cmd.flags&flagFast != 0, "fast")
	add(cmd.flags&flagFast == 0, "slow")
	return list
}

// eachKey visits the indexes of the arguments that are keys.
func (cmd *command) eachKey(args [][]byte, visit func(i int)) {
	if cmd.keys.first == 0 {
		return
	}
	last := cmd.keys.last
	if last < 0 {
		last += len(args)
	}
	for i := cmd.keys.first; i <= last && i < len(args); i += cmd.keys.step {
		visit(i)
	}
}

// fits says whether a command can have so many arguments.
func (cmd *command) fits(n int) bool {
	return cmd.arity >= 0 && n == cmd.arity || cmd.arity < 0 && n >= -cmd.arity
}

// longestName is longer than any command's name.
const longestName = 32

// lookUp finds the row for a command line; an error text when there is none or its arguments are too many or too few.
func lookUp(args [][]byte) (*command, string) {
	cmd := byName(args[0])
	if cmd == nil {
		return nil, unknownCommand(args)
	}
	if len(cmd.subs) > 0 && len(args) > 1 {
		sub := cmd.sub(args[1])
		if sub == nil {
			return nil, fmt.Sprintf("ERR unknown subcommand '%.128s'. Try %s HELP.", args[1], strings.ToUpper(cmd.name))
		}
		cmd = sub
	}
	if !cmd.fits(len(args)) {
		return nil, "ERR wrong number of arguments for '" + cmd.full + "' command"
	}
	return cmd, ""
}

// byName finds a row whatever the case of its name.
func byName(name []byte) *command {
	var lower [longestName]byte
	if len(name) > len(lower) {
		return nil
	}
	return commands[string(lowered(lower[:0], name))]
}

// lowered appends a name in lower case.
func lowered(dst, name []byte) []byte {
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func (cmd *command) sub(name []byte) *command {
	for _, s := range cmd.subs {
		if is(name, s.name) {
			return s
		}
	}
	return nil
}

// is compares an argument with a word in lower case, whatever the argument's case.
func is(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i, c := range arg {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// preview is how many bytes of an unknown command's arguments are shown.
const preview = 128

func unknownCommand(args [][]byte) string {
	if reason := unsupported(args[0]); reason != "" {
		return reason
	}
	shown := ""
	for i := 1; i < len(args) && len(shown) < preview; i++ {
		shown += fmt.Sprintf("'%.*s' ", preview-len(shown), args[i])
	}
	return fmt.Sprintf("ERR unknown command '%.128s', with args beginning with: %s", args[0], shown)
}
