package tests

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// load is what requests did that went on while something else happened.
type load struct {
	right  atomic.Int64 // answers with every check passed
	failed atomic.Int64 // no answer from PHP: Caddy was between two PHPs
	wrong  sync.Map     // what was wrong with an answer of PHP
	stop   chan struct{}
	ended  sync.WaitGroup
}

// underLoad has clients of both modes verify the rows until the answered function is called, which requires that no
// answer of PHP was wrong.
func (s *server) underLoad(t *testing.T) (finish func()) {
	t.Helper()
	l := &load{stop: make(chan struct{})}
	for i := range 4 {
		m := []mode{classic, worker}[i%2]
		l.ended.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				status, body, err := s.get(string(m), query("rows_verify"))
				var a answer
				switch {
				// While FrankenPHP stops and starts PHP it may keep a request until max_wait_time, or run the worker's script for it
				// as if it were a page.
				case err != nil || status >= 500 && !strings.Contains(body, "Fatal") || strings.Contains(body, "called while not in worker mode"):
					l.failed.Add(1)
				case json.Unmarshal([]byte(body), &a) != nil:
					l.wrong.Store(fmt.Sprintf("%s: status %d: %s", m, status, body), true)
				case a.failed() != nil || a.Checks == 0:
					l.wrong.Store(fmt.Sprintf("%s: %v", m, a.failed()), true)
				default:
					l.right.Add(1)
				}
			}
		})
	}
	return func() {
		t.Helper()
		close(l.stop)
		l.ended.Wait()
		l.wrong.Range(func(what, _ any) bool {
			t.Errorf("a wrong answer under load: %s", what)
			return true
		})
		t.Logf("under load: %d answers right, %d requests without an answer", l.right.Load(), l.failed.Load())
		require.NotZero(t, l.right.Load(), "answers under load")
	}
}

// upsets are what PHP's engine is stopped and started by.
func (s *server) upsets(t *testing.T) map[string]func() {
	return map[string]func(){
		"reload":        func() { require.NoError(t, s.reload()) },
		"restart":       func() { require.NoError(t, s.restartWorkers()) },
		"opcache_reset": func() { s.run(t, classic, "opcache_restart") },
	}
}

// settle waits until what restarts PHP's threads is over, also what goes on after its request has been answered.
func (s *server) settle(t *testing.T) {
	t.Helper()
	var found struct {
		Threads []struct{ State string } `json:"ThreadDebugStates"`
	}
	ready := 0
	require.Eventually(t, func() bool {
		response, err := s.client.Get("http://" + s.settings.Admin + "/frankenphp/threads")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		if json.NewDecoder(response.Body).Decode(&found) != nil {
			return false
		}
		ready++
		for _, thread := range found.Threads {
			if thread.State != "ready" {
				ready = 0
			}
		}
		return ready == 5 // the restart may not have begun at the first look
	}, 30*time.Second, 50*time.Millisecond, "all threads are ready")
}

func TestFault001ExtensionSurvivesReloads(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	s.run(t, classic, "rows_write")
	for _, what := range []string{"reload", "restart", "opcache_reset"} {
		t.Run(what, func(t *testing.T) {
			upset := s.upsets(t)[what]
			for range 3 {
				finish := s.underLoad(t)
				upset()
				s.settle(t)
				finish()
				s.checkOnAllThreads(t, classic, "rows_verify")
				s.checkOnAllThreads(t, worker, "rows_verify")
			}
		})
	}
}

// records are the extension's thread records in use: a thread that ends must give its own back.
func (s *server) records(t *testing.T) int {
	t.Helper()
	return value[struct{ Threads int }](t, s.run(t, classic, "stats")).Threads
}

