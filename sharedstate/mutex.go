package sharedstate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// A mutex is a value that only its holder sees and changes. It is held by one owner at a time, a PHP request or a call from Go, and a
// change counts when the holder commits it: what a holder that dies has done is not seen. Who waits gets it in the order of coming, at the
// moment at which it is free. Each acquisition has a token of its own, so that a holder whose request has ended changes nothing any more.

// The errors of mutexes.
var (
	ErrContention       = errors.New("another one has it")
	ErrOperationTimeout = errors.New("it was not free in time")
	ErrCorrupted        = errors.New("an internal failure came while it was held, and its value cannot be trusted")
)

const (
	// mutexCost is what a mutex takes beside what all shared objects do and its value; waiterCost is for a place in its queue.
	mutexCost  = 128
	waiterCost = 256
	// firstGoOwner is the least number of an owner from Go. PHP requests have those from 1 on.
	firstGoOwner = 1 << 63
)

// Mutex is an open mutex.
type Mutex struct {
	shared
	store *Store

	mu sync.Mutex // guards what follows; nothing but leaves are taken under it
	exclusive
	token     uint64 // of the acquisition in force; 0 when nobody has it
	queue     []*mutexWaiter
	value     Value
	corrupted bool
	gone      bool
}

type mutexWaiter struct {
	waiter
	owner uint64
}

// OpenMutex opens a mutex: the one of that name, or a new one with the initial value. Without a name it is always a new one. It fails with
// ErrSharedFull, ErrValueTooLarge, and ErrStaleHandle for a handle in the value.
func (s *Store) OpenMutex(name string, initial Value) (*Mutex, error) {
	made := &Mutex{store: s}
	made.name = name // for messages
	if err := s.admit(&initial); err != nil {
		return nil, err
	}
	s.registry.retain(&initial)
	m, err := s.registry.open(SharedMutex, name, mutexCost, func() (Shared, error) {
		return made, made.setLocked(initial)
	})
	if m != Shared(made) { // one that there is already, or none
		s.registry.release(initial)
	}
	if err != nil {
		return nil, err
	}
	return m.(*Mutex), nil
}

// admit checks a value that a mutex is to have.
func (s *Store) admit(v *Value) error {
	return errors.Join(s.admitValue("a mutex", v), s.registry.check(v))
}

func (m *Mutex) free() []Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = true
	old := m.value
	if err := m.setLocked(Null()); err != nil {
		panic(err) // which takes no memory
	}
	return []Value{old}
}

// setLocked puts another value in the place of the old one, if there is memory for it.
func (m *Mutex) setLocked(v Value) error {
	if !m.store.locks.reserve(int64(len(v.data) - len(m.value.data))) {
		return m.store.locks.full(ErrSharedFull, "the value of "+m.String())
	}
	m.value = v
	return nil
}

// String names the mutex in messages.
func (m *Mutex) String() string {
	switch {
	case m.name != "":
		return "mutex " + quoteKey(m.name)
	case m.id != 0:
		return fmt.Sprint("mutex ", m.id)
	}
	return "a mutex without a name"
}

// TryLock takes the mutex for an owner, and answers the acquisition's token. It fails with ErrContention when another one has it, with
// ErrDeadlock when the owner has it already, and with ErrCorrupted.
func (m *Mutex) TryLock(owner uint64) (token uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if token, err = m.takeLocked(owner); token == 0 && err == nil {
		err = fmt.Errorf("%w: %s", ErrContention, m)
	}
	return token, err
}

