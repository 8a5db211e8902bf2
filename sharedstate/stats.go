package sharedstate

// Stats are a table's figures at about one moment, except those of the threads, which are of all tables.
type Stats struct {
	Keys        uint64 // keys that can be read
	KeyBytes    uint64 // bytes of those keys
	Expiring    uint64 // of the keys, those with an expiry
	ValueBytes  uint64 // bytes of their values, 8 for a number
	MemoryLimit uint64 // the bound in bytes
	MemoryUsed  uint64 // index and cells in use, those not yet freed included
	Retired     uint64 // bytes that wait until no reader looks at them
	Buried      uint64 // bytes of earlier arenas that a thread may still read
	Stripes     uint64
	Homes       uint64 // home buckets
	Overflow    uint64 // overflow buckets
	Writes      uint64
	Deletes     uint64
	Expired     uint64 // rows taken out because they had expired
	Evicted     uint64 // rows that were still good, evicted to make room
	Refused     uint64 // writes refused because the table was full
	Generation  uint64
	Version     uint64

	Threads uint64 // PHP threads that hold a record
	Hits    uint64 // reads that a thread's gate answered
	Reads   uint64 // reads that went to a table without a lock
	Locked  uint64 // of those, the ones that then took the lock
}

// ThreadStats are one PHP thread's figures, over all tables. They only grow: a thread goes on from the numbers of an earlier
// one that had the same record.
type ThreadStats struct {
	Record int    // number of its record, from 0 to ThreadRecords - 1; no other running thread has it
	Hits   uint64 // reads that its gate answered
	Reads  uint64 // reads that went to a table without a lock
	Locked uint64 // of those, the ones that then took the lock
}

// ThreadStats lists the PHP threads that hold a record, by its number.
func (s *Store) ThreadStats() []ThreadStats { return s.threads.list() }

// Stats answers the table's figures.
func (t *Table) Stats() Stats {
	t.sweep() // what has expired is counted no more
	a := t.arena.Load()
	st := Stats{
		MemoryLimit: uint64(t.Options().Memory),
		MemoryUsed:  a.cells.first + a.cells.used() + uint64(controlBytes(len(t.stripes))),
		Buried:      uint64(t.store.grave.sweep(t.store.threads)),
		Stripes:     uint64(len(t.stripes)),
		Homes:       a.homes * uint64(len(t.stripes)),
		Refused:     t.refused.Load(),
		Generation:  t.control.generation.Load(),
		Version:     t.Version(),
	}
	for i := range t.stripes {
		t.addStats(&st, &t.stripes[i])
	}
	st.Threads, st.Hits, st.Reads, st.Locked = t.store.threads.totals()
	return st
}

// addStats adds a stripe's figures.
func (t *Table) addStats(st *Stats, s *stripe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.syncLocked(t.control.generation.Load())
	st.Keys += uint64(s.rows)
	st.KeyBytes += uint64(s.keyBytes)
	st.Expiring += uint64(s.expiring)
	st.ValueBytes += uint64(s.valueBytes)
	st.Overflow += uint64(s.overflow)
	st.Writes += s.writes + s.line.writes
	st.Deletes += s.deletes
	st.Expired += s.expired
	st.Evicted += s.evicted
	st.Retired += uint64(s.retiredBytes)
}
