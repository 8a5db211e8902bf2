package sharedstate

// Clear removes every key in one step. It fails with ErrDamaged or, after Drop, with ErrUnknownTable. The rows' memory
// comes back soon after.
func (t *Table) Clear() error {
	if err := t.usable(); err != nil {
		return err
	}
	t.newGeneration()
	t.sweepSoon()
	t.notify(Event{Op: OpClear})
	return nil
}

func (t *Table) newGeneration() {
	t.lockAll()
	defer t.unlockAll()
	t.newGenerationLocked()
}

// newGenerationLocked makes every row of the table dead. All stripes are held. Pairs with the generation loads in fs_read
// and fs_gate_valid.
func (t *Table) newGenerationLocked() uint64 {
	g := nextGeneration()
	t.control.generation.Store(g)
	t.generations.Add(1)
	return g
}

// Replace swaps the whole contents for the entries in one step and appends the old rows to old: nothing written in between
// is lost, and no reader sees a mixture or, of a key in both, its absence. On an error nothing changes.
func (t *Table) Replace(entries []Entry, old *Rows) error {
	if err := t.usable(); err != nil {
		return err
	}
	m, err := t.prepare(entries)
	if err != nil {
		return err
	}
	defer m.free()
	for i := range m.entries {
		m.entries[i].wants = true
	}
	missing, short := -1, 0
	for missing != 0 || short > 0 {
		if err = m.supply(missing); err == nil && short > 0 {
			err = old.reserve(short + short/4)
		}
		if err != nil {
			m.drop()
			return err
		}
		missing, short = m.replaceAttempt(old)
	}
	m.settle()
	t.sweepSoon()
	t.notify(Event{Op: OpClear})
	for i := range m.entries {
		t.notify(Event{Op: OpSet, Key: m.entries[i].Key})
	}
	return nil
}

// replaceAttempt swaps the contents if memory and buffer suffice; else it changes nothing and says what is missing.
func (m *many) replaceAttempt(old *Rows) (missing, short int) {
	t := m.table
	finished := false
	t.lockAll()
	defer func() {
		if !finished {
			t.control.closed.Or(ClosedDamaged)
		}
		t.unlockAll()
	}()
	if t.arena.Load() != m.arena {
		finished = true
		return -1, 0
	}
	c := collector{table: t, cut: &Cut{Generation: t.control.generation.Load()}, rows: old}
	for i := range t.stripes {
		short += c.needLocked(m.arena, i, 0, m.arena.homes)
	}
	if short <= old.room() {
		short = 0
	}
	if missing = m.missingAllLocked(); missing != 0 || short > 0 {
		finished = true
		return missing, short
	}
	for i := range t.stripes {
		c.addLocked(m.arena, i, 0, m.arena.homes)
	}
	t.control.multi.Add(1) // pairs with the load in fs_read, after which it takes the lock
	m.writeLocked(t.newGenerationLocked())
	t.control.multi.Add(^uint64(0))
	finished = true
	return 0, 0
}

// missingAllLocked counts the overflow buckets that are missing when every slot is free.
func (m *many) missingAllLocked() int {
	buckets := 0
	m.chains(func(home *bucket, run []planned) {
		if room := m.arena.roomLocked(home, unseen, nil); len(run) > room {
			buckets += (len(run) - room + BucketLink - 1) / BucketLink
		}
	})
	if buckets > len(m.buckets) {
		return buckets
	}
	return 0
}

// drain takes a dropped table's memory away: its place takes an arena that can hold nothing.
func (t *Table) drain() error {
	empty, err := newArena(plan{stripes: len(t.stripes), homes: 1, index: int64(len(t.stripes)) * BucketSize, pageSize: 4 << 10})
	if err != nil {
		return err
	}
	t.control.closed.Or(ClosedDropped)
	t.store.intervals.forget(t)
	t.UnlockAll()
	old := t.swapArena(empty)
	t.partAll(old)
	t.store.grave.bury(t.store.threads, old)
	t.notify(Event{Op: OpClear})
	return nil
}

// swapArena makes another arena the table's, without its rows. The descriptor comes before the generation, as the reader
// loads them the other way round.
func (t *Table) swapArena(a *arena) (old *arena) {
	t.lockAll()
	defer t.unlockAll()
	old = t.arena.Load()
	t.arena.Store(a)
	t.control.descriptor.Store(a.descriptorAddress())
	t.newGenerationLocked()
	for i := range t.stripes {
		s := &t.stripes[i]
		s.retired, s.retiredBytes, s.spares, s.overflow = nil, 0, 0, 0
		s.swept = t.control.generation.Load()
	}
	return old
}
