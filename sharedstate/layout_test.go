package sharedstate

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestLayoutMatchesConstants(t *testing.T) {
	var r row
	require.EqualValues(t, RowExpiry, unsafe.Offsetof(r.expiry))
	require.EqualValues(t, RowNumber, unsafe.Offsetof(r.number))
	require.EqualValues(t, RowGeneration, unsafe.Offsetof(r.generation))
	require.EqualValues(t, RowValueLen, unsafe.Offsetof(r.valueLen))
	require.EqualValues(t, RowKeyLen, unsafe.Offsetof(r.keyLen))
	require.EqualValues(t, RowKind, unsafe.Offsetof(r.kind))
	require.EqualValues(t, RowFlags, unsafe.Offsetof(r.flags))
	require.EqualValues(t, RowInline, unsafe.Offsetof(r.inline))
	require.EqualValues(t, RowChunk, unsafe.Offsetof(r.chunk))
	require.EqualValues(t, RowHeader, unsafe.Sizeof(r))

	var k chunk
	require.EqualValues(t, ChunkNext, unsafe.Offsetof(k.next))
	require.EqualValues(t, ChunkLen, unsafe.Offsetof(k.len))
	require.EqualValues(t, ChunkHeader, unsafe.Sizeof(k))

	var c control
	require.EqualValues(t, ControlGeneration, unsafe.Offsetof(c.generation))
	require.EqualValues(t, ControlMulti, unsafe.Offsetof(c.multi))
	require.EqualValues(t, ControlTick, unsafe.Offsetof(c.tick))
	require.EqualValues(t, ControlIntervals, unsafe.Offsetof(c.intervals))
	require.EqualValues(t, ControlDescriptor, unsafe.Offsetof(c.descriptor))
	require.EqualValues(t, ControlID, unsafe.Offsetof(c.id))
	require.EqualValues(t, ControlStripes, unsafe.Offsetof(c.stripes))
	require.EqualValues(t, ControlMaxValue, unsafe.Offsetof(c.maxValue))
	require.EqualValues(t, ControlMaxKey, unsafe.Offsetof(c.maxKey))
	require.EqualValues(t, ControlObjects, unsafe.Offsetof(c.objects))
	require.EqualValues(t, ControlName, unsafe.Offsetof(c.nameLen))
	require.EqualValues(t, ControlEviction, unsafe.Offsetof(c.eviction))
	require.EqualValues(t, ControlStripe, unsafe.Sizeof(c))
	require.EqualValues(t, StripeSize, unsafe.Sizeof(stripeLine{}))
	require.EqualValues(t, BucketSize, unsafe.Sizeof(bucket{}))
	var l cell
	require.EqualValues(t, CellValue, unsafe.Offsetof(l.value))
	require.EqualValues(t, CellWaiters, unsafe.Offsetof(l.waiters))
	require.EqualValues(t, CellSize, unsafe.Sizeof(l))
	var m meta
	require.EqualValues(t, MetaDue, unsafe.Offsetof(m.due))
	require.EqualValues(t, MetaUse, unsafe.Offsetof(m.use))
	require.Zero(t, ControlStripe%LineSize)
	require.Zero(t, ThreadsHeader%LineSize)
	require.Zero(t, ThreadSize%LineSize)
}

// The write-hot first line of a control block must not share a line with what every read loads and nobody changes.
func TestDescriptorHasAnotherLineThanGeneration(t *testing.T) {
	require.NotEqual(t, ControlGeneration/LineSize, ControlDescriptor/LineSize)
	require.Equal(t, ControlGeneration/LineSize, ControlTick/LineSize)
}

func TestClockIsTheMonotonicClock(t *testing.T) {
	for range 1000 {
		var a, b unix.Timespec
		require.NoError(t, unix.ClockGettime(unix.CLOCK_MONOTONIC, &a))
		n := int64(now()) - skew.Load()
		require.NoError(t, unix.ClockGettime(unix.CLOCK_MONOTONIC, &b))
		require.GreaterOrEqual(t, n, a.Nano()-1000)
		require.LessOrEqual(t, n, b.Nano()+1000)
	}
}

// Every plan stays inside its bound and gives most of it to pages.
func TestPlanStaysInsideItsBound(t *testing.T) {
	for _, memory := range []int64{MinMemory, 3<<20 + 17, 8 << 20, 64 << 20, 1 << 30, 5 << 30, MaxMemory} {
		for _, procs := range []int{1, 2, 64} {
			n := stripesFor(memory, procs)
			require.Zero(t, n&(n-1), "a power of two")
			p := planFor(memory, n)
			total := p.index + p.pages*(p.pageSize+pageEntry) + controlBytes(n)
			require.LessOrEqual(t, total, memory)
			require.Greater(t, p.pages*p.pageSize, memory*8/10)
		}
	}
}

func TestClassSizes(t *testing.T) {
	for _, pageSize := range []int64{4 << 10, 8 << 10, 32 << 10, 64 << 10} {
		sizes := classSizes(pageSize)
		for i, s := range sizes {
			require.Zero(t, s%Unit)
			if i > 0 {
				require.Greater(t, s, sizes[i-1])
				require.LessOrEqual(t, s, 2*sizes[i-1])
			}
		}
		require.Equal(t, pageSize, sizes[len(sizes)-1])
	}
}
