package pusher

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// These belong to the process, which outlives every config.
var (
	started  = time.Now()
	pushes   atomic.Int64
	requests atomic.Int64 // that came to a site with the handler
)

// remembered is how many pushes the history spans.
const remembered = 61

// figures are what is pushed: the present ones and the charted ones of the last pushes.
type figures struct {
	store   *sharedstate.Store
	table   *sharedstate.Table
	history map[string][]any
}

func newFigures(store *sharedstate.Store, table *sharedstate.Table) *figures {
	return &figures{store: store, table: table, history: map[string][]any{}}
}

// push writes all figures in one step: no reader sees some of them without the others.
func (f *figures) push() error {
	stats := f.table.Stats()
	charted := map[string]any{
		"time":        float64(time.Now().UnixMilli()) / 1000,
		"requests":    requests.Load(),
		"hits":        int64(stats.Hits),
		"keys":        int64(stats.Keys),
		"writes":      int64(stats.Writes),
		"memory_used": int64(stats.MemoryUsed),
		"go_heap":     heapBytes(),
		"goroutines":  runtime.NumGoroutine(),
	}
	for name, value := range charted {
		past := append(f.history[name], value)
		f.history[name] = past[max(0, len(past)-remembered):]
	}
	pushed := map[string]any{
		"pushes":       pushes.Add(1),
		"uptime":       int64(time.Since(started).Seconds()),
		"memory_limit": int64(stats.MemoryLimit),
		"threads":      f.threads(),
		"history":      f.history,
	}
	var entries []sharedstate.Entry
	for _, part := range []map[string]any{charted, pushed} {
		for name, value := range part {
			v, err := sharedstate.Of(value)
			if err != nil {
				return err
			}
			entries = append(entries, sharedstate.Entry{Key: "server:" + name, Value: v})
		}
	}
	return f.table.Merge(entries)
}

// threads are the figures of each PHP thread.
func (f *figures) threads() []any {
	all := []any{}
	for _, t := range f.store.ThreadStats() {
		all = append(all, map[string]any{"record": t.Record, "hits": int64(t.Hits), "reads": int64(t.Reads), "locked": int64(t.Locked)})
	}
	return all
}

// heapBytes is the memory of the live Go objects. Unlike runtime.ReadMemStats it stops nothing.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
