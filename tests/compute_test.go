package tests

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRemember(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "remember_basics") })
}

func TestUpdate(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "update_basics") })
}

func TestRememberComputesOnce(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "computed_clear")
		answers := s.runParallel(t, 100, m, "remember_once", func(int) []any { return []any{"key", "once"} })
		for _, a := range answers {
			require.JSONEq(t, `{"made":"once"}`, string(a.Value))
		}
		require.Equal(t, 1, value[int](t, s.run(t, m, "computed_get", "key", "once:runs")))
	})
}

func TestFault058UpdateLosesNothing(t *testing.T) {
	const n = 50
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "computed_clear")
		s.runParallel(t, 16, m, "update_append", func(i int) []any { return []any{"id", i, "n", n} })
		got := value[[]string](t, s.run(t, m, "computed_get", "key", "list"))
		require.Len(t, got, 16*n)
		next := map[string]int{}
		for _, entry := range got {
			id, i, _ := strings.Cut(entry, ":")
			require.Equal(t, fmt.Sprint(next[id]), i, "the appends of %s in order", id)
			next[id]++
		}
	})
}

// What computes dies in every way; who waits computes in its place: faults 77 and 83.
func TestFault083ComputingRequestDies(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		ways := []string{"exit", "throw", "error", "user_error", "memory", "time", "fiber"}
		if m == classic {
			ways = append(ways, "hang up")
		}
		for _, how := range ways {
			t.Run(how, func(t *testing.T) {
				s.run(t, m, "computed_clear")
				done := make(chan error, 1)
				go func() { done <- s.computeAndEnd(m, how) }()
				for _, a := range s.runParallel(t, 3, m, "remember_after", func(int) []any { return []any{"key", "k"} }) {
					require.Equal(t, "second", value[string](t, a))
				}
				require.NoError(t, <-done)
			})
		}
	})
}

// computeAndEnd makes a request that ends while it computes a value.
func (s *server) computeAndEnd(m mode, how string) error {
	do := "remember_and_end"
	if how == "fiber" {
		do = "remember_in_fiber"
	}
	response, err := s.client.Get("http://" + s.settings.Site + "/" + string(m) + "?" + query(do, "key", "k", "how", how))
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

// What a worker's script has begun between two requests ends when the next one begins.
func TestNextRequestEndsWhatWasBegunBetween(t *testing.T) {
	s := shared(t)
	s.run(t, worker, "computed_clear")
	s.run(t, worker, "remember_between", "key", "between")
	require.Eventually(t, func() bool {
		return string(s.run(t, classic, "computed_get", "key", "begun").Value) == "true"
	}, patience, time.Millisecond)
	s.onAllThreads(t, worker, "computed_get", "key", "begun")
	require.Equal(t, "now", value[string](t, s.run(t, classic, "remember_now", "key", "between")))
}

func TestFault082CrossedRemembersEnd(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for round := range 5 {
			s.run(t, m, "computed_clear")
			answers := s.runParallel(t, 2, m, "remember_crossed", func(i int) []any {
				return []any{"first", i, "meeting", fmt.Sprint(m, " ", round)}
			})
			for _, a := range answers {
				require.Subset(t, []string{"inner+", "inner++", "inner"}, value[[]string](t, a))
			}
		}
	})
}
