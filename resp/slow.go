package resp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var slowCommands = []*command{
	{name: "slowlog", arity: -2, group: "server", since: "2.2.12", summary: "Tells about commands that took long.", subs: []*command{
		{name: "get", arity: -2, flags: flagAdmin | flagAllKeys, since: "2.2.12", summary: "Lists the last of them.", run: slowlogGet},
		{name: "len", arity: 2, flags: flagAdmin, since: "2.2.12", summary: "Counts them.", run: slowlogLen},
		{name: "reset", arity: 2, flags: flagAdmin, since: "2.2.12", summary: "Forgets them.", run: slowlogReset},
		{name: "help", arity: 2, since: "6.2.0", summary: "Lists the subcommands.", run: help("SLOWLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"GET [<count>]", "    The last commands that took longer than slowlog-log-slower-than, 10 of them or <count>, -1 for all, each with",
			"    its number, its time, its microseconds, its arguments, its connection's address and name.",
			"LEN", "    How many there are.",
			"RESET", "    Forgets them.")},
	}},
	{name: "latency", arity: -2, group: "server", since: "2.8.13", summary: "Tells about times that were long.", subs: []*command{
		{name: "latest", arity: 2, flags: flagAdmin, since: "2.8.13", summary: "Gives the last long time of each kind.", run: latencyLatest},
		{name: "history", arity: 3, flags: flagAdmin, since: "2.8.13", summary: "Gives the long times of a kind.", run: latencyHistory},
		{name: "reset", arity: -2, flags: flagAdmin, since: "2.8.13", summary: "Forgets the long times.", run: latencyReset},
		{name: "doctor", arity: 2, flags: flagAdmin, since: "2.8.13", summary: "Tells about the long times in words.", run: latencyDoctor},
		{name: "help", arity: 2, since: "2.8.13", summary: "Lists the subcommands.", run: help("LATENCY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"DOCTOR", "    What there is to say of the long times.",
			"HISTORY <event>", "    The long times of <event>, which is command or fast-command.",
			"LATEST", "    The last long time of each event.",
			"RESET [<event> ...]", "    Forgets the long times.")},
	}},
}

// slow keeps commands that took long.
type slow struct {
	logFrom     atomic.Int64 // slowlog-log-slower-than in microseconds; less than 0 for nothing
	logged      atomic.Int64 // slowlog-max-len
	monitorFrom atomic.Int64 // latency-monitor-threshold in milliseconds; 0 for nothing

	mu     sync.Mutex
	log    []slowCommand // the newest last
	nextID int64
	events map[string]*latencies
}

const (
	defaultSlow       = 10_000 // microseconds
	defaultSlowLength = 128
	maxSlowLength     = 10_000
	slowArgs          = 32  // of a command that are kept
	slowArgBytes      = 128 // of an argument
	latencySamples    = 160 // of an event
)

type slowCommand struct {
	id            int64
	at            time.Time
	took          time.Duration
	args          []string
	address, name string
}

// latencies are the long times of an event, one for a second.
type latencies struct {
	samples []latency // the newest last
	max     int64
}

type latency struct{ second, milliseconds int64 }

// on says whether commands are timed.
func (s *slow) on() bool { return s.logFrom.Load() >= 0 || s.monitorFrom.Load() > 0 }

// note keeps a command that took so long, if it is too long.
func (s *slow) note(c *client, cmd *command, args [][]byte, took time.Duration) {
	if from := s.logFrom.Load(); from >= 0 && took.Microseconds() >= from && cmd.flags&flagNoAuth == 0 {
		s.keep(c, args, took)
	}
	if from := s.monitorFrom.Load(); from > 0 && took.Milliseconds() >= from {
		event := "command"
		if cmd.flags&flagFast != 0 {
			event = "fast-command"
		}
		s.sample(event, took.Milliseconds())
	}
}

func (s *slow) keep(c *client, args [][]byte, took time.Duration) {
	c.mu.Lock()
	name := c.shown.name
	c.mu.Unlock()
	entry := slowCommand{at: time.Now(), took: took, args: shortened(args), address: c.address(), name: name}
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.id = s.nextID
	s.nextID++
	s.log = append(s.log, entry)
	s.trimLocked()
}

func (s *slow) trimLocked() {
	if over := len(s.log) - int(s.logged.Load()); over > 0 {
		s.log = slices.Delete(s.log, 0, over)
	}
}

// keepSlow changes how many slow commands are kept.
func (s *Server) keepSlow(n int64) {
	s.slow.mu.Lock()
	defer s.slow.mu.Unlock()
	s.slow.logged.Store(n)
	s.slow.trimLocked()
}

