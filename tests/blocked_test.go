package tests

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// boundless are the calls that wait without bound. Ten requests wait in each of them at once.
var boundless = []string{"withLock", "block", "recv", "wait"}

const inEach = 10

// blocked starts the requests, number i in the mode that it is given, while one more has the mutex. It returns when all wait.
func (s *server) blocked(t *testing.T, of func(i int) mode) (bodies <-chan []string) {
	t.Helper()
	s.run(t, single, "blocked_clear")
	go func() { _, _, _ = s.get(string(classic), query("blocked_hold")) }()
	require.True(t, value[bool](t, s.run(t, single, "blocked_held")))
	n := inEach * len(boundless)
	done := make(chan []string, 1)
	go func() {
		bodies, _ := parallel(n, func(i int) (string, error) {
			_, body, err := s.get(string(of(i)), query("blocked_wait", "in", boundless[i%len(boundless)]))
			return fmt.Sprint(boundless[i%len(boundless)], ": ", body, err), nil
		})
		done <- bodies
	}()
	require.Eventually(t, func() bool { return value[int](t, s.run(t, single, "blocked_count")) == n }, patience, 10*time.Millisecond)
	time.Sleep(100 * time.Millisecond) // from the count to the queues
	return done
}

// within runs f and requires that it comes to its end within five times what is to be reached.
func within(t *testing.T, what string, d time.Duration, f func() error) {
	t.Helper()
	begin := time.Now()
	require.NoError(t, f())
	took := time.Since(begin)
	t.Logf("%s took %.2f s", what, took.Seconds())
	require.Less(t, took, 5*d, what)
}

func TestReloadEndsBoundlessWaits(t *testing.T) {
	s := start(t, settings{SharedState: allTables, Workers: 24})
	for range 3 {
		done := s.blocked(t, func(i int) mode { return []mode{classic, worker}[i/len(boundless)%2] })
		within(t, "the reload", 2*time.Second, s.reload)
		for _, body := range <-done {
			require.Contains(t, body, `SharedState\\WaitCancelledException`)
		}
		s.await(t, classic, worker, single)
		s.check(t, single, "blocked_after")
	}
}

// A restart of the workers ends them by force after its grace period: with PHP's own fatal error, which runs no code of theirs.
func TestRestartEndsBoundlessWaits(t *testing.T) {
	s := start(t, settings{SharedState: allTables, Workers: 44})
	done := s.blocked(t, func(int) mode { return worker })
	within(t, "the restart of the workers", 7*time.Second, s.restartWorkers)
	for _, body := range <-done {
		require.Contains(t, body, "Fatal error: Maximum execution time of")
		require.NotContains(t, body, "FINALLY")
	}
	s.await(t, classic, worker, single)
	s.check(t, single, "blocked_after")
}

// The engine under who has a lock and who has a mutex goes: requests of the new one get them.
func TestFault077HoldersGoWithTheirEngine(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	type end struct {
		upset, how, finds string
		rounds            int
	}
	ends := []end{
		{"reload", "linger", "changed", 5}, // which lets requests come to their end
		{"restart", "stay", "before", 1},   // which waits for them for 6 s
	}
	if soaking() {
		ends = []end{{"reload", "linger", "changed", 100}, {"restart", "stay", "before", 10}, {"reload", "stay", "before", 1}} // the last waits for 30 s
	}
	for _, e := range ends {
		t.Run(e.upset+" "+e.how, func(t *testing.T) {
			for round := range e.rounds {
				m := []mode{worker, classic}[round%2]
				s.run(t, single, "locks_clear")
				s.run(t, single, "mutex_clear")
				s.run(t, single, "mutex_set", "name", "dies", "value", "before")
				done := make(chan error, 2)
				go func() { done <- s.lockAndEnd(m, e.how, round%2 == 0) }()
				go func() { done <- s.mutexAndEnd(m, e.how) }()
				require.Eventually(t, func() bool {
					return string(s.run(t, single, "locks_get", "key", "begun").Value)+string(s.run(t, single, "mutex_begun").Value) == "truetrue"
				}, patience, 5*time.Millisecond)
				s.upsets(t)[e.upset]()
				s.await(t, classic, worker, single)
				<-done
				<-done
				begin := time.Now()
				s.check(t, worker, "lock_after")
				text, _ := found(t, s.check(t, classic, "mutex_after"))
				require.Less(t, time.Since(begin), 500*time.Millisecond, "both were free")
				require.Equal(t, e.finds, text)
			}
		})
	}
}

// A crowd of PHP threads takes one lock and gives it back, over and over: never two at once, nobody in vain, and all in turn.
func TestCrowdTakesTurns(t *testing.T) {
	const half = 32 // of the crowd, in each mode
	d := time.Second
	if soaking() {
		d = 30 * time.Second
	}
	s := start(t, settings{SharedState: allTables, Workers: half})
	for _, on := range []string{"lock", "mutex"} {
		t.Run(on, func(t *testing.T) {
			s.run(t, single, "crowd_clear")
			meetings++
			until := float64(time.Now().Add(d+time.Second).UnixMicro()) / 1e6
			all, err := parallel(2*half, func(i int) (answer, error) {
				a, err := s.ask([]mode{classic, worker}[i%2], "crowd_loop", "on", on, "until", fmt.Sprintf("%.6f", until),
					"meet", fmt.Sprint("crowd ", meetings), "of", 2*half)
				if err == nil {
					err = a.failed()
				}
				return a, err
			})
			require.NoError(t, err)
			type waits struct {
				N          int
				Mean, Most float64
			}
			seen := map[string]bool{}
			var sum int
			var total, least, most, longest float64
			for i, a := range all {
				w := value[waits](t, a)
				require.NotZero(t, w.N)
				seen[a.Thread] = true
				sum += w.N
				total += w.Mean * float64(w.N)
				if i == 0 {
					least, most = w.Mean, w.Mean
				}
				least, most, longest = min(least, w.Mean), max(most, w.Mean), max(longest, w.Most)
			}
			fair := total / float64(sum)
			t.Logf("%d threads got it %d times; a thread's mean wait is %.0f to %.0f µs, %.2f to %.2f times that of all, the longest wait %.1f ms",
				len(seen), sum, least, most, least/fair, most/fair, longest/1000)
			require.Len(t, seen, 2*half)
			require.Equal(t, sum, value[int](t, s.run(t, single, "crowd_sum", "on", on)), "never two at once")
			require.Less(t, most, 3*fair, "a thread's mean wait")
		})
	}
}
