package sharedstate

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const pass = 10 * time.Second // what a condition may take on a loaded machine

func TestIntervalIsRefreshedByTheWorker(t *testing.T) {
	table := newTestTable(t, MinMemory)
	s := table.store
	var busy, most, runs atomic.Int64
	worker := &IntervalWorker{Script: "worker.php", Threads: 1, Run: func() {
		most.Store(max(most.Load(), busy.Add(1)))
		defer busy.Add(-1)
		for owner := uint64(1); ; owner++ {
			c, ok := s.ClaimAny(owner)
			if !ok {
				return
			}
			if n := runs.Add(1); n != 3 { // the third refresh fails, and is made up for
				require.NoError(t, c.Table.Commit(c.Key, c.Number, Int(n)))
			}
			s.EndRequest(owner)
		}
	}}
	s.AddIntervalWorker(worker)
	s.SetIntervalWorker(worker)
	require.NoError(t, table.Register("k", "f", AnyThread, 20*time.Millisecond))
	require.NoError(t, table.Register("own", "", OwnThread, 20*time.Millisecond))
	require.Eventually(t, func() bool { v, _ := table.Get("k"); n, _ := v.Int(); return n >= 6 }, pass, time.Millisecond)
	require.EqualValues(t, 1, most.Load())
	require.False(t, table.Has("own"), "no worker can refresh what it does not know")
	s.RemoveIntervalWorker(&IntervalWorker{})
	require.Same(t, worker, s.intervals.worker, "another's end is not this one's")
	itself, any := s.RunsIntervals("worker.php")
	require.True(t, itself && any)
	s.RemoveIntervalWorker(worker)
	require.Nil(t, s.intervals.worker)
	itself, any = s.RunsIntervals("worker.php")
	require.False(t, itself || any)
}

// Another interval that is due when a worker's run ends does not mean that the worker has failed: the next run need not wait.
func TestIntervalsBecomeDueWhileAWorkerEnds(t *testing.T) {
	const n = 50 // seconds, were each run to wait
	table := newTestTable(t, MinMemory)
	s := table.store
	var owner atomic.Uint64
	worker := &IntervalWorker{Threads: 1, Run: func() {
		if c, ok := s.ClaimAny(owner.Add(1)); ok {
			require.NoError(t, c.Table.Commit(c.Key, c.Number, Int(1)))
		}
	}}
	s.SetIntervalWorker(worker)
	for i := range n {
		require.NoError(t, table.Register(fmt.Sprint(i), "f", AnyThread, time.Hour))
	}
	require.Eventually(t, func() bool { return table.Len() == n }, pass, time.Millisecond)
}

func TestIntervalClaims(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.NoError(t, table.Register("k", "f", AnyThread, time.Hour))
	require.Equal(t, Interval{Exists: true, Due: true, Named: true}, table.Interval("k"))
	first, ok := table.Claim("k", 1, false)
	require.True(t, ok)
	require.Equal(t, "f", first.Callable)
	_, ok = table.Claim("k", 2, true)
	require.False(t, ok, "one at a time")

	table.store.EndRequest(1) // killed
	second, ok := table.Claim("k", 2, false)
	require.True(t, ok)
	require.ErrorIs(t, table.Commit("k", first.Number, Int(1)), ErrClaimLost)
	require.False(t, table.Has("k"), "who has lost its claim writes nothing")
	table.GiveUp("k", first.Number)
	_, ok = table.Claim("k", 3, false)
	require.False(t, ok, "nor does it clear another's")

	require.NoError(t, table.Register("k", "g", AnyThread, time.Hour)) // another registration keeps a refresh in progress
	require.NoError(t, table.Commit("k", second.Number, Int(2)))
	_, ok = table.Claim("k", 4, false)
	require.False(t, ok, "not due")
	require.NoError(t, table.Register("k", "h", AnyThread, time.Hour))
	_, ok = table.Claim("k", 4, false)
	require.False(t, ok, "nor after another registration")

	early, ok := table.Claim("k", 4, true)
	require.True(t, ok)
	require.Equal(t, "h", early.Callable)
	skew.Add(int64(3 * time.Hour)) // more than two intervals
	late, ok := table.Claim("k", 5, false)
	require.True(t, ok, "the claim has gone stale")
	require.ErrorIs(t, table.Commit("k", early.Number, Int(4)), ErrClaimLost)
	require.NoError(t, table.Commit("k", late.Number, Int(5)))
	v, _ := table.Get("k")
	require.True(t, v.Equal(Int(5)))

	require.NoError(t, table.Clear())
	require.Equal(t, []string{"k"}, table.Intervals(), "a flush takes the value alone")
}

func TestIntervalRefusals(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.ErrorIs(t, table.Register("k", "f", AnyThread, time.Millisecond), ErrInvalidValue)
	require.ErrorIs(t, table.Register(string(make([]byte, 1<<20)), "f", AnyThread, time.Second), ErrKeyTooLong)
	require.Empty(t, table.Intervals())
}

// Without a worker readers learn that a key is due: its chain's version changes, but nothing else does.
func TestReadersAreToldOfDueIntervals(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.NoError(t, table.Register("k", "f", AnyThread, 30*time.Millisecond))
	h := hashOf("k", table.seed)
	version := func() uint64 { return table.arena.Load().home(h.high&table.mask, h.low)[BucketVersion].Load() }
	c, ok := table.Claim("k", 1, false)
	require.True(t, ok)
	require.NoError(t, table.Commit("k", c.Number, Int(1)))
	before, writes := version(), table.Version()
	require.Eventually(t, func() bool { return version() != before }, pass, time.Millisecond)
	require.Equal(t, writes, table.Version())
	require.True(t, table.Interval("k").Due)
	require.EqualValues(t, 1, table.control.intervals.Load())
	require.NoError(t, table.store.Drop(table.Name()))
	require.Zero(t, table.control.intervals.Load())
}
