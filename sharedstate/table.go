package sharedstate

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Table is one named set of keys. Make it with [Store.Define].
type Table struct {
	name    string
	store   *Store
	control *control
	seed    uint64 // of the hash
	mask    uint64 // len(stripes) - 1
	stripes []stripe
	arena   atomic.Pointer[arena]   // stored with every stripe held; who holds one loads the arena that counts
	options atomic.Pointer[Options] // stored under configuring

	generations atomic.Uint64 // changes of the generation, a part of Version
	handles     atomic.Bool   // there has been a row that holds handles
	refused     atomic.Uint64
	listeners   listeners
	sweeping    atomic.Bool
	turned      atomic.Int64 // shares that stripes have turned over since the policies' clock last moved
	keeping     sync.Mutex   // held by what works in the background, and by Check
	draining    sync.Mutex   // one drainPages at a time
	nextSweep   time.Time    // the janitor's
	configuring sync.Mutex   // one Reconfigure or Resize at a time
}

// newTable lays a table out.
func newTable(s *Store, name string, id uint32, o Options, procs int) (*Table, error) {
	p := planFor(o.Memory, stripesFor(o.Memory, procs))
	c, err := newControl(name, id, p.stripes)
	if err != nil {
		return nil, err
	}
	a, err := newArena(p)
	if err != nil {
		return nil, err
	}
	t := &Table{name: name, store: s, control: c, seed: s.seed, mask: uint64(p.stripes - 1), stripes: make([]stripe, p.stripes)}
	for i := range t.stripes {
		line := c.line(i)
		t.stripes[i].line, t.stripes[i].version, t.stripes[i].mu = line, &line.version, newStripeLock(&line.lock)
		t.stripes[i].soonest = math.MaxUint64
	}
	t.listeners.count = &c.listeners
	t.arena.Store(a)
	if err := t.apply(o); err != nil {
		return nil, err
	}
	c.generation.Store(nextGeneration())
	for i := range t.stripes {
		t.stripes[i].swept = c.generation.Load()
	}
	c.descriptor.Store(a.descriptorAddress())
	return t, nil
}

// generations come from one counter for the process, so that no two tables, or two lives of one, share any.
var lastGeneration atomic.Uint64

func nextGeneration() uint64 { return lastGeneration.Add(1) }

func (t *Table) apply(o Options) error {
	objects, err := classList(o)
	if err != nil {
		return err
	}
	o.ObjectClasses = slices.Clone(o.ObjectClasses)
	t.options.Store(&o)
	t.control.maxValue.Store(uint64(o.MaxValue))
	t.control.maxKey.Store(uint32(o.MaxKey))
	t.control.eviction.Store(uint32(o.Eviction.Policy))
	t.control.objects.Store(objects)
	return nil
}

// Reconfigure changes everything but the memory, which is Resize's, at once and for all threads. Values that are stored already stay.
func (t *Table) Reconfigure(o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	t.configuring.Lock()
	defer t.configuring.Unlock()
	o.Memory = t.Options().Memory
	return t.apply(o)
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// Options are the settings in force.
func (t *Table) Options() Options { return *t.options.Load() }

// Control is the address of the block that the C reader follows; valid as long as the process.
func (t *Table) Control() uintptr { return addressOf(t.control) }

// ID is the table's number over the bridge.
func (t *Table) ID() uint32 { return t.control.id }

// stripeOf is the stripe of a hash; the mask keeps it below len(t.stripes).
func (t *Table) stripeOf(h hash) *stripe { return &t.stripes[h.high&t.mask] }

// admit checks a key and a value against the table's limits, before anything is touched.
func (t *Table) admit(key string, v *Value) error {
	if err := t.usable(); err != nil {
		return err
	}
	o := t.options.Load()
	if len(key) > o.MaxKey {
		return fmt.Errorf("%w: key %s has %d bytes, the limit of table %q is %d", ErrKeyTooLong, quoteKey(key), len(key), t.name, o.MaxKey)
	}
	if int64(len(v.data)) > o.MaxValue {
		return fmt.Errorf("%w: %d bytes for key %s, the limit of table %q is max_value = %d bytes", ErrValueTooLarge, len(v.data), quoteKey(key), t.name, o.MaxValue)
	}
	if a := t.arena.Load(); !a.fits(len(key) + len(v.data)) {
		return fmt.Errorf("%w: %d bytes for key %s do not fit table %q with %d bytes of memory", ErrValueTooLarge, len(v.data), quoteKey(key), t.name, o.Memory)
	}
	return t.store.registry.check(v)
}

// usable says why a table takes no writes.
func (t *Table) usable() error {
	switch closed := t.control.closed.Load(); {
	case closed == 0:
		return nil
	case closed&ClosedDropped != 0:
		return fmt.Errorf("%w %q: it was removed", ErrUnknownTable, t.name)
	default:
		return fmt.Errorf("%w: table %q", ErrDamaged, t.name)
	}
}

// quoteKey shows a key in a message, cut to a length that fits one.
func quoteKey(key string) string {
	if len(key) > 64 {
		return fmt.Sprintf("%q…", key[:64])
	}
	return fmt.Sprintf("%q", key)
}

// full is the error for a table without room.
func (t *Table) full(key string, size int) error {
	t.refused.Add(1)
	return fmt.Errorf("%w: no room for %d bytes of key %s in table %q with %d bytes of memory", ErrTableFull, size, quoteKey(key), t.name, t.Options().Memory)
}

// unlock ends a stripe's hold. A panic under the lock, seen by finished being false, leaves the table readable and refuses
// every later write.
func (t *Table) unlock(s *stripe, finished *bool) {
	if !*finished {
		t.control.closed.Or(ClosedDamaged)
	}
	s.mu.Unlock()
}

// Version counts the table's finished changes. It never falls; two equal answers mean that nothing changed between them.
func (t *Table) Version() uint64 {
	n := t.generations.Load()
	for i := range t.stripes {
		n += t.stripes[i].version.Load() / 2
	}
	return n
}

// Admit says why the table would refuse a value, but for a lack of room: nil, ErrKeyTooLong, ErrValueTooLarge, ErrDamaged or ErrUnknownTable.
func (t *Table) Admit(key string, v Value) error { return t.admit(key, &v) }
