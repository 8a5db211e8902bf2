package sharedstate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// evicting is a table under a policy, checked when the test ends.
func evicting(t testing.TB, memory int64, policy EvictionPolicy) *Table {
	t.Helper()
	table := tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy = memory, policy })
	t.Cleanup(func() { require.NoError(t, table.Check()) })
	return table
}

func fill(t testing.TB, table *Table, n int, prefix string) {
	t.Helper()
	for i := range n {
		mustSet(t, table, fmt.Sprint(prefix, i), String(strings.Repeat("v", 100)))
	}
}

// capacityOf is how many rows of fill there is room for.
func capacityOf(t testing.TB, memory int64) int {
	t.Helper()
	table := newTestTable(t, memory)
	for i := 0; ; i++ {
		if err := table.Set(fmt.Sprint("key-", i), String(strings.Repeat("v", 100))); err != nil {
			require.ErrorIs(t, err, ErrTableFull)
			return i
		}
	}
}

func TestHotKeysSurvive(t *testing.T) {
	const memory = 8 << 20 / slowness
	capacity := capacityOf(t, memory)
	for name, policy := range map[string]EvictionPolicy{"lru": EvictLRU, "lfu": EvictLFU} {
		t.Run(name, func(t *testing.T) {
			table := evicting(t, memory, policy)
			hot := capacity / 100
			fill(t, table, hot, "hot-")
			for i := range 10 * capacity {
				mustSet(t, table, fmt.Sprint("cold-", i), String(strings.Repeat("v", 100)))
				if i%8 == 0 {
					table.Get(fmt.Sprint("hot-", i/8%hot))
				}
			}
			left := 0
			for i := range hot {
				if table.Has(fmt.Sprint("hot-", i)) {
					left++
				}
			}
			require.GreaterOrEqual(t, left, hot*95/100, "of %d hot keys", hot)
			require.Greater(t, table.Len(), capacity*80/100, "the table is kept well filled")
			require.Positive(t, table.Stats().Evicted)
		})
	}
}

func TestLFUKeepsWhatWasUsedMoreOften(t *testing.T) {
	const memory = 8 << 20 / slowness
	table := evicting(t, memory, EvictLFU)
	capacity := capacityOf(t, memory)
	fill(t, table, 100, "often-")
	for range 200 {
		for i := range 100 {
			table.Get(fmt.Sprint("often-", i))
		}
	}
	fill(t, table, 2*capacity, "once-") // a scan, which would empty an LRU cache
	left := 0
	for i := range 100 {
		if table.Has(fmt.Sprint("often-", i)) {
			left++
		}
	}
	require.GreaterOrEqual(t, left, 95)
}

func TestTTLPolicyEvictsTheSoonest(t *testing.T) {
	const memory = 2 << 20
	table := evicting(t, memory, EvictTTL)
	capacity := capacityOf(t, memory)
	for i := range capacity / 3 {
		require.NoError(t, table.Set(fmt.Sprint("ever-", i), String(strings.Repeat("v", 100))))
		require.NoError(t, table.Put(fmt.Sprint("late-", i), String(strings.Repeat("v", 100)), 10*time.Hour))
	}
	for i := range 2 * capacity {
		require.NoError(t, table.Put(fmt.Sprint("soon-", i), String(strings.Repeat("v", 100)), time.Hour))
	}
	count := func(prefix string) (n int) { return len(table.Scan(prefix, 1<<30)) }
	require.GreaterOrEqual(t, count("ever-"), capacity/3*98/100, "what never expires goes last")
	require.GreaterOrEqual(t, count("late-"), capacity/3*75/100, "unless a chain has nothing that goes sooner")
}

func TestExpiredRowsGoFirst(t *testing.T) {
	const memory = 2 << 20
	capacity := capacityOf(t, memory)
	for name, policy := range map[string]EvictionPolicy{"lru": EvictLRU, "ttl": EvictTTL, "none": EvictNone} {
		t.Run(name, func(t *testing.T) {
			table := tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy, o.Sweep = memory, policy, MaxSweep })
			fill(t, table, capacity/3, "old-")
			for i := range capacity / 2 {
				putUntil(t, table, fmt.Sprint("expired-", i), String(strings.Repeat("v", 100)), 1)
			}
			fill(t, table, capacity/2, "new-")
			require.GreaterOrEqual(t, len(table.Scan("new-", 1<<30))+len(table.Scan("old-", 1<<30)), (capacity/2+capacity/3)*95/100, "the rest was expired")
			require.NoError(t, table.Check())
		})
	}
}

// A value that can never fit, or is over the limit, must not cost others their place: fault 16.
func TestFault016OversizedValueEvictsNothing(t *testing.T) {
	table := tableWith(t, func(o *Options) { o.Memory, o.MaxValue = MinMemory, 8<<20 })
	fill(t, table, 1000, "k")
	before := table.Snapshot()
	require.ErrorIs(t, table.Set("k1", String(strings.Repeat("x", 2<<20))), ErrValueTooLarge)
	require.ErrorIs(t, table.Set("new", String(strings.Repeat("x", 9<<20))), ErrValueTooLarge)
	require.Equal(t, before, table.Snapshot())
	require.Zero(t, table.Stats().Evicted)
}

func TestFault025AddToAFullTable(t *testing.T) {
	table := evicting(t, MinMemory, EvictLRU)
	fill(t, table, 20_000, "k")
	for i := range 100 {
		added, err := table.Add(fmt.Sprint("new", i), String("v"), Forever)
		require.NoError(t, err)
		require.True(t, added)
	}
}

