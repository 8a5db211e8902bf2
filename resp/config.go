package resp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// parameter is a setting that CONFIG GET shows, and CONFIG SET changes if it has a way to.
type parameter struct {
	name string
	get  func(c *client) string
	set  func(c *client, value string) string // what is wrong with the value, "" for nothing
}

// fixed is a setting that never changes.
func fixed(name, value string) parameter {
	return parameter{name: name, get: func(*client) string { return value }}
}

// parameters are in the order of their names.
var parameters = []parameter{
	fixed("appendonly", "no"),
	{name: "databases", get: func(c *client) string { return strconv.Itoa(len(c.server.store.Tables())) }},
	fixed("client-output-buffer-limit", fmt.Sprintf("normal %d 0 0 slave 0 0 0 pubsub %d 0 0", maxReplies, maxPushed)),
	fixed("lfu-decay-time", "1"),
	number("latency-monitor-threshold", 0, math.MaxInt32, func(s *Server) *atomic.Int64 { return &s.slow.monitorFrom }),
	{name: "maxclients", get: func(c *client) string { return strconv.Itoa(c.server.options.MaxClients) }},
	{name: "maxmemory", get: func(c *client) string { return strconv.FormatInt(c.current().Options().Memory, 10) }},
	{name: "maxmemory-policy", get: func(c *client) string { return policyName(c.current().Options().Eviction.Policy) }},
	{name: "notify-keyspace-events", get: func(c *client) string { return classes(c.server.events.classes.Load()).String() }, set: setClasses},
	{name: "proto-max-bulk-len", get: func(c *client) string { return strconv.Itoa(c.server.limits().bulk) }},
	fixed("save", ""),
	number("slowlog-log-slower-than", -1, math.MaxInt64, func(s *Server) *atomic.Int64 { return &s.slow.logFrom }),
	{name: "slowlog-max-len", get: func(c *client) string { return strconv.FormatInt(c.server.slow.logged.Load(), 10) }, set: within(0, maxSlowLength, (*Server).keepSlow)},
	{name: "timeout", get: func(c *client) string {
		return strconv.Itoa(int(math.Ceil(c.server.options.IdleTimeout.Seconds())))
	}},
	{name: "tracking-table-max-keys", get: func(c *client) string { return strconv.FormatInt(c.server.tracking.maxKeys.Load(), 10) }, set: within(0, math.MaxInt32, func(s *Server, n int64) { s.tracking.bound(n) })},
}

// number is a setting that is a number within bounds.
func number(name string, least, most int64, of func(s *Server) *atomic.Int64) parameter {
	return parameter{
		name: name,
		get:  func(c *client) string { return strconv.FormatInt(of(c.server).Load(), 10) },
		set:  within(least, most, func(s *Server, n int64) { of(s).Store(n) }),
	}
}

// within sets a number if it is within bounds.
func within(least, most int64, set func(s *Server, n int64)) func(c *client, value string) string {
	return func(c *client, value string) string {
		n, ok := parseInt([]byte(value))
		switch {
		case !ok:
			return "argument couldn't be parsed into an integer"
		case n < least || n > most:
			return fmt.Sprintf("argument must be between %d and %d inclusive", least, most)
		}
		set(c.server, n)
		return ""
	}
}

func setClasses(c *client, value string) string {
	all, ok := parseClasses(value)
	if !ok {
		return "Invalid event class character. Use 'A" + classLetters + "'."
	}
	c.server.events.classes.Store(uint32(all))
	c.server.listen()
	return ""
}

// policyName is what Redis calls an eviction policy.
func policyName(p sharedstate.EvictionPolicy) string {
	switch p {
	case sharedstate.EvictLRU:
		return "allkeys-lru"
	case sharedstate.EvictLFU:
		return "allkeys-lfu"
	case sharedstate.EvictTTL:
		return "volatile-ttl"
	}
	return "noeviction"
}

func configGet(c *client, args [][]byte) {
	var found []parameter
	for _, p := range parameters {
		for _, pattern := range args[2:] {
			if matches(strings.ToLower(string(pattern)), p.name) {
				found = append(found, p)
				break
			}
		}
	}
	c.out.dict(len(found))
	for _, p := range found {
		c.out.text(p.name)
		c.out.text(p.get(c))
	}
}

func configSet(c *client, args [][]byte) {
	if len(args)%2 != 0 {
		c.out.error(syntax)
		return
	}
	for i := 2; i < len(args); i += 2 {
		p := parameterNamed(args[i])
		switch {
		case p == nil:
			c.out.error("ERR Unknown option or number of arguments for CONFIG SET - '" + string(args[i]) + "'")
			return
		case p.set == nil:
			c.out.error("ERR CONFIG SET failed (possibly related to argument '" + p.name + "') - can't set immutable config")
			return
		}
	}
	for i := 2; i < len(args); i += 2 {
		p := parameterNamed(args[i])
		if bad := p.set(c, string(args[i+1])); bad != "" {
			c.out.error("ERR CONFIG SET failed (possibly related to argument '" + p.name + "') - " + bad)
			return
		}
	}
	c.out.ok()
}

func parameterNamed(name []byte) *parameter {
	for i := range parameters {
		if is(name, parameters[i].name) {
			return &parameters[i]
		}
	}
	return nil
}

func configResetstat(c *client, _ [][]byte) {
	s := &c.server.stats
	for _, n := range []interface{ Store(int64) }{&s.connections, &s.rejected, &s.commands, &s.errors, &s.input, &s.output} {
		n.Store(0)
	}
	c.out.ok()
}
