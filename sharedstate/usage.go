package sharedstate

// Usage is what a table knows of a key beside its value.
type Usage struct {
	Memory uint64 // bytes of its cells and of its slot in the index
	Idle   uint64 // ticks of the eviction's clock, a second or less each, since it was last used
	Count  uint64 // how often it was used, by the logarithmic count of the policy lfu; 0 under another policy
}

// Usage tells of a key without using it; false when it is absent.
func (t *Table) Usage(key string) (Usage, bool) {
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	p := a.findLocked(a.home(h.high&t.mask, h.low), h, key, t.control.generation.Load())
	finished = true
	if !p.live {
		return Usage{}, false
	}
	u := Usage{Memory: BucketSize / BucketLink}
	for _, cell := range a.pieces(p.units, nil) {
		u.Memory += uint64(a.cells.sizeOf(cell))
	}
	use, tick := metaOf(p.slot).use.Load(), t.control.tick.Load()
	u.Idle = uint64(ageOf(use, tick))
	if t.options.Load().Eviction.Policy == EvictLFU {
		u.Count = uint64(countOf(use, tick))
	}
	return u, true
}

// Dropped says whether the table was removed from its store: it is empty then and takes no writes.
func (t *Table) Dropped() bool { return t.control.closed.Load()&ClosedDropped != 0 }
