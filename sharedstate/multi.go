package sharedstate

import (
	"slices"
	"sync"
	"time"
)

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value Value
}

// planned is one entry of a multi-key write on its way through it.
type planned struct {
	*Entry
	hash   hash
	stripe uint64
	home   *bucket
	found  place // what the last attempt saw; still so in its write when the chain has no other entry
	alone  bool  // it has none
	op     planOp
	expiry uint64  // of a row that it writes or touches
	wants  bool    // the last attempt found that it needs a row
	got    reserve // its row; buckets are reserved for the whole write
}

// planOp is what is done to an entry's key.
type planOp uint8

const (
	planPut planOp = iota
	planRemove
	planTouch // another expiry, in place, for a row that is known to be there
)

// many is a multi-key write: its entries in the order of their chains, and the memory it holds.
type many struct {
	table   *Table
	removed int
	entries []planned
	spare   []planned // what sortByChain sorts into
	order   []uint64
	n       int // entries and spare are in use so far
	arena   *arena
	buckets []uint64
	short   []*planned // entries whose chains lack slots
	old     []uint64   // chained rows that were replaced
	due     []*stripe  // stripes whose retired cells are worth a scan
	lapsed  []*string  // keys of expired rows that went
}

// Merge is PutMany without expiry.
func (t *Table) Merge(entries []Entry) error { return t.PutMany(entries, Forever) }

// PutMany stores all entries or, on an error, none: no reader sees some of them without the others. Of entries with the same
// key the last one counts. With a ttl of 0 or less the values have expired already: the keys are removed.
func (t *Table) PutMany(entries []Entry, ttl time.Duration) error {
	_, err := t.writeMany(entries, expiryAfter(ttl), ttl <= 0)
	return err
}

// DeleteMany removes the keys in one step and says how many were there.
func (t *Table) DeleteMany(keys []string) (removed int, err error) {
	entries := make([]Entry, len(keys))
	for i := range keys {
		entries[i].Key = keys[i]
	}
	return t.writeMany(entries, 0, true)
}

func (t *Table) writeMany(entries []Entry, expiry uint64, remove bool) (removed int, err error) {
	if len(entries) == 0 {
		return 0, t.usable()
	}
	m, err := t.prepare(entries)
	if err != nil {
		return 0, err
	}
	defer m.free()
	op := planPut
	if remove {
		op = planRemove
	}
	for i := range m.entries {
		m.entries[i].op, m.entries[i].expiry = op, expiry
	}
	for {
		missing := m.mergeAttempt()
		if missing == 0 {
			m.settle()
			m.tell(nil)
			return m.removed, nil
		}
		if err := m.supply(missing); err != nil {
			m.drop()
			return 0, err
		}
	}
}

// tell notifies of what the write has changed. No lock is held.
func (m *many) tell(by *Tx) {
	for _, key := range m.lapsed {
		m.table.tellLapsed(key)
	}
	for i := range m.entries {
		e := &m.entries[i]
		switch {
		case e.op == planTouch:
			m.table.notify(Event{Op: OpTouch, Key: e.Key, By: by})
		case e.op != planRemove:
			m.table.notify(Event{Op: OpSet, Key: e.Key, By: by})
		case e.found.live:
			m.table.notify(Event{Op: OpDelete, Key: e.Key, By: by})
		}
	}
}

// plans are writes that are over, for their memory.
var plans = sync.Pool{New: func() any { return new(many) }}

// maxPlan is the largest number of entries whose memory is kept.
const maxPlan = 4096

// newMany is a write of n entries that are to be filled in, sorted, and freed when it is over.
func newMany(t *Table, a *arena, n int) *many {
	m := plans.Get().(*many)
	m.table, m.arena, m.n = t, a, n
	m.entries = slices.Grow(m.entries, n)[:n]
	m.spare = slices.Grow(m.spare, n)[:n]
	m.order = slices.Grow(m.order, n)[:n]
	return m
}

