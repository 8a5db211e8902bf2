package sharedstate

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Locks are leases by name: an owner has one until it gives it back, its time runs out, or, if it asked for that, its request ends.
// Names are a table's own, apart from its keys. Waiters stand in a queue, and a lock that becomes free is the first waiter's at that
// moment: nobody polls, and nobody comes between.

// The errors of locks.
var (
	ErrLocksFull   = errors.New("there is no memory for another lock")
	ErrWaitEnded   = errors.New("the wait has ended, for the server loads another configuration")
	ErrLockTimeout = errors.New("the lock was not free in time")
)

// LockRequest is what somebody wants a lock for.
type LockRequest struct {
	Name  string
	Owner string // who asks; who knows it may release
	// TTL is how long the lock is held at most, from the moment it is got; Forever for no limit.
	TTL time.Duration
	// Request is the PHP request that asks, 0 for Go code.
	Request uint64
	// ReleaseAtEnd has the lock released when Request ends.
	ReleaseAtEnd bool
}

// LockState is what there is to know of a lock that is held.
type LockState struct {
	Owner string
	Token uint64        // grows with every acquisition of any lock
	Left  time.Duration // Forever when it does not expire
}

const (
	lockShards = 64
	// lockCost is what a lock takes beside its name and its owner: the struct, its place in the map, a waiter.
	lockCost = 320
	// spareBytes is how long the name and the owner of a spare lock are at most.
	spareBytes = 256
	// DefaultLocksMemory and MinLocksMemory bound what the locks of a store take.
	DefaultLocksMemory = 8 << 20
	MinLocksMemory     = 64 << 10
)

type lockName struct {
	table *Table
	name  string
}

// lock is one that is held, or the spare one of its shard.
type lock struct {
	LockRequest
	exclusive        // of those that do not expire
	token     uint64 // 0 when it is free
	expires   uint64 // 0 for never
	queue     []*lockWaiter
	timer     *time.Timer // hands the lock over when it expires; only while somebody waits
}

// lockWaiter waits in a queue. Guarded by its shard's lock.
type lockWaiter struct {
	LockRequest
	waiter
	name lockName
}

type lockShard struct {
	mu   sync.Mutex
	held map[lockName]*lock
	// spare is the lock that was given back last, if any. It stays in held until the next sweep: who takes it again needs no memory
	// from the heap, and half the time.
	spare lockName
	_     [LineSize]byte
}

// locks are those of one store.
type locks struct {
	graph  *waitGraph
	ends   *endings
	seed   maphash.Seed
	shard  [lockShards]lockShard
	tokens atomic.Uint64
	memory atomic.Int64 // in use
	limit  atomic.Int64
}

func newLocks(graph *waitGraph, ends *endings) *locks {
	l := &locks{graph: graph, ends: ends, seed: maphash.MakeSeed()}
	for i := range l.shard {
		l.shard[i].held = map[lockName]*lock{}
	}
	l.limit.Store(DefaultLocksMemory)
	return l
}

func (l *locks) shardOf(n lockName) *lockShard {
	return &l.shard[maphash.String(l.seed, n.name)%lockShards]
}

// SetLocksMemory bounds the memory of all locks. Those that there are stay.
func (s *Store) SetLocksMemory(bytes int64) { s.locks.limit.Store(max(bytes, MinLocksMemory)) }

// LocksMemory answers what locks take, and the bound.
func (s *Store) LocksMemory() (used, limit int64) {
	return s.locks.memory.Load(), s.locks.limit.Load()
}

// full is the error for what reserve has refused.
func (l *locks) full(err error, what string) error {
	return fmt.Errorf("%w: %s, the limit is locks_memory = %d bytes", err, what, l.limit.Load())
}

func costOf(r *LockRequest) int64 { return lockCost + int64(len(r.Name)+len(r.Owner)) }

// dead says whether a lock has expired.
func (k *lock) dead() bool { return k.expires != 0 && now() >= k.expires }

// get answers the lock of a name that somebody has, be it one that has expired, or nil.
func (s *lockShard) get(n lockName) *lock {
	if k := s.held[n]; k != nil && k.token != 0 {
		return k
	}
	return nil
}

// take answers the lock of a name for a request: the spare one, or a new one when that is nil. The request's strings are copied, for they
// may be C's.
func (s *lockShard) take(n lockName, spare *lock, r *LockRequest) *lock {
	k := spare
	if k == nil {
		k = &lock{}
		k.Name = strings.Clone(r.Name)
		s.held[lockName{n.table, k.Name}] = k
	} else {
		s.spare = lockName{}
	}
	name, owner := k.Name, k.Owner
	if owner != r.Owner {
		owner = strings.Clone(r.Owner)
	}
	k.LockRequest = *r
	k.Name, k.Owner = name, owner
	return k
}

