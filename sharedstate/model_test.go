package sharedstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStateMachine runs random operations against a table and a Go map side by side: every answer and, after every step,
// the whole structure must agree. Time is the machine's own, and evictions are told by events.
func TestStateMachine(t *testing.T) {
	for name, policy := range map[string]EvictionPolicy{"none": EvictNone, "lru": EvictLRU, "lfu": EvictLFU, "ttl": EvictTTL} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				m := newMachine(t, policy)
				rt.Repeat(rapid.StateMachineActions(m))
			})
		})
	}
}

// machine is a table beside a map of what it should hold. Lives are in whole hours, and half an hour more than the hours that
// pass, so that the real time of a run makes no difference.
type machine struct {
	table  *Table
	values map[string]modelled
	hours  int
	policy EvictionPolicy
}

type modelled struct {
	value Value
	until int // the hour, the first being 1, at which it has expired; 0 for never
}

func newMachine(t testing.TB, policy EvictionPolicy) *machine {
	m := &machine{values: map[string]modelled{}, policy: policy, hours: 1}
	m.table = tableWith(t, func(o *Options) {
		o.Memory, o.Eviction = MinMemory, Eviction{Policy: policy, Proportion: 0.05} // no buffer: only writes evict
	})
	m.table.Subscribe(func(e Event) {
		if e.Op == OpEvict {
			delete(m.values, strings.Clone(e.Key))
		}
	})
	return m
}

func (m *machine) key(rt *rapid.T) string {
	if rapid.IntRange(0, 9).Draw(rt, "long") == 0 {
		return strings.Repeat("long", rapid.IntRange(1, 5000).Draw(rt, "length"))
	}
	return fmt.Sprint("k", rapid.IntRange(0, 200).Draw(rt, "n"))
}

func (m *machine) value(rt *rapid.T) Value {
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
}

func (m *machine) entries(rt *rapid.T) []Entry {
	return rapid.SliceOfNDistinct(rapid.Custom(func(rt *rapid.T) Entry {
		return Entry{m.key(rt), m.value(rt)}
	}), 0, 40, func(e Entry) string { return e.Key }).Draw(rt, "entries")
}

// ttl draws a time to live and the hour at which it ends.
func (m *machine) ttl(rt *rapid.T) (ttl time.Duration, until int) {
	switch n := rapid.IntRange(-1, 5).Draw(rt, "hours"); {
	case n == 5:
		return Forever, 0
	case n < 0:
		return time.Duration(n) * time.Hour, m.hours
	default:
		return time.Duration(n)*time.Hour + time.Hour/2, m.hours + n + 1
	}
}

// has answers what there is under a key now.
func (m *machine) has(key string) (modelled, bool) {
	v, ok := m.values[key]
	return v, ok && (v.until == 0 || v.until > m.hours)
}

func (m *machine) put(key string, v Value, until int) {
	if until != 0 && until <= m.hours {
		delete(m.values, key)
	} else {
		m.values[key] = modelled{v, until}
	}
}

// failed accepts an error only where the table is full, and says whether there was one.
func (m *machine) failed(rt *rapid.T, err error) bool {
	if err != nil {
		require.ErrorIs(rt, err, ErrTableFull)
	}
	return err != nil
}

func (m *machine) same(rt *rapid.T, got map[string]Value) {
	want := maps.Clone(m.values)
	maps.DeleteFunc(want, func(k string, _ modelled) bool { _, ok := m.has(k); return !ok })
	require.Len(rt, got, len(want))
	for k, v := range want {
		require.True(rt, v.value.Equal(got[k]), "%q: %v is not %v", k, got[k], v.value)
	}
}

func (m *machine) Wait(*rapid.T) {
	m.hours++
	skew.Add(int64(time.Hour))
}

func (m *machine) Put(rt *rapid.T) {
	k, v := m.key(rt), m.value(rt)
	ttl, until := m.ttl(rt)
	if !m.failed(rt, m.table.Put(k, v, ttl)) {
		m.put(k, v, until)
	}
}