// Enqueue takes the mutex for an owner, or a place in its queue when another one has it: then token is 0. It fails with ErrDeadlock when
// the owner has it, or whoever has it waits, over others perhaps, for the owner; with ErrCorrupted; and with ErrSharedFull.
func (m *Mutex) Enqueue(owner uint64) (token uint64, turn *Turn, err error) {
	drained := m.store.waits.begin(nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	if token, err = m.takeLocked(owner); token != 0 || err != nil {
		return token, nil, err
	}
	if !m.store.locks.reserve(waiterCost) {
		return 0, nil, m.store.locks.full(ErrSharedFull, "a waiter for "+m.String())
	}
	if err := m.store.graph.enter(owner, &m.exclusive); err != nil {
		m.store.locks.memory.Add(-waiterCost)
		return 0, nil, fmt.Errorf("%w: whoever has %s waits for this request, over others perhaps", err, m)
	}
	w := &mutexWaiter{newWaiter(), owner}
	m.queue = append(m.queue, w)
	return 0, &Turn{&w.waiter, drained, func() { m.forget(w) }, &m.mu}, nil
}

// takeLocked takes the mutex if it is free. It is never free while somebody waits.
func (m *Mutex) takeLocked(owner uint64) (token uint64, err error) {
	switch {
	case m.gone:
		return 0, fmt.Errorf("%w: %s", ErrStaleHandle, m)
	case m.corrupted:
		return 0, fmt.Errorf("%w: %s", ErrCorrupted, m)
	case m.token != 0 && m.holder == owner && owner != 0:
		return 0, fmt.Errorf("%w: this request has %s already", ErrDeadlock, m)
	case m.token != 0:
		return 0, nil
	}
	m.holder = owner
	m.grantLocked(owner)
	return m.token, nil
}

func (m *Mutex) grantLocked(owner uint64) {
	m.token = m.store.locks.tokens.Add(1)
	if owner != 0 && owner < firstGoOwner {
		m.store.ends.add(owner, m)
	}
}

// forget takes a waiter out of the queue; the mutex is locked.
func (m *Mutex) forget(w *mutexWaiter) {
	for i := range m.queue {
		if m.queue[i] == w {
			m.queue = append(m.queue[:i], m.queue[i+1:]...)
			m.dismissLocked(w)
			return
		}
	}
}

// dismissLocked takes back what a waiter that has left the queue took.
func (m *Mutex) dismissLocked(w *mutexWaiter) {
	m.store.graph.leave(w.owner)
	m.store.locks.memory.Add(-waiterCost)
}

// passLocked ends the holder's time: the first waiter has the mutex now, or nobody.
func (m *Mutex) passLocked() {
	if m.holder != 0 && m.holder < firstGoOwner {
		m.store.ends.remove(m.holder, m)
	}
	if len(m.queue) == 0 {
		m.holder, m.token = 0, 0
		return
	}
	w := m.queue[0]
	m.queue = m.queue[1:]
	m.store.locks.memory.Add(-waiterCost)
	m.store.graph.pass(&m.exclusive, w.owner, w.owner)
	m.grantLocked(w.owner)
	w.grant(m.token, nil)
}

// corruptLocked ends the mutex's use: who waits fails.
func (m *Mutex) corruptLocked() {
	m.corrupted = true
	queue := m.queue
	m.queue = nil
	for _, w := range queue {
		m.dismissLocked(w)
		w.grant(0, fmt.Errorf("%w: %s", ErrCorrupted, m))
	}
	m.passLocked()
}

// Value answers the value to who has the mutex by that token. It fails with ErrStaleHandle.
func (m *Mutex) Value(token uint64) (Value, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hasLocked(token) {
		return Value{}, notHeld{m}
	}
	return m.value, nil
}

// notHeld is the ErrStaleHandle of a token whose time is over.
type notHeld struct{ m *Mutex }

func (e notHeld) Error() string {
	return e.m.String() + " is not held any more, for the request that had it has ended; nothing has been changed"
}

func (notHeld) Is(target error) bool { return target == ErrStaleHandle }

func (m *Mutex) hasLocked(token uint64) bool { return token != 0 && m.token == token }

// Commit sets the value and gives the mutex back. It fails with ErrValueTooLarge, ErrSharedFull, and ErrStaleHandle for a handle in the
// value, when the value before stands and the mutex is given back all the same; and with ErrStaleHandle when the token's time is over.
func (m *Mutex) Commit(token uint64, v Value) error {
	err := m.store.admit(&v)
	m.registry.retain(&v)
	gone, err := m.commit(token, v, err)
	m.registry.release(gone)
	return err
}

// commit answers the value that the mutex does not have, be it the new or the old one. It fails at least with failed.
func (m *Mutex) commit(token uint64, v Value, failed error) (gone Value, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hasLocked(token) {
		return v, notHeld{m}
	}
	finished := false
	defer func() {
		if !finished {
			m.corruptLocked()
		}
	}()
	fault("commit")
	gone, err = v, failed
	if m.gone {
		err = notHeld{m}
	}
	if err == nil {
		old := m.value
		if err = m.setLocked(v); err == nil {
			gone = old
		}
	}
	m.passLocked()
	finished = true
	return gone, err
}

// Unlock gives the mutex back with the value as it was, if the token's time is not over.
func (m *Mutex) Unlock(token uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hasLocked(token) {
		return false
	}
	m.passLocked()
	return true
}

// endWith gives the mutex back when the request that has it has ended.
func (m *Mutex) endWith(request uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token != 0 && m.holder == request {
		m.passLocked()
	}
}

var goOwners atomic.Uint64

type ownerKey struct{}

// ownerOf is who a call from Go is: the holder of the mutex under which it is made, or somebody new.
func ownerOf(ctx context.Context) (context.Context, uint64) {
	if owner, ok := ctx.Value(ownerKey{}).(uint64); ok {
		return ctx, owner
	}
	owner := firstGoOwner + goOwners.Add(1)
	return context.WithValue(ctx, ownerKey{}, owner), owner
}

// With waits for the mutex, calls f, which may change the value, and gives the mutex back. What f has left in the value counts, also when
// it returns an error, which With passes on; when f panics nothing has changed. Calls of With inside f take f's context, by which
// deadlocks are found.
//
// It fails with ErrOperationTimeout and the context's error when ctx is done before the wait is, with ErrWaitEnded when Drain ends it, and
// as Enqueue and Commit do.
func (m *Mutex) With(ctx context.Context, f func(ctx context.Context, value *Value) error) error {
	ctx, owner := ownerOf(ctx)
	token, turn, err := m.Enqueue(owner)
	if turn != nil {
		token, err = turn.wait(nil, ctx.Done())
		if token == 0 && err == nil {
			if token = turn.Leave(); token == 0 {
				err = fmt.Errorf("%w: %s: %w", ErrOperationTimeout, m, context.Cause(ctx))
			}
		}
	}
	if err != nil {
		return err
	}
	return m.run(ctx, token, f)
}

// TryWith is With without a wait: it fails with ErrContention when another one has the mutex.
func (m *Mutex) TryWith(ctx context.Context, f func(ctx context.Context, value *Value) error) error {
	ctx, owner := ownerOf(ctx)
	token, err := m.TryLock(owner)
	if err != nil {
		return err
	}
	return m.run(ctx, token, f)
}

func (m *Mutex) run(ctx context.Context, token uint64, f func(context.Context, *Value) error) error {
	defer m.Unlock(token) // when f panics; else it has been given back
	v, err := m.Value(token)
	if err != nil {
		return err
	}
	failed := f(ctx, &v)
	err = m.Commit(token, v)
	if err == nil || failed == nil {
		return cmp.Or(failed, err)
	}
	return errors.Join(failed, err)
}