// drop makes a lock free for which nobody waits.
func (s *lockShard) drop(n lockName, k *lock) {
	k.token, k.expires, k.holder = 0, 0, 0
	s.forgetSpare()
	if len(k.Name)+len(k.Owner) > spareBytes {
		delete(s.held, n)
	} else {
		s.spare = lockName{n.table, k.Name}
	}
}

func (s *lockShard) forgetSpare() {
	if s.spare.table != nil {
		delete(s.held, s.spare)
		s.spare = lockName{}
	}
}

// Lock takes a lock that is free, and answers its fencing token, or 0 when another has it, be it the same owner. It fails with
// ErrLocksFull.
func (t *Table) Lock(r LockRequest) (token uint64, err error) {
	l := t.store.locks
	n := lockName{t, r.Name}
	s := l.shardOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.takeLocked(s, n, &r)
}

// takeLocked takes a lock if it is free and nobody waits for it.
func (l *locks) takeLocked(s *lockShard, n lockName, r *LockRequest) (token uint64, err error) {
	k := s.held[n]
	if k != nil && k.token != 0 {
		if !k.dead() {
			return 0, nil
		}
		if l.passLocked(s, n, k); k.token != 0 {
			return 0, nil // to who was waiting
		}
		k = s.held[n] // it may be the spare one now
	}
	if !l.reserve(costOf(r)) {
		return 0, l.full(ErrLocksFull, "lock "+quoteKey(r.Name))
	}
	k = s.take(n, k, r)
	token = l.grantLocked(s, n, k, k.LockRequest)
	k.holder = k.blocker()
	return token, nil
}

// blocker is the request without which the lock will not be free.
func (k *lock) blocker() uint64 {
	if k.expires != 0 {
		return 0
	}
	return k.Request
}

// grantLocked makes a lock a request's.
func (l *locks) grantLocked(s *lockShard, n lockName, k *lock, r LockRequest) (token uint64) {
	k.LockRequest, k.token, k.expires = r, l.tokens.Add(1), expiryAfter(r.TTL)
	if r.ReleaseAtEnd {
		l.ends.add(r.Request, lockName{n.table, r.Name})
	}
	l.watchLocked(s, k, lockName{n.table, r.Name})
	return k.token
}

// watchLocked sets the timer that passes a lock on when it expires, if somebody waits.
func (l *locks) watchLocked(s *lockShard, k *lock, n lockName) {
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	if k.expires == 0 || len(k.queue) == 0 {
		return
	}
	k.timer = time.AfterFunc(max(time.Duration(k.expires-now()), 0), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held[n] != k {
			return
		}
		if k.dead() {
			l.passLocked(s, n, k)
		} else {
			l.watchLocked(s, k, n)
		}
	})
}

// passLocked ends a holder's time: the first waiter has the lock now, or it is gone.
func (l *locks) passLocked(s *lockShard, n lockName, k *lock) {
	if k.ReleaseAtEnd {
		l.ends.remove(k.Request, lockName{n.table, k.Name})
	}
	l.memory.Add(-costOf(&k.LockRequest))
	if len(k.queue) == 0 {
		if k.timer != nil {
			k.timer.Stop()
		}
		s.drop(n, k)
		return
	}
	w := k.queue[0]
	k.queue = k.queue[1:]
	token := l.grantLocked(s, n, k, w.LockRequest)
	l.graph.pass(&k.exclusive, k.blocker(), w.Request)
	w.grant(token, nil)
}

