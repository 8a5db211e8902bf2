package sharedstate

import (
	"sync/atomic"
	"time"
)

// Receipt is what a write leaves for its writer's gate: the version of the key's chain after it, always even.
type Receipt struct {
	Home       uintptr // address of the chain's home bucket
	Version    uint64
	Generation uint64
	Expiry     uint64 // the row's: monotonic nanoseconds, 0 for none
}

// reserve is memory that a write has taken before it locks its stripe.
type reserve struct {
	arena  *arena
	row    uint64
	bucket uint64
}

// need is what a locked attempt found missing.
type need int

const (
	needNothing need = iota
	needRow
	needBucket
)

// Set stores a value without expiry; the key's old value and expiry are gone. It fails with ErrKeyTooLong,
// ErrValueTooLarge, ErrTableFull, ErrDamaged or, after Drop, with ErrUnknownTable.
func (t *Table) Set(key string, v Value) error {
	return t.Put(key, v, Forever)
}

// Put is Set with a time to live. With a ttl of 0 or less the value has expired already: the key is removed.
func (t *Table) Put(key string, v Value, ttl time.Duration) error {
	_, err := t.PutWithReceipt(key, v, ttl)
	return err
}

// PutWithReceipt is Put with a receipt.
func (t *Table) PutWithReceipt(key string, v Value, ttl time.Duration) (Receipt, error) {
	if err := t.admit(key, &v); err != nil {
		return Receipt{}, err
	}
	if ttl <= 0 {
		_, err := t.Delete(key)
		return Receipt{}, err
	}
	r, _, err := t.put(&write{key: key, value: v, expiry: expiryAfter(ttl)})
	return r, err
}

// write is a write of one whole value.
type write struct {
	key    string
	value  Value
	expiry uint64
	keep   bool // a live row's expiry stays
	when   condition
	old    Value // for whenSame
	seen   *seen // for whenUnchanged
	by     *Tx
}

// condition is when a write is done.
type condition uint8

const (
	always condition = iota
	whenAbsent
	whenSame
	whenUnchanged
)

// stopsLocked says whether a write's condition stops it.
func (w *write) stopsLocked(a *arena, home *bucket, generation uint64, p place) bool {
	switch w.when {
	case whenAbsent:
		return p.live
	case whenSame:
		return !p.live || !a.valueIs(p.units, &w.old)
	case whenUnchanged:
		return !w.seen.stillLocked(a, home, generation)
	default:
		return false
	}
}

// put does a write that was admitted, unless its condition stops it.
func (t *Table) put(w *write) (r Receipt, done bool, err error) {
	h := hashOf(w.key, t.seed)
	s := t.stripeOf(h)
	var got reserve
	for {
		did, stopped, missing := t.putAttempt(s, h, w, &got)
		if stopped {
			t.drop(&got)
			return Receipt{}, false, nil
		}
		if missing == needNothing {
			t.settle(s, &got, did)
			t.tellLapsed(did.lapsed)
			t.notify(Event{Op: OpSet, Key: w.key, By: w.by})
			return did.receipt, true, nil
		}
		if !t.supply(&got, missing, h, w.key, &w.value, w.expiry) {
			t.drop(&got)
			return Receipt{}, false, t.full(w.key, len(w.key)+len(w.value.data))
		}
	}
}

// written is what a locked attempt leaves to do after the lock.
type written struct {
	receipt Receipt
	arena   *arena
	old     uint64  // a chained row of that arena to free
	due     bool    // the stripe's retired cells are worth a scan
	lapsed  *string // the key of an expired row that went
}

// putAttempt does a put if nothing is missing. A small row may use a spare cell and be filled under the lock.
func (t *Table) putAttempt(s *stripe, h hash, w *write, got *reserve) (done written, stopped bool, missing need) {
	finished := false
	fault("lock")
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	p := a.findLocked(home, h, w.key, generation)
	if w.when != always && w.stopsLocked(a, home, generation, p) {
		finished = true
		return written{}, true, needNothing
	}

	if p.live && w.value.isNumber() {
		if r := a.row(p.units); r.kind == w.value.kind && (w.keep || w.expiry == 0 && r.expiry.Load() == 0) {
			if t.setNumberLocked(s, a, home, p, w.value.number, generation) {
				finished = true
				return written{receipt: receiptLocked(home, generation, r.expiry.Load())}, false, needNothing
			}
			p.live = false
			if w.stopsLocked(a, home, generation, p) {
				finished = true
				return written{}, true, needNothing
			}
		}
	}

	if got.arena != a {
		t.drop(got)
	}
	if got.row == 0 {
		if size := RowHeader + len(w.key) + len(w.value.data); size <= smallCell {
			if u := s.spareLocked(a.cells, a.cells.classFor(size)); u != 0 {
				a.fill(u, w.key, &w.value, w.expiry)
				got.arena, got.row = a, u
			}
		}
		if got.row == 0 {
			finished = true
			return written{}, false, needRow
		}
	}
	expiry := w.expiry
	if w.keep && p.live {
		expiry = a.row(p.units).expiry.Load()
	}
	a.row(got.row).expiry.Store(expiry)
	if p, missing = t.slotLocked(a, home, p, generation, got); missing != needNothing {
		finished = true
		return written{}, false, missing
	}
	done = t.publishLocked(s, a, home, p, h, got, generation)
	finished = true
	return done, false, needNothing
}

