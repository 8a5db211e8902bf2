package frankenshare

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

func init() {
	caddy.RegisterModule(brokenApp{})
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

// load makes Caddy run a config with the given shared_state and an app that breaks there.
func load(t *testing.T, sharedState, brokenAt string) error {
	t.Helper()
	return caddy.Load(fmt.Appendf(nil, `{"admin": {"disabled": true, "config": {"persist": false}}, "logging": {"logs": {"default": {"level": "ERROR"}}},
		"apps": {"shared_state": %s, "broken": {"at": %q}}}`, sharedState, brokenAt), true)
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

// atAnyOrder runs check often enough to see apps provisioned and started in either order: Caddy walks a map.
func atAnyOrder(t *testing.T, check func(t *testing.T)) {
	t.Helper()
	for range 20 {
		check(t)
	}
}

func options(t *testing.T, table string) sharedstate.Options {
	t.Helper()
	found, err := phpbridge.Store().Table(table)
	require.NoError(t, err)
	return found.Options()
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
}

func TestSettingsReachTheStore(t *testing.T) {
	t.Setenv("SHARED_MEMORY", "3MiB")
	t.Setenv("CACHE_BYTES", "1MiB")
	loaded(t, `{"tables": {"settings": {"memory": "{env.SHARED_MEMORY}", "max_value": 4096, "objects": "deny"}},
		"thread_cache": {"entries": "17", "bytes": "{env.CACHE_BYTES}"}}`)
	want := sharedstate.DefaultOptions()
	want.Memory, want.MaxValue, want.Objects = 3<<20, 4096, sharedstate.ObjectsDeny
	require.Equal(t, want, options(t, "settings"))
	entries, bytes := phpbridge.Store().ThreadCache()
	require.EqualValues(t, 17, entries)
	require.EqualValues(t, 1<<20, bytes)
}

func TestRowsSurviveReloads(t *testing.T) {
	loaded(t, `{"tables": {"survivor": {"memory": "2MiB"}}}`)
	table, err := phpbridge.Store().Table("survivor")
	require.NoError(t, err)
	_, err = table.Put("k", sharedstate.Int(7))
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, load(t, `{"tables": {"survivor": {"memory": "2MiB"}}}`, ""))
	}
	require.NoError(t, load(t, `{}`, ""))
	require.NoError(t, load(t, `{"tables": {"survivor": {"memory": 2097152}}}`, ""))
	again, err := phpbridge.Store().Table("survivor")
	require.NoError(t, err)
	require.Same(t, table, again)
	require.Equal(t, 1, table.Len())
}

func TestReloadChangesSettings(t *testing.T) {
	loaded(t, `{"tables": {"changed": {"memory": "2MiB", "max_value": 1000, "objects": "deny"}}, "thread_cache": {"entries": 9, "bytes": "8MiB"}}`)
	require.NoError(t, load(t, `{"tables": {"changed": {"memory": "2MiB", "max_value": 500}}, "thread_cache": {"entries": 11, "bytes": "1MiB"}}`, ""))
	got := options(t, "changed")
	require.EqualValues(t, 500, got.MaxValue, "narrower settings hold once the old config is gone")
	require.Equal(t, sharedstate.ObjectsSerialize, got.Objects)
	entries, bytes := phpbridge.Store().ThreadCache()
	require.EqualValues(t, 11, entries)
	require.EqualValues(t, 1<<20, bytes)
}

