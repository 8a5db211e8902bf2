package frankenshare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

func init() {
	caddy.RegisterModule(brokenApp{})
	caddy.RegisterModule(testLog{})
}

// brokenApp is another app of the config, which fails where it is told to.
type brokenApp struct {
	At string `json:"at"`
}

func (brokenApp) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "broken", New: func() caddy.Module { return new(brokenApp) }}
}

// beforeBreak is what happens in the meantime.
var beforeBreak = func() {}

func whenBroken(t *testing.T, do func()) {
	beforeBreak = do
	t.Cleanup(func() { beforeBreak = func() {} })
}

func (b *brokenApp) fail(at string) error {
	if b.At == at {
		beforeBreak()
		return errors.New("broken on purpose")
	}
	return nil
}

func (b *brokenApp) Provision(caddy.Context) error { return b.fail("provision") }
func (b *brokenApp) Start() error                  { return b.fail("start") }
func (b *brokenApp) Stop() error                   { return nil }

// testLog is where Caddy writes the app's log.
type testLog struct{}

var logged bytes.Buffer // loads do not run at the same time

func (testLog) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.writers.test", New: func() caddy.Module { return new(testLog) }}
}

func (testLog) String() string    { return "test" }
func (testLog) WriterKey() string { return "test" }

func (testLog) OpenWriter() (io.WriteCloser, error) { return new(testLog), nil }
func (testLog) Close() error                        { return nil }
func (testLog) Write(b []byte) (int, error)         { return logged.Write(b) }

// logLines are the lines of the last load that hold a text.
func logLines(text string) (found []string) {
	for line := range strings.Lines(logged.String()) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// load makes Caddy run a config with the given shared_state and an app that breaks there.
func load(t *testing.T, sharedState, brokenAt string) error {
	t.Helper()
	return loadApps(fmt.Sprintf(`{"shared_state": %s, "broken": {"at": %q}}`, sharedState, brokenAt))
}

func loadApps(apps string) error {
	logged.Reset()
	return caddy.Load(fmt.Appendf(nil, `{"admin": {"disabled": true, "config": {"persist": false}},
		"logging": {"logs": {"default": {"writer": {"output": "test"}, "include": ["shared_state"]}}}, "apps": %s}`, apps), true)
}

// loaded is load for a config that is taken, until the test ends.
func loaded(t *testing.T, sharedState string) {
	t.Helper()
	dropTablesAfter(t)
	require.NoError(t, load(t, sharedState, ""))
	t.Cleanup(func() { require.NoError(t, caddy.Stop()) })
}

// dropTablesAfter leaves no table to the next test: the store is the process's.
func dropTablesAfter(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		for _, table := range phpbridge.Store().Tables() {
			require.NoError(t, phpbridge.Store().Drop(table.Name()))
		}
	})
}

// atAnyOrder runs check often enough to see apps provisioned and started in either order: Caddy walks a map, which in
// Go begins at one of eight places, so one of two apps may come first only one time in eight.
func atAnyOrder(t *testing.T, check func(t *testing.T)) {
	t.Helper()
	for range 40 {
		check(t)
	}
}

// untilStarted loads a config that another app breaks at its start until shared_state was the first to start.
func untilStarted(t *testing.T, sharedState string, seen func() bool) {
	t.Helper()
	for range 1000 {
		require.ErrorContains(t, load(t, sharedState, "start"), "broken on purpose")
		if seen() {
			return
		}
	}
	t.Fatal("shared_state never started before the other app broke, or its start had no effect")
}

func found(t *testing.T, name string) *sharedstate.Table {
	t.Helper()
	table, err := phpbridge.Store().Table(name)
	require.NoError(t, err)
	return table
}

func options(t *testing.T, table string) sharedstate.Options {
	t.Helper()
	return found(t, table).Options()
}

func requireUnknown(t *testing.T, table string) {
	t.Helper()
	_, err := phpbridge.Store().Table(table)
	require.ErrorIs(t, err, sharedstate.ErrUnknownTable)
}

func TestDefaults(t *testing.T) {
	loaded(t, `{}`)
	require.Equal(t, sharedstate.DefaultOptions(), options(t, DefaultTable))
	entries, bytes := phpbridge.Store().ThreadCache()
	require.EqualValues(t, sharedstate.DefaultThreadCacheEntries, entries)
	require.EqualValues(t, sharedstate.DefaultThreadCacheBytes, bytes)
	require.EqualValues(t, sharedstate.DefaultLocksMemory, locksLimit())
}

func locksLimit() int64 {
	_, limit := phpbridge.Store().LocksMemory()
	return limit
}

