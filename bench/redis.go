package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// redisTests are those of redis-benchmark that are run, and the requests of each in a round.
const (
	redisTests    = "set,get,incr,mset"
	redisRequests = 200_000
)

// throughput is what redis-benchmark reached, in requests a second, round by round.
type throughput struct {
	Test  string `json:"test"`
	Ours  spread `json:"ours_per_second"`
	Redis spread `json:"redis_per_second"`
	Ratio spread `json:"ratio"`
}

// startRedis starts a redis-server that keeps nothing on the socket "redis" in a folder.
func startRedis(home string) (stop func(), err error) {
	socket := filepath.Join(home, "redis")
	redis := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", home)
	if err := redis.Start(); err != nil {
		return nil, fmt.Errorf("%w: scripts/debian.sh redis installs it", err)
	}
	stop = func() {
		_ = redis.Process.Kill() // it keeps nothing
		_ = redis.Wait()
	}
	if err := awaitSocket(socket); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// measureRedis lets redis-benchmark loose on the server's socket and on redis-server's, in turns.
func measureRedis(s *server, rounds int) ([]throughput, error) {
	theirs := filepath.Join(s.home, "redis")
	var names []string
	found := map[string]map[string][]float64{"ours": {}, "redis": {}}
	for range rounds {
		for who, socket := range map[string]string{"ours": filepath.Join(s.home, "resp"), "redis": theirs} {
			tests, rates, err := redisBenchmark(socket)
			if err != nil {
				return nil, err
			}
			names = tests
			for i, test := range tests {
				found[who][test] = append(found[who][test], rates[i])
			}
		}
	}
	var all []throughput
	for _, test := range names {
		ours, theirs := found["ours"][test], found["redis"][test]
		ratios := make([]float64, len(ours))
		for i := range ours {
			ratios[i] = ours[i] / theirs[i]
		}
		all = append(all, throughput{test, spreadOf(ours), spreadOf(theirs), spreadOf(ratios)})
	}
	return all, nil
}

func awaitSocket(path string) error {
	for range 100 {
		if conn, err := net.Dial("unix", path); err == nil {
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("nobody listens at %s", path)
}

// redisBenchmark is one round: the tests and their rates.
func redisBenchmark(socket string) (tests []string, rates []float64, err error) {
	cmd := exec.Command("redis-benchmark", "-s", socket, "-P", "16", "-c", "50", "-n", strconv.Itoa(redisRequests), "-t", redisTests, "--csv")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows[1:] { // the first names the columns
		rate, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, nil, err
		}
		tests, rates = append(tests, row[0]), append(rates, rate)
	}
	return tests, rates, nil
}

// redisTable compares the rates.
func (r *report) redisTable() string {
	if len(r.Redis) == 0 {
		return ""
	}
	rows := [][]string{{"redis-benchmark -P 16 -c 50", "ours, 1/s", "redis-server, 1/s", "ours ÷ redis-server", "to be reached", ""}}
	least := target{AtLeast: 1}
	for _, t := range r.Redis {
		rows = append(rows, []string{t.Test, fmt.Sprintf("%.0f", t.Ours.Median), fmt.Sprintf("%.0f", t.Redis.Median), fmt.Sprintf("%.2f", t.Ratio.Median), "≥ 1", least.verdict(0, t.Ratio.Median)})
	}
	return "\n## The Redis protocol over a Unix socket\n\n" + align(rows)
}
