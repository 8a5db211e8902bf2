package sharedstate

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is cleared gives its memory back though a reader is still in one of the rows, of which that cell alone stays: fault 52.
func TestFault052ClearedWhileItIsRead(t *testing.T) {
	table := newTestTable(t, 4<<20)
	const keys = 5000
	for i := range keys {
		mustSet(t, table, fmt.Sprint("k", i), String("a value of some bytes"))
	}
	a, th := table.arena.Load(), table.store.threads
	units := rowOf(table, "k1234")
	th.word(ThreadsHigh).Store(1)
	th.record(0, ThreadClaim).Store(1)
	th.record(0, ThreadHazard).Store(uint64(addressOf(a.row(units))))

	require.NoError(t, table.Clear())
	require.Zero(t, table.Len())
	left := func() uint64 {
		table.keep(func() { table.sweep(); table.reclaimAll(a) })
		return a.cells.used() - table.Stats().Overflow*BucketSize
	}
	require.Eventually(t, func() bool { return left() == uint64(a.cells.sizeOf(units)) }, 10*time.Second, time.Millisecond,
		"%d bytes are left", left())
	key := a.appendBytes(nil, units, 0, int(a.row(units).keyLen))
	require.Equal(t, "k1234", string(key), "the reader's row is as it was")

	th.record(0, ThreadHazard).Store(0)
	require.Zero(t, left())
}
