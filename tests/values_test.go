package tests

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneThreadWritesAnotherReads(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.runParallel(t, 100, m, "write", func(i int) []any { return []any{"key", fmt.Sprintf("%s:%d", m, i), "value", fmt.Sprint("of ", i)} })
		for range 2 { // the second time from the caches of the threads
			read := s.runParallel(t, 100, m, "read", func(i int) []any { return []any{"key", fmt.Sprintf("%s:%d", m, i)} })
			for i, a := range read {
				require.Equal(t, fmt.Sprint("of ", i), value[string](t, a))
			}
		}
		for i := range 20 { // one key that changes, read at once by all threads
			wrote := s.run(t, m, "write", "key", m, "value", i)
			others := 0
			for _, a := range s.onAllThreads(t, m, "read", "key", m) {
				require.Equal(t, fmt.Sprint(i), value[string](t, a))
				if a.Thread != wrote.Thread {
					others++
				}
			}
			require.GreaterOrEqual(t, others, threads-1)
		}
	})
}

func TestModesShareOneStore(t *testing.T) {
	s := shared(t)
	s.run(t, classic, "write", "key", "from classic", "value", "c")
	s.run(t, worker, "write", "key", "from worker", "value", "w")
	require.Equal(t, "w", value[string](t, s.run(t, classic, "read", "key", "from worker")))
	require.Equal(t, "c", value[string](t, s.run(t, worker, "read", "key", "from classic")))
}

func TestIncrementsAreExact(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		key := fmt.Sprint("counter of ", m)
		s.runParallel(t, 100, m, "increment", func(int) []any { return []any{"key", key, "times", 100} })
		for _, a := range s.onAllThreads(t, m, "read", "key", key) {
			require.Equal(t, 10_000, value[int](t, a))
		}
	})
}

func TestFault097ValuesComeBackIdentical(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for _, by := range []string{"offset", "put", "merge", "putMany", "replace"} {
			t.Run(by, func(t *testing.T) {
				require.Greater(t, value[int](t, s.run(t, m, "values_write", "by", by)), 40)
				s.checkOnAllThreads(t, m, "values_verify")
			})
		}
	})
}

func TestValuesAreCopies(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "values_are_copies") })
}

func TestFault023ValuesAtTheLimit(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "values_at_limit") })
}

func TestFault094DeepNestingIsRefused(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "values_too_deep") })
}

func TestFault098HugeStringIsRefused(t *testing.T) {
	size := 64 << 20
	if soaking() {
		size = 2_100_000_000 // above what 31 bits can say
	}
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "values_huge", "size", size) })
}

// soaking says whether the long form of a test is wanted.
func soaking() bool { return os.Getenv("FRANKENSHARE_SOAK") != "" }

func TestFault091OffsetsAreKeysAsInArrays(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "keys_of_offsets") })
}

func TestFault089And092KeysAreComparedInFull(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "keys_all_distinct") })
}

func TestKeyTooLongIsRefused(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "keys_too_long") })
}

func TestFault089PrefixesOfAnyBytes(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "keys_by_prefix") })
}

func TestExceptionsHaveOneParent(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "exceptions_have_one_parent") })
}

func TestWhatCannotBeStoredIsRefused(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_values") })
}

func TestOnlyListedClassesAreStored(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_classes") })
}

func TestExceptionsOfTheObjectsAreItsOwn(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_by_its_text") })
}

func TestFault095ObjectThatThrowsLeavesNothing(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_by_the_object") })
}

func TestFault016OneLargeValueCostsNoOther(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_alone") })
}

func TestFault029FullTableStillWorks(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_when_full") })
}

func TestFault017RoomIsNotLostToFragments(t *testing.T) {
	n := 30_000
	if soaking() {
		n = 1_000_000
	}
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "never_refused", "n", n) })
}

func TestFault053And055And065NumbersOnly(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_numbers") })
}

func TestFault068NullIsAValue(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "null_is_a_value") })
}

func TestLanguage(t *testing.T) {
	s := shared(t)
	for _, part := range []string{"isset", "assignments", "iteration", "json", "dump"} {
		t.Run(part, func(t *testing.T) {
			inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "language_"+part) })
		})
	}
}

func TestFault103ChangesInPlaceThrow(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "language_in_place") })
}

func TestFault100HandlesAreCopiedSafely(t *testing.T) {
	s := shared(t)
	for _, part := range []string{"copied", "without_constructor", "have_no_properties"} {
		t.Run(part, func(t *testing.T) {
			inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "handles_"+part) })
		})
	}
}

func TestFault101UnserializeChangesNothing(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "handles_serialized") })
}