func TestRefusedConfigChangesNothing(t *testing.T) {
	loaded(t, `{"tables": {"stays": {"memory": "2MiB", "max_value": 1000, "objects": "deny"}}, "thread_cache": {"entries": 9, "bytes": "8MiB"}}`)
	before := options(t, "stays")
	for _, at := range []string{"provision", "start"} {
		t.Run(at, func(t *testing.T) {
			atAnyOrder(t, func(t *testing.T) {
				err := load(t, `{"tables": {"stays": {"memory": "2MiB", "max_value": 500}, "refused": {"memory": "1MiB"}}, "thread_cache": {"entries": 11}}`, at)
				require.ErrorContains(t, err, "broken on purpose")
				require.Equal(t, before, options(t, "stays"))
				requireUnknown(t, "refused")
				entries, bytes := phpbridge.Store().ThreadCache()
				require.EqualValues(t, 9, entries)
				require.EqualValues(t, 8<<20, bytes)
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
	beforeBreak = func() {
		table, err := phpbridge.Store().Table("filled")
		require.NoError(t, err)
		_, err = table.Put("k", sharedstate.Int(1))
		require.NoError(t, err)
	}
	t.Cleanup(func() { beforeBreak = func() {} })
	require.ErrorContains(t, load(t, `{"tables": {"filled": {"memory": "1MiB"}}}`, "start"), "broken on purpose")
	table, err := phpbridge.Store().Table("filled")
	require.NoError(t, err)
	require.Equal(t, 1, table.Len())
}

func TestBothConfigsWorkDuringAReload(t *testing.T) {
	dropTablesAfter(t)
	living, err := takeLiving()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, releaseLiving()) })
	config := func(maxValue int64, objects sharedstate.ObjectPolicy, entries, bytes int64) *App {
		o := sharedstate.Options{Memory: 1 << 20, MaxValue: maxValue, MaxKey: 100, Objects: objects}
		return &App{accepted: true, settings: settings{tables: map[string]sharedstate.Options{"overlap": o}, cacheEntries: entries, cacheBytes: bytes}}
	}
	inForce := func() settings {
		s := settings{tables: map[string]sharedstate.Options{"overlap": options(t, "overlap")}}
		s.cacheEntries, s.cacheBytes = living.store.ThreadCache()
		return s
	}
	one := config(2000, sharedstate.ObjectsDeny, 10, 2<<20)
	other := config(1000, sharedstate.ObjectsSerialize, 20, 1<<20)
	wide := config(2000, sharedstate.ObjectsSerialize, 20, 2<<20).settings
	for _, c := range []struct{ older, newer, goes, stays *App }{
		{one, other, one, other}, {one, other, other, one}, {other, one, one, other}, {other, one, other, one},
	} {
		require.NoError(t, living.join(c.older))
		require.NoError(t, living.join(c.newer))
		require.Equal(t, wide, inForce())
		require.NoError(t, living.leave(c.goes))
		require.Equal(t, c.stays.settings, inForce())
		require.NoError(t, living.leave(c.stays))
		require.Equal(t, c.stays.settings, inForce(), "without a config the last settings stay")
	}
}

func TestMemoryCannotChange(t *testing.T) {
	loaded(t, `{"tables": {"fixed": {"memory": "2MiB"}}}`)
	err := load(t, `{"tables": {"another": {"memory": "1MiB"}, "fixed": {"memory": "3MiB"}}}`, "")
	require.ErrorContains(t, err, `table "fixed": memory of 3145728 bytes asked, but it has 2097152, which cannot change while the server runs`)
	require.EqualValues(t, 2<<20, options(t, "fixed").Memory)
	requireUnknown(t, "another")
}

func TestStoreOfAutostartIsAdopted(t *testing.T) {
	table, err := phpbridge.Store().Define(DefaultTable, sharedstate.DefaultOptions())
	require.NoError(t, err)
	_, err = table.Put("before", sharedstate.Int(1))
	require.NoError(t, err)
	loaded(t, `{"tables": {"default": {"max_value": 2048}}}`)
	require.Equal(t, 1, table.Len())
	require.EqualValues(t, 2048, table.Options().MaxValue)
}

func TestBadJSON(t *testing.T) {
	for name, c := range map[string]struct{ config, message string }{
		"unknown option":       {`{"evict": true}`, `unknown field "evict"`},
		"unknown table option": {`{"tables": {"a": {"sweep": "1s"}}}`, `unknown field "sweep"`},
		"name":                 {`{"tables": {"a b": {}}}`, `table name "a b" may hold`},
		"fraction":             {`{"tables": {"a": {"memory": -4.5}}}`, `table "a": memory "-4.5" is not a size such as 64MiB`},
		"negative":             {`{"tables": {"a": {"memory": -1}}}`, `table "a": memory "-1" is not a size such as 64MiB`},
		"wrong type":           {`{"tables": {"a": {"memory": true}}}`, `a size is a number or a string such as "64MiB", not true`},
		"too small":            {`{"tables": {"a": {"memory": 1048575}}}`, `table "a": memory "1048575" is not between 1MiB and`},
		"unset placeholder":    {`{"tables": {"a": {"memory": "{env.SHARED_NOT_SET}"}}}`, `table "a": memory "{env.SHARED_NOT_SET}"`},
		"contradiction":        {`{"tables": {"a": {"memory": "1MiB", "max_value": "2MiB"}}}`, `table "a": max_value of 2097152 bytes is above`},
		"objects":              {`{"tables": {"a": {"objects": "Serialize"}}}`, `table "a": objects "Serialize" is not serialize or deny`},
		"cache entries":        {`{"thread_cache": {"entries": 0}}`, `thread_cache entries "0" is not between 1 and`},
		"cache bytes":          {`{"thread_cache": {"bytes": "1B"}}`, `thread_cache bytes "1B" is not between 64KiB and`},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, load(t, c.config, ""), c.message)
			requireUnknown(t, "a")
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