// free gives the write's memory back, with nothing of the caller's in it.
func (m *many) free() {
	clear(m.entries[:m.n]) // some of it may be past its length by now
	clear(m.spare[:m.n])
	if cap(m.entries) <= maxPlan {
		*m = many{entries: m.entries[:0], spare: m.spare[:0], order: m.order[:0]}
		plans.Put(m)
	}
}

// prepare checks and sorts the entries. No memory is taken yet: numbers often go over numbers in place.
func (t *Table) prepare(entries []Entry) (*many, error) {
	m := newMany(t, t.arena.Load(), len(entries))
	for i := range entries {
		e := &entries[i]
		if err := t.admit(e.Key, &e.Value); err != nil {
			m.free()
			return nil, err
		}
		h := hashOf(e.Key, t.seed)
		m.entries[i] = planned{Entry: e, hash: h, stripe: h.high & t.mask}
	}
	m.sortByChain()
	m.dedupe()
	return m, nil
}

// dedupe keeps the last of equal keys. They share a chain, so they stand in one run.
func (m *many) dedupe() {
	kept := 0
	m.chains(func(_ *bucket, run []planned) {
		for i := range run {
			later := func(e planned) bool { return e.Key == run[i].Key }
			if i < len(run)-1 && slices.ContainsFunc(run[i+1:], later) {
				continue
			}
			if e := &m.entries[kept]; e != &run[i] {
				*e = run[i]
			}
			kept++
		}
	})
	clear(m.entries[kept:])
	m.entries = m.entries[:kept]
}

// sortByChain finds the entries' chains in the arena and orders the entries by them, later ones of the same chain last. A
// stripe's chains stand together, so this is the order of the stripes as well.
func (m *many) sortByChain() {
	n := len(m.entries)
	order, sorted := m.order[:n], m.spare[:n]
	base := uintptr(m.arena.base)
	for i := range m.entries {
		e := &m.entries[i]
		e.home = m.arena.home(e.stripe, e.hash.low)
		order[i] = uint64((addressOf(e.home)-base)/BucketSize)<<32 | uint64(i)
	}
	slices.Sort(order)
	for i, o := range order {
		sorted[i] = m.entries[uint32(o)]
	}
	m.entries, m.spare = sorted, m.entries
}

// stripes visits each stripe that the write touches once, in ascending order.
func (m *many) stripes(visit func(s *stripe)) {
	for i := range m.entries {
		if i == 0 || m.entries[i].stripe != m.entries[i-1].stripe {
			visit(&m.table.stripes[m.entries[i].stripe])
		}
	}
}

// chains visits the runs of entries that share a chain.
func (m *many) chains(visit func(home *bucket, run []planned)) {
	for i := 0; i < len(m.entries); {
		j := i + 1
		for j < len(m.entries) && m.entries[j].home == m.entries[i].home {
			j++
		}
		visit(m.entries[i].home, m.entries[i:j])
		i = j
	}
}

// mergeAttempt writes everything if nothing is missing; else it changes nothing and says how many overflow buckets are
// needed, or -1 when rows are.
func (m *many) mergeAttempt() (missing int) {
	t := m.table
	finished := false
	m.stripes(func(s *stripe) { s.mu.Lock() })
	defer func() {
		if !finished {
			t.control.closed.Or(ClosedDamaged)
		}
		m.stripes(func(s *stripe) { s.mu.Unlock() })
	}()
	if t.arena.Load() != m.arena {
		finished = true
		return -1
	}
	generation := t.control.generation.Load()
	if missing = m.missingLocked(generation); missing != 0 {
		finished = true
		return missing
	}
	t.control.multi.Add(1) // pairs with the load in fs_read, after which it takes the lock
	m.writeLocked(generation)
	t.control.multi.Add(^uint64(0))
	finished = true
	return 0
}

