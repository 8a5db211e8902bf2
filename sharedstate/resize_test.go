package sharedstate

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResizeKeepsRows(t *testing.T) {
	table := newTestTable(t, 4<<20)
	want := map[string]Value{}
	for i := range 5000 {
		k, v := fmt.Sprint("k", i), String(strings.Repeat("v", i%700))
		if i%3 == 0 {
			v = Int(int64(i))
		}
		mustSet(t, table, k, v)
		want[k] = v
	}
	big := strings.Repeat("b", 300<<10)
	mustSet(t, table, "big", String(big))
	want["big"] = String(big)
	for _, memory := range []int64{9 << 20, 4 << 20, 5<<20 + 4711, 4 << 20} {
		dropped, err := table.Resize(memory)
		require.NoError(t, err)
		require.Zero(t, dropped)
		require.NoError(t, table.Check())
		require.Equal(t, memory, table.Options().Memory)
		got := table.Snapshot()
		require.Len(t, got, len(want))
		require.Equal(t, len(want), table.Len())
		for k, v := range want {
			require.True(t, v.Equal(got[k]), k)
		}
		mustSet(t, table, "after", Int(memory))
		want["after"] = Int(memory)
	}
	// All its rows cannot be in a quarter of the memory; those that are there are right, and the rest is counted.
	evicted := 0
	table.Subscribe(func(e Event) {
		if e.Op == OpEvict {
			evicted++
		}
	})
	dropped, err := table.Resize(MinMemory)
	require.NoError(t, err)
	require.Positive(t, dropped)
	require.Equal(t, dropped, evicted)
	got := table.Snapshot()
	require.Len(t, got, len(want)-dropped)
	for k, v := range got {
		require.True(t, v.Equal(want[k]), k)
	}
	_, err = table.Resize(1)
	require.ErrorContains(t, err, "memory of 1 bytes")
}

// Resizing under load, with merges, clears and readers of everything: nothing is lost that was written, nothing is torn.
func TestResizeUnderLoad(t *testing.T) {
	table := newTestTable(t, 8<<20)
	const writers, keys = 4, 200
	var stop atomic.Bool
	var wg sync.WaitGroup
	counts := make([]int64, writers)
	for w := range writers {
		wg.Go(func() {
			for !stop.Load() {
				if _, err := table.Increment(fmt.Sprint("n", w), Int(1), Forever); err != nil {
					t.Error(err)
				}
				counts[w]++
				k := fmt.Sprint("k", w, "-", counts[w]%keys)
				text := k + strings.Repeat(".", int(counts[w]*37%5000))
				if err := table.Merge([]Entry{{k, String(text)}, {k + "'", String(text)}}); err != nil {
					t.Error(err)
				}
				a, _ := table.Get(k)
				b, _ := table.Get(k + "'")
				if s, _ := a.Str(); s != text || !a.Equal(b) {
					t.Errorf("%s: wrote %d bytes, read %d and another value: %v", k, len(text), len(s), !a.Equal(b))
				}
			}
		})
	}
	for i := range 40 {
		_, err := table.Resize([]int64{12 << 20, 16 << 20, 10 << 20, 8 << 20}[i%4])
		require.NoError(t, err)
	}
	stop.Store(true)
	wg.Wait()
	for w := range writers {
		v, _ := table.Get(fmt.Sprint("n", w))
		n, _ := v.Int()
		require.Equal(t, counts[w], n)
	}
}

// A scan beside resizes finds every key that is there all the time exactly once.
func TestScanBesideResizes(t *testing.T) {
	table := newTestTable(t, 8<<20)
	const keys = 5000
	for i := range keys {
		mustSet(t, table, fmt.Sprint("k", i), Int(int64(i)))
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			if _, err := table.Resize([]int64{16 << 20, 8 << 20}[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for range 30 {
		var rows Rows
		require.NoError(t, table.ScanInto("k", keys*2, true, &rows))
		seen := map[string]bool{}
		for r := range rows.All() {
			require.False(t, seen[r.Key], "%s twice", r.Key)
			seen[r.Key] = true
		}
		require.Len(t, seen, keys)
	}
	stop.Store(true)
	wg.Wait()
}

// An arena that a table has left stays while a thread of before may read it: until its record is free, or it has ended a
// request.
func TestBuriedArenas(t *testing.T) {
	table := newTestTable(t, 4<<20)
	th := table.store.threads
	claim := func(i uint64) { // as fs_thread_claim does
		th.record(i, ThreadClaim).Store(th.word(ThreadsSequence).Add(1))
		th.word(ThreadsHigh).Store(max(th.word(ThreadsHigh).Load(), i+1))
	}
	resize := func(memory int64) {
		_, err := table.Resize(memory)
		require.NoError(t, err)
	}
	resize(8 << 20)
	require.Zero(t, table.Stats().Buried, "there are no threads")

	claim(0)
	claim(1)
	resize(4 << 20)
	require.NotZero(t, table.Stats().Buried)
	th.record(0, ThreadClaim).Store(0)
	require.NotZero(t, table.Stats().Buried)
	th.record(1, ThreadQuiet).Store(th.word(ThreadsSequence).Load())
	require.Zero(t, table.Stats().Buried)

	claim(0)
	resize(8 << 20)
	th.record(0, ThreadQuiet).Store(th.word(ThreadsSequence).Load())
	claim(2) // came after the swap
	require.NotZero(t, table.Stats().Buried)
	th.record(1, ThreadClaim).Store(0)
	require.Zero(t, table.Stats().Buried)
}
