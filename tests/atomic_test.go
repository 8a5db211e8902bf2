package tests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplaceLosesNothing(t *testing.T) {
	const writers, writes, takers, takes = 6, 400, 2, 60
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "clear", "table", "atomic")
		answers, err := parallel(writers+takers, func(i int) (answer, error) {
			do, n, other := "atomic_write", writes, classic // writers in both modes, takers in this one
			if i >= writers {
				do, n, other = "atomic_replace", takes, m
			} else if i%2 == 0 {
				other = worker
			}
			a, err := s.ask(other, do, "id", fmt.Sprint("id", i), "n", n, "meet", fmt.Sprint(m, " replace"), "of", writers+takers)
			if err == nil {
				err = a.failed()
			}
			return a, err
		})
		require.NoError(t, err)

		times := make(map[string]int)
		for _, a := range answers[writers:] {
			for _, key := range value[[]string](t, a) {
				times[key]++
			}
		}
		taken := len(times)
		for _, key := range value[[]string](t, s.check(t, m, "atomic_replace", "id", "last", "n", 1)) {
			times[key]++
		}
		require.Greater(t, taken, writers*writes/10, "the takers have met the writers")
		require.Len(t, times, writers*writes+takers*takes)
		for i := range writers + takers {
			n := writes
			if i >= writers {
				n = takes
			}
			for j := range n {
				require.Equal(t, 1, times[fmt.Sprintf("id%d:%d", i, j)], "how often id%d:%d was there", i, j)
			}
		}
	})
}

func TestMergeIsOneStep(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "clear", "table", "merged")
		answers, err := parallel(threads, func(i int) (answer, error) {
			do := "atomic_watch"
			if i == 0 {
				do = "atomic_merge"
			}
			a, err := s.ask(m, do, "n", 2000, "meet", fmt.Sprint(m, " merge"), "of", threads)
			if err == nil {
				err = a.failed()
			}
			return a, err
		})
		require.NoError(t, err)
		seen := 0
		for _, a := range answers[1:] {
			require.NotZero(t, a.Checks)
			seen += value[struct{ Seen int }](t, a).Seen
		}
		require.Greater(t, seen, threads, "different numbers that the readers have seen")
	})
}

func TestVersionGrows(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "version_grows") })
}

func TestFault026ReadersNeverSeeTornValues(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "clear", "table", "sums")
		answers, err := parallel(threads+4, func(i int) (answer, error) {
			do, other := "sums_read", m
			if i < 4 {
				do = "sums_write"
				if m == classic {
					other = worker // so that the readers have all threads of their mode
				} else {
					other = classic
				}
			}
			a, err := s.ask(other, do, "id", i, "n", 500, "meet", fmt.Sprint(m, " sums"), "of", threads+4)
			if err == nil {
				err = a.failed()
			}
			return a, err
		})
		require.NoError(t, err)
		for _, a := range answers[4:] {
			require.Greater(t, value[int](t, a), 100, "values that a reader has read")
		}
	})
}

func TestFault032And061And062And067TableIsWhatAModelSays(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "clear", "table", "modelled")
		model := make(map[string]any)
		changes := s.runParallel(t, threads, m, "model_change", func(i int) []any { return []any{"id", i + 1, "n", 2000} })
		for _, a := range changes {
			for k, v := range value[map[string]any](t, a) {
				model[k] = v
			}
		}
		require.NotEmpty(t, model)
		for _, a := range s.onAllThreads(t, m, "model_verify") {
			require.Equal(t, model, value[map[string]any](t, a))
		}
		s.run(t, m, "clear", "table", "modelled")
		require.Equal(t, "[]", string(s.check(t, m, "model_verify").Value))
	})
}

func TestHeldSnapshotsStay(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "snapshots_held") })
}
