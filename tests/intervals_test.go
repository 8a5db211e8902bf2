package tests

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refreshed is a value that a resolver has made.
type refreshed struct {
	N      int
	Thread string
	At     float64
}

const patience = 30 * time.Second

func (s *server) interval(t *testing.T, m mode, key string) (r refreshed) {
	t.Helper()
	a := s.run(t, m, "interval_read", "key", key)
	if string(a.Value) != "null" {
		r = value[refreshed](t, a)
	}
	return r
}

func TestIntervalResolvers(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "computed_clear")
		s.check(t, m, "interval_resolvers")
	})
}

// Without a worker the request that finds a value due refreshes it: one at a time, and others have the value there is.
func TestIntervalsWithoutAWorker(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "computed_clear")
		s.run(t, m, "interval_register", "seconds", "0.2")
		first := s.interval(t, m, "named")
		require.Equal(t, 1, first.N, "the first read computes")
		s.run(t, m, "interval_set", "key", "slow")
		for deadline := time.Now().Add(patience); ; {
			require.True(t, time.Now().Before(deadline), "the value is refreshed")
			_, err := parallel(8, func(int) (answer, error) { return s.ask(m, "interval_read", "key", "named") })
			require.NoError(t, err)
			if s.interval(t, m, "named").N >= 4 {
				break
			}
		}
		require.Equal(t, "null", string(s.run(t, m, "interval_read", "key", "twice").Value), "no two at once")

		s.run(t, m, "interval_set", "key", "fail")
		require.Eventually(t, func() bool {
			require.NotZero(t, s.interval(t, m, "named").N, "the old value stands")
			return strings.Contains(s.log.from(0), "the resolver fails as it should")
		}, patience, 20*time.Millisecond)
		s.run(t, m, "interval_forget", "key", "fail")
		n := s.interval(t, m, "named").N
		require.Eventually(t, func() bool { return s.interval(t, m, "named").N > n }, patience, 20*time.Millisecond, "and is made up for")

		require.Eventually(t, func() bool {
			return value[int](t, s.run(t, m, "interval_closure", "seconds", "0.05")) >= 3
		}, patience, 20*time.Millisecond, "a closure that each request registers")
	})
}

// Three forced reloads: the cadence goes on, and there is exactly one worker.
func TestIntervalsWorker(t *testing.T) {
	script, err := filepath.Abs(filepath.Join("pages", "intervals.php"))
	require.NoError(t, err)
	with := settings{SharedState: strings.Replace(allTables, "strict_tables", "strict_tables\n\t\tintervals "+script, 1)}
	s := start(t, with)
	s.run(t, classic, "interval_register", "seconds", "0.2")
	goesOn := func(key string) {
		before := s.interval(t, classic, key)
		require.Eventually(t, func() bool {
			now := s.interval(t, classic, key)
			return now.At > before.At+0.4 && now.Thread != ""
		}, patience, 20*time.Millisecond, "%s is refreshed", key)
	}
	for range 3 {
		goesOn("named")
		goesOn("by closure")
		require.Equal(t, s.interval(t, classic, "named").Thread, s.interval(t, classic, "by closure").Thread, "one thread does it")
		inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "interval_refused") })
		s.run(t, classic, "interval_set", "key", "fail")
		time.Sleep(300 * time.Millisecond)
		s.run(t, classic, "interval_forget", "key", "fail")
		goesOn("named")
		mark := s.log.mark()
		require.NoError(t, s.reload())
		s.await(t, classic, worker)
		require.NotContains(t, s.log.from(mark), "cannot have the same filename")
	}
	require.Equal(t, 4, value[int](t, s.run(t, classic, "interval_read", "key", "worker:starts")), "one worker for each start of PHP")
	require.Contains(t, s.log.from(0), "the resolver fails as it should", "a failed refresh is reported")
}
