package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// figures are some of SharedArray::stats().
type figures struct {
	Store, Table string
	Limit        int `json:"memory_limit"`
}

func TestWithoutConfigurationTheStoreStartsItself(t *testing.T) {
	s := start(t, settings{})
	inBothModes(t, func(t *testing.T, m mode) {
		s.run(t, m, "write", "key", m, "value", "here")
		for _, a := range s.onAllThreads(t, classic, "read", "key", m) {
			require.Equal(t, "here", value[string](t, a))
		}
		require.Equal(t, figures{"server", "default", 64 << 20}, value[figures](t, s.run(t, m, "stats")))
	})
	for range 3 {
		require.NoError(t, s.reload())
		require.Equal(t, "here", value[string](t, s.run(t, worker, "read", "key", classic)))
	}

	// A later config adopts the store and its rows.
	with := s.settings
	with.SharedState = "shared_state {\n\t\ttable default {\n\t\t\tmax_value 500\n\t\t}\n\t\ttable more {\n\t\t}\n\t}"
	s.write(t, with)
	require.NoError(t, s.reload())
	for _, m := range []mode{classic, worker} {
		require.Equal(t, "here", value[string](t, s.run(t, m, "read", "key", worker)))
		require.Equal(t, 500, value[int](t, s.run(t, m, "max_value", "table", "default", "from", 490, "to", 510)))
		require.True(t, value[bool](t, s.run(t, m, "table_exists", "table", "more")))
	}

	// And one without a block goes on with what there is.
	with.SharedState = ""
	s.write(t, with)
	require.NoError(t, s.reload())
	require.Equal(t, "here", value[string](t, s.run(t, worker, "read", "key", worker)))
}

func TestAutostartCanBeSwitchedOff(t *testing.T) {
	s := start(t, settings{INI: map[string]string{"frankenshare.autostart": "0"}})
	check := func() {
		status, body, err := s.get("unavailable.php", "")
		require.NoError(t, err)
		require.Equal(t, 200, status, body)
		var found []string
		require.NoError(t, json.Unmarshal([]byte(body), &found), body)
		require.Equal(t, `FrankenPHP\SharedState\UnavailableException`, found[0])
		require.Contains(t, found[1], "shared_state", "the one way")
		require.Contains(t, found[1], "frankenshare.autostart", "the other")
	}
	check()
	require.NoError(t, s.reload())
	check()

	with := s.settings
	with.SharedState = allTables
	s.write(t, with)
	require.NoError(t, s.reload())
	s.run(t, classic, "rows_write")
	s.checkOnAllThreads(t, worker, "rows_verify")
}

func TestPHPServerHasAStore(t *testing.T) {
	s := &server{ended: make(chan struct{})}
	s.settings.Site = freeAddress()
	s.client.Timeout = 30 * time.Second
	s.process = exec.Command(os.Getenv("FRANKENPHP"), "php-server", "--root", "pages", "--listen", s.settings.Site)
	s.process.Stdout, s.process.Stderr = &s.log, &s.log
	require.NoError(t, s.process.Start())
	go func() {
		_ = s.process.Wait()
		close(s.ended)
	}()
	t.Cleanup(s.stop)
	s.watch(t)
	s.await(t, classic)
	s.run(t, classic, "write", "key", "k", "value", "v")
	for _, a := range s.runParallel(t, 20, classic, "read", func(int) []any { return []any{"key", "k"} }) {
		require.Equal(t, "v", value[string](t, a))
	}
	require.Equal(t, figures{"server", "default", 64 << 20}, value[figures](t, s.run(t, classic, "stats")))
}

// runScript runs a script as a command, which answers JSON.
func runScript(t *testing.T, script string, answer any) {
	t.Helper()
	cmd := exec.Command(os.Getenv("FRANKENPHP"), "php-cli", "pages/cli/"+script)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	require.NoError(t, json.Unmarshal(out, answer), "%s", out)
}

func TestCommandLineHasAPrivateStore(t *testing.T) {
	for range 2 { // the second finds nothing of the first
		var found struct {
			Count, N     int
			Store, Table string
		}
		runScript(t, "private.php", &found)
		require.Zero(t, found.Count)
		require.Equal(t, 1, found.N)
		require.Equal(t, "private", found.Store)
		require.Equal(t, "default", found.Table)
	}
}

func TestFault011ForkedChildIsRefusedAndParentUnharmed(t *testing.T) {
	var found struct {
		Child  map[string]string
		Parent struct {
			K                  string
			A                  map[string]int
			N, Count, Snapshot int
			Written            bool
		}
	}
	runScript(t, "fork.php", &found)
	require.NotEmpty(t, found.Child)
	for call, what := range found.Child {
		require.Equal(t, "unavailable", what, call)
	}
	require.Equal(t, "v", found.Parent.K)
	require.Equal(t, map[string]int{"x": 1}, found.Parent.A)
	require.Equal(t, 2, found.Parent.N)
	require.Equal(t, 3, found.Parent.Count)
	require.Equal(t, 3, found.Parent.Snapshot)
	require.True(t, found.Parent.Written)
}
