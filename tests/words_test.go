package tests

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCountersAndFlags(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "words_basics", "mode", m) })
}

func TestCounterLosesNothing(t *testing.T) {
	const n = 20_000
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "words_clear")
		s.onAllThreads(t, m, "words_count", "n", n)
		require.Equal(t, threads*n, value[int](t, s.run(t, m, "words_get")))
	})
}

// awaiting starts requests that wait for a flag, and returns when all do.
func (s *server) awaiting(t *testing.T, m mode, n int) <-chan []answer {
	t.Helper()
	done := make(chan []answer, 1)
	go func() {
		answers, _ := parallel(n, func(int) (answer, error) { return s.ask(m, "words_wait", "flag", "go") })
		done <- answers
	}()
	require.Eventually(t, func() bool { return value[int](t, s.run(t, m, "words_waiting")) == n }, patience, 5*time.Millisecond)
	return done
}

func TestFlagWakesAllWhoWait(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for range 5 {
			s.run(t, m, "words_clear")
			done := s.awaiting(t, m, threads-1)
			s.run(t, m, "words_set", "flag", "go")
			for _, a := range <-done {
				require.True(t, value[bool](t, a))
			}
		}
	})
}