// missingLocked counts the overflow buckets that the write lacks, or answers -1 when it lacks rows. It notes for each entry
// what it found.
func (m *many) missingLocked(generation uint64) (missing int) {
	buckets := 0
	m.short = m.short[:0]
	m.chains(func(home *bucket, run []planned) {
		inserts := 0
		for i := range run {
			e := &run[i]
			p := m.arena.findLocked(home, e.hash, e.Key, generation)
			e.found, e.alone = p, len(run) == 1
			if e.op != planPut {
				continue
			}
			if p.units == 0 { // else it goes over its own row, live or dead
				inserts++
			}
			if e.wants = e.got.row == 0 && !m.inPlaceLocked(e, p); e.wants {
				missing = -1
			}
		}
		if inserts > 0 {
			if room := m.arena.roomLocked(home, generation, run); inserts > room {
				buckets += (inserts - room + BucketLink - 1) / BucketLink
				for i := range inserts - room {
					m.short = append(m.short, &run[i])
				}
			}
		}
	})
	if missing == 0 && buckets > len(m.buckets) {
		missing = buckets
	}
	return missing
}

// roomLocked counts the slots of a chain that a new row may take: none with the row of an entry of the run, which may expire at
// any moment and is that entry's all the same.
func (a *arena) roomLocked(home *bucket, generation uint64, run []planned) (n int) {
	a.walk(home, func(b *bucket, first int) bool {
		for i := first; i < BucketLink; i++ {
			word := b[i].Load()
			own := func(e planned) bool { return e.found.units == slotUnits(word) }
			if word == 0 || a.row(slotUnits(word)).dead(generation) && !slices.ContainsFunc(run, own) {
				n++
			}
		}
		return true
	})
	return n
}

// inPlaceLocked says whether an entry is a number that goes over a number of its kind.
func (m *many) inPlaceLocked(e *planned, p place) bool {
	if !p.live || !e.Value.isNumber() || e.expiry != 0 {
		return false
	}
	r := m.arena.row(p.units)
	return r.kind == e.Value.kind && r.expiry.Load() == 0
}

// writeLocked makes every version odd, changes the slots, and makes the versions even again. `multi` is raised.
func (m *many) writeLocked(generation uint64) {
	m.beginLocked()
	m.applyLocked(generation)
	m.endLocked()
}

func (m *many) beginLocked() {
	m.stripes(func(s *stripe) { openLocked(s.version) })
	m.chains(func(home *bucket, _ []planned) { openLocked(&home[BucketVersion]) })
}

func (m *many) endLocked() {
	m.chains(func(home *bucket, _ []planned) { closeLocked(&home[BucketVersion]) })
	m.stripes(func(s *stripe) { closeLocked(s.version) })
}

// applyLocked changes the slots, inside the bracket.
func (m *many) applyLocked(generation uint64) {
	a := m.arena
	m.stripes(func(s *stripe) { s.syncLocked(generation) })
	// Keys that have a row first, each in its own slot: in a replace all rows are dead, and a new key that took the slot of one
	// that has still to be written would leave that key nowhere for a moment.
	var inserts []*planned
	for i := range m.entries {
		e := &m.entries[i]
		p := e.found
		if !e.alone {
			p = a.findLocked(e.home, e.hash, e.Key, generation)
		}
		switch e.op {
		case planRemove:
			m.removeLocked(e, p, generation)
			continue
		case planTouch:
			m.touchLocked(e, p)
			continue
		}
		if p.units == 0 {
			inserts = append(inserts, e)
			continue
		}
		m.placeLocked(e, p, generation)
	}
	for _, e := range inserts {
		p := a.findLocked(e.home, e.hash, e.Key, generation)
		if p.slot == nil {
			p.slot, p.units = a.findDeadLocked(e.home, generation)
		}
		if p.slot == nil {
			e.got.bucket = m.buckets[len(m.buckets)-1]
			m.buckets = m.buckets[:len(m.buckets)-1]
			p.slot = &a.overflow(e.got.bucket)[0]
		}
		m.placeLocked(e, p, generation)
	}
}

// touchLocked gives one entry's row another expiry, inside the bracket.
func (m *many) touchLocked(e *planned, p place) {
	s := &m.table.stripes[e.stripe]
	r := m.arena.row(p.units)
	s.stripeCounts.touch(r.expiry.Load(), e.expiry)
	r.expiry.Store(e.expiry) // pairs with the load in fs_read
	s.expiresLocked(p.slot, e.expiry)
	m.table.noteUse(p.slot)
	s.writes++
}

