package sharedstate

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// alive says whether an object still is, once what rows have let go of is released.
func (s *Store) alive(o Shared) bool {
	s.registry.parted(0)
	return s.Shared(o.ID()) != nil
}

func TestHandlesAreValues(t *testing.T) {
	s := newTestStore(t)
	w := mustOpen(t, s, SharedCounter, "", 5)
	h, ok := HandleOf(w).Handle()
	require.True(t, ok)
	require.Equal(t, Handle{SharedCounter, w.ID()}, h)
	v, err := Of(map[string]any{"counter": h, "list": []any{1, h}})
	require.NoError(t, err)
	require.Equal(t, []Handle{h, h}, v.handles())
	plain, err := v.Any()
	require.NoError(t, err)
	require.Equal(t, map[string]any{"counter": h, "list": []any{int64(1), h}}, plain)
	again, err := s.OpenShared(h)
	require.NoError(t, err)
	require.Same(t, w, again)
	_, err = s.OpenShared(Handle{SharedFlag, w.ID()})
	require.ErrorIs(t, err, ErrStaleHandle)
	require.Equal(t, "counter 1", HandleOf(w).String())
}

// Whatever becomes of a row, the objects that it leads to live exactly as long.
func TestRowsKeepObjectsAlive(t *testing.T) {
	long := String(strings.Repeat("x", 100_000)) // a row of many cells
	ways := map[string]func(t *testing.T, table *Table){
		"overwrite": func(t *testing.T, table *Table) { require.NoError(t, table.Set("k", Int(1))) },
		"merge": func(t *testing.T, table *Table) {
			require.NoError(t, table.Merge([]Entry{{"k", Int(1)}, {"l", Int(2)}}))
		},
		"delete": func(t *testing.T, table *Table) { _, err := table.Delete("k"); require.NoError(t, err) },
		"delete many": func(t *testing.T, table *Table) {
			_, err := table.DeleteMany([]string{"k"})
			require.NoError(t, err)
		},
		"pull":    func(t *testing.T, table *Table) { _, _, err := table.Pull("k"); require.NoError(t, err) },
		"replace": func(t *testing.T, table *Table) { require.NoError(t, table.Replace(nil, &Rows{})); table.sweep() },
		"clear":   func(t *testing.T, table *Table) { require.NoError(t, table.Clear()); table.sweep() },
		"expiry": func(t *testing.T, table *Table) {
			require.NoError(t, table.PutMany([]Entry{{"k", mustGet(t, table, "k")}}, time.Millisecond))
			time.Sleep(2 * time.Millisecond)
			table.sweep()
		},
		"eviction": func(t *testing.T, table *Table) {
			for i := range 200_000 {
				require.NoError(t, table.Set(StringKey("fill").String()+IntKey(int64(i)).String(), Int(int64(i))))
			}
		},
		"drop": func(t *testing.T, table *Table) { require.NoError(t, table.store.Drop(table.Name())) },
		"clear and resize": func(t *testing.T, table *Table) {
			table.sweeping.Store(true) // no sweep
			require.NoError(t, table.Clear())
			_, err := table.Resize(4 << 20)
			require.NoError(t, err)
		},
	}
	for name, way := range ways {
		for _, beside := range []Value{Null(), long} {
			t.Run(name, func(t *testing.T) {
				s := newTestStore(t)
				o := DefaultOptions()
				o.Memory = 2 << 20
				table, err := s.Define("handles", o)
				require.NoError(t, err)
				w := mustOpen(t, s, SharedFlag, "", 1)
				require.NoError(t, table.Set("k", list(HandleOf(w), beside, HandleOf(w))))
				w.Close()
				require.True(t, s.alive(w))
				if _, err = table.Resize(3 << 20); name != "eviction" {
					require.NoError(t, err)
				}
				require.True(t, s.alive(w), "the copy keeps it")
				require.Equal(t, 2, w.refs)
				require.NoError(t, table.Set("other", HandleOf(w)))
				require.NoError(t, table.Set("other", Null()))
				require.True(t, s.alive(w))
				way(t, table)
				require.False(t, s.alive(w))
				err = table.Set("k", HandleOf(w))
				if name != "drop" {
					require.ErrorIs(t, err, ErrStaleHandle)
				}
				used, _ := s.LocksMemory()
				require.Zero(t, used)
			})
		}
	}
}

func mustGet(t testing.TB, table *Table, key string) Value {
	t.Helper()
	v, ok := table.Get(key)
	require.True(t, ok)
	return v
}

func TestChannelsKeepObjectsAlive(t *testing.T) {
	s := newTestStore(t)
	w := mustOpen(t, s, SharedCounter, "", 1)
	inner, outer := mustOpenChannel(t, s, "", 2), mustOpenChannel(t, s, "", 2)
	mustSend(t, inner, HandleOf(w))
	mustSend(t, outer, list(HandleOf(inner)))
	w.Close()
	inner.Close()
	require.True(t, s.alive(w))
	d, _, err := outer.StartReceive(false, 1)
	require.NoError(t, err)
	require.True(t, s.alive(inner), "until the delivery is accepted")
	d.Return()
	outer.Close()
	require.False(t, s.alive(outer))
	require.False(t, s.alive(inner), "what it held goes with it")
	require.False(t, s.alive(w))
}

// A handle opens its own object or fails, however the row that holds it comes and goes.
func TestHandlesRace(t *testing.T) {
	s := newTestStore(t)
	table, err := s.Define("handles", DefaultOptions())
	require.NoError(t, err)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if v, ok := table.Get("k"); ok {
					h, _ := v.Handle()
					o, err := s.OpenShared(h)
					if err != nil {
						t.Error("a reader came too late", err)
						return
					}
					if o.ID() != h.ID || o.(*Word).Load() != int64(h.ID) {
						t.Error("another's cell")
					}
					o.Close()
				}
			}
		})
	}
	for range 20_000 {
		w := mustOpen(t, s, SharedCounter, "", 0)
		w.Swap(int64(w.ID()))
		require.NoError(t, table.Set("k", HandleOf(w)))
		w.Close()
	}
	close(stop)
	wg.Wait()
}