func TestSettingsReachTheStore(t *testing.T) {
	t.Setenv("SHARED_MEMORY", "3MiB")
	t.Setenv("CACHE_BYTES", "1MiB")
	loaded(t, `{"tables": {"settings": {"memory": "{env.SHARED_MEMORY}", "max_value": 4096, "objects": "deny"},
			"listed": {"object_classes": ["App\\Price", "stdClass"]},
			"evicted": {"eviction": {"policy": "ttl", "buffer": "12.5%", "proportion": "1%"}, "sweep": "250ms"},
			"kept": {"eviction": {"policy": "noeviction"}}},
		"thread_cache": {"entries": "17", "bytes": "{env.CACHE_BYTES}"}, "locks_memory": "{env.CACHE_BYTES}"}`)
	want := sharedstate.DefaultOptions()
	want.Memory, want.MaxValue, want.Objects = 3<<20, 4096, sharedstate.ObjectsDeny
	require.Equal(t, want, options(t, "settings"))
	want = sharedstate.DefaultOptions()
	want.ObjectClasses = []string{`App\Price`, "stdClass"}
	require.Equal(t, want, options(t, "listed"))
	want = sharedstate.DefaultOptions()
	want.Eviction = sharedstate.Eviction{Policy: sharedstate.EvictTTL, Buffer: 0.125, Proportion: 0.01}
	want.Sweep = 250 * time.Millisecond
	require.Equal(t, want, options(t, "evicted"))
	require.Equal(t, sharedstate.Eviction{Policy: sharedstate.EvictNone}, options(t, "kept").Eviction)
	entries, bytes := phpbridge.Store().ThreadCache()
	require.EqualValues(t, 17, entries)
	require.EqualValues(t, 1<<20, bytes)
	require.EqualValues(t, 1<<20, locksLimit())
}

func TestRowsSurviveReloads(t *testing.T) {
	loaded(t, `{"tables": {"survivor": {"memory": "2MiB"}}}`)
	table := found(t, "survivor")
	err := table.Set("k", sharedstate.Int(7))
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, load(t, `{"tables": {"survivor": {"memory": 2097152}}}`, ""))
	}
	requireStill(t, table, "survivor")
	require.Equal(t, 1, table.Len())
}

func TestReloadChangesSettings(t *testing.T) {
	loaded(t, `{"tables": {"changed": {"memory": "2MiB", "max_value": 1000, "objects": "deny", "eviction": {"policy": "noeviction"}}}, "thread_cache": {"entries": 9, "bytes": "8MiB"}, "locks_memory": "9MiB"}`)
	require.NoError(t, load(t, `{"tables": {"changed": {"memory": "2MiB", "max_value": 500}}, "thread_cache": {"entries": 11, "bytes": "1MiB"}, "locks_memory": 65536}`, ""))
	got := options(t, "changed")
	require.EqualValues(t, 500, got.MaxValue, "narrower settings hold once the old config is gone")
	require.Equal(t, sharedstate.ObjectsSerialize, got.Objects)
	require.Equal(t, sharedstate.EvictLRU, got.Eviction.Policy)
	entries, bytes := phpbridge.Store().ThreadCache()
	require.EqualValues(t, 11, entries)
	require.EqualValues(t, 1<<20, bytes)
	require.EqualValues(t, 64<<10, locksLimit())
}

func TestRefusedConfigChangesNothing(t *testing.T) {
	loaded(t, `{"tables": {"stays": {"memory": "2MiB", "max_value": 1000, "objects": "deny"}}, "thread_cache": {"entries": 9, "bytes": "8MiB"}, "locks_memory": "9MiB"}`)
	before := options(t, "stays")
	for _, at := range []string{"provision", "start"} {
		t.Run(at, func(t *testing.T) {
			atAnyOrder(t, func(t *testing.T) {
				err := load(t, `{"tables": {"stays": {"memory": "2MiB", "max_value": 500}, "refused": {"memory": "1MiB"}}, "thread_cache": {"entries": 11}, "locks_memory": "64MiB"}`, at)
				require.ErrorContains(t, err, "broken on purpose")
				require.Equal(t, before, options(t, "stays"))
				requireUnknown(t, "refused")
				entries, bytes := phpbridge.Store().ThreadCache()
				require.EqualValues(t, 9, entries)
				require.EqualValues(t, 8<<20, bytes)
				require.EqualValues(t, 9<<20, locksLimit())
			})
		})
	}
}

func TestRefusedFirstConfigLeavesNoTable(t *testing.T) {
	atAnyOrder(t, func(t *testing.T) {
		require.ErrorContains(t, load(t, `{"tables": {"first": {"memory": "1MiB"}}}`, "start"), "broken on purpose")
		requireUnknown(t, "first")
	})
	// Another size is no change of size then.
	loaded(t, `{"tables": {"first": {"memory": "2MiB"}}}`)
}

