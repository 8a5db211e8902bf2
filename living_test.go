package frankenshare

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

func TestBothConfigsWorkDuringAReload(t *testing.T) {
	dropTablesAfter(t)
	living := &living{store: phpbridge.Store(), made: make(map[string]*sharedstate.Table)}
	config := func(memory, maxValue int64, objects sharedstate.ObjectPolicy, policy sharedstate.EvictionPolicy, entries, bytes int64) *App {
		o := sharedstate.DefaultOptions()
		o.Memory, o.MaxValue, o.Objects, o.Eviction.Policy = memory, maxValue, objects, policy
		return &App{running: true, accepted: true, logger: zap.NewNop(), settings: settings{
			tables: map[string]sharedstate.Options{"overlap": o}, cacheEntries: entries, cacheBytes: bytes}}
	}
	inForce := func() settings {
		s := settings{tables: map[string]sharedstate.Options{"overlap": options(t, "overlap")}}
		s.cacheEntries, s.cacheBytes = living.store.ThreadCache()
		return s
	}
	one := config(2<<20, 2000, sharedstate.ObjectsDeny, sharedstate.EvictTTL, 10, 2<<20)
	other := config(1<<20, 1000, sharedstate.ObjectsSerialize, sharedstate.EvictLFU, 20, 1<<20)
	for _, c := range []struct{ older, newer, goes, stays *App }{
		{one, other, one, other}, {one, other, other, one}, {other, one, one, other}, {other, one, other, one},
	} {
		require.NoError(t, living.join(c.older))
		require.NoError(t, living.join(c.newer))
		policy := c.older.settings.tables["overlap"].Eviction.Policy // none is wider
		wide := config(2<<20, 2000, sharedstate.ObjectsSerialize, policy, 20, 2<<20).settings
		require.Equal(t, wide, inForce())
		require.NoError(t, living.leave(c.goes))
		require.Equal(t, c.stays.settings, inForce())
		require.NoError(t, living.leave(c.stays))
		require.Equal(t, c.stays.settings, inForce(), "without a config the last settings stay")
	}
}

// Caddy closes the log of a config before it cleans it up.
func TestTheConfigThatStaysLogs(t *testing.T) {
	dropTablesAfter(t)
	living := &living{store: phpbridge.Store(), made: make(map[string]*sharedstate.Table)}
	logs := make(map[*App]*observer.ObservedLogs)
	config := func(memory int64) *App {
		core, log := observer.New(zap.InfoLevel)
		o := sharedstate.DefaultOptions()
		o.Memory = memory
		a := &App{running: true, accepted: true, logger: zap.New(core), settings: settings{tables: map[string]sharedstate.Options{"logged": o}}}
		logs[a] = log
		return a
	}
	older, newer, refused := config(2<<20), config(1<<20), config(4<<20)
	refused.accepted = false
	for _, a := range []*App{older, newer} {
		require.NoError(t, living.join(a))
	}
	require.NoError(t, living.leave(older))
	require.Zero(t, logs[older].Len())
	require.Equal(t, 1, logs[newer].Len(), "it shrinks")
	require.NoError(t, living.join(refused))
	require.Equal(t, 1, logs[refused].Len(), "it grows")
	require.NoError(t, living.leave(refused))
	require.Equal(t, 1, logs[refused].Len())
	require.Equal(t, 2, logs[newer].Len(), "it shrinks")
}

// fill puts a hundred rows of 10,000 bytes into a table, which do not fit into 1MiB.
func fill(t *testing.T, table *sharedstate.Table) {
	t.Helper()
	for i := range 100 {
		err := table.Set(fmt.Sprint("k", i), sharedstate.String(string(make([]byte, 10_000))))
		require.NoError(t, err)
	}
}

// requireStill fails when the name opens another table, or none.
func requireStill(t *testing.T, table *sharedstate.Table, name string) {
	t.Helper()
	require.True(t, found(t, name) == table, "table %q is another one", name)
}

