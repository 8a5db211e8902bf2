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

func TestCacheCases(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		names := value[[]string](t, s.run(t, m, "cache_names"))
		require.Greater(t, len(names), 30)
		for _, name := range names {
			t.Run(name, func(t *testing.T) { s.check(t, m, "cache_case", "name", name) })
		}
	})
}

// checkFault runs the scenario of a fault in both modes.
func checkFault(t *testing.T, number string) {
	t.Helper()
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "fault_"+number) })
}

func TestFault038IncrementOfAnExpiredNumberBeginsAnew(t *testing.T) { checkFault(t, "038") }
func TestFault040IncrementKeepsTheExpiry(t *testing.T)              { checkFault(t, "040") }
func TestFault043RememberComputesAgainAfterTheLife(t *testing.T)    { checkFault(t, "043") }
func TestFault044TimesToLiveOfEveryKind(t *testing.T)               { checkFault(t, "044") }
func TestFault046ForeverIsForEver(t *testing.T)                     { checkFault(t, "046") }
func TestFault047ValuesOfEveryTypeExpire(t *testing.T)              { checkFault(t, "047") }
func TestFault050TimeToLiveOfWhatHasNone(t *testing.T)              { checkFault(t, "050") }
func TestFault053NumbersDoNotWrap(t *testing.T)                     { checkFault(t, "053") }
func TestFault055DecrementByTheLeastIntIsNotNegated(t *testing.T)   { checkFault(t, "055") }
func TestFault056CompareAndSetMakesNoKey(t *testing.T)              { checkFault(t, "056") }
func TestFault059AddOnAKeyThatIsThereTakesNoLock(t *testing.T)      { checkFault(t, "059") }
func TestFault064CompareAndSetTellsAllValuesApart(t *testing.T)     { checkFault(t, "064") }
func TestFault065IncrementOfWhatIsNoNumberKeepsIt(t *testing.T)     { checkFault(t, "065") }
func TestFault068AStoredNullIsNoMiss(t *testing.T)                  { checkFault(t, "068") }

func TestFault041TimesToLiveCountFromTheCall(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		key := fmt.Sprint(m, time.Now().UnixNano())
		_, err := parallel(2, func(i int) (answer, error) {
			a, err := s.ask(m, []string{"fault_041_write", "fault_041_read"}[i], "key", key)
			if err == nil {
				err = a.failed()
			}
			return a, err
		})
		require.NoError(t, err)
	})
}

// bothModes runs a scenario in 16 requests at once, 8 in each mode, each on a thread of its own.
func (s *server) bothModes(t *testing.T, do string, params ...any) []answer {
	t.Helper()
	meetings++
	answers, err := parallel(2*threads, func(i int) (answer, error) {
		m := []mode{classic, worker}[i%2]
		a, err := s.ask(m, do, append([]any{"id", fmt.Sprint("id", i), "meet", fmt.Sprint(do, " ", meetings), "of", 2 * threads}, params...)...)
		if err == nil {
			err = a.failed()
		}
		return a, err
	})
	require.NoError(t, err)
	return answers
}

func sum(t *testing.T, answers []answer) (n int) {
	t.Helper()
	for _, a := range answers {
		n += value[int](t, a)
	}
	return n
}

func TestAddHasOneWinner(t *testing.T) {
	const keys = 2000
	s := shared(t)
	s.check(t, classic, "add_race_expired", "n", keys) // empties the table
	for _, prefix := range []string{"expired", "new"} {
		t.Run(prefix, func(t *testing.T) {
			answers := s.bothModes(t, "add_race", "prefix", prefix, "n", keys)
			require.Equal(t, keys, sum(t, answers))
		})
	}
}

func TestPullHasOneWinner(t *testing.T) {
	const keys = 2000
	s := shared(t)
	s.run(t, classic, "pull_fill", "n", keys)
	require.Equal(t, keys, sum(t, s.bothModes(t, "pull_race", "n", keys)))
}

func TestCompareAndSetLosesNothing(t *testing.T) {
	const each = 20
	s := shared(t)
	s.run(t, classic, "append_start")
	s.bothModes(t, "append_race", "n", each)
	list := value[[]string](t, s.run(t, worker, "append_result"))
	seen := make(map[string]bool)
	for _, entry := range list {
		seen[entry] = true
	}
	require.Len(t, list, 2*threads*each)
	require.Len(t, seen, 2*threads*each)
}

// Half of the counting is done by PHP threads, the other half by Go routines.
func TestIncrementsFromPHPAndGoAreExact(t *testing.T) {
	const counters, each, step = 8, 100_000, 10_000
	address := freeAddress()
	s := start(t, settings{SharedState: allTables, Sites: "http://" + address + " {\n\tshared_state_demo\n}"})
	_, err := parallel(counters, func(i int) (int, error) {
		if i%2 == 0 {
			_, err := s.ask([]mode{classic, worker}[i/2%2], "count_up", "times", each)
			return 0, err
		}
		for range each / step {
			response, err := s.client.Post("http://"+address+"/go/count", "application/json", strings.NewReader(fmt.Sprintf(`{"action": "increment", "steps": %d}`, step)))
			if err != nil {
				return 0, err
			}
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != http.StatusOK {
				return 0, fmt.Errorf("status %d: %s, %w", response.StatusCode, text, err)
			}
		}
		return 0, nil
	})
	require.NoError(t, err)
	for _, m := range []mode{classic, worker} { // in PHP one of two adds 3 and the other one takes 1 off: 1 for each as well
		for _, a := range s.onAllThreads(t, m, "read", "key", "demo:counter") {
			require.Equal(t, counters*each, value[int](t, a))
		}
	}
}

func TestFlushOfASiteLeavesTheOthers(t *testing.T) {
	s := shared(t)
	inBothModes(t, func(t *testing.T, m mode) {
		at := func(site string, params ...any) string {
			a, err := s.askAt(site, m, "site_flush", params...)
			require.NoError(t, err)
			require.NoError(t, a.failed())
			return string(a.Value)
		}
		require.Equal(t, `["main",true]`, at(s.settings.Site, "put", "main"))
		require.Equal(t, `["shop",true]`, at(s.settings.Shop, "put", "shop"))
		require.Equal(t, `[null,false]`, at(s.settings.Shop, "flush", 1))
		require.Equal(t, `["main",true]`, at(s.settings.Site))
		require.Equal(t, `["shop",true]`, at(s.settings.Shop, "put", "shop"))
		require.Equal(t, `[null,false]`, at(s.settings.Site, "flush", 1))
		require.Equal(t, `["shop",true]`, at(s.settings.Shop))
	})
}
