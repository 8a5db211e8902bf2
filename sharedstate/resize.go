package sharedstate

import (
	"fmt"
	"sync/atomic"
)

// Resize gives the table another amount of memory and keeps its rows. Rows that do not fit are dropped and counted; which
// ones is not defined. Readers and writers go on meanwhile: the rows are copied to a new arena a stripe at a time, and only
// the stripes that changed since are copied again while all are held for the swap. Until no PHP thread can read the old
// arena any more, both count: see Stats.Buried.
func (t *Table) Resize(memory int64) (dropped int, err error) {
	o := t.Options()
	o.Memory = memory
	if err := o.Validate(); err != nil {
		return 0, fmt.Errorf("table %q: %w", t.name, err)
	}
	t.configuring.Lock()
	defer t.configuring.Unlock()
	if err := t.usable(); err != nil {
		return 0, err
	}
	if memory == t.Options().Memory {
		return 0, nil
	}
	to, err := newArena(planFor(memory, len(t.stripes)))
	if err != nil {
		return 0, fmt.Errorf("table %q: %w", t.name, err)
	}
	m := &move{table: t, from: t.arena.Load(), to: to}
	m.begin()
	for range 3 {
		for i := range t.stripes {
			m.copyStripe(i)
		}
	}
	m.swap(memory)
	t.partAll(m.from)
	t.store.grave.bury(t.store.threads, m.from)
	for i := range m.stripes {
		dropped += m.stripes[i].dropped
		for _, key := range m.stripes[i].lost {
			t.notify(Event{Op: OpEvict, Key: key})
		}
	}
	return dropped, nil
}

// move is a resize under way. The new arena is its own until the swap.
type move struct {
	table      *Table
	from, to   *arena
	generation uint64 // of the rows that are copied
	stamp      uint64 // the generation that they get, and the table with the swap
	stripes    []moved
	key, value []byte
}

// moved is what is known of one stripe's copy.
type moved struct {
	version uint64 // of the stripe, when it was copied
	copied  bool
	counts  stripeCounts
	dropped int
	lost    []string // the keys of what is dropped, if that is to be told
}

// begin starts over with the table's present generation.
func (m *move) begin() {
	for i := range m.stripes {
		m.empty(i)
	}
	m.generation, m.stamp = m.table.control.generation.Load(), nextGeneration()
	m.stripes = make([]moved, len(m.table.stripes))
}

// copyStripe copies a stripe unless the copy there is of its present version.
func (m *move) copyStripe(i int) {
	s := &m.table.stripes[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	m.copyStripeLocked(i)
}

func (m *move) copyStripeLocked(i int) {
	version := m.table.stripes[i].version.Load()
	if m.stripes[i].copied && m.stripes[i].version == version {
		return
	}
	if m.stripes[i].copied {
		m.empty(i)
	}
	m.stripes[i] = moved{version: version, copied: true}
	for pos := range m.from.homes {
		m.from.liveLocked(m.from.homeAt(uint64(i), pos), m.generation, func(slot *atomic.Uint64, units uint64) {
			if !m.insertLocked(i, slot, units) {
				m.stripes[i].dropped++
				if m.table.listened() {
					m.stripes[i].lost = append(m.stripes[i].lost, string(m.key))
				}
			}
		})
	}
}

// insertLocked copies one row; false when it does not fit.
func (m *move) insertLocked(i int, slot *atomic.Uint64, units uint64) bool {
	r := m.from.row(units)
	m.key = m.from.appendBytes(m.key[:0], units, 0, int(r.keyLen))
	m.value = m.from.appendBytes(m.value[:0], units, int(r.keyLen), int(r.keyLen+r.valueLen))
	key := stringOf(m.key)
	v := Value{kind: r.kind, flags: r.flags, number: r.number.Load(), data: stringOf(m.value)}
	row := m.to.build(key, &v, r.expiry.Load(), anyCell)
	if row == 0 {
		return false
	}
	m.to.row(row).generation = m.stamp
	h := hashOf(key, m.table.seed)
	home := m.to.home(uint64(i), h.low)
	p := m.to.freeSlot(home)
	if p.slot == nil {
		link := m.to.cells.takeBucket(anyCell)
		if link == 0 {
			m.to.discard(row)
			return false
		}
		p.last[BucketLink].Store(link)
		p.slot = &m.to.overflow(link)[0]
		m.stripes[i].counts.overflow++
	}
	m.table.holdLocked(m.to, row)
	p.slot.Store(m.to.slotWord(h.tag(), row))
	metaOf(p.slot).due.Store(metaOf(slot).due.Load())
	metaOf(p.slot).use.Store(metaOf(slot).use.Load())
	m.stripes[i].counts.add(m.to.row(row), 1)
	return true
}

// freeSlot finds an empty slot of a chain, or the bucket to link another one to.
func (a *arena) freeSlot(home *bucket) (p place) {
	a.walk(home, func(b *bucket, first int) bool {
		p.last = b
		for i := first; i < BucketLink; i++ {
			if b[i].Load() == 0 {
				p.slot = &b[i]
				return false
			}
		}
		return true
	})
	return p
}

// empty takes a stripe's copy out of the new arena again.
func (m *move) empty(i int) {
	for pos := range m.to.homes {
		m.to.walk(m.to.homeAt(uint64(i), pos), func(b *bucket, first int) bool {
			for j := first; j < BucketLink; j++ {
				if units := slotUnits(b[j].Load()); units != 0 {
					m.table.partLocked(m.to, units)
					m.to.discard(units)
				}
				b[j].Store(0)
			}
			return true
		})
		home := m.to.homeAt(uint64(i), pos)
		for link := home[BucketLink].Load(); link != 0; {
			next := m.to.overflow(link)[BucketLink].Load()
			m.to.cells.give(link)
			link = next
		}
		home[BucketLink].Store(0)
	}
}

// swap brings the copy up to date with every stripe held and makes the new arena the table's. The descriptor comes before
// the generation: a reader loads them the other way round. The rows were stamped with that generation, or readers would
// take them for cleared.
func (m *move) swap(memory int64) {
	t := m.table
	t.lockAll()
	defer t.unlockAll()
	if t.control.generation.Load() != m.generation {
		m.begin() // cleared or replaced since the copies were made
	}
	for i := range t.stripes {
		m.copyStripeLocked(i)
		s := &t.stripes[i]
		s.generation, s.swept, s.stripeCounts = m.stamp, m.stamp, m.stripes[i].counts
		s.retired, s.retiredBytes, s.spares = nil, 0, 0
	}
	o := t.Options()
	o.Memory = memory
	t.options.Store(&o)
	t.arena.Store(m.to)
	t.control.descriptor.Store(m.to.descriptorAddress())
	t.control.generation.Store(m.stamp)
	t.generations.Add(1)
}