// opened is a table made at run time, as PHP makes one.
func opened(t *testing.T, name string) *sharedstate.Table {
	t.Helper()
	table, err := phpbridge.Store().Open(name)
	require.NoError(t, err)
	return table
}

func TestTableGrowsOnReload(t *testing.T) {
	loaded(t, `{"tables": {"size": {"memory": "2MiB"}}}`)
	table := found(t, "size")
	fill(t, table)
	require.NoError(t, load(t, `{"tables": {"size": {"memory": "3MiB"}}}`, ""))
	requireStill(t, table, "size")
	require.EqualValues(t, 3<<20, table.Options().Memory)
	require.Equal(t, 100, table.Len())
	resized := logLines("resized")
	require.Len(t, resized, 1)
	require.Contains(t, resized[0], `"level":"info"`)
	require.Contains(t, resized[0], `"table":"size","from":"2MiB","to":"3MiB"`)
	require.Empty(t, logLines(`"level":"warn"`))
}

func TestTableGrowsBeforeTheOldConfigGoes(t *testing.T) {
	loaded(t, `{"tables": {"size": {"memory": "1MiB"}}}`)
	var whenBoth int64
	whenBroken(t, func() { whenBoth = options(t, "size").Memory })
	untilStarted(t, `{"tables": {"size": {"memory": "2MiB"}}}`, func() bool { return whenBoth == 2<<20 })
}

func TestTableShrinksWithTheRowsThatFit(t *testing.T) {
	loaded(t, `{"tables": {"size": {"memory": "4MiB"}}}`)
	table := found(t, "size")
	fill(t, table)
	require.NoError(t, load(t, `{"tables": {"size": {"memory": "2MiB"}}}`, ""))
	require.EqualValues(t, 2<<20, table.Options().Memory)
	require.Equal(t, 100, table.Len())
	require.Len(t, logLines("resized"), 1)
	require.Empty(t, logLines(`"level":"warn"`))

	require.NoError(t, load(t, `{"tables": {"size": {"memory": "1MiB"}}}`, ""))
	require.EqualValues(t, 1<<20, table.Options().Memory)
	require.Less(t, table.Len(), 100)
	require.Greater(t, table.Len(), 50)
	warnings := logLines(`"level":"warn"`)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], fmt.Sprintf(`"msg":"rows dropped that do not fit the resized table","table":"size","rows":%d`, 100-table.Len()))
}

func TestTableDoesNotShrinkWhileTheOldConfigLives(t *testing.T) {
	loaded(t, `{"tables": {"size": {"memory": "2MiB"}, "gone": {"memory": "2MiB"}}}`)
	size, gone := found(t, "size"), found(t, "gone")
	fill(t, size)
	fill(t, gone)
	before := size.Version() + gone.Version()
	for _, at := range []string{"provision", "start"} {
		atAnyOrder(t, func(t *testing.T) {
			require.ErrorContains(t, load(t, `{"tables": {"size": {"memory": "1MiB"}}}`, at), "broken on purpose")
		})
	}
	requireStill(t, gone, "gone")
	require.EqualValues(t, 2<<20, size.Options().Memory)
	require.Equal(t, 100, size.Len())
	require.Equal(t, before, size.Version()+gone.Version(), "tables were touched")
}

func TestRefusedGrowthIsTakenBack(t *testing.T) {
	loaded(t, `{"tables": {"size": {"memory": "2MiB"}}}`)
	table := found(t, "size")
	fill(t, table)
	atAnyOrder(t, func(t *testing.T) {
		require.ErrorContains(t, load(t, `{"tables": {"size": {"memory": "3MiB"}}}`, "provision"), "broken on purpose")
		require.Empty(t, logLines("resized"), "a config that never starts moves no rows")
	})
	untilStarted(t, `{"tables": {"size": {"memory": "3MiB"}}}`, func() bool {
		require.EqualValues(t, 2<<20, table.Options().Memory)
		require.Equal(t, 100, table.Len())
		return len(logLines(`"from":"2MiB","to":"3MiB"`)) == 1 && len(logLines(`"from":"3MiB","to":"2MiB"`)) == 1
	})
}

