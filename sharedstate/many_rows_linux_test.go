//go:build !race

// Under the race detector arenas are in the Go heap, which these tests are about.

package sharedstate

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goHeap are the figures of the Go heap after a collection.
type goHeap struct {
	bytes   uint64
	objects uint64
	scanned uint64        // bytes that a collection has to look at
	pause   time.Duration // the median of the stops of some collections
}

func heapNow() goHeap {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/objects:objects"},
		{Name: "/gc/scan/heap:bytes"}, {Name: "/sched/pauses/total/gc:seconds"}}
	runtime.GC()
	metrics.Read(samples)
	before := slices.Clone(samples[3].Value.Float64Histogram().Counts)
	for range 50 {
		runtime.GC()
	}
	metrics.Read(samples)
	h := goHeap{bytes: samples[0].Value.Uint64(), objects: samples[1].Value.Uint64(), scanned: samples[2].Value.Uint64()}
	pauses := samples[3].Value.Float64Histogram()
	total, seen := uint64(0), uint64(0)
	for i := range before {
		pauses.Counts[i] -= before[i]
		total += pauses.Counts[i]
	}
	for i, n := range pauses.Counts {
		if seen += n; 2*seen >= total {
			h.pause = time.Duration(pauses.Buckets[i+1] * float64(time.Second))
			break
		}
	}
	return h
}

// rows of 100 bytes: 8 of the key and 92 of the value.
const rowOfHundred = 100

// Millions of rows stay within the bound and out of the Go heap, which a collection would have to go through, and each has no
// more than 96 bytes and 15 % beside its key and value.
func TestManyRows(t *testing.T) {
	rows := 200_000
	if soaking() {
		rows = 10_000_000
	}
	perRow := rowOfHundred + 96 + rowOfHundred*15/100
	table := uncheckedTable(t, int64(rows*perRow))
	value := String(strings.Repeat("v", rowOfHundred-8))
	empty := heapNow()
	for i := range rows {
		if err := table.Set(keyOfEight(i), value); err != nil {
			t.Fatal(err)
		}
	}
	full := heapNow()
	st := table.Stats()
	require.EqualValues(t, rows, st.Keys)
	require.EqualValues(t, rows*rowOfHundred, st.KeyBytes+st.ValueBytes)
	require.LessOrEqual(t, st.MemoryUsed, st.MemoryLimit)
	require.LessOrEqual(t, int(st.MemoryUsed)/rows, perRow)
	require.Less(t, int64(full.bytes)-int64(empty.bytes), table.Options().Memory/100)
	require.Less(t, int64(full.objects)-int64(empty.objects), int64(1000), "objects on the Go heap for %d rows", rows)
	require.Less(t, int64(full.scanned)-int64(empty.scanned), int64(64<<10), "bytes that a collection has to look at")
	t.Logf("%d rows: %.1f bytes each beside key and value, %.1f %% of the bound; Go heap from %d to %d bytes; a collection stops for %v, before for %v",
		rows, float64(st.MemoryUsed)/float64(rows)-rowOfHundred, 100*float64(st.MemoryUsed)/float64(st.MemoryLimit),
		empty.bytes, full.bytes, full.pause, empty.pause)
	for i := 0; i < rows; i += 997 {
		got, ok := table.Get(keyOfEight(i))
		require.True(t, ok && got.Equal(value), "row %d", i)
	}
	runtime.KeepAlive(table)
}

// residentBytes is the process's resident memory.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, resident int64
	_, err = fmt.Sscan(string(text), &size, &resident)
	require.NoError(t, err)
	return resident * int64(os.Getpagesize())
}

// alone runs the calling test in a process of its own, where no other test's memory counts, and answers false there.
func alone(t *testing.T) bool {
	t.Helper()
	const child = "FRANKENSHARE_TEST_ALONE"
	if os.Getenv(child) != "" {
		return false
	}
	run := exec.Command(os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
	run.Env = append(os.Environ(), child+"=1")
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	t.Logf("%s", out)
	return true
}

// The bound holds for what the process really takes, not for keys and values alone: fault 37.
func TestFault037SmallValuesInTheBound(t *testing.T) {
	if alone(t) {
		return
	}
	memory, rows := int64(64<<20), 640_000
	if soaking() {
		memory, rows = 1<<30, 10_000_000
	}
	before := residentBytes(t)
	table := uncheckedTable(t, memory)
	for i := range rows {
		if err := table.Set(keyOfEight(i), String("8 bytes.")); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	grown := residentBytes(t) - before
	require.EqualValues(t, rows, table.Stats().Keys)
	require.Less(t, grown, memory*105/100)
	require.Greater(t, grown, int64(table.Stats().MemoryUsed)*95/100, "what counts as used is what was touched")
	t.Logf("%d values of 8 bytes: %d of %d bytes in use, the process grew by %d", rows, table.Stats().MemoryUsed, memory, grown)
}
