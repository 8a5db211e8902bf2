package main

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// threadCount is how many PHP threads the server has (bench/Caddyfile).
const threadCount = 8

// The keys of a first read: on one thread as many as a page reads; together several times what a thread's cache has room
// for, so that none is still there when its turn comes again.
const (
	pageKeys = 500
	manyKeys = 20_000
)

// work is one loop of bench/pages.
type work struct {
	peer, name string
	loop       string // the empty loop of its kind, whose time is taken off
	passes     int    // in a request, on one thread: of 1,000 operations, or 20 where one takes long
	requests   int    // in a round, on one thread
}

// works are done in this order in each round, so that what is compared comes one soon after the other.
var works = []work{
	{"php", "for", "", 20, 1},
	{"php", "foreach", "", 20, 1},
	{"php", "read", "for", 20, 1},
	{"shared", "read", "for", 20, 1},
	{"apcu", "read", "for", 20, 1},
	{"shared", "read_list", "for", 20, 1},
	{"apcu", "read_list", "for", 20, 1},
	{"shared", "first_int", "foreach", 1, 40},
	{"apcu", "first_int", "foreach", 1, 40},
	{"shared", "first_string", "foreach", 1, 40},
	{"apcu", "first_string", "foreach", 1, 40},
	{"shared", "write_int", "foreach", 20, 1},
	{"apcu", "write_int", "foreach", 20, 1},
	{"shared", "write_string", "foreach", 20, 1},
	{"apcu", "write_string", "foreach", 20, 1},
	{"shared", "write_list", "for", 20, 1},
	{"apcu", "write_list", "for", 20, 1},
	{"shared", "merge", "for", 20, 1},
	{"apcu", "merge", "for", 20, 1},
	{"shared", "increment", "for", 20, 1},
	{"apcu", "increment", "for", 20, 1},
	{"shared", "put_ttl", "foreach", 20, 1},
	{"apcu", "put_ttl", "foreach", 20, 1},
	{"shared", "add_absent", "foreach", 1, 40},
	{"apcu", "add_absent", "foreach", 1, 40},
	{"shared", "add_present", "foreach", 20, 1},
	{"apcu", "add_present", "foreach", 20, 1},
	{"shared", "compare_and_set", "for", 20, 1},
	{"apcu", "compare_and_set", "for", 20, 1},
	{"shared", "update", "for", 20, 1},
	{"apcu", "update", "for", 20, 1},
	{"shared", "remember_absent", "foreach", 1, 40},
	{"apcu", "remember_absent", "foreach", 1, 40},
	{"shared", "remember_present", "foreach", 20, 1},
	{"apcu", "remember_present", "foreach", 20, 1},
	{"coordination", "counter_add", "for", 20, 1},
	{"coordination", "lock", "for", 20, 1},
	{"coordination", "mutex", "for", 20, 1},
	{"coordination", "lock_flock", "for", 10, 1},
	{"coordination", "lock_redis", "for", 5, 1},
	{"snapshot", "first", "for", 1, 1},
	{"snapshot", "changed", "for", 20, 1},
	{"snapshot", "held", "for", 200, 1}, // the first of them is a copy
}

// single says that a work is measured on one thread alone: a request has one first snapshot, and a key is absent once.
func (w work) single() bool { return w.peer == "snapshot" || strings.HasSuffix(w.name, "_absent") }

func (w work) key() string { return w.peer + " " + w.name }

// costs are nanoseconds for one operation in each round, by the work's key: on several threads the time that passes divided
// by what all of them have done.
type costs map[string][]float64

// measure does every work once in each round.
func measure(s *server, rounds, threads int, slice time.Duration) (costs, error) {
	c := make(costs)
	said := time.Now()
	for round := range rounds {
		if time.Since(said) > 10*time.Second {
			fmt.Fprintf(os.Stderr, "threads: %d, %d of %d rounds done\n", threads, round, rounds)
			said = time.Now()
		}
		for _, w := range works {
			if threads > 1 && w.single() {
				continue
			}
			var cost float64
			var err error
			if threads == 1 {
				cost, err = w.alone(s)
			} else {
				cost, err = w.together(s, threads, slice)
			}
			if err != nil {
				return nil, err
			}
			c[w.key()] = append(c[w.key()], cost)
		}
	}
	return c, nil
}

// sample is what a request answers.
type sample struct {
	Ops float64 `json:"ops"`
	NS  float64 `json:"ns"`
}

var stamp int

// query has a stamp that no measurement had before.
func (w work) query(keys int) url.Values {
	stamp++
	return url.Values{"peer": {w.peer}, "work": {w.name}, "stamp": {strconv.Itoa(stamp)}, "keys": {strconv.Itoa(keys)}}
}

// alone measures a fixed number of operations on one thread.
func (w work) alone(s *server) (float64, error) {
	var sum sample
	for range w.requests {
		q := w.query(pageKeys)
		q.Set("passes", strconv.Itoa(w.passes))
		var got sample
		if err := s.get(q, &got); err != nil {
			return 0, err
		}
		sum.Ops += got.Ops
		sum.NS += got.NS
	}
	return sum.NS / sum.Ops, nil
}

// together measures threads that start at one moment and work for a slice of time. It tries again, with more time to get
// ready, when a request came after that moment.
func (w work) together(s *server, threads int, slice time.Duration) (float64, error) {
	const longest = 10 * time.Second
	for lead := 50 * time.Millisecond; lead < longest; lead *= 2 {
		samples, err := w.start(s, slice, lead, threads)
		if errors.Is(err, errLate) {
			continue
		}
		if err != nil {
			return 0, err
		}
		rate := 0.0
		for _, one := range samples {
			rate += one.Ops / one.NS
		}
		return 1 / rate, nil
	}
	return 0, fmt.Errorf("%s: %d requests did not come within %v: the machine is too busy", w.key(), threads, longest)
}

// start answers errLate when one request was late, and any other error before that.
func (w work) start(s *server, slice, lead time.Duration, threads int) ([]sample, error) {
	query := w.query(manyKeys)
	query.Set("seconds", strconv.FormatFloat(slice.Seconds(), 'f', 6, 64))
	query.Set("start", strconv.FormatFloat(float64(time.Now().Add(lead).UnixMicro())/1e6, 'f', 6, 64))

	samples := make([]sample, threads)
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for i := range threads {
		q := maps.Clone(query)
		q.Set("thread", strconv.Itoa(i))
		wg.Go(func() { errs[i] = s.get(q, &samples[i]) })
	}
	wg.Wait()
	var late error
	for _, err := range errs {
		if errors.Is(err, errLate) {
			late = err
		} else if err != nil {
			return nil, err
		}
	}
	return samples, late
}