func TestTableThatPHPFilledStays(t *testing.T) {
	dropTablesAfter(t)
	whenBroken(t, func() {
		err := found(t, "filled").Set("k", sharedstate.Int(1))
		require.NoError(t, err)
	})
	require.ErrorContains(t, load(t, `{"tables": {"filled": {"memory": "1MiB"}}}`, "start"), "broken on purpose")
	require.Equal(t, 1, found(t, "filled").Len())
	loaded(t, `{}`)
	require.Equal(t, 1, found(t, "filled").Len(), "the refused config made it, but PHP uses it")
}

func TestBadJSON(t *testing.T) {
	for name, c := range map[string]struct{ config, message string }{
		"unknown option":       {`{"evict": true}`, `unknown field "evict"`},
		"unknown table option": {`{"tables": {"a": {"expire": "1s"}}}`, `unknown field "expire"`},
		"eviction":             {`{"tables": {"a": {"eviction": {"policy": "LRU"}}}}`, `table "a": eviction "LRU" is not one of lru, lfu, ttl, noeviction`},
		"eviction buffer":      {`{"tables": {"a": {"eviction": {"buffer": "-1%"}}}}`, `table "a": eviction buffer "-1%" is not between 0% and 50%`},
		"noeviction buffer":    {`{"tables": {"a": {"eviction": {"policy": "noeviction", "buffer": "1%"}}}}`, `table "a": eviction noeviction takes neither buffer nor proportion, but has "1%"`},
		"sweep":                {`{"tables": {"a": {"sweep": "1ms"}}}`, `table "a": sweep "1ms" is not between 10ms and 24h`},
		"name":                 {`{"tables": {"a b": {}}}`, `table name "a b" may hold`},
		"fraction":             {`{"tables": {"a": {"memory": -4.5}}}`, `table "a": memory "-4.5" is not a size such as 64MiB`},
		"negative":             {`{"tables": {"a": {"memory": -1}}}`, `table "a": memory "-1" is not a size such as 64MiB`},
		"wrong type":           {`{"tables": {"a": {"memory": true}}}`, `a size is a number or a string such as "64MiB", not true`},
		"too small":            {`{"tables": {"a": {"memory": 1048575}}}`, `table "a": memory "1048575" is not between 1MiB and`},
		"unset placeholder":    {`{"tables": {"a": {"memory": "{env.SHARED_NOT_SET}"}}}`, `table "a": memory "{env.SHARED_NOT_SET}"`},
		"contradiction":        {`{"tables": {"a": {"memory": "1MiB", "max_value": "2MiB"}}}`, `table "a": max_value of 2097152 bytes is above`},
		"objects":              {`{"tables": {"a": {"objects": "Serialize"}}}`, `table "a": objects "Serialize" is not serialize or deny`},
		"class":                {`{"tables": {"a": {"object_classes": ["App\\\\Price"]}}}`, `table "a": objects: "App\\\\Price" is no name of a PHP class`},
		"class twice":          {`{"tables": {"a": {"object_classes": ["App\\Price", "app\\price"]}}}`, `table "a": objects: duplicate class "app\\price"`},
		"classes and deny":     {`{"tables": {"a": {"objects": "deny", "object_classes": ["A"]}}}`, `table "a": objects deny takes no classes, but has "A"`},
		"class of wrong type":  {`{"tables": {"a": {"object_classes": "A"}}}`, `object_classes of type []string`},
		"locks' memory":        {`{"locks_memory": "63KiB"}`, `locks_memory "63KiB" is not between 64KiB and 64GiB`},
		"cache entries":        {`{"thread_cache": {"entries": 0}}`, `thread_cache entries "0" is not between 1 and`},
		"cache bytes":          {`{"thread_cache": {"bytes": "1B"}}`, `thread_cache bytes "1B" is not between 64KiB and`},
	} {
		t.Run(name, func(t *testing.T) {
			entries, bytes := phpbridge.Store().ThreadCache()
			require.ErrorContains(t, load(t, c.config, ""), c.message)
			requireUnknown(t, "a")
			entriesAfter, bytesAfter := phpbridge.Store().ThreadCache()
			require.Equal(t, entries, entriesAfter)
			require.Equal(t, bytes, bytesAfter)
		})
	}
}

func TestPlaceholderValueIsChecked(t *testing.T) {
	t.Setenv("SHARED_MEMORY", "12KiB")
	require.ErrorContains(t, load(t, `{"tables": {"a": {"memory": "{env.SHARED_MEMORY}"}}}`, ""), `memory "12KiB" is not between 1MiB and`)
}

func TestSizeKeepsItsForm(t *testing.T) {
	for _, form := range []string{`5`, `"64MiB"`, `"{env.X}"`} {
		var s Size
		require.NoError(t, json.Unmarshal([]byte(form), &s))
		out, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, form, string(out))
	}
}
