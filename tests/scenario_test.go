package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mode is how PHP runs a scenario: the page that leads to it.
type mode string

const (
	classic mode = "page.php"   // a script for each request
	worker  mode = "worker.php" // a script that serves many
	single  mode = "single.php" // the same on one thread only
)

func (m mode) String() string { return strings.TrimSuffix(string(m), ".php") }

// inBothModes runs a test in classic and in worker mode.
func inBothModes(t *testing.T, f func(t *testing.T, m mode)) {
	t.Helper()
	t.Run("classic", func(t *testing.T) { f(t, classic) })
	t.Run("worker", func(t *testing.T) { f(t, worker) })
}

// answer is what a scenario answers.
type answer struct {
	Thread   string          // the system's number of the PHP thread
	Request  uint64          // the extension's number of the request
	Checks   int             // how many checks were made
	Failures []string        // those that failed
	Value    json.RawMessage // what the scenario returned
}

// query makes one of names and values in turn.
func query(do string, params ...any) string {
	q := url.Values{"do": {do}}
	for i := 0; i+1 < len(params); i += 2 {
		q.Set(fmt.Sprint(params[i]), fmt.Sprint(params[i+1]))
	}
	return q.Encode()
}

// ask runs a scenario that comes to its normal end.
func (s *server) ask(m mode, do string, params ...any) (answer, error) {
	return s.askAt(s.settings.Site, m, do, params...)
}

// askWithin is ask by a client that hangs up after that time.
func (s *server) askWithin(d time.Duration, m mode, do string, params ...any) (answer, error) {
	hasty := &server{settings: s.settings, client: http.Client{Timeout: d, Transport: s.client.Transport}}
	return hasty.ask(m, do, params...)
}

func (s *server) askAt(site string, m mode, do string, params ...any) (answer, error) {
	var a answer
	status, body, err := s.getFrom(site, string(m), query(do, params...))
	if err != nil {
		return a, err
	}
	if status != http.StatusOK {
		return a, fmt.Errorf("%s of %s: status %d: %s", do, m, status, body)
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		return a, fmt.Errorf("%s of %s answered no JSON: %s", do, m, body)
	}
	return a, nil
}

// failed answers the first failures of checks as an error.
func (a answer) failed() error {
	if len(a.Failures) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d checks failed:\n%s", len(a.Failures), a.Checks, strings.Join(a.Failures[:min(10, len(a.Failures))], "\n"))
}

// run runs a scenario that must come to its end with no check failed.
func (s *server) run(t *testing.T, m mode, do string, params ...any) answer {
	t.Helper()
	a, err := s.ask(m, do, params...)
	require.NoError(t, err)
	require.NoError(t, a.failed())
	return a
}

// check is run for a scenario that is there for its checks.
func (s *server) check(t *testing.T, m mode, do string, params ...any) answer {
	t.Helper()
	a := s.run(t, m, do, params...)
	require.NotZero(t, a.Checks, "%s has checked nothing", do)
	return a
}

// value is what a scenario returned, as a T.
func value[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(a.Value, &v), "%s", a.Value)
	return v
}

// parallel runs f so many times at once, and answers its results or the first error.
func parallel[T any](n int, f func(i int) (T, error)) ([]T, error) {
	results, errs := make([]T, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { results[i], errs[i] = f(i) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return results, fmt.Errorf("number %d of %d: %w", i, n, err)
		}
	}
	return results, nil
}

// runParallel runs a scenario in n requests at once, none of which may have failed checks.
func (s *server) runParallel(t *testing.T, n int, m mode, do string, params func(i int) []any) []answer {
	t.Helper()
	answers, err := parallel(n, func(i int) (answer, error) {
		a, err := s.ask(m, do, params(i)...)
		if err == nil {
			err = a.failed()
		}
		return a, err
	})
	require.NoError(t, err)
	return answers
}

var meetings int

// onAllThreads runs a scenario on all threads of a mode at once: its requests wait for each other.
func (s *server) onAllThreads(t *testing.T, m mode, do string, params ...any) []answer {
	t.Helper()
	meetings++
	meeting := fmt.Sprintf("%s %d", do, meetings)
	answers := s.runParallel(t, threads, m, do, func(int) []any {
		return append([]any{"meet", meeting, "of", threads}, params...)
	})
	seen := make(map[string]bool)
	for _, a := range answers {
		seen[a.Thread] = true
	}
	require.Len(t, seen, threads, "the threads that %s ran on", do)
	return answers
}

// checkOnAllThreads is onAllThreads for a scenario that is there for its checks.
func (s *server) checkOnAllThreads(t *testing.T, m mode, do string, params ...any) {
	t.Helper()
	for _, a := range s.onAllThreads(t, m, do, params...) {
		require.NotZero(t, a.Checks, "%s has checked nothing", do)
	}
}