func TestFault002ManyReloadsAndRestarts(t *testing.T) {
	rounds := 12 // twice: to warm up and to measure
	if soaking() {
		rounds = 100
	}
	s := start(t, settings{SharedState: allTables})
	s.run(t, classic, "rows_write")
	require.NoError(t, s.reload())
	records, taskCount := s.records(t), s.threadCount(t)

	// FrankenPHP 1.12.7 alone, without this module, grows by 0.8 MiB with each reload and restart of the workers (90 MiB after
	// the first 4, 130 MiB after 48). The medians are two thirds of the rounds apart.
	finish := s.underLoad(t)
	s.requireFlat(t, rounds, (16+rounds)<<10, func() {
		require.NoError(t, s.reload())
		require.NoError(t, s.restartWorkers())
	})
	finish()
	s.checkOnAllThreads(t, classic, "rows_verify")
	s.checkOnAllThreads(t, worker, "rows_verify")
	require.Equal(t, records, s.records(t), "thread records after all the reloads")
	require.Less(t, s.threadCount(t), taskCount+3*threads, "the process's threads after all the reloads")
}

// adapted is the server's config in JSON, for changes that a Caddyfile refuses to hold.
func (s *server) adapted(t *testing.T) map[string]any {
	t.Helper()
	out, err := exec.Command(os.Getenv("FRANKENPHP"), "adapt", "--config", s.config).Output()
	require.NoError(t, err)
	var config map[string]any
	require.NoError(t, json.Unmarshal(out, &config))
	return config
}

// at walks down into JSON objects.
func at(t *testing.T, v any, path ...string) map[string]any {
	t.Helper()
	for _, name := range path {
		object, ok := v.(map[string]any)
		require.True(t, ok, "no object above %s", name)
		v = object[name]
	}
	object, ok := v.(map[string]any)
	require.True(t, ok, "no object at %v", path)
	return object
}

func TestRefusedConfigChangesNothing(t *testing.T) {
	s := start(t, settings{SharedState: allTables})
	s.run(t, classic, "rows_write")
	unchanged := func(t *testing.T) {
		t.Helper()
		for _, m := range []mode{classic, worker} {
			s.checkOnAllThreads(t, m, "rows_verify")
			for _, a := range s.onAllThreads(t, m, "max_value", "table", "limited", "from", 990, "to", 1010) {
				require.Equal(t, 1000, value[int](t, a), "max_value of the table limited")
			}
			require.Equal(t, 32<<20, value[struct {
				Limit int `json:"memory_limit"`
			}](t, s.run(t, m, "stats", "table", "rows")).Limit)
			s.check(t, m, "values_at_limit")
		}
	}
	unchanged(t)

	occupied, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer occupied.Close()
	good := s.settings

	refusals := map[string]struct {
		load    func(t *testing.T) error
		message string
	}{
		"bad option in the Caddyfile": {func(t *testing.T) error {
			bad := good
			bad.SharedState = strings.Replace(allTables, "max_value 1000", "max_value 2000\n\t\t\tcolour red", 1)
			s.write(t, bad)
			return s.reload()
		}, "colour"},
		"bad option in JSON": {func(t *testing.T) error {
			config := s.adapted(t)
			state := at(t, config, "apps", "shared_state", "tables")
			at(t, state, "limited")["max_value"] = 2000
			state["new"] = map[string]any{"memory": "1KiB"}
			text, err := json.Marshal(config)
			require.NoError(t, err)
			return s.post("/load", "application/json", string(text))
		}, "1KiB"},
		"another app that does not start": {func(t *testing.T) error {
			bad := good
			bad.SharedState = strings.Replace(allTables, "max_value 1000", "max_value 2000", 1)
			bad.SharedState = strings.Replace(bad.SharedState, "table rows {", "table only_in_the_refused_config {\n\t\t}\n\t\ttable rows {", 1)
			bad.Sites = fmt.Sprintf("http://%s {\n\trespond ok\n}\n", occupied.Addr())
			s.write(t, bad)
			return s.reload()
		}, "address already in use"},
	}
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				finish := s.underLoad(t)
				err := refusal.load(t)
				s.write(t, good)
				finish()
				require.ErrorContains(t, err, refusal.message)
				unchanged(t)
			}
		})
	}

	t.Run("accepted in the end", func(t *testing.T) {
		changed := good
		changed.SharedState = strings.Replace(allTables, "max_value 1000", "max_value 1005", 1)
		s.write(t, changed)
		require.NoError(t, s.reload())
		require.Equal(t, 1005, value[int](t, s.run(t, classic, "max_value", "table", "limited", "from", 990, "to", 1010)))
		s.checkOnAllThreads(t, worker, "rows_verify")
		s.write(t, good)
		require.NoError(t, s.reload())
		unchanged(t)
	})
}

