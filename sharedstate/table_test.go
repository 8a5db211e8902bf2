package sharedstate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newTestTable makes a table of its own store that is checked when the test ends.
func newTestTable(t testing.TB, memory int64) *Table {
	t.Helper()
	table := uncheckedTable(t, memory)
	t.Cleanup(func() {
		awaitSweep(table)
		require.NoError(t, table.Check())
	})
	return table
}

// uncheckedTable is one that its test checks itself, or damages.
func uncheckedTable(t testing.TB, memory int64) *Table {
	t.Helper()
	return tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy = memory, EvictNone })
}

// tableWith is an unchecked one with other options.
func tableWith(t testing.TB, change func(*Options)) *Table {
	t.Helper()
	s, err := NewStore()
	require.NoError(t, err)
	o := DefaultOptions()
	change(&o)
	table, err := s.Define("test", o)
	require.NoError(t, err)
	return table
}

// putUntil stores a value that expires at a moment.
func putUntil(t testing.TB, table *Table, key string, v Value, expiry uint64) {
	t.Helper()
	_, _, err := table.put(&write{key: key, value: v, expiry: expiry})
	require.NoError(t, err)
}

// awaitSweep waits for the sweep in the background: while it works, memory is in its hands alone.
func awaitSweep(table *Table) {
	for table.sweeping.Load() {
		runtime.Gosched()
	}
}

func mustSet(t testing.TB, table *Table, key string, v Value) {
	t.Helper()
	require.NoError(t, table.Set(key, v))
}

func TestSetGetDelete(t *testing.T) {
	table := newTestTable(t, MinMemory)
	_, ok := table.Get("k")
	require.False(t, ok)
	for _, v := range []Value{Int(1), Int(2), Float(2.5), String("x"), Null(), Bool(true), String(strings.Repeat("y", 300_000)), String(""), Int(-1)} {
		mustSet(t, table, "k", v)
		got, ok := table.Get("k")
		require.True(t, ok)
		require.True(t, v.Equal(got), "%v is not %v", v, got)
		require.Equal(t, 1, table.Len())
		require.NoError(t, table.Check())
	}
	gone, err := table.Delete("k")
	require.NoError(t, err)
	require.True(t, gone)
	gone, err = table.Delete("k")
	require.NoError(t, err)
	require.False(t, gone)
	require.Equal(t, 0, table.Len())
}

func TestKeysAreBytes(t *testing.T) {
	table := newTestTable(t, 4<<20)
	keys := []string{"", "\x00", "a\x00b", "a\x00c", "\xff\xfe", "123", "0123", strings.Repeat("k", 64<<10), strings.Repeat("k", 64<<10-1) + "l", strings.Repeat("k", 5000)}
	for i, k := range keys {
		mustSet(t, table, k, Int(int64(i)))
	}
	for i, k := range keys {
		v, ok := table.Get(k)
		require.True(t, ok)
		n, _ := v.Int()
		require.EqualValues(t, i, n)
	}
	require.Len(t, table.Snapshot(), len(keys))
	require.Len(t, table.Scan("k", 10), 3)
	require.ErrorIs(t, table.Set(strings.Repeat("k", 64<<10+1), Null()), ErrKeyTooLong)
	for i, k := range keys {
		v, err := table.Increment(k, Int(10), Forever)
		require.NoError(t, err)
		n, _ := v.Int()
		require.EqualValues(t, i+10, n)
	}
}

func TestFullTableRefusesAndKeeps(t *testing.T) {
	table := newTestTable(t, MinMemory)
	n := 0
	for ; ; n++ {
		err := table.Set(fmt.Sprintf("key-%d", n), String(strings.Repeat("v", 100)))
		if err != nil {
			require.ErrorIs(t, err, ErrTableFull)
			break
		}
	}
	require.Greater(t, n, 4000)
	for i := range n {
		v, ok := table.Get(fmt.Sprintf("key-%d", i))
		require.True(t, ok)
		s, _ := v.Str()
		require.Len(t, s, 100)
	}
	require.LessOrEqual(t, table.Stats().MemoryUsed, uint64(MinMemory))
	require.ErrorIs(t, table.Merge([]Entry{{"key-0", Int(1)}, {"new", String(strings.Repeat("v", 2000))}}), ErrTableFull)
	_, ok := table.Get("new")
	require.False(t, ok)
	for i := range n {
		_, err := table.Delete(fmt.Sprintf("key-%d", i))
		require.NoError(t, err)
	}
	require.NoError(t, table.Check())
	mustSet(t, table, "big", String(strings.Repeat("v", 700<<10)))
}

func TestMergeAndReplace(t *testing.T) {
	table := newTestTable(t, 4<<20)
	var entries []Entry
	for i := range 2000 {
		entries = append(entries, Entry{fmt.Sprint("k", i), Int(int64(i))})
	}
	entries = append(entries, Entry{"k5", String("last wins")})
	require.NoError(t, table.Merge(entries))
	require.Equal(t, 2000, table.Len())
	v, _ := table.Get("k5")
	s, _ := v.Str()
	require.Equal(t, "last wins", s)
	require.NoError(t, table.Merge(entries))
	require.NoError(t, table.Check())

	var old Rows
	require.NoError(t, table.Replace([]Entry{{"k7", Int(-7)}, {"new", Float(1)}}, &old))
	n := 0
	for range old.All() {
		n++
	}
	require.Equal(t, 2000, n)
	require.Equal(t, 2, table.Len())
	require.Len(t, table.Snapshot(), 2)
	_, ok := table.Get("k8")
	require.False(t, ok)
	require.NoError(t, table.Clear())
	require.Equal(t, 0, table.Len())
	require.Zero(t, table.Stats().ValueBytes)
}

func TestSnapshotReadsOnlyWhatChanged(t *testing.T) {
	table := newTestTable(t, 16<<20)
	for i := range 10_000 {
		mustSet(t, table, fmt.Sprint("k", i), Int(int64(i)))
	}
	var cut Cut
	var all, some Rows
	changed := make([]byte, table.Stripes())
	require.NoError(t, table.SnapshotInto(&cut, changed, &all))
	mustSet(t, table, "k77", Int(-1))
	require.NoError(t, table.SnapshotInto(&cut, changed, &some))
	require.Equal(t, 1, strings.Count(string(changed), "\x01"))
	found := false
	for r := range some.All() {
		require.EqualValues(t, 1, changed[r.Stripe])
		if r.Key == "k77" {
			n, _ := r.Value.Int()
			found = n == -1
		}
	}
	require.True(t, found)
	require.Less(t, len(some.Bytes), len(all.Bytes)/20)
}

func TestDroppedTable(t *testing.T) {
	table := newTestTable(t, MinMemory)
	mustSet(t, table, "k", Int(1))
	require.NoError(t, table.store.Drop("test"))
	_, ok := table.Get("k")
	require.False(t, ok)
	require.ErrorIs(t, table.Set("k", Int(1)), ErrUnknownTable)
	_, err := table.store.Table("test")
	require.ErrorIs(t, err, ErrUnknownTable)
}
