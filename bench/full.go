package main

import (
	"fmt"
	"net/url"
)

// fullTables are those of bench/Caddyfile into which single writes are timed; the first one has room.
var fullTables = []struct{ table, title string }{
	{"room", "none: there is room, not touched before"},
	{"full_lru", "lru"},
	{"full_lfu", "lfu"},
	{"full_ttl", "ttl"},
	{"full_noeviction", "noeviction: refused"},
}

// latency is what single writes took, in nanoseconds, round by round.
type latency struct {
	Table string `json:"table"`
	Title string `json:"title"`
	P50   spread `json:"p50_ns"`
	P99   spread `json:"p99_ns"`
}

// measureFull times writes into tables that are full.
func measureFull(s *server, rounds int) ([]latency, error) {
	p50, p99 := make(costs), make(costs)
	for range rounds {
		for _, f := range fullTables {
			var got struct{ P50, P99 float64 }
			if err := s.get(url.Values{"full": {f.table}}, &got); err != nil {
				return nil, err
			}
			p50[f.table] = append(p50[f.table], got.P50)
			p99[f.table] = append(p99[f.table], got.P99)
		}
	}
	var latencies []latency
	for _, f := range fullTables {
		latencies = append(latencies, latency{f.table, f.title, spreadOf(p50[f.table]), spreadOf(p99[f.table])})
	}
	return latencies, nil
}

// fullTable compares each with the first one, which has room.
func (r *report) fullTable() string {
	if len(r.Full) == 0 {
		return ""
	}
	rows := [][]string{{"eviction", "p50, ns", "p99, ns", "p50 ÷ with room"}}
	for _, l := range r.Full {
		rows = append(rows, []string{l.Title, l.P50.String(), l.P99.String(), fmt.Sprintf("%.2f", l.P50.Median/r.Full[0].P50.Median)})
	}
	return "\n## A write of 100 bytes, a new key with a TTL, at 100 % fill, 1 thread\n\n" + align(rows)
}
