package sharedstate

import (
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Keys that nobody reads again are taken out soon after they expire: fault 19.
func TestFault019ExpiredKeysAreReclaimed(t *testing.T) {
	keys, within := 200_000, time.Minute
	if soaking() {
		keys, within = 5_000_000, 3*time.Second
	}
	table := tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy = int64(keys)*200+MinMemory, EvictNone })
	empty := table.Stats()
	var key [8]byte
	for i := range keys {
		binary.LittleEndian.PutUint64(key[:], uint64(i))
		require.NoError(t, table.Put(string(key[:]), Int(int64(i)), time.Second))
	}
	expiry := now() + uint64(time.Second)
	for now() < expiry {
		time.Sleep(10 * time.Millisecond)
	}
	start := time.Now()
	require.Eventually(t, func() bool {
		st := table.Stats()
		return st.Keys == 0 && st.MemoryUsed <= empty.MemoryUsed+st.Overflow*BucketSize+(1<<16)
	}, within, 10*time.Millisecond)
	t.Logf("%d keys were gone %s after the last expired", keys, time.Since(start).Round(time.Millisecond))
	require.EqualValues(t, keys, table.Stats().Expired)
	require.NoError(t, table.Check())
}

// An old row's expiry must not take the new value with it: fault 49.
func TestFault049OverwrittenBeforeItExpires(t *testing.T) {
	table := tableWith(t, func(o *Options) { o.Sweep = MinSweep })
	const keys = 100_000
	for i := range keys {
		require.NoError(t, table.Put(string(binary.LittleEndian.AppendUint64(nil, uint64(i))), Int(1), time.Second))
		mustSet(t, table, string(binary.LittleEndian.AppendUint64(nil, uint64(i))), Int(2))
	}
	time.Sleep(1100 * time.Millisecond)
	require.Equal(t, keys, table.Len())
	require.Zero(t, table.Stats().Expired)
}

// Setting one key again and again leaves nothing behind: fault 20.
func TestFault020SettingAKeyAgainLeaksNothing(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.NoError(t, table.Put("k", String("v"), 2000*time.Second))
	goroutines := runtime.NumGoroutine()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 1_000_000 {
		require.NoError(t, table.Put("k", String("v"), 2000*time.Second))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))
	require.EqualValues(t, 1, table.Stats().Keys)
}

// The janitor ends with its store.
func TestJanitorEndsWithItsStore(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 50 {
		s, err := NewStore()
		require.NoError(t, err)
		_, err = s.Define("t", Options{Memory: MinMemory, MaxValue: 1, MaxKey: 1, Eviction: Eviction{Policy: EvictNone}, Sweep: MinSweep})
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { runtime.GC(); return runtime.NumGoroutine() <= before+5 }, 30*time.Second, 50*time.Millisecond)
}

// What has expired is not counted, though no sweep has been by.
func TestExpiredKeysAreNotCounted(t *testing.T) {
	table := tableWith(t, func(o *Options) { o.Sweep = MaxSweep })
	for i := range uint64(1000) {
		putUntil(t, table, string(binary.LittleEndian.AppendUint64(nil, i)), Int(1), now()+uint64(time.Millisecond))
	}
	mustSet(t, table, "kept", Int(1))
	time.Sleep(2 * time.Millisecond)
	require.Equal(t, 1, table.Len())
	require.EqualValues(t, 1, table.Stats().Keys)
	require.Len(t, table.Snapshot(), 1)
}
