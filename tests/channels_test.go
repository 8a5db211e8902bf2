package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestChannels(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "channels_basics", "mode", m) })
}

func TestHandlesAsValues(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.check(t, m, "handles_basics", "mode", m)
		put := value[uint64](t, s.run(t, m, "handle_put"))
		for _, a := range s.runParallel(t, 100, m, "handle_add", func(int) []any { return nil }) {
			require.Equal(t, put, value[uint64](t, a), "an unnamed counter lives as long as the row that holds it")
		}
		require.Equal(t, 107, value[int](t, s.run(t, m, "handle_get")))
		s.runParallel(t, threads, m, "handle_race", func(int) []any { return []any{"n", 500} })
	})
}

// A hundred requests send and receive; each value comes once.
func TestChannelBetweenRequests(t *testing.T) {
	const requests, n = 100, 20
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "channel_clear")
		seen := map[[2]int]int{}
		for _, a := range s.runParallel(t, requests, m, "channel_pass_on", func(i int) []any { return []any{"id", i, "n", n} }) {
			for _, got := range value[[][2]int](t, a) {
				seen[got]++
			}
		}
		require.Len(t, seen, requests*n, "each of them once")
	})
}

// waiting starts ten requests that wait without limit, in both modes, and returns when all do.
func (s *server) waiting(t *testing.T) <-chan []string {
	t.Helper()
	s.run(t, classic, "channel_clear")
	done := make(chan []string, 1)
	go func() {
		bodies, _ := parallel(10, func(i int) (string, error) {
			_, body, err := s.get(string([]mode{classic, worker}[i%2]), query("channel_wait", "for", []string{"recv", "send", "flag"}[i%3]))
			return body, err
		})
		done <- bodies
	}()
	require.Eventually(t, func() bool { return value[int](t, s.run(t, classic, "channel_waiting")) == 10 }, patience, 10*time.Millisecond)
	return done
}

func TestReloadEndsWaitsForChannels(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	kept := value[uint64](t, s.run(t, worker, "handle_put"))
	done := s.waiting(t)
	begin := time.Now()
	require.NoError(t, s.reload())
	require.Less(t, time.Since(begin), 5*time.Second, "FrankenPHP itself gives up after 30 s")
	for _, body := range <-done {
		require.Contains(t, body, `SharedState\\WaitCancelledException`)
	}
	s.await(t, classic, worker)
	s.check(t, worker, "channel_after")
	require.Equal(t, kept, value[uint64](t, s.run(t, worker, "handle_add")), "and stored handles last")
}

func TestRestartEndsWaitsForChannels(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	done := s.waiting(t)
	require.NoError(t, s.restartWorkers())
	for _, body := range <-done {
		require.NotContains(t, body, `nothing`)
	}
	s.await(t, classic, worker)
	s.check(t, worker, "channel_after")
}

// What a request had not yet received when it died is the channel's next value again. What it has received, or could not read, is gone.
func TestReceiverDies(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for how := range ends {
			want := []string{"trap", "next"}
			switch how {
			case "exit", "throw", "error", "drop": // the call itself ended
				want = want[1:]
			case "leave":
				if m == classic { // where PHP destroys the fiber before the request ends
					want = want[1:]
				}
			}
			_, body, err := s.get(string(m), query("channel_trap", "how", how))
			require.NoError(t, err)
			require.Contains(t, body, ends[how], how)
			require.Equal(t, want, value[[]string](t, s.run(t, m, "channel_trapped")), how)
		}
	})
}

// A fiber that goes on in a later request has no part in what has gone back.
func TestReceiverGoesOnTooLate(t *testing.T) {
	s := shared(t)
	s.run(t, single, "channel_trap", "how", "leave")
	require.Contains(t, value[string](t, s.run(t, single, "channel_resume")), "the value is in the channel again")
	require.Equal(t, []string{"trap", "next"}, value[[]string](t, s.run(t, single, "channel_trapped")))
}

func TestMemoryLimitWhileReceiving(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		ended := 0
		for _, left := range []int{0, 8000, 100_000, 250_000, 400_000, 1_700_000} {
			s.run(t, m, "starve_prepare")
			result, err := s.starve(m, "recv", left)
			require.NoError(t, err)
			want := 0
			if result == "ended" {
				ended, want = ended+1, 1
			}
			require.Equal(t, want, value[int](t, s.run(t, m, "channel_starved", "left", left)), "%d bytes left: %s", left, result)
		}
		require.NotZero(t, ended)
	})
}

// Requests that die while they make handles give back what they have opened.
func TestHandlesLeaveNothing(t *testing.T) {
	s := start(t, settings{SharedState: strings.Replace(allTables, "strict_tables", "strict_tables\n\t\tlocks_memory 1MiB", 1)})
	lefts := []int{0, 8000, 50_000, 100_000, 200_000, 250_000, 400_000}
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "starve_prepare") // which keeps a mutex
		first := value[int](t, s.check(t, m, "channels_full"))
		ended := 0
		for _, method := range []string{"recv", "send", "handle write", "handle read"} {
			for _, left := range lefts {
				result, err := s.starve(m, method, left)
				require.NoError(t, err)
				if result == "ended" {
					ended++
				}
			}
		}
		require.NotZero(t, ended)
		s.run(t, m, "channels_tidy", "lefts", strings.Trim(fmt.Sprint(lefts), "[]"))
		require.Eventually(t, func() bool { return value[int](t, s.check(t, m, "channels_full")) == first }, patience, 100*time.Millisecond)
	})
}

func TestChannelNamesLeaveNothing(t *testing.T) {
	s := start(t, settings{SharedState: strings.Replace(allTables, "strict_tables", "strict_tables\n\t\tlocks_memory 1MiB", 1)})
	n := 2_000
	if soaking() {
		n = 250_000
	}
	inBothModes(t, func(t *testing.T, m mode) {
		first := value[int](t, s.check(t, m, "channels_full"))
		require.Greater(t, first, 500)
		s.requireNoGrowth(t, func() {
			s.runParallel(t, 4, m, "channel_names", func(i int) []any { return []any{"n", n, "id", fmt.Sprint(m, i)} })
			require.Equal(t, first, value[int](t, s.check(t, m, "channels_full")))
		})
	})
}
