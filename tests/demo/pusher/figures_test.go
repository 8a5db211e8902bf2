package pusher

import (
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

func emptyTable(t *testing.T) (*sharedstate.Store, *sharedstate.Table) {
	t.Helper()
	store, err := sharedstate.NewStore()
	require.NoError(t, err)
	table, err := store.Define("default", sharedstate.DefaultOptions())
	require.NoError(t, err)
	return store, table
}

func at(t *testing.T, table *sharedstate.Table, key string) any {
	t.Helper()
	v, ok := table.Get(key)
	require.True(t, ok, key)
	plain, err := v.Any()
	require.NoError(t, err, key)
	return plain
}

func TestPushWritesTheFiguresOfTheTableAndTheProcess(t *testing.T) {
	store, table := emptyTable(t)
	f := newFigures(store, table)
	require.NoError(t, table.Set("a", sharedstate.Int(1)))
	require.NoError(t, f.push())
	first := at(t, table, "server:pushes").(int64)
	require.EqualValues(t, 1, at(t, table, "server:keys"), "keys before the push")
	requests.Add(3)
	require.NoError(t, f.push())
	require.Equal(t, first+1, at(t, table, "server:pushes"))
	require.EqualValues(t, table.Len(), at(t, table, "server:keys"))
	require.Equal(t, requests.Load(), at(t, table, "server:requests"))
	require.EqualValues(t, sharedstate.DefaultOptions().Memory, at(t, table, "server:memory_limit"))
	require.Empty(t, at(t, table, "server:threads"), "there are no PHP threads here")
	for _, key := range []string{"memory_used", "go_heap", "goroutines"} {
		require.Positive(t, at(t, table, "server:"+key), key)
	}
	require.InDelta(t, float64(time.Now().Unix()), at(t, table, "server:time"), 60)
}

func TestTheHistorySpansTheLastPushes(t *testing.T) {
	store, table := emptyTable(t)
	f := newFigures(store, table)
	for i := range remembered + 5 {
		require.NoError(t, table.Set("key", sharedstate.Int(int64(i))))
		require.NoError(t, f.push())
	}
	history := at(t, table, "server:history").(map[string]any)
	for name, values := range history {
		require.Len(t, values, remembered, name)
		require.Equal(t, at(t, table, "server:"+name), values.([]any)[remembered-1], name)
	}
	require.Contains(t, history, "hits")
}

func TestStopEndsThePushing(t *testing.T) {
	store, table := emptyTable(t)
	pushed := make(chan struct{}, 1)
	cancel := table.Subscribe(func(e sharedstate.Event) {
		if e.Key == "server:pushes" {
			select {
			case pushed <- struct{}{}:
			default:
			}
		}
	})
	a := &App{stop: make(chan struct{}), done: make(chan struct{})}
	go a.run(newFigures(store, table))
	<-pushed
	cancel()
	require.NoError(t, a.Stop())
	select {
	case <-a.done:
	default:
		t.Fatal("the goroutine still runs after Stop")
	}
}

func TestGlobalOption(t *testing.T) {
	parse := func(input string, existing any) (any, error) {
		return parseGlobalOption(caddyfile.NewTestDispenser(input), existing)
	}
	app, err := parse("shared_state_demo", nil)
	require.NoError(t, err)
	require.Equal(t, httpcaddyfile.App{Name: "shared_state_demo", Value: []byte("{}")}, app)

	_, err = parse("shared_state_demo fast", nil)
	require.ErrorContains(t, err, `shared_state_demo takes no argument, but has "fast"`)
	_, err = parse("shared_state_demo {\n\tevery 1s\n}", nil)
	require.ErrorContains(t, err, `shared_state_demo takes no block, but has "every" in one`)
	_, err = parse("shared_state_demo", app)
	require.ErrorContains(t, err, "a second shared_state_demo")
}