// Enqueue takes a lock, or a place in its queue when another has it: then token is 0. It fails with ErrLocksFull, and with ErrDeadlock
// when the request, or one that waits for it over others perhaps, holds the lock without a limit.
func (t *Table) Enqueue(r LockRequest) (token uint64, turn *Turn, err error) {
	l := t.store.locks
	n := lockName{t, r.Name}
	s := l.shardOf(n)
	drained := t.store.waits.begin(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if token, err = l.takeLocked(s, n, &r); token != 0 || err != nil {
		return token, nil, err
	}
	k := s.get(n)
	if !l.reserve(costOf(&r)) {
		return 0, nil, l.full(ErrLocksFull, "a waiter for lock "+quoteKey(r.Name))
	}
	if err := l.graph.enter(r.Request, &k.exclusive); err != nil {
		l.memory.Add(-costOf(&r))
		return 0, nil, fmt.Errorf("%w: lock %s is held by this request, or by one that waits for it", err, quoteKey(r.Name))
	}
	r.Name, r.Owner = k.Name, string([]byte(r.Owner))
	w := &lockWaiter{LockRequest: r, waiter: newWaiter(), name: lockName{t, k.Name}}
	k.queue = append(k.queue, w)
	l.watchLocked(s, k, w.name)
	return 0, &Turn{&w.waiter, drained, func() { l.forget(w) }, &s.mu}, nil
}

// forget takes a waiter out of its queue.
func (l *locks) forget(w *lockWaiter) {
	s := l.shardOf(w.name)
	if k := s.get(w.name); k != nil {
		if i := slices.Index(k.queue, w); i >= 0 {
			k.queue = slices.Delete(k.queue, i, i+1)
			l.graph.leave(w.Request)
			l.memory.Add(-costOf(&w.LockRequest))
		}
	}
}

// LockWithin is Enqueue and Wait up to a time. It fails with ErrLockTimeout too.
func (t *Table) LockWithin(r LockRequest, d time.Duration) (token uint64, err error) {
	token, turn, err := t.Enqueue(r)
	if turn == nil {
		return token, err
	}
	if token, err = turn.Wait(d); token != 0 || err != nil {
		return token, err
	}
	if token = turn.Leave(); token == 0 {
		err = fmt.Errorf("%w: lock %s after %s", ErrLockTimeout, quoteKey(r.Name), d)
	}
	return token, err
}

// owned runs f with the shard held if owner has the lock; false if not.
func (t *Table) owned(name, owner string, f func(l *locks, s *lockShard, n lockName, k *lock)) bool {
	l := t.store.locks
	n := lockName{t, name}
	s := l.shardOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.get(n)
	if k == nil {
		return false
	}
	if k.dead() {
		l.passLocked(s, n, k)
	}
	if k.token == 0 || k.Owner != owner {
		return false
	}
	f(l, s, n, k)
	return true
}

// Unlock gives a lock back, if owner has it.
func (t *Table) Unlock(name, owner string) bool {
	return t.owned(name, owner, func(l *locks, s *lockShard, n lockName, k *lock) { l.passLocked(s, n, k) })
}

// Refresh gives a lock that owner has another time to live from now on. A ttl of 0 or less is for the caller to refuse.
func (t *Table) Refresh(name, owner string, ttl time.Duration) bool {
	return t.owned(name, owner, func(l *locks, s *lockShard, n lockName, k *lock) {
		k.TTL, k.expires = ttl, expiryAfter(ttl)
		if k.expires != 0 {
			l.graph.pass(&k.exclusive, 0, 0)
		}
		l.watchLocked(s, k, lockName{n.table, k.Name})
	})
}

// ForceUnlock takes a lock away from whoever has it, and says whether anybody had.
func (t *Table) ForceUnlock(name string) bool {
	l := t.store.locks
	n := lockName{t, name}
	s := l.shardOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.get(n)
	if k == nil {
		return false
	}
	was := !k.dead()
	l.passLocked(s, n, k)
	return was
}

// LockHeld says who has a lock; false when it is free.
func (t *Table) LockHeld(name string) (LockState, bool) {
	l := t.store.locks
	n := lockName{t, name}
	s := l.shardOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.get(n)
	if k == nil || k.dead() {
		return LockState{}, false
	}
	return LockState{k.Owner, k.token, left(k.expires)}, true
}

// UnlockAll takes all locks of the table away, and answers how many there were. Waiters get theirs.
func (t *Table) UnlockAll() (n int) {
	l := t.store.locks
	for i := range l.shard {
		s := &l.shard[i]
		s.mu.Lock()
		for name, k := range s.held {
			if name.table == t && k.token != 0 {
				l.passLocked(s, name, k)
				n++
			}
		}
		s.mu.Unlock()
	}
	return n
}

// sweep passes locks on that have expired, and forgets those that nobody has.
func (l *locks) sweep() {
	for i := range l.shard {
		s := &l.shard[i]
		s.mu.Lock()
		for n, k := range s.held {
			if k.dead() {
				l.passLocked(s, n, k)
			}
		}
		s.forgetSpare()
		s.mu.Unlock()
	}
}

// endWith gives back a lock that ends with a request that has ended.
func (n lockName) endWith(request uint64) {
	l := n.table.store.locks
	s := l.shardOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.get(n); k != nil && k.ReleaseAtEnd && k.Request == request {
		l.passLocked(s, n, k)
	}
}
