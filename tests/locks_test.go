package tests

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// checkLocks runs scenarios in both modes, each with no lock held at its start.
func checkLocks(t *testing.T, taken bool, scenarios ...string) {
	t.Helper()
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for _, do := range scenarios {
			s.run(t, m, "locks_clear")
			if taken {
				s.run(t, m, "lock_take", "name", "taken")
			}
			s.check(t, m, do)
		}
	})
}

func TestLocks(t *testing.T) { checkLocks(t, false, "locks_basics", "lock_identity") }

func TestLockWaits(t *testing.T) { checkLocks(t, true, "locks_waits") }

func TestFault070LateReleaseFreesNothing(t *testing.T) { checkLocks(t, false, "lock_late_release") }

// The lock and its expiry come in one step: whatever ends the holder, the lock is free when its life is over.
func TestFault071LockNeverOutlivesItsTime(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "locks_clear")
		for range 5 {
			s.run(t, m, "lock_take", "name", "taken", "seconds", 0.1)
			s.check(t, m, "lock_waits_longer_than_it_lives")
		}
	})
}

func TestFault073WaitLongerThanTheLockLives(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "locks_clear")
		s.run(t, m, "lock_take", "name", "taken", "seconds", 0.7)
		s.check(t, m, "lock_waits_longer_than_it_lives")
	})
}

func TestFault074SameObjectLocksAgain(t *testing.T) { checkLocks(t, false, "lock_again") }

func TestFault076LockNamesLeaveNothing(t *testing.T) {
	s := start(t, settings{SharedState: strings.Replace(allTables, "strict_tables", "strict_tables\n\t\tlocks_memory 1MiB", 1)})
	n := 2_000
	if soaking() {
		n = 250_000
	}
	inBothModes(t, func(t *testing.T, m mode) {
		first := value[int](t, s.check(t, m, "locks_full"))
		require.Greater(t, first, 150)
		s.requireNoGrowth(t, func() {
			s.runParallel(t, 4, m, "lock_names", func(i int) []any { return []any{"n", n, "id", i} })
			require.Equal(t, first, value[int](t, s.check(t, m, "locks_full")), "the locks of a request that ended are free")
		})
	})
}

func TestFault079AllCallsUnderALock(t *testing.T) { checkLocks(t, false, "lock_allows_all") }

func TestFault080ForeignReleaseFreesNothing(t *testing.T) { checkLocks(t, true, "lock_handle_goes") }

func TestLockExcludesRequests(t *testing.T) {
	const n = 50
	s := shared(t)
	s.run(t, classic, "locks_clear")
	_, err := parallel(2*threads, func(i int) (answer, error) {
		return s.ask([]mode{classic, worker}[i%2], "lock_count", "n", n)
	})
	require.NoError(t, err)
	require.Equal(t, 2*threads*n, value[int](t, s.run(t, classic, "locks_get", "key", "sum")))
}

// deaths are how the holder of a lock or a mutex comes to its end in a mode.
func deaths(m mode, more ...string) []string {
	ways := append([]string{"exit", "throw", "error", "memory", "time", "fiber", "fiber and error"}, more...)
	if m == classic {
		ways = append(ways, "hang up")
	}
	return ways
}

// deathRounds is how often a holder dies in a way.
func deathRounds(how string) int {
	n := 20
	if soaking() {
		n = 1000
	}
	if how == "time" { // each takes a second
		n /= 20
	}
	return n
}

// requireSoon requires that the first of several that waited was mostly not late, and never as late as one that has to be woken by
// something else. On a machine with much else to do, a thread alone may be a second late.
func requireSoon(t *testing.T, firstMs []float64) {
	t.Helper()
	slices.Sort(firstMs)
	n := len(firstMs)
	t.Logf("from the death to the next holder, %d times: median %.2f ms, 99 %% within %.2f ms, at most %.2f ms", n, firstMs[n/2], firstMs[n*99/100], firstMs[n-1])
	require.Less(t, firstMs[n/2], 100.0)
	require.Less(t, firstMs[n-1], 10_000.0)
}

// The holder dies in every way; who waits gets the lock, and never two at once.
func TestFault077LockHolderDies(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for _, how := range deaths(m) {
			t.Run(how, func(t *testing.T) {
				var firstMs []float64
				for round := range deathRounds(how) {
					s.run(t, m, "locks_clear")
					done := make(chan error, 1)
					go func() { done <- s.lockAndEnd(m, how, round%2 == 0) }()
					var ms []float64
					for _, a := range s.runParallel(t, 3, m, "lock_after", func(int) []any { return nil }) {
						ms = append(ms, value[float64](t, a))
					}
					require.NoError(t, <-done)
					firstMs = append(firstMs, slices.Min(ms))
				}
				requireSoon(t, firstMs)
			})
		}
	})
}

// lockAndEnd makes a request that ends while it holds the lock, inside a callable or not.
func (s *server) lockAndEnd(m mode, how string, callable bool) error {
	do := "lock_and_end"
	if strings.HasPrefix(how, "fiber") {
		do = "lock_in_fiber"
	}
	inside := 0
	if callable {
		inside = 1
	}
	response, err := s.client.Get("http://" + s.settings.Site + "/" + string(m) + "?" + query(do, "how", how, "callable", inside))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if how == "hang up" { // once it has begun to print
		_, err = io.ReadFull(response.Body, make([]byte, 4096))
		return err
	}
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode == http.StatusOK && how == "fiber" && !strings.Contains(string(body), `"failures":[]`) {
		err = fmt.Errorf("%s", body)
	}
	return err
}

// A wait that the time limit ends throws nothing, and leaves the queue.
func TestLockWaitEndsWithTheTimeLimit(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "locks_clear")
		s.run(t, m, "lock_take", "name", "taken")
		_, body, err := s.get(string(m), query("lock_until_time_is_up"))
		require.NoError(t, err)
		require.Contains(t, body, "Maximum execution time of 1 second")
		require.NotContains(t, body, "FINALLY")
		s.check(t, m, "locks_waits")
	})
}

// waitForEver has requests wait for a lock that another request has left held.
func (s *server) waitForEver(t *testing.T, m mode, n int) (bodies <-chan string) {
	t.Helper()
	s.run(t, m, "locks_clear")
	s.run(t, m, "lock_take", "name", "taken")
	answers := make(chan string, n)
	for range n {
		go func() {
			_, body, err := s.get(string(m), query("lock_for_ever"))
			answers <- fmt.Sprint(body, err)
		}()
	}
	other := classic
	if m == classic {
		other = worker
	}
	require.Eventually(t, func() bool {
		return string(s.run(t, other, "locks_get", "key", "waiting").Value) == fmt.Sprint(n)
	}, 20*time.Second, 10*time.Millisecond)
	time.Sleep(50 * time.Millisecond) // from the count to the queue
	return answers
}

func TestRestartEndsLockWaits(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	answers := s.waitForEver(t, worker, threads)
	begun := time.Now()
	require.NoError(t, s.restartWorkers())
	require.Less(t, time.Since(begun), 20*time.Second)
	for range threads {
		require.NotContains(t, <-answers, "failures")
	}
	s.await(t, classic, worker)
	s.check(t, worker, "locks_waits")
}