func TestStoredObjectsStayWhenTheirClassIsDenied(t *testing.T) {
	block := func(objects string) string {
		return "shared_state {\n\t\ttable narrowed {\n\t\t\tobjects " + objects + "\n\t\t}\n\t}"
	}
	s := start(t, settings{SharedState: block("serialize Point Money")})
	s.check(t, classic, "refused_after_reload", "narrow", "no")
	s.settings.SharedState = block("serialize Money")
	s.write(t, s.settings)
	require.NoError(t, s.reload())
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "refused_after_reload", "narrow", "yes") })
}

// A reset gives the memory of all interned strings to others. (Restarts for lack of memory are left out: PHP 8.2 with threads crashes
// in them by itself.)
func TestFault005StringsSurviveOpcacheResets(t *testing.T) {
	const files = 60
	s := start(t, settings{SharedState: allTables, INI: map[string]string{"opcache.file_update_protection": "0", "opcache.revalidate_freq": "0"}})
	folder := t.TempDir()
	cached := func() int {
		return value[struct {
			N int `json:"num_cached_scripts"`
		}](t, s.run(t, classic, "opcache")).N
	}
	inBothModes(t, func(t *testing.T, m mode) {
		for version := range 3 {
			for i := range files {
				require.NoError(t, os.WriteFile(fmt.Sprintf("%s/literals_%d.php", folder, i), literals(i, version), 0o600))
			}
			s.runParallel(t, threads, m, "literals_write", func(int) []any { return []any{"dir", folder, "n", files} })
			require.Greater(t, cached(), files, "scripts in opcache")
			s.run(t, m, "opcache_restart")
			s.settle(t)
			require.Less(t, cached(), files, "scripts in opcache after its reset")
			s.checkOnAllThreads(t, m, "literals_verify", "n", files)
		}
	})
}

// literals is a PHP file with constant arrays and some weight.
func literals(i, version int) []byte {
	sum := md5.Sum(fmt.Appendf(nil, "literal %d", i))
	hash := hex.EncodeToString(sum[:])
	return fmt.Appendf(nil, `<?php
// version %d
return [
	'key_%s' => ['name_%[2]s' => 'value_%[2]s', 'list' => [%[3]d, 'item_%[2]s', ['deep_%[2]s' => true]]],
	'string_key_%[2]s' => 'string_%[2]s',
	'padding' => '%[4]s',
];
`, version, hash, i, strings.Repeat(fmt.Sprintf("%d.%d ", i, version), 20_000))
}

func TestFault007ClassesThatChangeOrAreNotThere(t *testing.T) {
	folder := t.TempDir()
	first, second := folder+"/first.php", folder+"/second.php"
	require.NoError(t, os.WriteFile(first, []byte(`<?php
final class Changing { private $dropped = [1]; public function __construct(public int $id, public string $name) {} }
enum ChangingEnum: string { case Kept = 'kept'; case Gone = 'gone'; }
`), 0o600))
	require.NoError(t, os.WriteFile(second, []byte(`<?php
#[AllowDynamicProperties]
class Changing { public string $added = 'new'; public int $id = 0; }
enum ChangingEnum: string { case Other = 'other'; case Kept = 'kept'; }
`), 0o600))
	s := start(t, settings{SharedState: allTables})
	inBothModes(t, func(t *testing.T, m mode) {
		s.check(t, m, "code_write", "file", first)
		without := 0
		for _, a := range s.onAllThreads(t, m, "code_read_without") {
			if value[bool](t, a) {
				without++
			}
		}
		require.GreaterOrEqual(t, without, threads-1)
		require.NoError(t, s.restartWorkers())
		s.check(t, m, "code_read_changed", "file", second)
		require.NoError(t, s.restartWorkers())
	})
}
