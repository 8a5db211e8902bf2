package sharedstate

import "math"

// Rows that are dead, because they expired or the table was cleared, are absent for every reader at once. What follows takes
// them out of the index and frees their memory: the janitor, a write that needs room, Sweep.

// gone collects what a hold of a stripe took out, for the time after the hold.
type gone struct {
	rows    int
	bytes   int64
	chained []uint64 // rows of many cells, to be freed
	events  []Event
}

// removeLocked takes a row out of its slot. Of a row that was not yet expired it is an eviction, of one of an older generation
// no change that anyone can see.
func (t *Table) removeLocked(s *stripe, a *arena, home *bucket, p place, generation uint64, op Op, g *gone) {
	r := a.row(p.units)
	g.rows++
	g.bytes += int64(a.cells.sizeOf(p.units))
	if r.chained() {
		g.bytes += int64(r.keyLen) + int64(r.valueLen) - int64(r.inline)
	}
	if r.generation == generation {
		if r.dead(generation) {
			op = OpExpire
			s.expired++
		} else {
			s.evicted++
		}
		if t.listened() {
			g.events = append(g.events, Event{Op: op, Key: string(a.appendBytes(nil, p.units, 0, int(r.keyLen)))})
		}
		s.beginLocked(home) // readers with another clock may still have seen an expired row
		p.slot.Store(0)
		fault("linked")
		s.endLocked(home)
		s.add(r, -1)
	} else { // cleared: absent for every reader whose answer can count, so no version changes
		p.slot.Store(0)
	}
	if u := t.retireLocked(s, a, p.units); u != 0 {
		g.chained = append(g.chained, u)
	}
}

// lapsedLocked is the key of an expired row that a write is taking out, if that is to be told after the hold.
func (t *Table) lapsedLocked(a *arena, units uint64) *string {
	if !t.listened() {
		return nil
	}
	key := string(a.appendBytes(nil, units, 0, int(a.row(units).keyLen)))
	return &key
}

// tellLapsed notifies of a row that a write found expired, before the write is told. No lock is held.
func (t *Table) tellLapsed(key *string) {
	if key != nil {
		t.notify(Event{Op: OpExpire, Key: *key})
	}
}

// tell notifies of what is gone. No lock is held.
func (t *Table) tell(g *gone) {
	for _, e := range g.events {
		t.notify(e)
	}
}

// Sweep takes out the rows that have expired, which are absent already, and answers how many there were.
func (t *Table) Sweep() (int, error) {
	if err := t.usable(); err != nil {
		return 0, err
	}
	return t.sweep(), nil
}

// sweepSoon has dead rows taken out in the background; one sweep at a time.
func (t *Table) sweepSoon() {
	if t.sweeping.CompareAndSwap(false, true) {
		go func() {
			defer t.sweeping.Store(false)
			t.keep(func() { t.sweep() })
		}()
	}
}

// sweep unlinks the dead rows of the stripes that can have some, a few chains in a hold, and counts those that had expired.
func (t *Table) sweep() (expired int) {
	for i := range t.stripes {
		expired += t.sweepStripe(uint64(i))
	}
	return expired
}

// sweepStripe sweeps one stripe, if anything can be dead in it.
func (t *Table) sweepStripe(i uint64) (expired int) {
	s := &t.stripes[i]
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	w := sweeping{table: t, stripe: s, index: i, next: math.MaxUint64}
	if !w.begin() {
		return 0
	}
	for more := true; more; {
		var g gone
		more = w.hop(&g)
		t.reclaim(s, w.arena, false, g.chained...)
		t.tell(&g)
	}
	return w.expired
}

// sweeping is a sweep of one stripe.
type sweeping struct {
	table      *Table
	stripe     *stripe
	index      uint64
	arena      *arena
	generation uint64
	cleared    bool // there may be rows of an older generation
	pos        uint64
	next       uint64 // no row that it has left expires before
	expired    int
}

// begin says whether there is anything to do. What is written from now on notes its expiry itself.
func (w *sweeping) begin() bool {
	t, s := w.table, w.stripe
	s.mu.Lock()
	defer s.mu.Unlock()
	w.arena, w.generation = t.arena.Load(), t.control.generation.Load()
	s.syncLocked(w.generation)
	w.cleared = s.swept != w.generation
	if !w.cleared && s.soonest > now() {
		return false
	}
	s.since = math.MaxUint64
	return true
}

// hop sweeps the next few chains; false after the last. Where a clear or a resize came between, another sweep goes on.
func (w *sweeping) hop(g *gone) (more bool) {
	t, s, a := w.table, w.stripe, w.arena
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	generation := t.control.generation.Load()
	if t.arena.Load() != a || generation != w.generation {
		finished = true
		return false
	}
	now := now()
	end := min(w.pos+chainsPerHop, a.homes)
	for ; w.pos < end; w.pos++ {
		home := a.homeAt(w.index, w.pos)
		a.walk(home, func(b *bucket, first int) bool {
			for j := first; j < BucketLink; j++ {
				word := b[j].Load()
				if word == 0 {
					continue
				}
				due := metaOf(&b[j]).due.Load()
				if (w.cleared || mayBeDead(due, now)) && a.row(slotUnits(word)).dead(generation) {
					if a.row(slotUnits(word)).generation == generation {
						w.expired++
					}
					t.removeLocked(s, a, home, place{slot: &b[j], units: slotUnits(word)}, generation, OpExpire, g)
				} else if due != 0 {
					w.next = min(w.next, leastExpiry(due))
				}
			}
			return true
		})
	}
	if end == a.homes {
		s.swept, s.soonest = generation, min(w.next, s.since)
	}
	finished = true
	return end < a.homes
}