func TestFault029FullTableStillServes(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.NoError(t, table.Put("counter", Int(1), time.Hour))
	for i := 0; table.Set(fmt.Sprint("k", i), String(strings.Repeat("v", 100))) == nil; i++ {
	}
	_, ok := table.Get("k1")
	require.True(t, ok)
	n, err := table.Increment("counter", Int(1), Forever)
	require.NoError(t, err)
	require.True(t, n.Equal(Int(2)))
	live, err := table.Touch("k1", time.Minute)
	require.NoError(t, err)
	require.True(t, live)
	ttl, ok := table.TTL("k1")
	require.True(t, ok)
	require.InDelta(t, time.Minute, ttl, float64(time.Second))
	gone, err := table.Delete("k2")
	require.NoError(t, err)
	require.True(t, gone)
	mustSet(t, table, "k2", String("v"))
}

// Sizes of every class come and go while the table is full: no write fails and the bound holds.
func TestFault017ChurnOfAllSizes(t *testing.T) {
	const memory = 16 << 20 / slowness
	for name, policy := range map[string]EvictionPolicy{"lru": EvictLRU, "lfu": EvictLFU, "ttl": EvictTTL} {
		t.Run(name, func(t *testing.T) {
			table := evicting(t, memory, policy)
			var wg sync.WaitGroup
			var failed atomic.Value
			start := time.Now()
			for w := range 4 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(w), 7))
					for i := 0; i < 3_000/slowness || soaking() && time.Since(start) < 5*time.Minute; i++ {
						size := 10 << (r.IntN(16)) // 10 bytes to 640 KiB, as many of each doubling
						if err := table.Put(fmt.Sprint(r.IntN(50_000)), String(strings.Repeat("x", size+r.IntN(size))), time.Hour); err != nil {
							failed.Store(err)
							return
						}
						if i%100 == 0 && table.Stats().MemoryUsed > memory {
							failed.Store(fmt.Errorf("%d bytes in use", table.Stats().MemoryUsed))
						}
					}
				})
			}
			wg.Wait()
			require.Nil(t, failed.Load())
		})
	}
}

// A table full of one size takes rows of quite another at once, and is well filled with them after a while.
func TestSizesMayChange(t *testing.T) {
	const memory = 8 << 20
	sizes := []int{100, 8000, 30, 200_000, 1000}
	table := evicting(t, memory, EvictLRU)
	for _, size := range sizes {
		for i := range 2 * memory / (size + 60) {
			mustSet(t, table, fmt.Sprint(size, "-", i), String(strings.Repeat("x", size)))
		}
		st := table.Stats()
		require.Greater(t, st.ValueBytes+st.KeyBytes+100*st.Keys, uint64(memory*55/100), "after rows of %d bytes", size)
	}
}

func TestBufferIsKeptFree(t *testing.T) {
	table := tableWith(t, func(o *Options) {
		o.Memory, o.Sweep = 4<<20, MinSweep
		o.Eviction = Eviction{Policy: EvictLRU, Buffer: 0.3, Proportion: 0.05}
	})
	fill(t, table, 40_000, "k")
	a := table.arena.Load()
	require.Eventually(t, func() bool { return float64(a.cells.used()) <= 0.7*float64(a.cells.capacity()) }, 10*time.Second, time.Millisecond)
	n, err := table.Evict()
	require.NoError(t, err)
	require.Zero(t, n, "there is nothing left to do")
	require.Greater(t, float64(a.cells.used()), 0.55*float64(a.cells.capacity()), "and not much more is evicted than needed")
}

func TestClearedRowsMakeRoomAtOnce(t *testing.T) {
	table := evicting(t, 4<<20, EvictLRU)
	fill(t, table, 20_000, "old-")
	require.NoError(t, table.Clear())
	fill(t, table, 10_000, "new-")
	require.Equal(t, 10_000, table.Len())
	require.Zero(t, len(table.Scan("old-", 1)))
}

func TestEvictionAndExpiryAreTold(t *testing.T) {
	table := evicting(t, MinMemory, EvictLRU)
	var mu sync.Mutex
	told := map[Op]map[string]bool{OpEvict: {}, OpExpire: {}}
	table.Subscribe(func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if told[e.Op] != nil {
			told[e.Op][strings.Clone(e.Key)] = true
		}
	})
	require.NoError(t, table.Put("brief", Int(1), time.Millisecond))
	time.Sleep(2 * time.Millisecond)
	_, err := table.Sweep()
	require.NoError(t, err)
	fill(t, table, 20_000, "k")
	mu.Lock()
	defer mu.Unlock()
	require.True(t, told[OpExpire]["brief"])
	require.EqualValues(t, table.Stats().Evicted, len(told[OpEvict]))
}

// A table that may not evict keeps its counters while one beside it is under pressure: fault 34.
func TestFault034CountersSurvivePressure(t *testing.T) {
	s, err := NewStore()
	require.NoError(t, err)
	o := DefaultOptions()
	o.Memory = MinMemory
	cache, err := s.Define("cache", o)
	require.NoError(t, err)
	o.Eviction.Policy = EvictNone
	counters, err := s.Define("counters", o)
	require.NoError(t, err)
	for i := range 100 {
		_, err := counters.Increment(fmt.Sprint("c", i), Int(int64(i)), Forever)
		require.NoError(t, err)
	}
	fill(t, cache, 50_000, "k")
	require.Positive(t, cache.Stats().Evicted)
	for i := range 100 {
		v, ok := counters.Get(fmt.Sprint("c", i))
		require.True(t, ok)
		require.True(t, v.Equal(Int(int64(i))))
	}
}