func TestRemovedTableIsDropped(t *testing.T) {
	loaded(t, `{"tables": {"gone": {"memory": "1MiB"}, "stays": {"memory": "1MiB"}}}`)
	gone, stays := found(t, "gone"), found(t, "stays")
	for _, table := range []*sharedstate.Table{gone, stays} {
		err := table.Set("k", sharedstate.Int(1))
		require.NoError(t, err)
	}
	require.NoError(t, load(t, `{"tables": {"stays": {}}}`, ""))
	requireUnknown(t, "gone")
	err := gone.Set("k", sharedstate.Int(1))
	require.ErrorIs(t, err, sharedstate.ErrUnknownTable)
	requireStill(t, stays, "stays")
	require.Equal(t, 1, stays.Len())
	require.Len(t, logLines(`"msg":"shared table removed","table":"gone","rows":1`), 1)

	// A table that PHP makes under the name is another one.
	again := opened(t, "gone")
	require.NoError(t, load(t, `{}`, ""))
	requireStill(t, again, "gone")
	requireUnknown(t, "stays")
}

func TestTableThatGoCodeDropped(t *testing.T) {
	loaded(t, `{"tables": {"dropped": {"memory": "1MiB"}}}`)
	require.NoError(t, phpbridge.Store().Drop("dropped"))
	another, err := phpbridge.Store().Define("dropped", sharedstate.DefaultOptions())
	require.NoError(t, err)
	require.NoError(t, load(t, `{"tables": {"dropped": {"memory": "64MiB"}}}`, ""))
	require.NoError(t, load(t, `{}`, ""))
	requireStill(t, another, "dropped")
	require.NoError(t, phpbridge.Store().Drop("dropped"))
	require.NoError(t, load(t, `{"tables": {"dropped": {"memory": "1MiB"}}}`, ""))
	require.NoError(t, phpbridge.Store().Drop("dropped"))
	require.NoError(t, load(t, `{}`, ""))
}

func TestTablesStayWithoutABlock(t *testing.T) {
	loaded(t, `{"tables": {"a": {"memory": "1MiB"}, "b": {"memory": "1MiB"}}, "strict_tables": true}`)
	a := found(t, "a")
	err := a.Set("k", sharedstate.Int(1))
	require.NoError(t, err)
	require.NoError(t, loadApps(`{}`))
	require.Equal(t, 1, a.Len())
	opened(t, "run-time")
	require.ErrorContains(t, load(t, `{}`, "start"), "broken on purpose")
	found(t, "b")
	require.NoError(t, load(t, `{"tables": {"a": {"memory": "1MiB"}}}`, ""))
	requireStill(t, a, "a")
	requireUnknown(t, "b")
	found(t, "run-time")
}

func TestTablesMadeAtRunTimeStay(t *testing.T) {
	loaded(t, `{"tables": {"default": {"memory": "2MiB", "max_value": 1000}}}`)
	table := opened(t, "run-time")
	err := table.Set("k", sharedstate.Int(1))
	require.NoError(t, err)
	want := table.Options()
	require.EqualValues(t, 1000, want.MaxValue)
	for _, config := range []string{`{}`, `{"tables": {"default": {"memory": "1MiB"}, "other": {"memory": "1MiB"}}}`, `{}`} {
		require.NoError(t, load(t, config, ""))
		requireStill(t, table, "run-time")
		require.Equal(t, want, table.Options())
		require.Equal(t, 1, table.Len())
	}
}

