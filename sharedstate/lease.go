package sharedstate

import (
	"sync"
	"sync/atomic"
	"time"
)

// A lease says that one request computes a key's value, so that others wait for it instead of computing it too. It protects
// nothing: who cannot have it may compute as well. It ends with its request at the latest.

type leaseName struct {
	table *Table
	key   string
	kind  LeaseKind
}

type lease struct {
	owner uint64
	exclusive
	freed chan struct{} // closed when the lease ends
}

// leases are those of one store.
type leases struct {
	graph  *waitGraph
	mu     sync.Mutex
	held   map[leaseName]*lease
	owners map[uint64][]leaseName // what each request holds
	size   atomic.Int64           // len(held), so that a look costs one load
}

func newLeases(graph *waitGraph) leases {
	return leases{graph: graph, held: map[leaseName]*lease{}, owners: map[uint64][]leaseName{}}
}

// Lease asks for a key's lease for a request, and waits up to wait while another has it. A wait of several calls has one since, 0 before
// the first; it may be nil.
func (t *Table) Lease(key string, kind LeaseKind, owner uint64, wait time.Duration, since *uint64) LeaseAnswer {
	ls := &t.store.leases
	n := leaseName{t, key, kind}
	l, answer := ls.take(n, owner)
	if l == nil {
		return answer
	}
	defer ls.graph.leave(owner)
	drained := t.store.waits.begin(since)
	if drained == nil {
		return LeaseDrained
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-l.freed:
		return LeaseFreed
	case <-drained:
		return LeaseDrained
	case <-timer.C:
		return LeaseBusy
	}
}

// take gives the lease to the owner or notes that it waits for the one answered.
func (ls *leases) take(n leaseName, owner uint64) (l *lease, answer LeaseAnswer) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l = ls.held[n]
	switch {
	case l == nil:
		n.key = string([]byte(n.key)) // the caller's bytes may be C's
		ls.held[n] = &lease{owner, exclusive{owner}, make(chan struct{})}
		ls.owners[owner] = append(ls.owners[owner], n)
		ls.size.Add(1)
		return nil, LeaseHeld
	case l.owner == owner:
		return nil, LeaseAlready
	}
	if ls.graph.enter(owner, &l.exclusive) != nil {
		return nil, LeaseCircle
	}
	return l, LeaseBusy
}

// EndLease lets go of a key's lease, if the request has it.
func (t *Table) EndLease(key string, kind LeaseKind, owner uint64) {
	ls := &t.store.leases
	n := leaseName{t, key, kind}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for i, own := range ls.owners[owner] {
		if own == n {
			ls.owners[owner] = append(ls.owners[owner][:i], ls.owners[owner][i+1:]...)
			ls.endLocked(n)
			break
		}
	}
	if len(ls.owners[owner]) == 0 {
		delete(ls.owners, owner)
	}
}

func (ls *leases) endLocked(n leaseName) {
	l := ls.held[n]
	ls.graph.pass(&l.exclusive, 0, 0)
	close(l.freed)
	delete(ls.held, n)
	ls.size.Add(-1)
}

// endAll lets go of all leases of a request that has ended.
func (ls *leases) endAll(owner uint64) {
	if ls.size.Load() == 0 {
		return
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, n := range ls.owners[owner] {
		ls.endLocked(n)
	}
	delete(ls.owners, owner)
}
