package main

import (
	"fmt"
	"slices"
)

// target is the ratio, or the time, that a line has to reach. The zero value asks for nothing.
type target struct {
	AtMost  float64 `json:"at_most,omitempty"`  // times the peer's time
	AtLeast float64 `json:"at_least,omitempty"` // times faster than the peer
	Within  float64 `json:"within,omitempty"`   // nanoseconds, whatever the peer's time
}

func (t target) String() string {
	switch {
	case t.AtMost > 0:
		return fmt.Sprintf("≤ %g × its time", t.AtMost)
	case t.AtLeast > 0:
		return fmt.Sprintf("≥ %g × faster", t.AtLeast)
	case t.Within > 0:
		return fmt.Sprintf("≤ %g ns", t.Within)
	}
	return "none"
}

func (t target) verdict(ours, ratio float64) string {
	switch {
	case t == target{}:
		return ""
	case t.AtMost > 0 && ratio <= t.AtMost, t.AtLeast > 0 && ratio >= t.AtLeast, t.Within > 0 && ours <= t.Within:
		return "ok"
	}
	return "not reached"
}

// line compares a work of ours with a peer's.
type line struct {
	title           string
	ours, peer      string
	alone, together target
}

var lines = []line{
	{"cached read", "shared read", "php read", target{AtMost: 1.15}, target{}},
	{"cached read", "shared read", "apcu read", target{AtLeast: 5}, target{AtLeast: 30}},
	{"cached read of 1,000 elements", "shared read_list", "apcu read_list", target{AtLeast: 500}, target{}},
	{"first read in a request, int", "shared first_int", "apcu first_int", target{AtMost: 1}, target{AtLeast: 5}},
	{"first read in a request, 20 bytes", "shared first_string", "apcu first_string", target{AtMost: 1}, target{AtLeast: 5}},
	{"write, int", "shared write_int", "apcu write_int", target{AtMost: 1.2}, target{AtLeast: 3}},
	{"write, 20 bytes", "shared write_string", "apcu write_string", target{AtMost: 1.2}, target{AtLeast: 3}},
	{"write of 1,000 elements", "shared write_list", "apcu write_list", target{}, target{}},
	{"merge of 100 ints, by key", "shared merge", "apcu merge", target{AtLeast: 3}, target{}},
	{"increment", "shared increment", "apcu increment", target{}, target{}},
	{"put with a TTL, int", "shared put_ttl", "apcu put_ttl", target{}, target{}},
	{"add, absent", "shared add_absent", "apcu add_absent", target{}, target{}},
	{"add, present", "shared add_present", "apcu add_present", target{}, target{}},
	{"compareAndSet, int, a key for each thread", "shared compare_and_set", "apcu compare_and_set", target{}, target{}},
	{"update, int, a key for each thread", "shared update", "apcu update", target{}, target{}},
	{"remember, absent", "shared remember_absent", "apcu remember_absent", target{}, target{}},
	{"remember, present", "shared remember_present", "apcu remember_present", target{}, target{}},
	{"add to a counter", "coordination counter_add", "apcu increment", target{AtLeast: 3}, target{}},
	{"take a free lock, give it back", "coordination lock", "coordination lock_flock", target{Within: 500}, target{}},
	{"take a free lock, give it back", "coordination lock", "coordination lock_redis", target{Within: 500}, target{}},
	{"withLock of a free mutex", "coordination mutex", "coordination lock_flock", target{}, target{}},
	{"snapshot of 100,000 keys after a change", "snapshot changed", "snapshot first", target{AtLeast: 50}, target{}},
	{"the same with the last one still held", "snapshot held", "snapshot first", target{AtLeast: 50}, target{}},
}

// calls are what a peer's works are called in the report.
var calls = map[string]string{
	"coordination lock_flock": "Symfony's FlockStore",
	"coordination lock_redis": "Redis over a Unix socket",
	"php read":                "ArrayObject",
	"apcu read":               "apcu_fetch",
	"apcu read_list":          "apcu_fetch",
	"apcu first_int":          "apcu_fetch",
	"apcu first_string":       "apcu_fetch",
	"apcu write_int":          "apcu_store",
	"apcu write_string":       "apcu_store",
	"apcu write_list":         "apcu_store",
	"apcu merge":              "apcu_store(array)",
	"apcu increment":          "apcu_inc",
	"apcu put_ttl":            "apcu_store(ttl)",
	"apcu add_absent":         "apcu_add",
	"apcu add_present":        "apcu_add",
	"apcu compare_and_set":    "apcu_cas",
	"apcu update":             "apcu_fetch, apcu_cas",
	"apcu remember_absent":    "apcu_entry",
	"apcu remember_present":   "apcu_entry",
	"snapshot first":          "first snapshot",
}

// spread is what several rounds came to.
type spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

func spreadOf(values []float64) spread {
	v := slices.Sorted(slices.Values(values))
	middle := len(v) / 2
	median := v[middle]
	if len(v)%2 == 0 {
		median = (v[middle-1] + median) / 2
	}
	return spread{Median: median, Least: v[0], Most: v[len(v)-1]}
}

// net is a work's cost in each round without the empty loop's median. No operation takes less than can be told apart.
func (c costs) net(key string) []float64 {
	const least = 0.1
	loop := 0.0
	for _, w := range works {
		if w.key() == key {
			loop = spreadOf(c["php "+w.loop]).Median
		}
	}
	var net []float64
	for _, cost := range c[key] {
		net = append(net, max(cost-loop, least))
	}
	return net
}

// compare answers the line's ratio round by round, in its target's terms.
func (l line) compare(c costs, t target) (ours, peer, ratio spread) {
	a, b := c.net(l.ours), c.net(l.peer)
	var ratios []float64
	for i := range a {
		if t.AtMost > 0 {
			ratios = append(ratios, a[i]/b[i])
		} else {
			ratios = append(ratios, b[i]/a[i])
		}
	}
	return spreadOf(a), spreadOf(b), spreadOf(ratios)
}
