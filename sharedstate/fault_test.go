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
