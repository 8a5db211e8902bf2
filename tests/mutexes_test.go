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

func TestMutexes(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.check(t, m, "mutexes_basics")
		s.check(t, m, "mutexes_names", "mode", m)
		s.check(t, m, "mutexes_handles")
		s.check(t, m, "mutexes_deadlocks")
	})
}

// holdMutex has a request take the mutex; the returned function lets it go on, and waits for its end.
func (s *server) holdMutex(t *testing.T, m mode, value string) (letGo func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.ask(m, "mutex_hold", "value", value)
		done <- err
	}()
	s.eventually(t, "mutex_held", "true")
	return func() {
		s.run(t, m, "mutex_go")
		require.NoError(t, <-done)
	}
}

// eventually asks a scenario until it answers that, in both modes, so that one whose threads are all at work does not matter.
func (s *server) eventually(t *testing.T, do, expected string) {
	t.Helper()
	require.Eventually(t, func() bool {
		answers, _ := parallel(2, func(i int) (answer, error) { return s.askWithin(time.Second, []mode{classic, worker}[i], do) })
		return string(answers[0].Value) == expected || string(answers[1].Value) == expected
	}, patience, 5*time.Millisecond, "%s is not %s", do, expected)
}

func TestMutexContention(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "mutex_clear")
		letGo := s.holdMutex(t, m, "held")
		s.check(t, m, "mutex_busy")
		// Who waits gets it in the order of coming.
		const n = 4
		var answers [n]chan error
		for i := range n {
			answers[i] = make(chan error, 1)
			go func() {
				_, err := s.ask(m, "mutex_append", "text", fmt.Sprint(i))
				answers[i] <- err
			}()
			s.eventually(t, "mutex_waiting", fmt.Sprint(i+1))
			time.Sleep(20 * time.Millisecond) // from the count to the queue
		}
		letGo()
		for i := range n {
			require.NoError(t, <-answers[i])
		}
		require.Equal(t, "held0123", value[string](t, s.run(t, m, "mutex_get")))
	})
}

func TestMutexExcludesRequests(t *testing.T) {
	const n = 200
	s := shared(t)
	s.run(t, classic, "mutex_clear")
	s.run(t, classic, "mutex_set", "name", "mutex", "value", 0)
	_, err := parallel(2*threads, func(i int) (answer, error) {
		return s.ask([]mode{classic, worker}[i%2], "mutex_count", "n", n)
	})
	require.NoError(t, err)
	require.Equal(t, 2*threads*n, value[int](t, s.run(t, classic, "mutex_get")))
}

// found is what came of a scenario's wait, and after how many milliseconds.
func found(t *testing.T, a answer) (text string, ms float64) {
	t.Helper()
	both := value[[2]any](t, a)
	return both[0].(string), both[1].(float64)
}

// The holder dies in every way: who waits gets the mutex, with the value as it was unless the holder threw.
func TestFault077MutexHolderDies(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for _, how := range deaths(m, "fatal") {
			t.Run(how, func(t *testing.T) {
				expected := "before"
				if how == "throw" || how == "error" { // an Error is thrown too
					expected = "changed"
				}
				var firstMs []float64
				for range deathRounds(how) {
					s.run(t, m, "mutex_clear")
					s.run(t, m, "mutex_set", "name", "dies", "value", "before")
					done := make(chan error, 1)
					go func() { done <- s.mutexAndEnd(m, how) }()
					var all []float64
					for _, a := range s.runParallel(t, 3, m, "mutex_after", func(int) []any { return nil }) {
						text, ms := found(t, a)
						require.Equal(t, expected, text)
						all = append(all, ms)
					}
					require.NoError(t, <-done)
					firstMs = append(firstMs, slices.Min(all))
				}
				requireSoon(t, firstMs)
			})
		}
	})
}

// mutexAndEnd makes a request that ends while it has the mutex.
func (s *server) mutexAndEnd(m mode, how string) error {
	do := "mutex_and_end"
	if strings.HasPrefix(how, "fiber") {
		do = "mutex_in_fiber"
	}
	response, err := s.client.Get("http://" + s.settings.Site + "/" + string(m) + "?" + query(do, "how", how))
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

// A client that hangs up ends no wait.
func TestMutexWaitOutlivesItsClient(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "mutex_clear")
		letGo := s.holdMutex(t, m, "held")
		_, err := s.askWithin(300*time.Millisecond, m, "mutex_append", "text", "+")
		require.Error(t, err)
		letGo()
		s.eventually(t, "mutex_get", `"held+"`)
	})
}

