package pusher

import (
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

func table(t *testing.T) *sharedstate.Table {
	t.Helper()
	store, err := sharedstate.NewStore()
	require.NoError(t, err)
	table, err := store.Define("default", sharedstate.DefaultOptions())
	require.NoError(t, err)
	return table
}

func intAt(t *testing.T, table *sharedstate.Table, key string) int64 {
	t.Helper()
	v, ok := table.Get(key)
	require.True(t, ok, key)
	n, ok := v.Int()
	require.True(t, ok, "%s is %s", key, v)
	return n
}

func TestPushWritesTheFiguresOfTheTableAndTheProcess(t *testing.T) {
	table := table(t)
	require.NoError(t, table.Set("a", sharedstate.Int(1)))
	require.NoError(t, push(table))
	first := intAt(t, table, "server:pushes")
	require.EqualValues(t, 1, intAt(t, table, "server:rows"), "rows before the push")
	require.NoError(t, push(table))
	require.Equal(t, first+1, intAt(t, table, "server:pushes"))
	require.EqualValues(t, table.Len(), intAt(t, table, "server:rows"))
	require.Positive(t, intAt(t, table, "server:memory_used"))
	require.Positive(t, intAt(t, table, "server:go_heap"))
	require.Positive(t, intAt(t, table, "server:goroutines"))
	require.GreaterOrEqual(t, intAt(t, table, "server:uptime"), int64(0))
	written, _ := table.Get("server:time")
	seconds, ok := written.Float()
	require.True(t, ok, "server:time is %s", written)
	require.InDelta(t, float64(time.Now().Unix()), seconds, 60)
}

func TestStopEndsThePushing(t *testing.T) {
	table := table(t)
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
	go a.run(table)
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
