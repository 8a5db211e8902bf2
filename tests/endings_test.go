package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inside are the calls in which code of the user's runs; see end_inside.
var inside = []string{"write", "put", "merge", "putMany", "replace write", "replace read", "read", "empty", "get", "many", "add", "compareAndSet expected", "compareAndSet new", "pull", "send", "scan", "snapshot", "foreach", "json",
	"mutex open", "mutex read", "mutex write", "offset read", "offset write", "offset isset", "offset unset"}

// ends are the ways in which a request ends there, with what its answer then holds.
var ends = map[string]string{
	"exit":       "",
	"throw":      "the trap throws",
	"error":      "undefined function",
	"user_error": "the trap raises an error",
	"time":       "Maximum execution time of 1 second",
	"memory":     "Allowed memory size",
	"drop":       `"failures":[]`,
	"leave":      `"failures":[]`,
}

// endInside ends one request in each call in one way, several at once.
func (s *server) endInside(t *testing.T, m mode, how string) {
	t.Helper()
	_, err := parallel(len(inside), func(i int) (int, error) {
		_, body, err := s.get(string(m), query("end_inside", "how", how, "where", inside[i]))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", inside[i], err)
		}
		if !strings.Contains(body, ends[how]) || strings.Contains(body, `"failures"`) != (how == "drop" || how == "leave") {
			return 0, fmt.Errorf("%s: %s", inside[i], body)
		}
		return 0, nil
	})
	require.NoError(t, err)
}

func TestRequestsThatEndInsideACall(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for how := range ends {
			t.Run(how, func(t *testing.T) {
				s.run(t, m, "endings_prepare")
				s.endInside(t, m, how)
				s.checkOnAllThreads(t, m, "endings_verify")
			})
		}
	})
}

func TestFault004TimeLimitLeavesNothingHeld(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "rows_write")
		done := make(chan error)
		go func() {
			_, err := parallel(threads/2, func(int) (int, error) {
				_, body, err := s.get(string(m), query("busy"))
				if err == nil && !strings.Contains(body, "Maximum execution time of 1 second") {
					err = fmt.Errorf("the busy request was not ended: %s", body)
				}
				return 0, err
			})
			done <- err
		}()
		for ended := false; !ended; {
			select {
			case err := <-done:
				require.NoError(t, err)
				ended = true
			default: // meanwhile the others get all they ask for
			}
			s.check(t, m, "rows_verify")
		}
		s.checkOnAllThreads(t, m, "rows_verify")
	})
}

// starved are the calls that are made with little memory left; see starve.
var starved = []string{"read big", "read array", "read objects", "get", "isset", "many", "scan", "keys", "snapshot", "foreach", "json", "dump", "count", "stats",
	"put", "put array", "put objects", "add", "add array", "compareAndSet", "pull", "ttl", "touch", "interval", "flush", "sweep", "merge", "putMany", "replace", "increment", "unset", "forgetMany", "forgetPrefix", "many keys", "serialize", "construct", "lock", "lock get", "lock block", "recv", "send", "channel", "handle write", "handle read", "mutex", "mutex array"}

// thrifty need so little memory that they may find enough in any case.
var thrifty = []string{"isset", "count", "stats", "put", "increment", "unset", "forgetMany", "forgetPrefix", "serialize", "construct", "many keys", "put array", "dump", "add", "add array", "compareAndSet", "ttl", "touch", "interval", "flush", "sweep", "lock", "lock get", "lock block", "send", "channel", "handle write"}

// starve makes a call with so many bytes of memory left. It answers "right" or what else came of it.
func (s *server) starve(m mode, method string, left int) (string, error) {
	_, body, err := s.get(string(m), query("starve", "method", method, "left", left))
	switch {
	case err != nil:
		return "", err
	case !strings.HasPrefix(body, "inside "):
		return "not begun", nil
	case strings.Contains(body, "Allowed memory size"):
		return "ended", nil
	case strings.Contains(body, `"value":"right"`):
		return "right", nil
	default:
		return "", fmt.Errorf("%s with %d bytes left: %s", method, left, body)
	}
}

func TestMemoryLimitInsideACall(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "starve_prepare")
		lefts := []int{0, 4000, 8000, 12_000, 16_000, 32_000, 64_000, 100_000, 150_000, 250_000, 400_000, 1_700_000}
		for _, method := range starved {
			t.Run(method, func(t *testing.T) {
				results, err := parallel(len(lefts), func(i int) (string, error) { return s.starve(m, method, lefts[i]) })
				require.NoError(t, err)
				require.Contains(t, results, "right", "%v", results)
				if !slices.Contains(thrifty, method) {
					require.Contains(t, results, "ended", "%v", results)
				}
				s.check(t, m, "starve_verify")
			})
		}
		s.checkOnAllThreads(t, m, "starve_verify")
	})
}

// What a request leaves behind when it ends inside a call would show in the memory of many.
func TestEndingsLeakNothing(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	rounds := 6
	if soaking() {
		rounds = 30
	}
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "endings_prepare")
		s.run(t, m, "starve_prepare")
		all := func() {
			for how := range ends {
				if how != "time" {
					s.run(t, m, "endings_prepare")
					s.endInside(t, m, how)
				}
			}
			for _, method := range starved {
				_, err := parallel(4, func(i int) (string, error) { return s.starve(m, method, 3000<<(2*i)) })
				require.NoError(t, err)
			}
		}
		s.requireFlat(t, rounds, 16<<10, all)
		s.run(t, m, "endings_prepare")
		s.checkOnAllThreads(t, m, "endings_verify")
		s.checkOnAllThreads(t, m, "starve_verify")
	})
}

// requireFlat runs f often and requires that the process's memory, by the median of the first third after a warm-up as
// long and the median of the last third, grows by at most driftKiB.
func (s *server) requireFlat(t *testing.T, rounds, driftKiB int, f func()) {
	t.Helper()
	var sizes []int
	for range 2 * rounds {
		f()
		sizes = append(sizes, s.residentKiB(t))
	}
	steady := sizes[rounds:]
	third := max(1, rounds/3)
	before, after := median(steady[:third]), median(steady[rounds-third:])
	t.Logf("resident KiB: %v, medians %d and %d", sizes, before, after)
	require.LessOrEqual(t, after, before+driftKiB, "resident KiB at the end: %v", sizes)
}

// requireNoGrowth requires that what f did once leaves no memory behind when it is done again.
func (s *server) requireNoGrowth(t *testing.T, f func()) {
	t.Helper()
	f()
	before := s.residentKiB(t)
	f()
	after := s.residentKiB(t)
	t.Logf("resident KiB: %d and then %d", before, after)
	require.LessOrEqual(t, after, before+16<<10)
}

func median(n []int) int {
	n = slices.Sorted(slices.Values(n))
	return n[len(n)/2]
}