// removeLocked takes one entry's row out, inside the bracket. One that has expired goes too, but was not there.
func (m *many) removeLocked(e *planned, p place, generation uint64) {
	t, a := m.table, m.arena
	if p.units == 0 || a.row(p.units).generation != generation {
		return
	}
	s := &t.stripes[e.stripe]
	e.found.live = !a.row(p.units).dead(generation)
	p.slot.Store(0)
	s.add(a.row(p.units), -1)
	if e.found.live {
		s.deletes++
		m.removed++
	} else if key := t.lapsedLocked(a, p.units); key != nil {
		m.lapsed = append(m.lapsed, key)
	}
	m.retired(s, t.retireLocked(s, a, p.units), s.dueLocked(t.retireLimit()))
}

// placeLocked writes one entry to its slot, inside the bracket.
func (m *many) placeLocked(e *planned, p place, generation uint64) {
	fault("merge")
	t, a := m.table, m.arena
	s := &t.stripes[e.stripe]
	if m.inPlaceLocked(e, p) {
		a.row(p.units).number.Store(e.Value.number) // pairs with the load in fs_read
		s.writes++
		t.noteUse(p.slot)
		return
	}
	r := a.row(e.got.row)
	r.generation = generation
	t.linkLocked(s, a, p, e.hash, &e.got)
	done := t.replacedLocked(s, a, p, r, e.home, generation)
	if done.lapsed != nil {
		m.lapsed = append(m.lapsed, done.lapsed)
	}
	m.retired(s, done.old, done.due)
}

// retired notes what is to be freed after the write.
func (m *many) retired(s *stripe, old uint64, due bool) {
	if old != 0 {
		m.old = append(m.old, old)
	}
	if due && (len(m.due) == 0 || m.due[len(m.due)-1] != s) {
		m.due = append(m.due, s)
	}
}

// supply takes the memory that an attempt missed: the rows of all entries, or buckets.
func (m *many) supply(missing int) error {
	t := m.table
	if a := t.arena.Load(); a != m.arena {
		m.drop()
		m.arena = a
		m.sortByChain()
	}
	for i := range m.entries {
		e := &m.entries[i]
		if e.wants && e.got.row == 0 && !t.supply(&e.got, needRow, e.hash, e.Key, &e.Value, e.expiry) {
			return t.full(e.Key, len(e.Key)+len(e.Value.data))
		}
	}
	for missing > len(m.buckets) {
		got := reserve{arena: m.arena, bucket: m.arena.cells.takeBucket(closeCell)}
		if got.bucket == 0 && t.evicts() && m.evictChains() {
			return nil // the next attempt finds slots
		}
		if got.bucket == 0 && !t.makeBucket(m.arena, &got) {
			return t.full(m.entries[0].Key, BucketSize)
		}
		m.buckets = append(m.buckets, got.bucket)
	}
	return nil
}

// evictChains evicts from the chains that lack slots, but none of the entries' own rows; false when there was nothing.
func (m *many) evictChains() (evicted bool) {
	for _, e := range m.short {
		evicted = m.table.evictChain(e.hash, m.isKey) || evicted
	}
	return evicted
}

// isKey says whether a row, whose stripe is held, is one of the entries'.
func (m *many) isKey(a *arena, units uint64) bool {
	if a != m.arena {
		return false
	}
	return slices.ContainsFunc(m.entries, func(e planned) bool { return e.found.units == units })
}

// drop gives back the memory that was not used.
func (m *many) drop() {
	for i := range m.entries {
		m.table.drop(&m.entries[i].got)
	}
	for _, u := range m.buckets {
		m.arena.cells.give(u)
	}
	m.buckets = nil
}

// settle frees what the write replaced.
func (m *many) settle() {
	m.drop()
	for _, s := range m.due {
		m.table.reclaim(s, m.arena, false)
	}
	if len(m.old) > 0 {
		m.table.reclaim(&m.table.stripes[m.entries[0].stripe], m.arena, false, m.old...)
	}
}
