package main

import (
	"fmt"
	"net/url"
	"strconv"
)

// handOvers are what two PHP threads take in turns.
var handOvers = []struct {
	kind, title string
	within      float64 // nanoseconds, 0 for a peer
}{
	{"lock", "SharedLock", 200_000},
	{"mutex", "SharedMutex", 200_000},
	{"flock", "Symfony's FlockStore", 0},
	{"redis", "Redis, asked each millisecond", 0},
}

// handOver is how long it takes from a release to the moment at which who has waited runs, in nanoseconds, by the medians of rounds.
type handOver struct {
	Kind string `json:"kind"`
	Time spread `json:"ns"`
}

// turns is how often each of the two threads has the lock in a round.
const turns = 20

func measureHandOver(s *server, rounds int) ([]handOver, error) {
	times := make(costs)
	for range rounds {
		for _, h := range handOvers {
			stamp++
			var got [2]struct{ NS float64 }
			errs := make(chan error)
			for side := range got {
				go func() {
					errs <- s.get(url.Values{"hand_over": {h.kind}, "stamp": {strconv.Itoa(stamp)}, "side": {strconv.Itoa(side)}, "turns": {strconv.Itoa(turns)}}, &got[side])
				}()
			}
			for range got {
				if err := <-errs; err != nil {
					return nil, err
				}
			}
			times[h.kind] = append(times[h.kind], got[0].NS, got[1].NS)
		}
	}
	var all []handOver
	for _, h := range handOvers {
		all = append(all, handOver{h.kind, spreadOf(times[h.kind])})
	}
	return all, nil
}

func (r *report) handOverTable() string {
	if len(r.HandOver) == 0 {
		return ""
	}
	rows := [][]string{{"lock", "from the release to the next holder, µs", "to be reached", ""}}
	for i, h := range r.HandOver {
		t := target{Within: handOvers[i].within}
		µs := spread{h.Time.Median / 1000, h.Time.Least / 1000, h.Time.Most / 1000}
		rows = append(rows, []string{handOvers[i].title, fmt.Sprint(µs), t.String(), t.verdict(h.Time.Median, 0)})
	}
	return "\n## A lock that another PHP thread waits for\n\n" + align(rows)
}
