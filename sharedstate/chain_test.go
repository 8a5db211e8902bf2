//go:build faults

package sharedstate

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// sameChain finds keys that share a home bucket.
func sameChain(t *Table, n int) []string {
	a := t.arena.Load()
	home := func(key string) *bucket {
		h := hashOf(key, t.seed)
		return a.home(h.high&t.mask, h.low)
	}
	var keys []string
	for i := 0; len(keys) < n; i++ {
		if key := fmt.Sprint("k", i); len(keys) == 0 || home(key) == home(keys[0]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// A full chain in which a merge's second key has an expired row, whose slot the first takes: a bucket is needed.
func TestMergeIntoFullChainWithDeadRow(t *testing.T) {
	table := newTestTable(t, MinMemory)
	keys := sameChain(table, 7)
	for _, k := range keys[:5] {
		mustSet(t, table, k, String("x"))
	}
	v := String("expired")
	putUntil(t, table, keys[5], v, now()-1)
	require.NoError(t, table.Merge([]Entry{{keys[6], String("new")}, {keys[5], String("again")}}))
	require.Equal(t, 7, table.Len())
}

// A row of a merge's own that expires while the merge looks what it needs is no room for another entry. Time runs fast here, so
// that it often expires just then.
func TestMergeOverRowThatExpiresMeanwhile(t *testing.T) {
	var done atomic.Bool
	defer done.Store(true)
	go func() {
		for !done.Load() {
			skew.Add(100_000)
		}
	}()
	for range 20 {
		table := newTestTable(t, MinMemory)
		keys := sameChain(table, 150)
		for range 20 {
			require.NoError(t, table.Clear())
			awaitSweep(table)
			h := hashOf(keys[0], table.seed)
			a := table.arena.Load()
			slots := 0
			a.walk(a.home(h.high&table.mask, h.low), func(_ *bucket, first int) bool {
				slots += BucketLink - first
				return true
			})
			start := now()
			for _, k := range keys[:slots] {
				mustSet(t, table, k, String("x"))
			}
			took := (now() - start) / uint64(slots)
			putUntil(t, table, keys[0], String("y"), now()+rand.Uint64N(4*took+1))
			require.NoError(t, table.Merge([]Entry{{keys[0], String("z")}, {keys[slots], String("new")}}))
		}
	}
}

// A key that is in the old and the new contents has a row in its chain at every step of a replace.
func TestReplaceNeverTakesTheSlotOfAKeyToCome(t *testing.T) {
	table := newTestTable(t, MinMemory)
	keys := sameChain(table, 7)
	for _, k := range keys[:6] {
		mustSet(t, table, k, String("x"))
	}
	steps := 0
	SetFaultHook(func(point string) {
		if point == "merge" {
			steps++
			require.NotZero(t, rowOf(table, keys[0]), "step %d", steps)
		}
	})
	defer SetFaultHook(nil)
	require.NoError(t, table.Replace([]Entry{{keys[6], String("new")}, {keys[0], String("y")}}, &Rows{}))
	require.Equal(t, 2, steps)
}
