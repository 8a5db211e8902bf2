package sharedstate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func newTestMutex(t testing.TB, s *Store, name string, initial Value) *Mutex {
	t.Helper()
	m, err := s.OpenMutex(name, initial)
	require.NoError(t, err)
	return m
}

func lockMutex(t testing.TB, m *Mutex, owner uint64) uint64 {
	t.Helper()
	token, err := m.TryLock(owner)
	require.NoError(t, err)
	require.NotZero(t, token)
	return token
}

// valueOfMutex is what there is when it is free.
func valueOfMutex(t testing.TB, m *Mutex) Value {
	t.Helper()
	token := lockMutex(t, m, 99)
	v, err := m.Value(token)
	require.NoError(t, err)
	require.True(t, m.Unlock(token))
	return v
}

func TestMutex(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "m", Int(1))
	first := lockMutex(t, m, 1)
	_, err := m.TryLock(2)
	require.ErrorIs(t, err, ErrContention)
	_, err = m.TryLock(1)
	require.ErrorIs(t, err, ErrDeadlock)
	_, _, err = m.Enqueue(1)
	require.ErrorIs(t, err, ErrDeadlock)
	require.ErrorContains(t, err, `mutex "m"`)
	require.NoError(t, m.Commit(first, Int(2)))
	require.ErrorIs(t, m.Commit(first, Int(3)), ErrStaleHandle, "a token counts once")
	require.False(t, m.Unlock(first))
	_, err = m.Value(first)
	require.ErrorIs(t, err, ErrStaleHandle)
	_, err = m.Value(0)
	require.ErrorIs(t, err, ErrStaleHandle)
	require.ErrorIs(t, m.Commit(0, Int(3)), ErrStaleHandle)
	require.True(t, valueOfMutex(t, m).Equal(Int(2)))

	second := lockMutex(t, m, 1)
	require.Greater(t, second, first)
	require.True(t, m.Unlock(second))
	require.True(t, valueOfMutex(t, m).Equal(Int(2)), "what is not committed changes nothing")

	// The end of a request frees what it has, and what it does after that changes nothing.
	token := lockMutex(t, m, 5)
	s.EndRequest(4)
	_, err = m.TryLock(6)
	require.ErrorIs(t, err, ErrContention)
	s.EndRequest(5)
	next := lockMutex(t, m, 5)
	require.ErrorIs(t, m.Commit(token, Int(9)), ErrStaleHandle)
	require.NoError(t, m.Commit(next, Int(3)))
	require.True(t, valueOfMutex(t, m).Equal(Int(3)))
	require.Empty(t, s.ends.of)
	require.Empty(t, s.graph.waits)
}

func TestMutexesByName(t *testing.T) {
	s := newTestStore(t)
	a, b := newTestMutex(t, s, "n", Int(5)), newTestMutex(t, s, "n", Int(7))
	require.Same(t, a, b)
	require.True(t, valueOfMutex(t, a).Equal(Int(5)), "the first one's value")
	require.NotEqual(t, newTestMutex(t, s, "", Null()).ID(), newTestMutex(t, s, "", Null()).ID())
	a.Close()
	b.Close()
	kept := newTestMutex(t, s, "n", Null())
	require.True(t, valueOfMutex(t, kept).Equal(Int(5)), "a name keeps its value")
	require.True(t, s.RemoveShared(SharedMutex, "n"))
	require.True(t, valueOfMutex(t, kept).Equal(Int(5)), "who has it open keeps it")
	require.True(t, valueOfMutex(t, newTestMutex(t, s, "n", Int(9))).Equal(Int(9)))
	token := lockMutex(t, kept, 1)
	_, turn, err := kept.Enqueue(2)
	require.NoError(t, err)
	kept.Close()
	require.ErrorIs(t, kept.Commit(token, Int(1)), ErrStaleHandle)
	token, err = turn.Wait(pass)
	require.NoError(t, err, "who waits for one that is closed does not do so for ever")
	require.True(t, kept.Unlock(token))
	_, err = kept.TryLock(1)
	require.ErrorIs(t, err, ErrStaleHandle)
}

// Who waits gets the mutex in the order of coming, without anybody between.
func TestMutexQueueIsFirstInFirstOut(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "", String(""))
	holder := lockMutex(t, m, 1)
	const n = 20
	var wg sync.WaitGroup
	for i := range n {
		token, turn, err := m.Enqueue(uint64(i + 2))
		require.NoError(t, err)
		require.Zero(t, token)
		wg.Go(func() {
			token, err := turn.Wait(pass)
			v, err2 := m.Value(token)
			text, _ := v.Str()
			if err := errors.Join(err, err2, m.Commit(token, String(text+string(rune('a'+i))))); err != nil {
				t.Errorf("waiter %d: %v", i, err)
			}
			turn.Leave()
		})
	}
	_, err := m.TryLock(99)
	require.ErrorIs(t, err, ErrContention)
	require.NoError(t, m.Commit(holder, String("-")))
	wg.Wait()
	require.True(t, valueOfMutex(t, m).Equal(String("-abcdefghijklmnopqrst")))
	m.Close()
	used, _ := s.LocksMemory()
	require.Zero(t, used)
}

