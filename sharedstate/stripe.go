package sharedstate

import (
	"slices"
	"sync"
	"sync/atomic"
)

// stripe is one part of a table's keys with the lock that every change to them holds.
type stripe struct {
	mu      stripeLock
	line    *stripeLine
	version *atomic.Uint64 // in the stripe's line; odd while a writer is at work

	// Guarded by mu. The counts are of rows of generation `generation`; rows of an older one are cleared.
	generation uint64
	stripeCounts
	writes  uint64
	deletes uint64
	expired uint64
	evicted uint64

	turned  int64  // bytes of new rows since the stripe last told the table
	soonest uint64 // no row expires before
	since   uint64 // no row that was written since the last sweep began expires before

	sweeping sync.Mutex // one sweep at a time, so that each knows what it has not seen; outside mu

	swept uint64 // a sweep has taken out every row of a generation before

	retired      []uint64 // unlinked cells that a reader may still look at
	retiredBytes int
	spare        [8]uint64 // small cells at hand, so that a small write need not take a class's lock
	spares       int

	_ [LineSize]byte // the next stripe's lock is on another line
}

// stripeCounts are the sums over a stripe's rows.
type stripeCounts struct {
	rows       int64
	keyBytes   int64
	valueBytes int64
	expiring   int64 // of the rows, those with an expiry
	overflow   int64 // overflow buckets, which no clear takes away
}

const (
	retireBatch = 16 // one scan of the hazards serves that many cells
	retireBytes = 64 << 10
)

// syncLocked brings the counts to the table's generation, which the caller has loaded under the stripe's lock: an older one
// would throw away what was counted since.
func (s *stripe) syncLocked(generation uint64) {
	if s.generation != generation {
		s.generation, s.stripeCounts = generation, stripeCounts{overflow: s.overflow}
	}
}

// countsOf are a stripe's counts now.
func (t *Table) countsOf(s *stripe) stripeCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.syncLocked(t.control.generation.Load())
	return s.stripeCounts
}

// add adds a row to the counts, or with sign -1 takes it away.
func (c *stripeCounts) add(r *row, sign int64) {
	c.rows += sign
	c.keyBytes += sign * int64(r.keyLen)
	c.valueBytes += sign * int64(r.valueSize())
	if r.expiry.Load() != 0 {
		c.expiring += sign
	}
}

// touch counts a row that gets another expiry, 0 for none.
func (c *stripeCounts) touch(old, expiry uint64) {
	switch {
	case old == 0 && expiry != 0:
		c.expiring++
	case old != 0 && expiry == 0:
		c.expiring--
	}
}

// valueSize is the size of a value as statistics count it: a number's is 8.
func (r *row) valueSize() uint32 {
	if r.kind == KindInt || r.kind == KindFloat {
		return 8
	}
	return r.valueLen
}

// beginLocked and endLocked stand around every change that a reader of the chain can see. `|1` makes a bracket that a panic
// left open harmless. Pair with the version loads in fs_read and fs_gate_valid.
func (s *stripe) beginLocked(home *bucket) {
	openLocked(s.version)
	openLocked(&home[BucketVersion])
}

func (s *stripe) endLocked(home *bucket) {
	closeLocked(&home[BucketVersion])
	closeLocked(s.version)
}

// openLocked and closeLocked are the two halves of a bracket around one version.
func openLocked(version *atomic.Uint64)  { version.Store(version.Load() | oddStep) }
func closeLocked(version *atomic.Uint64) { version.Store((version.Load() | 1) + 1) }

// lockAll takes every stripe, in ascending order, the one order there is.
func (t *Table) lockAll() {
	for i := range t.stripes {
		t.stripes[i].mu.Lock()
	}
}

func (t *Table) unlockAll() {
	for i := range t.stripes {
		t.stripes[i].mu.Unlock()
	}
}

// spareLocked takes a spare cell of class k, or 0.
func (s *stripe) spareLocked(c *cells, k int) uint64 {
	for i := s.spares - 1; i >= 0; i-- {
		if u := s.spare[i]; c.classFor(c.sizeOf(u)) == k {
			s.spares--
			s.spare[i] = s.spare[s.spares]
			return u
		}
	}
	return 0
}

// retireLocked puts an unlinked row aside until no reader looks at it. A row of many cells is left to the caller, to be
// freed outside the lock: it gets the row back.
func (t *Table) retireLocked(s *stripe, a *arena, units uint64) (chained uint64) {
	if units == 0 {
		return 0
	}
	t.partLocked(a, units)
	if a.row(units).chained() {
		return units
	}
	s.retired = append(s.retired, units)
	s.retiredBytes += a.cells.sizeOf(units)
	return 0
}

// dueLocked says whether a scan is worth its cost.
func (s *stripe) dueLocked(limit int) bool {
	return len(s.retired) >= retireBatch || s.retiredBytes >= limit
}

// reclaim frees a stripe's retired cells that no reader looks at, together with the rows given, which are unlinked. With
// all set it gives the spare cells back as well: memory is short. No lock is held.
func (t *Table) reclaim(s *stripe, a *arena, all bool, rows ...uint64) {
	var memory [3][4 * retireBatch]uint64 // for what is usual, so that a write takes none from the heap
	batch, spare := t.takeRetired(s, a, all, memory[0][:0])
	for _, u := range rows {
		if u != 0 {
			batch = a.pieces(u, batch)
		}
	}
	for _, u := range spare {
		a.cells.give(u)
	}
	if len(batch) == 0 {
		return
	}

	hazards := t.store.threads.hazards(memory[1][:0])
	base := uint64(uintptr(a.base))
	kept, free := batch[:0], memory[2][:0]
	for _, u := range batch {
		if _, hit := slices.BinarySearch(hazards, base+u*Unit); hit {
			kept = append(kept, u)
		} else {
			poison(a, u)
			free = append(free, u)
		}
	}

	for _, u := range t.keepCells(s, a, kept, free, all) {
		a.cells.give(u)
	}
}

// takeRetired moves a stripe's list of retired cells to batch, and empties with all set that of its spare cells.
func (t *Table) takeRetired(s *stripe, a *arena, all bool, batch []uint64) (retired, spare []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.arena.Load() != a {
		return nil, nil // they were another arena's, and went with it
	}
	retired = append(batch, s.retired...)
	s.retired, s.retiredBytes = s.retired[:0], 0
	if cap(s.retired) > 4*retireBatch {
		s.retired = nil
	}
	if all {
		spare = slices.Clone(s.spare[:s.spares])
		s.spares = 0
	}
	return retired, spare
}

// keepCells puts back the cells that a reader still looks at and, unless all are to be given back, small free ones as
// spares. It answers the other free ones.
func (t *Table) keepCells(s *stripe, a *arena, retired, free []uint64, all bool) []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.arena.Load() != a {
		return free
	}
	for !all && s.spares < len(s.spare) && len(free) > 0 && a.cells.sizeOf(free[len(free)-1]) <= smallCell {
		s.spare[s.spares] = free[len(free)-1]
		s.spares++
		free = free[:len(free)-1]
	}
	for _, u := range retired {
		s.retired = append(s.retired, u)
		s.retiredBytes += a.cells.sizeOf(u)
	}
	return free
}