// A fiber that was left inside a mutex goes on in a later request: it throws, and changes nothing.
func TestMutexFiberGoesOnInALaterRequest(t *testing.T) {
	s := shared(t)
	for _, held := range []int{0, 1} {
		s.run(t, single, "mutex_clear")
		s.run(t, single, "mutex_leave_fiber")
		s.check(t, single, "mutex_resume_fiber", "held", held)
	}
}

// Requests on threads of their own wait for one another in a circle: one is refused at once, the others go on.
func TestMutexCircles(t *testing.T) {
	s := shared(t)
	rings, rounds := 0, 10
	if soaking() {
		rounds = 300
	}
	inBothModes(t, func(t *testing.T, m mode) {
		for _, of := range []int{2, 3, 5} {
			for _, locks := range []int{0, 1} {
				t.Run(fmt.Sprintf("of %d, locks %d", of, locks), func(t *testing.T) {
					late := 0.0
					for range rounds {
						rings++
						s.run(t, m, "mutex_clear")
						s.run(t, m, "locks_clear")
						answers := s.runParallel(t, of, m, "mutex_ring", func(i int) []any {
							return []any{"i", i, "of", of, "id", rings, "locks", locks}
						})
						count := map[string]int{}
						for _, a := range answers {
							came, ms := found(t, a)
							count[came]++
							late = max(late, ms)
						}
						require.Equal(t, map[string]int{"deadlock": 1, "got it": of - 1}, count)
					}
					t.Logf("%d circles, each refused within %.2f ms of the last wait", rounds, late)
					require.Less(t, late, 250.0)
				})
			}
		}
	})
}

// One request computes a value and waits for a mutex, whose holder waits for the value: neither does so for ever.
func TestMutexAndComputedValueMakeACircle(t *testing.T) {
	s := shared(t)
	rings := 0
	inBothModes(t, func(t *testing.T, m mode) {
		for range 10 {
			rings++
			s.run(t, m, "mutex_clear")
			for _, a := range s.runParallel(t, 2, m, "mutex_and_remember", func(i int) []any { return []any{"first", i, "id", rings} }) {
				require.Contains(t, []string{"inner", "deadlock"}, value[string](t, a))
			}
		}
	})
}

// A wait that the time limit ends throws nothing, and leaves the queue.
func TestMutexWaitEndsWithTheTimeLimit(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "mutex_clear")
		letGo := s.holdMutex(t, m, "held")
		_, body, err := s.get(string(m), query("mutex_until_time_is_up"))
		require.NoError(t, err)
		require.Contains(t, body, "Maximum execution time of 1 second")
		require.NotContains(t, body, "CAUGHT")
		require.NotContains(t, body, "FINALLY")
		letGo()
		require.Equal(t, "held", value[string](t, s.run(t, m, "mutex_get")))
	})
}

// waitForMutex has requests wait for a mutex that one of the other mode has.
func (s *server) waitForMutex(t *testing.T, m mode, n int) (bodies <-chan string) {
	t.Helper()
	s.run(t, m, "mutex_clear")
	other := classic
	if m == classic {
		other = worker
	}
	s.holdMutex(t, other, "held")
	answers := make(chan string, n)
	for range n {
		go func() {
			_, body, err := s.get(string(m), query("mutex_for_ever"))
			answers <- fmt.Sprint(body, err)
		}()
	}
	s.eventually(t, "mutex_waiting", fmt.Sprint(n))
	time.Sleep(50 * time.Millisecond) // from the count to the queue
	return answers
}

func TestRestartEndsMutexWaits(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	answers := s.waitForMutex(t, worker, threads)
	begun := time.Now()
	require.NoError(t, s.restartWorkers())
	require.Less(t, time.Since(begun), 20*time.Second)
	for range threads { // the holder ends too, so that some get the mutex before they end themselves
		require.NotContains(t, <-answers, "Exception")
	}
	s.await(t, classic, worker)
	require.Nil(t, value[*string](t, s.run(t, worker, "mutex_get")), "what the holder had changed is not seen")
}

func TestFault076MutexesLeaveNothing(t *testing.T) {
	s := start(t, settings{SharedState: strings.Replace(allTables, "strict_tables", "strict_tables\n\t\tlocks_memory 1MiB", 1)})
	n := 1_000
	if soaking() {
		n = 500_000
	}
	inBothModes(t, func(t *testing.T, m mode) {
		first := value[int](t, s.check(t, m, "mutexes_full", "n", 1, "mode", m))
		require.Greater(t, first, 150)
		s.requireNoGrowth(t, func() {
			require.Equal(t, first, value[int](t, s.check(t, m, "mutexes_full", "n", n, "mode", m)), "the mutexes of a request that ended are gone")
		})
	})
}