// shortened are arguments as they are kept.
func shortened(args [][]byte) (kept []string) {
	for i, arg := range args {
		switch {
		case i == slowArgs-1 && len(args) > slowArgs:
			return append(kept, fmt.Sprintf("... (%d more arguments)", len(args)-slowArgs+1))
		case len(arg) > slowArgBytes:
			kept = append(kept, fmt.Sprintf("%s... (%d more bytes)", arg[:slowArgBytes], len(arg)-slowArgBytes))
		default:
			kept = append(kept, string(arg))
		}
	}
	return kept
}

func (s *slow) sample(event string, ms int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events == nil {
		s.events = make(map[string]*latencies)
	}
	l := s.events[event]
	if l == nil {
		l = new(latencies)
		s.events[event] = l
	}
	l.max = max(l.max, ms)
	now := time.Now().Unix()
	if n := len(l.samples); n > 0 && l.samples[n-1].second == now {
		l.samples[n-1].milliseconds = max(l.samples[n-1].milliseconds, ms)
		return
	}
	if l.samples = append(l.samples, latency{now, ms}); len(l.samples) > latencySamples {
		l.samples = slices.Delete(l.samples, 0, 1)
	}
}

func slowlogGet(c *client, args [][]byte) {
	count := int64(10)
	if len(args) > 3 {
		c.out.error("ERR wrong number of arguments for 'slowlog|get' command")
		return
	}
	if len(args) == 3 {
		var ok bool
		if count, ok = parseInt(args[2]); !ok || count < -1 {
			c.out.error("ERR count should be greater than or equal to -1")
			return
		}
	}
	s := &c.server.slow
	s.mu.Lock()
	log := slices.Clone(s.log)
	s.mu.Unlock()
	slices.Reverse(log)
	if count >= 0 && count < int64(len(log)) {
		log = log[:count]
	}
	c.out.array(len(log))
	for _, e := range log {
		c.out.array(6)
		c.out.int(e.id)
		c.out.int(e.at.Unix())
		c.out.int(e.took.Microseconds())
		c.out.texts(e.args...)
		c.out.text(e.address)
		c.out.text(e.name)
	}
}

func slowlogLen(c *client, _ [][]byte) {
	s := &c.server.slow
	s.mu.Lock()
	defer s.mu.Unlock()
	c.out.int(int64(len(s.log)))
}

func slowlogReset(c *client, _ [][]byte) {
	s := &c.server.slow
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
	c.out.ok()
}

func latencyLatest(c *client, _ [][]byte) {
	s := &c.server.slow
	s.mu.Lock()
	defer s.mu.Unlock()
	c.out.array(len(s.events))
	for _, name := range slices.Sorted(maps.Keys(s.events)) {
		l := s.events[name]
		last := l.samples[len(l.samples)-1]
		c.out.array(4)
		c.out.text(name)
		c.out.int(last.second)
		c.out.int(last.milliseconds)
		c.out.int(l.max)
	}
}

func latencyHistory(c *client, args [][]byte) {
	s := &c.server.slow
	s.mu.Lock()
	defer s.mu.Unlock()
	var samples []latency
	if l := s.events[string(args[2])]; l != nil {
		samples = l.samples
	}
	c.out.array(len(samples))
	for _, x := range samples {
		c.out.array(2)
		c.out.int(x.second)
		c.out.int(x.milliseconds)
	}
}

func latencyReset(c *client, args [][]byte) {
	s := &c.server.slow
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.events)
	if len(args) == 2 {
		clear(s.events)
	}
	for _, arg := range args[2:] {
		delete(s.events, string(arg))
	}
	c.out.int(int64(before - len(s.events)))
}

func latencyDoctor(c *client, _ [][]byte) {
	s := &c.server.slow
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	switch {
	case s.monitorFrom.Load() == 0:
		b.WriteString("Long times are not kept. CONFIG SET latency-monitor-threshold <milliseconds> has them kept.\n")
	case len(s.events) == 0:
		fmt.Fprintf(&b, "No command has taken %d milliseconds.\n", s.monitorFrom.Load())
	}
	for _, name := range slices.Sorted(maps.Keys(s.events)) {
		l := s.events[name]
		sum := int64(0)
		for _, x := range l.samples {
			sum += x.milliseconds
		}
		fmt.Fprintf(&b, "%s: %d seconds with a long time, %d milliseconds on average, %d at most. SLOWLOG GET shows which commands these were.\n",
			name, len(l.samples), sum/int64(len(l.samples)), l.max)
	}
	c.out.verbatim(b.String())
}
