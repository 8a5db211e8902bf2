// Command bench measures bin/frankenphp against what PHP programs use instead: ArrayObject for a cached read, FlockStore and Redis
// for locks, APCu for the rest; and its Redis protocol against redis-server. The store, APCu and all PHP threads are in one process. It prints ratios beside those that are to be reached, and
// writes them to bench/results. To be started by bench/run.sh.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// plan says how much is measured. Many short rounds and their median are more robust against what else runs on the machine
// than a few long ones.
type plan struct {
	alone, together int           // rounds on one thread, and on several
	slice           time.Duration // how long several threads work in a round
	redis           int           // rounds of redis-benchmark
}

var (
	full  = plan{alone: 41, together: 15, slice: 250 * time.Millisecond, redis: 9}
	quick = plan{alone: 9, together: 8, slice: 50 * time.Millisecond, redis: 3}
)

func main() {
	isQuick := flag.Bool("quick", false, "take less than a minute, with more noise")
	only := flag.String("works", "", "a regular expression: measure only the works with such a name, as write_int, or the hand_over of locks, and nothing of full tables or of the Redis protocol")
	binary := flag.String("binary", filepath.Join("bin", "frankenphp"), "the server to measure")
	flag.Parse()
	p := full
	if *isQuick {
		p = quick
	}
	if err := run(p, *binary, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(p plan, binary, only string) error {
	named, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	works = slices.DeleteFunc(works, func(w work) bool { return w.peer != "php" && !named.MatchString(w.name) })
	results := filepath.Join("bench", "results")
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	s, err := startServer(binary, "bench", filepath.Join(results, "server.log"))
	if err != nil {
		return err
	}
	defer s.stop()
	stopRedis, err := startRedis(s.home)
	if err != nil {
		return err
	}
	defer stopRedis()

	versions, err := s.seed()
	if err != nil {
		return err
	}
	r := newReport(versions)
	for _, threads := range []int{1, threadCount} {
		rounds := p.alone
		if threads > 1 {
			rounds = p.together
		}
		c, err := measure(s, rounds, threads, p.slice)
		if err != nil {
			return err
		}
		r.add(threads, c)
	}
	if only == "" {
		if r.Full, err = measureFull(s, p.alone); err != nil {
			return err
		}
	}
	if named.MatchString("hand_over") {
		if r.HandOver, err = measureHandOver(s, p.alone); err != nil {
			return err
		}
	}
	if only == "" {
		if r.Redis, err = measureRedis(s, p.redis); err != nil {
			return err
		}
	}
	fmt.Print(r.markdown())
	return r.write(results)
}