// setNumberLocked changes a live number in place; false when it has expired meanwhile. The clock is read inside the bracket: no
// reader can have taken the row for expired before this change.
func (t *Table) setNumberLocked(s *stripe, a *arena, home *bucket, p place, number, generation uint64) bool {
	r := a.row(p.units)
	s.beginLocked(home)
	live := !r.dead(generation)
	if live {
		r.number.Store(number) // pairs with the load in fs_read
		fault("linked")
	}
	s.endLocked(home)
	if live {
		s.writes++
		t.noteUse(p.slot)
	}
	return live
}

// noteUse writes down a use of the row in a slot, where the policy asks for it.
func (t *Table) noteUse(slot *atomic.Uint64) {
	if policy := EvictionPolicy(t.control.eviction.Load()); policy <= EvictLFU {
		tick := t.control.tick.Load()
		if m := metaOf(slot); policy == EvictLFU || uint64(m.use.Load()>>UseTickShift) != tick&UseTickMask {
			m.noteUse(policy, tick)
		}
	}
}

// slotLocked finds where a row goes: the slot the chain has, a dead row's, or one in a new overflow bucket.
func (t *Table) slotLocked(a *arena, home *bucket, p place, generation uint64, got *reserve) (place, need) {
	if p.slot != nil {
		return p, needNothing
	}
	if p.slot, p.units = a.findDeadLocked(home, generation); p.slot != nil {
		return p, needNothing
	}
	if got.bucket == 0 {
		return p, needBucket
	}
	p.slot = &a.overflow(got.bucket)[0]
	return p, needNothing
}

// publishLocked makes the reserved row the key's. The bucket, if one was needed, is linked in the same bracket.
func (t *Table) publishLocked(s *stripe, a *arena, home *bucket, p place, h hash, got *reserve, generation uint64) written {
	r := a.row(got.row)
	r.generation = generation
	s.beginLocked(home)
	fault("open")
	t.linkLocked(s, a, p, h, got)
	fault("linked")
	s.endLocked(home)
	return t.replacedLocked(s, a, p, r, home, generation)
}

// linkLocked stores the words, inside a bracket. Both pair with the loads of slot and link in fs_read, the slot's with its
// second look as well.
func (t *Table) linkLocked(s *stripe, a *arena, p place, h hash, got *reserve) {
	t.holdLocked(a, got.row)
	s.expiresLocked(p.slot, a.row(got.row).expiry.Load())
	if p.live {
		t.noteUse(p.slot)
	} else {
		metaOf(p.slot).use.Store(newUse(t.control.tick.Load()))
		t.turnLocked(s, a, got.row)
	}
	p.slot.Store(a.slotWord(h.tag(), got.row))
	if got.bucket != 0 && p.slot == &a.overflow(got.bucket)[0] {
		p.last[BucketLink].Store(got.bucket)
		s.overflow++
		got.bucket = 0
	}
	got.row = 0
}

// expiresLocked writes down where a sweep looks that the row of a slot has an expiry, or none.
func (s *stripe) expiresLocked(slot *atomic.Uint64, expiry uint64) {
	due := dueOf(expiry)
	metaOf(slot).due.Store(due)
	if due != 0 {
		s.soonest, s.since = min(s.soonest, leastExpiry(due)), min(s.since, leastExpiry(due))
	}
}

// replacedLocked does the books after a row was published over another, or over none.
func (t *Table) replacedLocked(s *stripe, a *arena, p place, r *row, home *bucket, generation uint64) written {
	expired := false
	if p.units != 0 {
		if old := a.row(p.units); old.generation == generation {
			s.add(old, -1)
			if expired = !p.live; expired {
				s.expired++
			}
		}
	}
	s.add(r, 1)
	s.writes++
	w := written{receipt: receiptLocked(home, generation, r.expiry.Load()), arena: a}
	if expired {
		w.lapsed = t.lapsedLocked(a, p.units)
	}
	w.old = t.retireLocked(s, a, p.units)
	w.due = s.dueLocked(t.retireLimit())
	return w
}

func (v *Value) isNumber() bool { return v.kind == KindInt || v.kind == KindFloat }

func receiptLocked(home *bucket, generation, expiry uint64) Receipt {
	return Receipt{addressOf(home), home[BucketVersion].Load(), generation, expiry}
}

