package sharedstate

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func keyOfEight(i int) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(i))) }

// lookupCost is how many buckets nearly every lookup of a key that is there goes through, at most: 99 of 100.
func lookupCost(table *Table) int {
	a, generation := table.arena.Load(), table.control.generation.Load()
	var buckets []int
	for s := range uint64(len(table.stripes)) {
		for i := range a.homes {
			length := 0
			a.walk(a.homeAt(s, i), func(b *bucket, first int) bool {
				length++
				for j := first; j < BucketLink; j++ {
					if word := b[j].Load(); word != 0 && !a.row(slotUnits(word)).dead(generation) {
						buckets = append(buckets, length)
					}
				}
				return true
			})
		}
	}
	slices.Sort(buckets)
	return buckets[len(buckets)*99/100]
}

// A table whose memory grows gets a larger index, so that a lookup goes no further among many keys than among few: fault 35.
func TestFault035LookupsStayShort(t *testing.T) {
	few, many := 10_000, 100_000
	if soaking() {
		many = 10_000_000
	}
	const perRow = 120
	table := newTestTable(t, max(int64(few*perRow), MinMemory))
	for i := range few {
		mustSet(t, table, keyOfEight(i), Int(int64(i)))
	}
	short := lookupCost(table)
	_, err := table.Resize(int64(many * perRow))
	require.NoError(t, err)
	for i := range many {
		mustSet(t, table, keyOfEight(i), Int(int64(i)))
	}
	require.EqualValues(t, many, table.Stats().Keys)
	require.LessOrEqual(t, lookupCost(table), short)
	t.Logf("%d buckets among %d keys, %d among %d", short, few, lookupCost(table), many)
}
