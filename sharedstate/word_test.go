package sharedstate

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func newTestStore(t testing.TB) *Store {
	t.Helper()
	s, err := NewStore()
	require.NoError(t, err)
	return s
}

func mustOpen(t testing.TB, s *Store, kind SharedKind, name string, initial int64) *Word {
	t.Helper()
	w, err := s.OpenWord(kind, name, initial)
	require.NoError(t, err)
	return w
}

func TestWordsByName(t *testing.T) {
	s := newTestStore(t)
	a, b := mustOpen(t, s, SharedCounter, "n", 5), mustOpen(t, s, SharedCounter, "n", 7)
	require.Equal(t, a.ID(), b.ID())
	require.EqualValues(t, 5, b.Load(), "the first one's value")
	require.NotEqual(t, a.ID(), mustOpen(t, s, SharedFlag, "n", 1).ID(), "flags have names of their own")
	require.NotEqual(t, mustOpen(t, s, SharedCounter, "", 0).ID(), mustOpen(t, s, SharedCounter, "", 0).ID())
	a.Close()
	b.Close()
	require.EqualValues(t, 5, mustOpen(t, s, SharedCounter, "n", 0).Load(), "a name keeps its value")
	kept := mustOpen(t, s, SharedCounter, "n", 0)
	require.True(t, s.RemoveShared(SharedCounter, "n"))
	require.False(t, s.RemoveShared(SharedCounter, "n"))
	other := mustOpen(t, s, SharedCounter, "n", 9)
	require.NotEqual(t, kept.ID(), other.ID())
	require.EqualValues(t, 5, kept.Load(), "who has it open keeps it")
	require.EqualValues(t, 9, other.Load())
}

func TestWordAdds(t *testing.T) {
	s := newTestStore(t)
	w := mustOpen(t, s, SharedCounter, "", 0)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 10_000 {
				if _, err := w.Add(1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 160_000, w.Load())
	require.EqualValues(t, 160_000, w.Swap(math.MaxInt64))
	_, err := w.Add(1)
	require.ErrorIs(t, err, ErrOverflow)
	require.EqualValues(t, math.MaxInt64, w.Load(), "the value stands")
	require.False(t, w.CompareAndSet(0, 1))
	require.True(t, w.CompareAndSet(math.MaxInt64, 1))
}

// Nobody sleeps through a flag that is set, however often.
func TestFlagWakes(t *testing.T) {
	s := newTestStore(t)
	w := mustOpen(t, s, SharedFlag, "", 0)
	set, err := w.Wait(time.Millisecond, nil)
	require.NoError(t, err)
	require.False(t, set)
	for round := range 300 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if set, err := w.Wait(pass, nil); err != nil || !set {
					t.Errorf("round %d: %v, %v", round, set, err)
				}
			})
		}
		if round%2 == 0 {
			w.Swap(1)
		} else {
			w.CompareAndSet(0, 1)
		}
		wg.Wait()
		w.Swap(0)
	}
	ended := make(chan error)
	go func() { _, err := w.Wait(pass, nil); ended <- err }()
	require.Eventually(t, func() bool { return w.cell.waiters.Load() == 1 }, pass, time.Millisecond)
	s.Drain()
	require.ErrorIs(t, <-ended, ErrWaitEnded)
}

func TestWordsLeaveNothing(t *testing.T) {
	s := newTestStore(t)
	n := 100_000
	if soaking() {
		n = 1_000_000
	}
	for i := range n {
		name := fmt.Sprint(i)
		w := mustOpen(t, s, SharedCounter+SharedKind(i%2), name, 1)
		w.Close()
		require.True(t, s.RemoveShared(SharedCounter+SharedKind(i%2), name))
		mustOpen(t, s, SharedCounter, "", 1).Close()
	}
	require.Empty(t, s.registry.byID)
	require.Empty(t, s.registry.named)
	require.Len(t, s.words.cells, wordChunk, "the cells are used again")
	used, _ := s.LocksMemory()
	require.Zero(t, used)

	s.SetLocksMemory(MinLocksMemory)
	var open []*Word
	var err error
	for err == nil {
		var w *Word
		if w, err = s.OpenWord(SharedCounter, "", 0); err == nil {
			open = append(open, w)
		}
	}
	require.ErrorIs(t, err, ErrSharedFull)
	require.Greater(t, len(open), 100)
	_, err = open[0].Add(1)
	require.NoError(t, err, "those that there are work on")
	open[1].Close()
	mustOpen(t, s, SharedCounter, "", 0)
}
