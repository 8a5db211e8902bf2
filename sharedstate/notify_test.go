package sharedstate

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// told collects events as their texts. The janitor may tell of one as well.
func told(events *[]string) func(Event) {
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		*events = append(*events, fmt.Sprint(e.Op, e.Key))
	}
}

// Whatever takes an expired row out tells that it has expired, a write that finds it first as well.
func TestExpiryIsToldWhoeverFindsIt(t *testing.T) {
	s, table, _ := twoTables(t)
	for name, take := range map[string]func() error{
		"Set":        func() error { return table.Set("k", Int(2)) },
		"Delete":     func() error { _, err := table.Delete("k"); return err },
		"DeleteMany": func() error { _, err := table.DeleteMany([]string{"k"}); return err },
		"PutMany":    func() error { return table.PutMany([]Entry{{"k", String("v")}, {"l", Int(1)}}, Forever) },
		"Increment":  func() error { _, err := table.Increment("k", Int(1), Forever); return err },
		"Sweep":      func() error { _, err := table.Sweep(); return err },
		"Transact": func() error {
			return s.Transact(func(tx *Tx) error { return tx.Put(table, "k", Int(1), 0) })
		},
	} {
		var events []string
		cancel := table.Subscribe(told(&events))
		require.NoError(t, table.Put("k", String("brief"), time.Millisecond))
		time.Sleep(2 * time.Millisecond)
		require.NoError(t, take())
		cancel()
		require.GreaterOrEqual(t, len(events), 2, name)
		require.Equal(t, []string{"1k", "4k"}, events[:2], name) // by the janitor, if it was quicker
		require.NotContains(t, events[2:], "4k", name)
		_, err := table.DeleteMany([]string{"k", "l"})
		require.NoError(t, err)
	}
}

// Each key that expires is told once, also one whose slot another key takes.
func TestEachExpiryIsToldOnce(t *testing.T) {
	table := tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy, o.Sweep = 4<<20, EvictNone, MaxSweep })
	var mu sync.Mutex
	told := make(map[string]int)
	table.Subscribe(func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Op == OpExpire {
			told[e.Key]++
		}
	})
	const n = 5000
	for i := range n {
		require.NoError(t, table.Put(fmt.Sprint("brief", i), Int(1), time.Millisecond))
	}
	time.Sleep(2 * time.Millisecond)
	for i := range n {
		mustSet(t, table, fmt.Sprint("long", i), Int(1))
	}
	require.NotEmpty(t, told, "a write takes the slot of an expired row")
	_, err := table.Sweep()
	require.NoError(t, err)
	require.Len(t, told, n)
	for key, times := range told {
		require.Equal(t, 1, times, key)
	}
}

// A transaction's events say whose they are, whichever way it commits.
func TestEventsOfTransactions(t *testing.T) {
	s, a, b := twoTables(t)
	var by []*Tx
	var events []string
	a.Subscribe(func(e Event) {
		by = append(by, e.By)
		told(&events)(e)
	})
	tx := s.NewTx()
	run := func(f func(tx *Tx)) {
		require.NoError(t, tx.Run(func(tx *Tx) error { f(tx); return nil }))
	}
	run(func(tx *Tx) { require.NoError(t, tx.Put(a, "k", Int(1), 0)) })
	run(func(tx *Tx) { require.True(t, tx.Expire(a, "k", Expiry(time.Hour))) })
	run(func(tx *Tx) { tx.Delete(a, "k") })
	run(func(tx *Tx) {
		require.NoError(t, tx.Put(a, "l", Int(1), 0))
		require.NoError(t, tx.Put(b, "l", Int(1), 0))
	})
	run(func(tx *Tx) { tx.Clear(a) })
	require.Equal(t, []string{"1k", "6k", "2k", "1l", "3"}, events)
	require.Equal(t, []*Tx{tx, tx, tx, tx, tx}, by)
	mustSet(t, a, "k", Int(1))
	require.Nil(t, by[5])
}

// A listener to the store hears of tables that are made later, until it ends.
func TestSubscribeToAllTables(t *testing.T) {
	s, a, _ := twoTables(t)
	var events []string
	cancel := s.Subscribe(func(t *Table, e Event) { events = append(events, fmt.Sprint(t.Name(), e.Op, e.Key)) })
	mustSet(t, a, "k", Int(1))
	later, err := s.Define("later", DefaultOptions())
	require.NoError(t, err)
	mustSet(t, later, "l", Int(1))
	require.NoError(t, s.Drop("later"))
	cancel()
	mustSet(t, a, "k", Int(2))
	other, err := s.Define("other", DefaultOptions())
	require.NoError(t, err)
	mustSet(t, other, "k", Int(2))
	require.Equal(t, []string{"a1k", "later1l", "later3"}, events)
}