func TestMutexPassesWhenItsHolderIsGone(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "", Int(1))
	for name, end := range map[string]func(token uint64){
		"commits": func(token uint64) { require.NoError(t, m.Commit(token, Int(1))) },
		"unlocks": func(token uint64) { require.True(t, m.Unlock(token)) },
		"ends":    func(uint64) { s.EndRequest(1) },
		"is too large": func(token uint64) {
			require.ErrorIs(t, m.Commit(token, String(strings.Repeat("x", 2<<20))), ErrValueTooLarge)
		},
		"has no memory": func(token uint64) {
			s.SetLocksMemory(0)
			defer s.SetLocksMemory(DefaultLocksMemory)
			require.ErrorIs(t, m.Commit(token, String(strings.Repeat("x", MinLocksMemory))), ErrSharedFull)
		},
		"waits too, too": func(token uint64) {
			_, _, err := m.Enqueue(1)
			require.ErrorIs(t, err, ErrDeadlock)
			require.True(t, m.Unlock(token))
		},
	} {
		token := lockMutex(t, m, 1)
		_, turn, err := m.Enqueue(2)
		require.NoError(t, err)
		end(token)
		got, err := turn.Wait(pass)
		require.NoError(t, err, name)
		require.Greater(t, got, token, name)
		v, err := m.Value(got)
		require.NoError(t, err)
		require.True(t, v.Equal(Int(1)), name)
		require.True(t, m.Unlock(got))
	}
}

func TestMutexWaitsEnd(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "", Null())
	token := lockMutex(t, m, 1)
	_, turn, err := m.Enqueue(2)
	require.NoError(t, err)
	got, err := turn.Wait(time.Millisecond)
	require.NoError(t, err)
	require.Zero(t, got)
	require.Zero(t, turn.Leave())
	require.Empty(t, s.graph.waits)
	_, turn, err = m.Enqueue(2)
	require.NoError(t, err)
	s.Drain()
	_, err = turn.Wait(pass)
	require.ErrorIs(t, err, ErrWaitEnded)
	_, turn, err = m.Enqueue(2)
	require.NoError(t, err)
	m.Unlock(token)
	token = turn.Leave()
	require.NotZero(t, token, "who leaves too late has it")
	require.NoError(t, m.Commit(token, Null()))
	require.Empty(t, m.queue)
}

func TestMutexWith(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "", Int(1))
	ctx := context.Background()
	failure := errors.New("failure")
	set := func(n int64, err error) func(context.Context, *Value) error {
		return func(_ context.Context, v *Value) error { *v = Int(n); return err }
	}
	require.NoError(t, m.With(ctx, set(2, nil)))
	require.Equal(t, failure, m.With(ctx, set(3, failure)))
	require.True(t, valueOfMutex(t, m).Equal(Int(3)), "an error keeps what was done")
	require.PanicsWithValue(t, "on purpose", func() {
		_ = m.With(ctx, func(_ context.Context, v *Value) error { *v = Int(4); panic("on purpose") })
	})
	require.True(t, valueOfMutex(t, m).Equal(Int(3)), "a panic does not")
	err := m.With(ctx, func(_ context.Context, v *Value) error { *v = String(strings.Repeat("x", 2<<20)); return failure })
	require.ErrorIs(t, err, failure)
	require.ErrorIs(t, err, ErrValueTooLarge)

	require.NoError(t, m.With(ctx, func(inner context.Context, _ *Value) error {
		require.ErrorIs(t, m.With(inner, set(5, nil)), ErrDeadlock)
		require.ErrorIs(t, m.TryWith(inner, set(5, nil)), ErrDeadlock)
		require.ErrorIs(t, m.TryWith(ctx, set(5, nil)), ErrContention)
		brief, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		err := m.With(brief, set(5, nil))
		require.ErrorIs(t, err, ErrOperationTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return newTestMutex(t, s, "", Null()).With(inner, set(5, nil))
	}))
	require.NoError(t, m.TryWith(ctx, set(6, nil)))
	require.True(t, valueOfMutex(t, m).Equal(Int(6)))
}

