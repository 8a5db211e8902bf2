package sharedstate

// Receipt is what a write leaves for its writer's gate: the version of the key's chain after it, always even.
type Receipt struct {
	Home       uintptr // address of the chain's home bucket
	Version    uint64
	Generation uint64
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
	_, err := t.Put(key, v)
	return err
}

// Put is Set with a receipt.
func (t *Table) Put(key string, v Value) (Receipt, error) {
	return t.put(key, &v, 0)
}

func (t *Table) put(key string, v *Value, expiry uint64) (Receipt, error) {
	if err := t.admit(key, v); err != nil {
		return Receipt{}, err
	}
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	var got reserve
	for {
		done, missing := t.putAttempt(s, h, key, v, expiry, &got)
		if missing == needNothing {
			t.settle(s, &got, done)
			t.notify(Event{OpSet, key})
			return done.receipt, nil
		}
		if !t.supply(&got, missing, key, v, expiry) {
			t.drop(&got)
			return Receipt{}, t.full(key, len(key)+len(v.data))
		}
	}
}

// written is what a locked attempt leaves to do after the lock.
type written struct {
	receipt Receipt
	arena   *arena
	old     uint64 // a chained row of that arena to free
	due     bool   // the stripe's retired cells are worth a scan
}

// putAttempt does a put if nothing is missing. A small row may use a spare cell and be filled under the lock.
func (t *Table) putAttempt(s *stripe, h hash, key string, v *Value, expiry uint64, got *reserve) (done written, missing need) {
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	p := a.findLocked(home, h, key, generation)

	if v.isNumber() && expiry == 0 && p.live {
		if r := a.row(p.units); r.kind == v.kind && r.expiry.Load() == 0 {
			s.beginLocked(home)
			r.number.Store(v.number) // pairs with the load in fs_read
			fault("linked")
			s.endLocked(home)
			s.writes++
			finished = true
			return written{receipt: receiptLocked(home, generation)}, needNothing
		}
	}

	if got.arena != a {
		t.drop(got)
	}
	if got.row == 0 {
		if size := RowHeader + len(key) + len(v.data); size <= smallCell {
			if u := s.spareLocked(a.cells, a.cells.classFor(size)); u != 0 {
				a.fill(u, key, v, expiry)
				got.arena, got.row = a, u
			}
		}
		if got.row == 0 {
			finished = true
			return written{}, needRow
		}
	}
	if p, missing = t.slotLocked(a, home, p, generation, got); missing != needNothing {
		finished = true
		return written{}, missing
	}
	done = t.publishLocked(s, a, home, p, h, got, generation)
	finished = true
	return done, needNothing
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
	p.slot.Store(slotWord(h.tag(), got.row))
	if got.bucket != 0 && p.slot == &a.overflow(got.bucket)[0] {
		p.last[BucketLink].Store(got.bucket)
		s.overflow++
		got.bucket = 0
	}
	got.row = 0
}

// replacedLocked does the books after a row was published over another, or over none.
func (t *Table) replacedLocked(s *stripe, a *arena, p place, r *row, home *bucket, generation uint64) written {
	if p.units != 0 {
		if old := a.row(p.units); old.generation == generation {
			s.add(old, -1)
		}
	}
	s.add(r, 1)
	s.writes++
	w := written{receipt: receiptLocked(home, generation), arena: a, old: s.retireLocked(a, p.units)}
	w.due = s.dueLocked(t.retireLimit())
	return w
}

func (v *Value) isNumber() bool { return v.kind == KindInt || v.kind == KindFloat }

func receiptLocked(home *bucket, generation uint64) Receipt {
	return Receipt{addressOf(home), home[BucketVersion].Load(), generation}
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

// supply gets what an attempt missed, making room if it must. No lock is held.
func (t *Table) supply(got *reserve, missing need, key string, v *Value, expiry uint64) bool {
	a := t.arena.Load()
	if got.arena != a {
		t.drop(got)
		got.arena = a
	}
	take := func() bool {
		if missing == needBucket {
			got.bucket = a.cells.takeBucket()
			return got.bucket != 0
		}
		got.row = a.build(key, v, expiry)
		return got.row != 0
	}
	return take() || t.makeRoom(a, take)
}

// makeRoom frees what can be freed without losing anything, trying again after each step: retired and spare cells of all
// stripes, then rows that are dead.
func (t *Table) makeRoom(a *arena, try func() bool) bool {
	for i := range t.stripes {
		t.reclaim(&t.stripes[i], a, true)
	}
	if try() {
		return true
	}
	t.sweep()
	for i := range t.stripes {
		t.reclaim(&t.stripes[i], a, true)
	}
	return try()
}

// Delete removes a key and says whether it was there. It fails with ErrDamaged or, after Drop, with ErrUnknownTable.
func (t *Table) Delete(key string) (bool, error) {
	if err := t.usable(); err != nil {
		return false, err
	}
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	removed, done := t.deleteAttempt(s, h, key)
	t.settle(s, &reserve{}, done)
	if removed {
		t.notify(Event{OpDelete, key})
	}
	return removed, nil
}

func (t *Table) deleteAttempt(s *stripe, h hash, key string) (removed bool, done written) {
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	if p := a.findLocked(home, h, key, generation); p.units != 0 && a.row(p.units).generation == generation {
		// An expired row is taken out as well, but was not there.
		s.beginLocked(home)
		removed = !a.row(p.units).dead(generation)
		p.slot.Store(0)
		fault("linked")
		s.endLocked(home)
		s.add(a.row(p.units), -1)
		if removed {
			s.deletes++
		}
		done.arena, done.old = a, s.retireLocked(a, p.units)
		done.due = s.dueLocked(t.retireLimit())
	}
	finished = true
	return removed, done
}