func TestClassIsFinal(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		_, body, err := s.get(string(m), query("handles_subclassed"))
		require.NoError(t, err)
		require.Contains(t, body, "final class")
		s.check(t, m, "exceptions_have_one_parent")
	})
}

func TestFault008InformationFromManyThreads(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		for _, a := range s.runParallel(t, 32, m, "info", func(int) []any { return nil }) {
			require.NotZero(t, a.Checks)
		}
	})
}

func TestSitesChooseTheirTables(t *testing.T) {
	s := shared(t)
	for _, m := range []mode{classic, worker} {
		s.run(t, m, "write", "key", "whose", "value", "the site's")
		a, err := s.askAt(s.settings.Shop, m, "write", "key", "whose", "value", "the shop's")
		require.NoError(t, err)
		require.NoError(t, a.failed())
		require.Equal(t, "the site's", value[string](t, s.run(t, m, "read", "key", "whose")))
		require.Equal(t, "the shop's", value[string](t, s.run(t, m, "read", "key", "whose", "table", "shop")))
	}
}

func TestFault014RequestsOfOneWorkerThreadKeepApart(t *testing.T) {
	type seen struct {
		Table, Client, Mark string
		Request             uint64
		Served              int
	}
	s := shared(t)
	for _, site := range []string{s.settings.Site, s.settings.Shop} {
		_, err := s.askAt(site, single, "write", "key", "mark", "value", site)
		require.NoError(t, err)
	}
	requests := make(map[uint64]bool)
	thread := ""
	for i := range 40 { // two clients of two sites take turns on one thread
		client, site, table := "first", s.settings.Site, "default"
		if i%2 == 1 {
			client, site, table = "second", s.settings.Shop, "shop"
		}
		a, err := s.askAt(site, single, "who", "client", client)
		require.NoError(t, err)
		got := value[seen](t, a)
		require.Equal(t, table, got.Table)
		require.Equal(t, client, got.Client)
		require.Equal(t, site, got.Mark)
		require.False(t, requests[got.Request], "request %d was seen before", got.Request)
		requests[got.Request] = true
		if i > 0 {
			require.Equal(t, thread, a.Thread)
			require.Greater(t, got.Served, i, "the script goes on from request to request")
		}
		thread = a.Thread
	}
}

func TestSessionHandlerThatUsesTheStore(t *testing.T) {
	const clients, rounds = 25, 4
	type session struct {
		ID string
		N  int
	}
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "sessions_prepare")
		_, err := parallel(clients, func(i int) (int, error) {
			id := fmt.Sprintf("%sclient%d", m, i)
			for n := 1; n <= rounds; n++ {
				a, err := s.ask(m, "session", "id", id)
				if err != nil {
					return 0, err
				}
				if got := string(a.Value); got != fmt.Sprintf(`{"id":"%s","n":%d}`, id, n) {
					return 0, fmt.Errorf("round %d of %s: %s", n, id, got)
				}
			}
			return 0, nil
		})
		require.NoError(t, err)

		// Ends in other ways write the session too.
		for _, end := range []string{"exit", "error"} {
			_, err := parallel(clients, func(i int) (int, error) {
				_, body, err := s.get(string(m), query("session", "id", fmt.Sprintf("%sclient%d", m, i), "end", end))
				if err == nil && strings.Contains(body, `"failures"`) {
					err = fmt.Errorf("the request came to its normal end: %s", body)
				}
				return 0, err
			})
			require.NoError(t, err)
		}
		last := value[session](t, s.run(t, m, "session", "id", fmt.Sprintf("%sclient0", m)))
		require.Equal(t, rounds+3, last.N)
		total := clients*(rounds+2) + 1
		require.Equal(t, map[string]int{"written": total, "closed": total, "wrong reads": 0, "wrong snapshots": 0, "wrong arrays": 0},
			value[map[string]int](t, s.run(t, m, "sessions_figures")))
	})
}

func TestFibersSuspendedInForeach(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "fibers_prepare")
		for range 5 {
			s.checkOnAllThreads(t, m, "fibers")
		}
		for _, end := range []string{"exit", "error", "fatal"} {
			_, err := parallel(threads, func(int) (int, error) {
				status, body, err := s.get(string(m), query("fibers", "end", end))
				if err == nil && (status != http.StatusOK && status != http.StatusInternalServerError || strings.Contains(body, `"failures"`)) {
					err = fmt.Errorf("status %d: %s", status, body)
				}
				return 0, err
			})
			require.NoError(t, err)
		}
		s.checkOnAllThreads(t, m, "fibers")
	})
}