// Never two at once, and nobody is forgotten, whatever the ways in which holders end.
func TestMutexExcludes(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "", Int(0))
	var inside atomic.Int64
	var committed atomic.Int64
	plain := 0 // no atomic: the mutex protects it
	var wg sync.WaitGroup
	const workers, rounds = 16, 500
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				request := uint64(w*rounds+i) + 1
				token, turn, err := m.Enqueue(request)
				if turn != nil {
					if i%7 == 0 {
						token, err = turn.Wait(time.Microsecond)
					} else {
						token, err = turn.Wait(pass)
					}
					if token == 0 && err == nil {
						token = turn.Leave()
					}
				}
				if err != nil {
					t.Error(err)
					return
				}
				if token == 0 {
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two at once")
				}
				plain++
				v, err := m.Value(token)
				n, _ := v.Int()
				inside.Add(-1)
				if i%3 == 0 {
					s.EndRequest(request)
				} else if err = m.Commit(token, Int(n+1)); err == nil {
					committed.Add(1)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	n, _ := valueOfMutex(t, m).Int()
	require.Equal(t, committed.Load(), n)
	require.Empty(t, m.queue)
	require.Empty(t, s.graph.waits)
	require.Empty(t, s.ends.of)
	m.Close()
	used, _ := s.LocksMemory()
	require.Zero(t, used)
}

// The value of a mutex keeps alive what it has handles of, as long as it has them.
func TestMutexKeepsWhatItsValueHasHandlesOf(t *testing.T) {
	s := newTestStore(t)
	keep := func() (Handle, Value) {
		w := mustOpen(t, s, SharedCounter, "", 7)
		defer w.Close()
		return Handle{w.Kind(), w.ID()}, HandleOf(w)
	}
	there := func(h Handle) bool { return s.Shared(h.ID) != nil }
	w := mustOpen(t, s, SharedCounter, "", 7)
	m := newTestMutex(t, s, "m", HandleOf(w))
	first := Handle{w.Kind(), w.ID()}
	newTestMutex(t, s, "m", HandleOf(w)).Close() // whose initial value does not count
	w.Close()
	require.True(t, there(first))
	gone, v := keep()
	require.False(t, there(gone))
	require.ErrorIs(t, m.Commit(lockMutex(t, m, 1), v), ErrStaleHandle)
	require.True(t, there(first), "the value before stands")
	_, err := s.OpenMutex("", v)
	require.ErrorIs(t, err, ErrStaleHandle)

	w = mustOpen(t, s, SharedCounter, "", 8)
	second := Handle{w.Kind(), w.ID()}
	require.ErrorIs(t, m.Commit(99, HandleOf(w)), ErrStaleHandle, "a token whose time is over keeps nothing")
	require.NoError(t, m.Commit(lockMutex(t, m, 1), HandleOf(w)))
	w.Close()
	require.False(t, there(first))
	require.True(t, there(second))
	other := newTestMutex(t, s, "", HandleOf(m))
	m.Close()
	require.True(t, s.RemoveShared(SharedMutex, "m"))
	require.True(t, there(second), "by a mutex in a mutex")
	other.Close()
	require.Empty(t, s.registry.byID)
	used, _ := s.LocksMemory()
	require.Zero(t, used)
}

// Many come and go, and leave nothing; when memory is used up that is said, and those that there are work on.
func TestFault076MutexesLeaveNothing(t *testing.T) {
	s := newTestStore(t)
	n := 100_000
	if soaking() {
		n = 1_000_000
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		name := fmt.Sprint(i)
		m := newTestMutex(t, s, name, String("some value"))
		require.NoError(t, m.Commit(lockMutex(t, m, 1), String("another value")))
		m.Close()
		require.True(t, s.RemoveShared(SharedMutex, name))
		newTestMutex(t, s, "", String("some value")).Close()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))
	require.Empty(t, s.registry.byID)
	used, _ := s.LocksMemory()
	require.Zero(t, used)

	s.SetLocksMemory(MinLocksMemory)
	var open []*Mutex
	var err error
	for err == nil {
		var m *Mutex
		if m, err = s.OpenMutex("", String(strings.Repeat("x", 100))); err == nil {
			open = append(open, m)
		}
	}
	require.ErrorIs(t, err, ErrSharedFull)
	require.ErrorContains(t, err, "locks_memory")
	require.Greater(t, len(open), 100)
	token := lockMutex(t, open[0], 1)
	_, _, err = open[0].Enqueue(2)
	require.ErrorIs(t, err, ErrSharedFull, "a place in a queue takes memory too")
	require.ErrorIs(t, open[0].Commit(token, String(strings.Repeat("y", 1000))), ErrSharedFull)
	require.NoError(t, open[0].Commit(lockMutex(t, open[0], 1), String(strings.Repeat("z", 100))), "those that there are work on")
	open[1].Close()
	newTestMutex(t, s, "", Null())
}

func BenchmarkMutex(b *testing.B) {
	m := newTestMutex(b, newTestStore(b), "m", Int(1))
	for b.Loop() {
		token, err := m.TryLock(1)
		if err == nil {
			err = m.Commit(token, Int(2))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
