package sharedstate

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of many who store under one key at once each one succeeds: nobody is turned away as one of a crowd.
func TestFault085StoresOfOneKeyAllSucceed(t *testing.T) {
	const writers = 32
	span := 200 * time.Millisecond
	if soaking() {
		span = 10 * time.Second
	}
	table := newTestTable(t, MinMemory)
	var stored atomic.Int64
	var all sync.WaitGroup
	end := time.Now().Add(span)
	for w := range writers {
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				v := String(strings.Repeat("v", n%500))
				if w%2 == 0 {
					v = Int(int64(n))
				}
				if err := table.Put("k", v, time.Hour); err != nil {
					t.Errorf("a store of %d: %v", n, err)
					return
				}
				stored.Add(1)
			}
		})
	}
	all.Wait()
	t.Logf("%d stores", stored.Load())
	require.True(t, table.Has("k"))
}

// A scan for a prefix takes memory for what it finds, not for the table.
func TestFault086ScanTakesMemoryForWhatItFinds(t *testing.T) {
	const others, found = 250_000 / slowness, 300
	table := newTestTable(t, 64<<20)
	for i := range others {
		require.NoError(t, table.Set(fmt.Sprint("other:", i), Int(int64(i))))
	}
	for i := range found {
		require.NoError(t, table.Set(fmt.Sprint("mine:", i), Int(int64(i))))
	}
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	whole := allocated(func() { require.Len(t, table.Scan("", others+found), others+found) })
	prefix := allocated(func() { require.Len(t, table.Scan("mine:", others), found) })
	require.Less(t, prefix, whole/20, "bytes for 300 rows, and for all")
}

// Emptying a large table holds no stripe for as long as its rows would take: others read and write meanwhile.
func TestFault088ClearOfManyKeysKeepsNobodyWaiting(t *testing.T) {
	rows := 1_000_000 / slowness
	if soaking() {
		rows = 10_000_000
	}
	table := newTestTable(t, int64(rows)*160+MinMemory)
	for i := range rows {
		require.NoError(t, table.Set(fmt.Sprint("k", i), Int(int64(i))))
	}
	stop := make(chan struct{})
	var slowest, writes atomic.Int64
	var others sync.WaitGroup
	for w := range 2 {
		others.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				if err := table.Set(fmt.Sprint("w", w, ":", n%100), Int(int64(n))); err != nil {
					t.Error(err)
					return
				}
				writes.Add(1)
				if took := time.Since(began).Nanoseconds(); took > slowest.Load() {
					slowest.Store(took)
				}
			}
		})
	}
	cleared := time.Now()
	require.NoError(t, table.Clear())
	took := time.Since(cleared)
	before := writes.Load()
	for table.arena.Load().cells.used() > uint64(rows)*32 { // the overflow buckets stay
		time.Sleep(time.Millisecond)
	}
	close(stop)
	others.Wait()
	t.Logf("Clear returned after %v, the slowest write took %v", took, time.Duration(slowest.Load()))
	require.Greater(t, writes.Load()-before, int64(1000), "writes while the old rows were taken out")
	require.LessOrEqual(t, table.Len(), 200)
}
