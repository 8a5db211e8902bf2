package sharedstate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Increments of ints and floats, single and through merges on other keys, lose nothing.
func TestNoIncrementIsLost(t *testing.T) {
	table := newTestTable(t, MinMemory)
	const workers, each = 16, 2000
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				_, err := table.Increment("int", Int(1), Forever)
				if err == nil {
					_, err = table.Decrement("float", Float(0.5), Forever)
				}
				if err == nil && i%10 == 0 {
					err = table.Merge([]Entry{{fmt.Sprint("a", w), Int(int64(i))}, {fmt.Sprint("b", w), String("x")}})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	v, _ := table.Get("int")
	n, _ := v.Int()
	require.EqualValues(t, workers*each, n)
	v, _ = table.Get("float")
	f, _ := v.Float()
	require.InDelta(t, -workers*each/2, f, 0)
}

// Snapshots, and the buffers of Replace, hold all of a merge or nothing of it, while every stripe is written to.
func TestMergesAreSeenWhole(t *testing.T) {
	table := newTestTable(t, 8<<20)
	const keys = 200
	entries := func(n int64) []Entry {
		list := make([]Entry, keys)
		for i := range list {
			list[i] = Entry{fmt.Sprint("m", i), Int(n)}
		}
		return list
	}
	var stop atomic.Bool
	var writers, readers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := int64(1); i <= 300; i++ {
				if err := table.Merge(entries(i*10 + int64(w))); err != nil {
					t.Error(err)
				}
				if w == 0 && i%20 == 0 {
					if err := table.Replace(entries(i), &Rows{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 3 {
		readers.Go(func() {
			var cut Cut
			have := map[string]Value{}
			changed := make([]byte, table.Stripes())
			for !stop.Load() {
				var rows Rows
				if err := table.SnapshotInto(&cut, changed, &rows); err != nil {
					t.Error(err)
				}
				for r := range rows.All() {
					have[r.Key] = r.Value
				}
				first, any := have["m0"]
				for i := range keys {
					if v, ok := have[fmt.Sprint("m", i)]; ok != any || !v.Equal(first) {
						t.Errorf("m%d is %v where m0 is %v", i, v, first)
						return
					}
				}
			}
		})
	}
	writers.Wait()
	stop.Store(true)
	readers.Wait()
}

// Random sizes overwrite one another in a table that is nearly full; what is read is always what was written, and the bound
// holds.
func TestBoundHoldsUnderChurn(t *testing.T) {
	table := newTestTable(t, 4<<20)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(w), 1))
			for range 1500 {
				key := fmt.Sprint("k", dice.IntN(100))
				size := 1 << dice.IntN(18)
				if err := table.Set(key, String(key+strings.Repeat(":", size))); err != nil && !errors.Is(err, ErrTableFull) {
					t.Error(err)
				}
				if v, ok := table.Get(key); ok {
					s, _ := v.Str()
					if !strings.HasPrefix(s, key) || strings.Trim(s[len(key):], ":") != "" {
						t.Errorf("%s holds %.20q of %d bytes", key, s, len(s))
					}
				}
				if used := table.Stats().MemoryUsed; used > 4<<20 {
					t.Errorf("%d bytes in use", used)
				}
				if dice.IntN(8) == 0 {
					if _, err := table.Delete(key); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, table.Stats().MemoryUsed, uint64(4<<20))
}

// Clearing while others write: afterwards the counts are right and the memory comes back.
func TestClearGivesMemoryBack(t *testing.T) {
	table := newTestTable(t, 4<<20)
	empty := table.Stats().MemoryUsed
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 3000 {
				if err := table.Set(fmt.Sprint(w, "-", i%500), String(strings.Repeat("v", i%300))); err != nil {
					t.Error(err)
				}
				if i%500 == 0 {
					if err := table.Clear(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, table.Clear())
	awaitSweep(table) // it holds cells that it is about to free
	table.sweep()
	for i := range table.stripes {
		table.reclaim(&table.stripes[i], table.arena.Load(), true)
	}
	st := table.Stats()
	require.Zero(t, st.Keys)
	require.Zero(t, st.ValueBytes)
	require.Equal(t, empty+st.Overflow*BucketSize, st.MemoryUsed)
}

// Whoever counts while the table is cleared must not take away what was counted since.
func TestCountsAreRightAfterClearsBesideFigures(t *testing.T) {
	table := newTestTable(t, MinMemory)
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				table.Stats()
				table.Len()
			}
		})
	}
	for i := range 5000 {
		require.NoError(t, table.Clear())
		mustSet(t, table, fmt.Sprint("a", i), Int(1))
		mustSet(t, table, fmt.Sprint("b", i), Int(1))
		if n := table.Len(); n != 2 {
			t.Errorf("round %d: %d keys, not 2", i, n)
			break
		}
	}
	stop.Store(true)
	readers.Wait()
}

func TestEventsTellOfEveryChange(t *testing.T) {
	table := newTestTable(t, MinMemory)
	var got []string
	cancel := table.Subscribe(func(e Event) { got = append(got, fmt.Sprint(e.Op, strings.Clone(e.Key))) })
	mustSet(t, table, "a", Int(1))
	_, err := table.Increment("a", Int(1), Forever)
	require.NoError(t, err)
	require.NoError(t, table.Merge([]Entry{{"b", Int(1)}}))
	_, err = table.Touch("a", time.Hour)
	require.NoError(t, err)
	_, err = table.Delete("nothing")
	require.NoError(t, err)
	_, err = table.Delete("a")
	require.NoError(t, err)
	require.NoError(t, table.Clear())
	require.NoError(t, table.Replace([]Entry{{"c", Int(1)}}, &Rows{}))
	cancel()
	mustSet(t, table, "d", Int(1))
	require.Equal(t, []string{"1a", "1a", "1b", "6a", "2a", "3", "3", "1c"}, got)
}

func TestVersionGrowsWithEveryChangeOnly(t *testing.T) {
	table := newTestTable(t, MinMemory)
	last := table.Version()
	grew := func(what string, want bool) {
		t.Helper()
		v := table.Version()
		require.Equal(t, want, v > last, what)
		last = v
	}
	mustSet(t, table, "a", Int(1))
	grew("set", true)
	mustSet(t, table, "a", Int(2))
	grew("set in place", true)
	_, _ = table.Get("a")
	_ = table.Snapshot()
	grew("reads", false)
	_, err := table.Delete("b")
	require.NoError(t, err)
	grew("delete of nothing", false)
	require.NoError(t, table.Merge(nil))
	grew("merge of nothing", false)
	_, err = table.Delete("a")
	require.NoError(t, err)
	grew("delete", true)
	mustSet(t, table, "a", Int(1))
	require.NoError(t, table.Clear())
	grew("set and clear", true)
	awaitSweep(table)
	grew("the sweep after a clear", false)
}

func TestExpiredRowsAreAbsent(t *testing.T) {
	table := newTestTable(t, MinMemory)
	v := String("x")
	putUntil(t, table, "gone", v, now()-1)
	putUntil(t, table, "there", v, now()+1e12)
	require.False(t, table.Has("gone"))
	require.True(t, table.Has("there"))
	require.Len(t, table.Snapshot(), 1)
	gone, err := table.Delete("gone")
	require.NoError(t, err)
	require.False(t, gone)
	one := Int(5)
	putUntil(t, table, "n", one, now()-1)
	sum, err := table.Increment("n", Int(1), Forever)
	require.NoError(t, err)
	require.True(t, sum.Equal(Int(1)))
	putUntil(t, table, "m", one, now()+1e12)
	_, err = table.Increment("m", Float(1), Forever)
	require.NoError(t, err)
	f, status := table.ReadInto("m", nil)
	require.Equal(t, StatusOK, status)
	require.NotZero(t, f.Expiry, "a live number keeps its expiry, in a new row as well")
}

// The whole structure is validated after each test; here the validator itself is shown to see damage.
func TestCheckReportsDamage(t *testing.T) {
	damage := map[string]func(*Table){
		"counts":      func(t *Table) { t.stripes[0].rows++ },
		"odd at rest": func(t *Table) { t.stripes[1].version.Add(1) },
		"wrong chain": func(t *Table) {
			a := t.arena.Load()
			h := hashOf("a", t.seed)
			from := a.home(h.high&t.mask, h.low)
			for i := range t.stripes {
				if to := a.homeAt(uint64(i), 0); to != from {
					to[1].Store(from[1].Load())
					from[1].Store(0)
					return
				}
			}
		},
		"handed out": func(t *Table) { t.arena.Load().cells.take(100) },
		"retired":    func(t *Table) { t.stripes[0].retired = append(t.stripes[0].retired, rowOf(t, "a")) },
		"multi":      func(t *Table) { t.control.multi.Add(1) },
	}
	for want, do := range damage {
		table := uncheckedTable(t, MinMemory)
		mustSet(t, table, "a", String("x"))
		require.NoError(t, table.Check())
		do(table)
		require.ErrorContains(t, table.Check(), want)
	}
}

func rowOf(t *Table, key string) uint64 {
	a, h := t.arena.Load(), hashOf(key, t.seed)
	return a.findLocked(a.home(h.high&t.mask, h.low), h, key, t.control.generation.Load()).units
}