func (m *machine) Add(rt *rapid.T) {
	k, v := m.key(rt), m.value(rt)
	ttl, until := m.ttl(rt)
	_, had := m.has(k)
	added, err := m.table.Add(k, v, ttl)
	if !m.failed(rt, err) {
		require.Equal(rt, !had, added)
		if added {
			m.put(k, v, until)
		}
	}
}

func (m *machine) CompareAndSet(rt *rapid.T) {
	k, v, old := m.key(rt), m.value(rt), m.value(rt)
	was, had := m.has(k)
	if had && rapid.Bool().Draw(rt, "right") {
		old = was.value
	}
	done, err := m.table.CompareAndSet(k, old, v)
	if !m.failed(rt, err) {
		require.Equal(rt, had && was.value.Equal(old), done)
		if done {
			m.values[k] = modelled{v, was.until}
		}
	}
}

func (m *machine) Touch(rt *rapid.T) {
	k := m.key(rt)
	ttl, until := m.ttl(rt)
	was, had := m.has(k)
	live, err := m.table.Touch(k, ttl)
	require.NoError(rt, err)
	require.Equal(rt, had, live)
	if had {
		m.put(k, was.value, until)
	}
}

func (m *machine) Get(rt *rapid.T) {
	k := m.key(rt)
	got, ok := m.table.Get(k)
	want, has := m.has(k)
	require.Equal(rt, has, ok)
	require.True(rt, !has || want.value.Equal(got))
	ttl, ok := m.table.TTL(k)
	require.Equal(rt, has, ok)
	if has {
		require.Equal(rt, want.until == 0, ttl == Forever)
	}
}

func (m *machine) Delete(rt *rapid.T) {
	k := m.key(rt)
	gone, err := m.table.Delete(k)
	require.NoError(rt, err)
	_, had := m.has(k)
	require.Equal(rt, had, gone)
	delete(m.values, k)
}

func (m *machine) Pull(rt *rapid.T) {
	k := m.key(rt)
	v, ok, err := m.table.Pull(k)
	require.NoError(rt, err)
	want, had := m.has(k)
	require.Equal(rt, had, ok)
	require.True(rt, !had || want.value.Equal(v))
	delete(m.values, k)
}

func (m *machine) Increment(rt *rapid.T) {
	k, by := m.key(rt), Int(rapid.Int64Range(-9, 9).Draw(rt, "by"))
	ttl, until := m.ttl(rt)
	old, had := m.has(k)
	if !had {
		old = modelled{Int(0), until}
	}
	if s, ok := old.value.Str(); ok {
		if n, canonical := canonicalInt(s); canonical {
			old.value = Int(n)
		}
	}
	got, err := m.table.Increment(k, by, ttl)
	if !old.value.isNumber() {
		require.ErrorIs(rt, err, ErrNotNumber)
	} else if !m.failed(rt, err) {
		want, err := addNumbers(old.value, by, false)
		require.NoError(rt, err)
		require.True(rt, want.Equal(got))
		m.put(k, want, old.until)
	}
}

func (m *machine) PutMany(rt *rapid.T) {
	list := m.entries(rt)
	ttl, until := m.ttl(rt)
	if !m.failed(rt, m.table.PutMany(list, ttl)) {
		for _, e := range list {
			m.put(e.Key, e.Value, until)
		}
	}
}

func (m *machine) DeleteMany(rt *rapid.T) {
	keys := rapid.SliceOfN(rapid.Custom(m.key), 0, 40).Draw(rt, "keys")
	want := 0
	for _, k := range keys {
		if _, had := m.has(k); had {
			want++
		}
		delete(m.values, k)
	}
	got, err := m.table.DeleteMany(keys)
	require.NoError(rt, err)
	require.Equal(rt, want, got)
}

func (m *machine) Replace(rt *rapid.T) {
	list := m.entries(rt)
	var old Rows
	if !m.failed(rt, m.table.Replace(list, &old)) {
		m.same(rt, old.values())
		clear(m.values)
		for _, e := range list {
			m.put(e.Key, e.Value, 0)
		}
	}
}