func TestTableMadeAtRunTimeIsAdopted(t *testing.T) {
	loaded(t, `{"tables": {"default": {"memory": "4MiB"}}}`)
	table := opened(t, "run-time")
	fill(t, table)
	before := table.Options()
	for _, memory := range []string{"1MiB", "8MiB"} {
		config := fmt.Sprintf(`{"tables": {"default": {"memory": "4MiB"}, "run-time": {"memory": %q, "max_value": 20000}}}`, memory)
		for _, at := range []string{"provision", "start"} {
			atAnyOrder(t, func(t *testing.T) {
				require.ErrorContains(t, load(t, config, at), "broken on purpose")
				require.Equal(t, before, table.Options())
				require.Equal(t, 100, table.Len())
			})
		}
	}
	require.NoError(t, load(t, `{"tables": {"default": {"memory": "4MiB"}, "run-time": {"memory": "2MiB", "max_value": 20000}}}`, ""))
	requireStill(t, table, "run-time")
	require.EqualValues(t, 2<<20, table.Options().Memory)
	require.EqualValues(t, 20_000, table.Options().MaxValue)
	require.Equal(t, 100, table.Len())
	require.NoError(t, load(t, `{"tables": {"default": {"memory": "4MiB"}}}`, ""))
	requireStill(t, table, "run-time") // no config made it
}

func TestStoreOfAutostartIsAdopted(t *testing.T) {
	for _, memory := range []string{"2MiB", "96MiB"} {
		t.Run(memory, func(t *testing.T) {
			dropTablesAfter(t)
			table, err := phpbridge.Store().Define(DefaultTable, sharedstate.DefaultOptions())
			require.NoError(t, err)
			fill(t, table)
			entries, bytes := phpbridge.Store().ThreadCache()
			config := fmt.Sprintf(`{"tables": {"default": {"memory": %q, "max_value": 20000}}, "thread_cache": {"entries": 5}, "strict_tables": true}`, memory)
			for _, at := range []string{"provision", "start"} {
				atAnyOrder(t, func(t *testing.T) {
					require.ErrorContains(t, load(t, config, at), "broken on purpose")
					require.Equal(t, sharedstate.DefaultOptions(), table.Options())
					require.Equal(t, 100, table.Len())
					entriesAfter, bytesAfter := phpbridge.Store().ThreadCache()
					require.Equal(t, entries, entriesAfter)
					require.Equal(t, bytes, bytesAfter)
				})
			}
			loaded(t, config)
			requireStill(t, table, DefaultTable)
			require.Equal(t, 100, table.Len())
			require.Len(t, logLines(fmt.Sprintf(`"from":"64MiB","to":%q`, memory)), 1)
			require.EqualValues(t, 20_000, table.Options().MaxValue)
		})
	}
}

func TestStrictTables(t *testing.T) {
	open := func() error {
		t.Helper()
		_, err := phpbridge.Store().Open("unnamed")
		if err == nil {
			require.NoError(t, phpbridge.Store().Drop("unnamed"))
		}
		return err
	}
	var during error
	whenBroken(t, func() { during = open() })
	refused := func(config string) {
		t.Helper()
		require.ErrorContains(t, load(t, config, "start"), "broken on purpose")
	}
	loaded(t, `{"strict_tables": true}`)
	require.ErrorIs(t, open(), sharedstate.ErrUnknownTable)
	require.NoError(t, load(t, `{"strict_tables": true}`, ""))
	refused(`{"strict_tables": true}`)
	require.ErrorIs(t, during, sharedstate.ErrUnknownTable)
	refused(`{}`)
	require.NoError(t, during, "either config allows it")
	require.ErrorIs(t, open(), sharedstate.ErrUnknownTable)

	require.NoError(t, load(t, `{}`, ""))
	require.NoError(t, open())
	refused(`{"strict_tables": true}`)
	require.NoError(t, during)
	require.NoError(t, open())

	require.NoError(t, load(t, `{"strict_tables": true}`, ""))
	require.ErrorIs(t, open(), sharedstate.ErrUnknownTable)
	require.NoError(t, loadApps(`{}`))
	require.NoError(t, open(), "no config asks for it")
}

func TestTablesAreReportedOnce(t *testing.T) {
	config := `{"tables": {"default": {"memory": "2MiB"}, "reported": {"memory": 3145729}}}`
	loaded(t, config)
	for range 2 {
		require.Len(t, logLines(`"msg":"shared table","table":"default","memory":"2MiB","max_value":"1MiB"`), 1)
		require.Len(t, logLines(`"msg":"shared table","table":"reported","memory":"3145729B"`), 1)
		require.NoError(t, load(t, config, ""))
	}
}
