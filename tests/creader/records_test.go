package creader

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// Threads that come, read and end, some with their record released by another thread, use no record up: fault 31. A thread that
// gets none, because all are taken, reads under the lock, and the next one gets one again.
func TestFault031RecordsOfThreadsThatEnd(t *testing.T) {
	each := 10_000 / 16
	if soaking() {
		each = 100_000 / 16
	}
	store, err := sharedstate.NewStore()
	require.NoError(t, err)
	table, err := store.Define("t", sharedstate.DefaultOptions())
	require.NoError(t, err)
	require.NoError(t, table.Set("k", sharedstate.Int(42)))
	reads := func(r *Reader) {
		if a := r.Read(NoGate, "k"); a.Status != sharedstate.StatusOK || a.Number != 42 {
			t.Errorf("a read answers %+v", a)
		}
	}

	// 16 at a time. Each is a thread of the system, since a goroutine that ends without unlocking its thread ends it.
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range each {
				left := make(chan *Reader)
				go func() {
					runtime.LockOSThread()
					r := New(store, table)
					reads(r)
					if i%2 == 0 {
						r.Close()
						r = nil
					}
					left <- r
				}()
				if r := <-left; r != nil {
					r.Close()
				}
			}
		})
	}
	wg.Wait()
	require.Empty(t, store.ThreadStats(), "records that are still claimed")
	require.GreaterOrEqual(t, table.Stats().Reads, uint64(16*each))

	records := make([]*Reader, sharedstate.ThreadRecords)
	for i := range records {
		records[i] = New(store, table)
	}
	stats := store.ThreadStats()
	require.Len(t, stats, sharedstate.ThreadRecords)
	without := New(store, table)
	require.Equal(t, sharedstate.StatusLocked, without.Read(NoGate, "k").Status)
	require.Len(t, store.ThreadStats(), sharedstate.ThreadRecords)
	without.Close()
	records[500].Close()
	require.Len(t, store.ThreadStats(), sharedstate.ThreadRecords-1)
	records[500] = New(store, table)
	reads(records[500])
	for _, r := range records {
		r.Close()
	}
	require.Empty(t, store.ThreadStats())
}