// Transact does several things in one transaction, which may run again when its own need for room has evicted what it has read.
func (m *machine) Transact(rt *rapid.T) {
	type step struct {
		op, key string
		value   Value
		ttl     time.Duration
		until   int
	}
	steps := make([]step, rapid.IntRange(1, 12).Draw(rt, "steps"))
	for i := range steps {
		s := &steps[i]
		s.op, s.key, s.value = rapid.SampledFrom([]string{"put", "put", "delete", "expire", "get", "find", "clear"}).Draw(rt, "op"), m.key(rt), m.value(rt)
		if there := slices.Sorted(maps.Keys(m.values)); len(there) > 0 && rapid.Bool().Draw(rt, "there") {
			s.key = rapid.SampledFrom(there).Draw(rt, "known")
		}
		if s.ttl, s.until = m.ttl(rt); s.ttl <= 0 {
			s.ttl, s.until = Forever, 0
		}
	}
	var done map[string]*modelled // nil for what was removed
	var cleared bool
	has := func(key string) (modelled, bool) {
		if v, written := done[key]; written && v != nil {
			return *v, true
		} else if written || cleared {
			return modelled{}, false
		}
		return m.has(key)
	}
	err := m.table.store.Transact(func(tx *Tx) error {
		done, cleared = make(map[string]*modelled), false
		for _, s := range steps {
			was, had := has(s.key)
			switch s.op {
			case "put":
				if err := tx.Put(m.table, s.key, s.value, Expiry(s.ttl)); err != nil {
					return err
				}
				done[s.key] = &modelled{s.value, s.until}
			case "delete":
				require.Equal(rt, had, tx.Delete(m.table, s.key))
				done[s.key] = nil
			case "expire":
				require.Equal(rt, had, tx.Expire(m.table, s.key, Expiry(s.ttl)))
				if had {
					done[s.key] = &modelled{was.value, s.until}
				}
			case "get":
				v, expiry, ok := tx.Get(m.table, s.key)
				require.Equal(rt, had, ok)
				require.True(rt, !had || v.Equal(was.value) && (expiry == 0) == (was.until == 0))
			case "find":
				f, ok := tx.Find(m.table, s.key)
				require.Equal(rt, had, ok)
				require.True(rt, !had || f.Kind == was.value.Kind() && (f.Expiry == 0) == (was.until == 0))
			case "clear":
				tx.Clear(m.table)
				done, cleared = make(map[string]*modelled), true
			}
		}
		return nil
	})
	if m.failed(rt, err) {
		return
	}
	if cleared {
		clear(m.values)
	}
	for key, v := range done {
		if v == nil {
			delete(m.values, key)
		} else {
			m.values[key] = *v
			ttl, ok := m.table.TTL(key)
			require.True(rt, ok && (ttl == Forever) == (v.until == 0), "%q has %s to live", key, ttl)
		}
	}
}

func (m *machine) Clear(rt *rapid.T) {
	require.NoError(rt, m.table.Clear())
	clear(m.values)
}

func (m *machine) DeletePrefix(rt *rapid.T) {
	prefix := fmt.Sprint("k", rapid.IntRange(1, 20).Draw(rt, "prefix"))
	want := 0
	for k := range m.values {
		if strings.HasPrefix(k, prefix) {
			if _, had := m.has(k); had {
				want++
			}
			delete(m.values, k)
		}
	}
	got, err := m.table.DeletePrefix(prefix)
	require.NoError(rt, err)
	require.Equal(rt, want, got)
}

func (m *machine) Sweep(rt *rapid.T) {
	_, err := m.table.Sweep()
	require.NoError(rt, err)
	require.Equal(rt, len(m.table.Snapshot()), m.table.Len(), "what has expired is counted no more")
}

func (m *machine) Check(rt *rapid.T) {
	awaitSweep(m.table)
	m.same(rt, m.table.Snapshot())
	require.Equal(rt, len(m.table.Snapshot()), m.table.Len())
	require.NoError(rt, m.table.Check())
	require.LessOrEqual(rt, m.table.Stats().MemoryUsed, uint64(MinMemory))
	if m.policy == EvictNone {
		require.Zero(rt, m.table.Stats().Evicted)
	}
}
