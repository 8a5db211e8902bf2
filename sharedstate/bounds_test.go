//go:build !race

// Under the race detector the large tables would be on the Go heap.

package sharedstate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A memory that is too small, too large, or none is refused and named; any other makes a table that works, also beyond what 32
// bits can address: fault 28.
func TestFault028AnyMemory(t *testing.T) {
	s, err := NewStore()
	require.NoError(t, err)
	for i, memory := range []int64{-1 << 40, -1, 0, 1, MinMemory - 1, MaxMemory + 1, 1 << 62} {
		o := DefaultOptions()
		o.Memory = memory
		_, err := s.Define(fmt.Sprint("bad", i), o)
		require.ErrorContains(t, err, fmt.Sprintf("memory of %d bytes", memory))
	}
	require.Empty(t, s.Tables())
	for _, memory := range []int64{MinMemory, MinMemory + 1, 4<<20 - 1, 1<<32 - 1, 1 << 32, 5 << 30} {
		table := uncheckedTable(t, memory) // a check would touch all of its index
		c := table.arena.Load().cells
		for i := range 1000 {
			if i == 500 { // the rest at the arena's end, as if all before it were taken
				c.poolMu.Lock()
				c.fresh = max(c.fresh, uint32(len(c.page)-40))
				c.poolMu.Unlock()
			}
			mustSet(t, table, fmt.Sprint(i), String(fmt.Sprintf("value %d of %d bytes", i, memory)))
		}
		for i := range 1000 {
			v, _ := table.Get(fmt.Sprint(i))
			require.True(t, v.Equal(String(fmt.Sprintf("value %d of %d bytes", i, memory))), "%d in %d bytes", i, memory)
		}
		require.LessOrEqual(t, table.Stats().MemoryUsed, uint64(memory))
	}
}
