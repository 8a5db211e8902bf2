package sharedstate

import (
	"fmt"
	"sync"
	"time"
)

// A stored value that has handles of shared objects keeps them alive: each handle counts as a reference, from when the value is stored to
// when it is there no more. Rows of such values have FlagHandles, so that no others pay.
//
// A row's references go a while after the row: who has read it a moment before, or has just taken it out, has still to open what it
// leads to. Numbers are never used again, so that one who comes too late finds that the object is gone, and no other.

// parting is how long the references of a row that is gone stay at least, and shortParting where memory is short.
const (
	parting      = time.Second
	shortParting = 100 * time.Millisecond
)

// partings are the values of rows that are gone, oldest first. Its lock is a leaf.
type partings struct {
	mu     sync.Mutex
	values []Value
	since  []uint64
}

// check fails with ErrStaleHandle when an object is gone that a value has a handle of.
func (r *registry) check(v *Value) error {
	for _, h := range v.handles() {
		if o := r.find(h.ID); o == nil || o.kind != h.Kind {
			return fmt.Errorf("%w: %s", ErrStaleHandle, h)
		}
	}
	return nil
}

// retain counts a reference on each object that a value has a handle of. One that is gone has no count, neither here nor in release.
func (r *registry) retain(v *Value) {
	for _, h := range v.handles() {
		r.mu.Lock()
		if o := r.byID[h.ID]; o != nil {
			o.refs++
		}
		r.mu.Unlock()
	}
}

// release takes back what retain counted for the values. An object that goes may hold values in its turn.
func (r *registry) release(values ...Value) {
	for len(values) > 0 {
		v := values[len(values)-1]
		values = values[:len(values)-1]
		for _, h := range v.handles() {
			if o := r.find(h.ID); o != nil && r.changed(o, func() { o.refs-- }) {
				values = append(values, o.self.free()...)
			}
		}
	}
}

// part releases a value later. Stripes may be held.
func (r *registry) part(v Value) {
	p := &r.partings
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values, p.since = append(p.values, v), append(p.since, now())
}

// parted releases what has parted before that long, and says whether that was anything.
func (r *registry) parted(before time.Duration) bool {
	p := &r.partings
	p.mu.Lock()
	due := 0
	for limit := now() - uint64(before); due < len(p.since) && p.since[due] <= limit; {
		due++
	}
	values := p.values[:due:due]
	p.values, p.since = p.values[due:], p.since[due:]
	p.mu.Unlock()
	r.release(values...)
	return due > 0
}

// holdsHandles says whether a row does. It is nobody's yet, or its stripe is held.
func (r *row) holdsHandles() bool { return r.flags&FlagHandles != 0 }

// valueOf copies a row's value.
func (a *arena) valueOf(units uint64) Value {
	r := a.row(units)
	data := a.appendBytes(nil, units, int(r.keyLen), int(r.keyLen+r.valueLen))
	return Value{kind: r.kind, flags: r.flags, number: r.number.Load(), data: stringOf(data)}
}

// holdLocked counts the references of a row that is linked, and partLocked has those go of one that is unlinked.
func (t *Table) holdLocked(a *arena, units uint64) {
	if a.row(units).holdsHandles() {
		t.handles.Store(true)
		v := a.valueOf(units)
		t.store.registry.retain(&v)
	}
}

func (t *Table) partLocked(a *arena, units uint64) {
	if a.row(units).holdsHandles() {
		t.store.registry.part(a.valueOf(units))
	}
}

// partAll has the references go of all rows of an arena that is the table's no more.
func (t *Table) partAll(a *arena) {
	if !t.handles.Load() {
		return
	}
	for i := range uint64(len(t.stripes)) {
		for pos := range a.homes {
			a.walk(a.homeAt(i, pos), func(b *bucket, first int) bool {
				for j := first; j < BucketLink; j++ {
					if units := slotUnits(b[j].Load()); units != 0 {
						t.partLocked(a, units)
					}
				}
				return true
			})
		}
	}
}
