//go:build faults

package sharedstate

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evictOnce evicts from one stripe of a table of numbers and runs f, with the stripe held, between the choice and the removals. It
// answers how many rows went and the keys of the stripe, which had values from 1 on.
func evictOnce(t *testing.T, policy EvictionPolicy, f func(table *Table, keys []string)) (table *Table, keys []string, rows int) {
	t.Helper()
	table = tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy = MinMemory, policy })
	s := &table.stripes[0]
	for i := range 1000 {
		if key := fmt.Sprint("key-", i); table.stripeOf(hashOf(key, table.seed)) == s {
			keys = append(keys, key)
			mustSet(t, table, key, Int(int64(len(keys))))
		}
	}
	SetFaultHook(func(point string) {
		if point == "chosen" {
			f(table, keys)
		}
	})
	defer SetFaultHook(nil)
	var g gone
	a := table.evictFrom(s, 0, hash{}, &g)
	table.reclaim(s, a, false, g.chained...)
	return table, keys, g.rows
}

// A row that a lock-free reader uses after it was chosen stays.
func TestEvictionCandidateDoesNotDeleteRowMutatedByHit(t *testing.T) {
	for name, policy := range map[string]EvictionPolicy{"LruHit": EvictLRU, "LfuHit": EvictLFU} {
		t.Run(name, func(t *testing.T) {
			_, _, rows := evictOnce(t, policy, func(*Table, []string) {})
			require.Positive(t, rows)
			table, keys, rows := evictOnce(t, policy, func(table *Table, keys []string) {
				table.control.tick.Add(1)
				a, generation := table.arena.Load(), table.control.generation.Load()
				for _, key := range keys { // what fs_use does, which takes no lock
					h := hashOf(key, table.seed)
					table.noteUse(a.findLocked(a.home(h.high&table.mask, h.low), h, key, generation).slot)
				}
			})
			require.Zero(t, rows)
			require.Equal(t, len(keys), table.Len())
		})
	}
}

// A write that meets an eviction comes before it or after it: it never takes the written row for the one that was chosen.
func TestEvictionCandidateDoesNotDeleteRowMutatedByWrite(t *testing.T) {
	for name, write := range map[string]func(table *Table, key string) error{
		"Put": func(table *Table, key string) error { return table.Set(key, Int(-1)) },
		"Increment": func(table *Table, key string) error {
			_, err := table.Increment(key, Int(1), Forever)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var writers sync.WaitGroup
			table, keys, rows := evictOnce(t, EvictLRU, func(table *Table, keys []string) {
				for _, key := range keys {
					writers.Go(func() { assert.NoError(t, write(table, key)) })
				}
			})
			writers.Wait()
			require.Positive(t, rows)
			anew := 0
			for i, key := range keys {
				v, ok := table.Get(key)
				require.True(t, ok, key)
				n, _ := v.Int()
				if name == "Put" {
					require.EqualValues(t, -1, n)
				} else if n == 1 {
					anew++
				} else {
					require.EqualValues(t, i+2, n)
				}
			}
			if name == "Increment" {
				require.Equal(t, rows, anew, "counters that went have begun anew")
			}
		})
	}
}
