//go:build faults

package sharedstate

import (
	"fmt"
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