// retireLimit is how many bytes a stripe may leave unfreed before it looks at the hazards.
func (t *Table) retireLimit() int {
	return int(min(retireBytes, t.options.Load().Memory/1024))
}

// settle frees after the lock what a write has replaced or not used.
func (t *Table) settle(s *stripe, got *reserve, done written) {
	t.drop(got)
	if done.old != 0 || done.due {
		t.reclaim(s, done.arena, false, done.old)
	}
}

// drop gives unused memory back.
func (t *Table) drop(got *reserve) {
	if got.arena == nil {
		return
	}
	got.arena.discard(got.row)
	if got.bucket != 0 {
		got.arena.cells.give(got.bucket)
	}
	*got = reserve{}
}

// supply gets what an attempt for a key missed, making room if it must. A bucket that cannot be had may be made needless instead.
// No lock is held.
func (t *Table) supply(got *reserve, missing need, h hash, key string, v *Value, expiry uint64) bool {
	a := t.arena.Load()
	if got.arena != a {
		t.drop(got)
		got.arena = a
	}
	if missing == needBucket {
		got.bucket = a.cells.takeBucket(closeCell)
		return got.bucket != 0 || t.evicts() && t.evictChain(h, nil) || t.makeBucket(a, got)
	}
	take := func(f fit) bool {
		got.row = a.build(key, v, expiry, f)
		return got.row != 0
	}
	return take(closeCell) || t.makeRoom(a, h, take)
}

// makeBucket makes room for an overflow bucket.
func (t *Table) makeBucket(a *arena, got *reserve) bool {
	take := func(f fit) bool {
		got.bucket = a.cells.takeBucket(f)
		return got.bucket != 0
	}
	return t.evicts() && t.drainPages(a) > 0 && take(closeCell) || t.freeDead(a, take)
}

// evictRounds is how many samples are evicted for one row before whole pages are.
const evictRounds = 3

// makeRoom frees memory for a row, trying again after each step. Under a policy that evicts, rows of a sample go, and if the
// cells that are free then will not do, those of whole pages; else, or where that has not helped, what is dead.
func (t *Table) makeRoom(a *arena, h hash, try func(fit) bool) bool {
	if t.evicts() {
		for rows := 1; rows > 0 && t.arena.Load() == a; {
			for round := 0; round < evictRounds && rows > 0; round++ {
				rows, _ = t.evictSome(h)
				if try(fit(round > 0)) { // the cells that are free now may all be of other sizes
					return true
				}
			}
			if rows += t.drainPages(a); try(anyCell) {
				return true
			}
		}
	}
	return t.freeDead(a, try)
}

// freeDead frees what can be freed without losing anything, trying again after each step: retired and spare cells of all
// stripes, and rows that are dead.
func (t *Table) freeDead(a *arena, try func(fit) bool) bool {
	t.reclaimAll(a)
	if try(anyCell) {
		return true
	}
	t.sweep()
	t.reclaimAll(a)
	return try(anyCell)
}

// reclaimAll gives back the retired and spare cells of every stripe.
func (t *Table) reclaimAll(a *arena) {
	for i := range t.stripes {
		t.reclaim(&t.stripes[i], a, true)
	}
}

// Delete removes a key and says whether it was there. It fails with ErrDamaged or, after Drop, with ErrUnknownTable.
func (t *Table) Delete(key string) (bool, error) {
	if err := t.usable(); err != nil {
		return false, err
	}
	return t.remove(key, nil, nil)
}

// remove takes a key out, if its condition, asked under the lock, says so; nil stands for one that always does. An expired row is taken
// out as well, but was not there.
func (t *Table) remove(key string, goes func(a *arena, p place) bool, by *Tx) (bool, error) {
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	removed, done := t.removeAttempt(s, h, key, goes)
	t.settle(s, &reserve{}, done)
	t.tellLapsed(done.lapsed)
	if removed {
		t.notify(Event{Op: OpDelete, Key: key, By: by})
	}
	return removed, nil
}

func (t *Table) removeAttempt(s *stripe, h hash, key string, goes func(a *arena, p place) bool) (removed bool, done written) {
	finished := false
	fault("lock")
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	p := a.findLocked(home, h, key, generation)
	if p.units != 0 && a.row(p.units).generation == generation && (goes == nil || goes(a, p)) {
		s.beginLocked(home)
		removed = !a.row(p.units).dead(generation)
		p.slot.Store(0)
		fault("linked")
		s.endLocked(home)
		s.add(a.row(p.units), -1)
		if removed {
			s.deletes++
		} else {
			s.expired++
			done.lapsed = t.lapsedLocked(a, p.units)
		}
		done.arena, done.old = a, t.retireLocked(s, a, p.units)
		done.due = s.dueLocked(t.retireLimit())
	}
	finished = true
	return removed, done
}
