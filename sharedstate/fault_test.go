//go:build faults

package sharedstate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A panic with a stripe held releases it, leaves the table readable and makes every later write fail.
func TestPanicUnderLockDamagesTheTable(t *testing.T) {
	for _, point := range []string{"open", "linked", "merge"} {
		t.Run(point, func(t *testing.T) {
			table := uncheckedTable(t, MinMemory)
			require.NoError(t, table.Set("old", String("stays")))
			SetFaultHook(func(at string) {
				if at == point {
					panic("on purpose")
				}
			})
			defer SetFaultHook(nil)
			require.Panics(t, func() {
				if point == "merge" {
					_ = table.Merge([]Entry{{"a", String("x")}, {"b", String("y")}})
				} else {
					_ = table.Set("k", String("x"))
				}
			})
			SetFaultHook(nil)
			v, ok := table.Get("old")
			require.True(t, ok)
			require.True(t, v.Equal(String("stays")))
			require.ErrorIs(t, table.Set("old", Int(1)), ErrDamaged)
			_, err := table.Delete("old")
			require.ErrorIs(t, err, ErrDamaged)
			_, err = table.Increment("n", Int(1), Forever)
			require.ErrorIs(t, err, ErrDamaged)
			require.ErrorIs(t, table.Merge([]Entry{{"a", Int(1)}}), ErrDamaged)
			require.ErrorIs(t, table.Replace(nil, &Rows{}), ErrDamaged)
			require.ErrorIs(t, table.Clear(), ErrDamaged)
			require.NotPanics(t, func() { table.Snapshot(); table.Stats(); table.Len() })
		})
	}
}

// A panic of our own while a mutex is held corrupts it: who waits fails, and so does who comes later; the register is what it was.
func TestPanicInCommitCorruptsTheMutex(t *testing.T) {
	s := newTestStore(t)
	m := newTestMutex(t, s, "m", Int(1))
	token := lockMutex(t, m, 1)
	_, turn, err := m.Enqueue(2)
	require.NoError(t, err)
	SetFaultHook(func(at string) {
		if at == "commit" {
			panic("on purpose")
		}
	})
	defer SetFaultHook(nil)
	require.Panics(t, func() { _ = m.Commit(token, Int(2)) })
	SetFaultHook(nil)
	_, err = turn.Wait(pass)
	require.ErrorIs(t, err, ErrCorrupted)
	require.Zero(t, turn.Leave())
	_, err = m.TryLock(3)
	require.ErrorIs(t, err, ErrCorrupted)
	_, _, err = m.Enqueue(3)
	require.ErrorIs(t, err, ErrCorrupted)
	require.ErrorContains(t, err, `mutex "m"`)
	require.ErrorIs(t, m.Commit(token, Int(2)), ErrStaleHandle)
	require.Empty(t, s.graph.waits)
	require.Empty(t, s.ends.of)
	m.Close()
	require.True(t, s.RemoveShared(SharedMutex, "m"), "its name can be given to a new one")
	lockMutex(t, newTestMutex(t, s, "m", Int(1)), 1)
	s.EndRequest(1)
	require.True(t, s.RemoveShared(SharedMutex, "m"))
}
