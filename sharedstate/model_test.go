package sharedstate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStateMachine runs random operations against a table and a Go map side by side: every answer and, after every step,
// the whole structure must agree.
func TestStateMachine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table := uncheckedTable(t, MinMemory)
		model := map[string]Value{}

		key := rapid.Custom(func(rt *rapid.T) string {
			if rapid.IntRange(0, 9).Draw(rt, "long") == 0 {
				return strings.Repeat("long", rapid.IntRange(1, 5000).Draw(rt, "length"))
			}
			return fmt.Sprint("k", rapid.IntRange(0, 200).Draw(rt, "n"))
		})
		value := rapid.Custom(func(rt *rapid.T) Value {
			switch rapid.IntRange(0, 6).Draw(rt, "kind") {
			case 0:
				return Int(rapid.Int64Range(-1000, 1000).Draw(rt, "int"))
			case 1:
				return Float(rapid.Float64Range(-1e6, 1e6).Draw(rt, "float"))
			case 2:
				return Bool(rapid.Bool().Draw(rt, "bool"))
			case 3:
				return Null()
			case 4:
				return String(fmt.Sprint(rapid.IntRange(-5, 5).Draw(rt, "digits")))
			case 5:
				return String(strings.Repeat("v", rapid.IntRange(0, 60_000).Draw(rt, "size")))
			default:
				return String(rapid.String().Draw(rt, "text"))
			}
		})
		entries := rapid.SliceOfNDistinct(rapid.Custom(func(rt *rapid.T) Entry {
			return Entry{key.Draw(rt, "key"), value.Draw(rt, "value")}
		}), 0, 40, func(e Entry) string { return e.Key })

		// failed accepts an error only where the table is full, and says whether there was one.
		failed := func(err error) bool {
			if err != nil {
				require.ErrorIs(rt, err, ErrTableFull)
			}
			return err != nil
		}
		same := func(rt *rapid.T, want, got map[string]Value) {
			require.Len(rt, got, len(want))
			for k, v := range want {
				require.True(rt, v.Equal(got[k]), "%q: %v is not %v", k, got[k], v)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"set": func(rt *rapid.T) {
				k, v := key.Draw(rt, "key"), value.Draw(rt, "value")
				if !failed(table.Set(k, v)) {
					model[k] = v
				}
			},
			"get": func(rt *rapid.T) {
				k := key.Draw(rt, "key")
				got, ok := table.Get(k)
				want, has := model[k]
				require.Equal(rt, has, ok)
				require.True(rt, !has || want.Equal(got))
				require.Equal(rt, has, table.Has(k))
			},
			"delete": func(rt *rapid.T) {
				k := key.Draw(rt, "key")
				gone, err := table.Delete(k)
				require.NoError(rt, err)
				_, had := model[k]
				require.Equal(rt, had, gone)
				delete(model, k)
			},
			"increment": func(rt *rapid.T) {
				k, by := key.Draw(rt, "key"), Int(rapid.Int64Range(-9, 9).Draw(rt, "by"))
				old, had := model[k]
				if !had {
					old = Int(0)
				}
				if s, ok := old.Str(); ok {
					if n, canonical := canonicalInt(s); canonical {
						old = Int(n)
					}
				}
				got, err := table.Increment(k, by)
				if !old.isNumber() {
					require.ErrorIs(rt, err, ErrNotNumber)
				} else if !failed(err) {
					want, err := addNumbers(old, by, false)
					require.NoError(rt, err)
					require.True(rt, want.Equal(got))
					model[k] = want
				}
			},
			"merge": func(rt *rapid.T) {
				list := entries.Draw(rt, "entries")
				if !failed(table.Merge(list)) {
					for _, e := range list {
						model[e.Key] = e.Value
					}
				}
			},
			"replace": func(rt *rapid.T) {
				list := entries.Draw(rt, "entries")
				var old Rows
				if !failed(table.Replace(list, &old)) {
					had := map[string]Value{}
					for r := range old.All() {
						had[r.Key] = r.Value
					}
					same(rt, model, had)
					clear(model)
					for _, e := range list {
						model[e.Key] = e.Value
					}
				}
			},
			"clear": func(rt *rapid.T) {
				require.NoError(rt, table.Clear())
				clear(model)
			},
			"deletePrefix": func(rt *rapid.T) {
				prefix := fmt.Sprint("k", rapid.IntRange(1, 20).Draw(rt, "prefix"))
				want := 0
				for k := range model {
					if strings.HasPrefix(k, prefix) {
						delete(model, k)
						want++
					}
				}
				got, err := table.DeletePrefix(prefix)
				require.NoError(rt, err)
				require.Equal(rt, want, got)
			},
			"": func(rt *rapid.T) {
				awaitSweep(table)
				require.Equal(rt, len(model), table.Len())
				same(rt, model, table.Snapshot())
				require.NoError(rt, table.Check())
				require.LessOrEqual(rt, table.Stats().MemoryUsed, uint64(MinMemory))
			},
		})
	})
}
