package sharedstate

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// waiter stands in a queue, which gives it what it waits for without its own doing.
type waiter struct {
	granted chan struct{} // closed when its turn has come
	token   uint64        // then; 0 when what it waited for is not to be had any more
	failed  error         // why not
}

func newWaiter() waiter { return waiter{granted: make(chan struct{})} }

// grant ends the wait.
func (w *waiter) grant(token uint64, failed error) {
	w.token, w.failed = token, failed
	close(w.granted)
}

// Turn is a place in the queue for a lock or a mutex. Whoever has one calls Leave in the end.
type Turn struct {
	waiter  *waiter
	drained <-chan struct{}
	forget  func()      // takes the waiter out of the queue, if it is in it; mu is held
	mu      *sync.Mutex // of the queue
}

// Wait waits up to a time for the turn and answers the acquisition's token, 0 when it has not come yet. It fails with ErrWaitEnded, with
// ErrCorrupted, and then the place in the queue is gone, as after Leave.
func (t *Turn) Wait(d time.Duration) (token uint64, err error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return t.wait(timer.C, nil)
}

// wait waits until one of the two channels is readable.
func (t *Turn) wait(late <-chan time.Time, done <-chan struct{}) (token uint64, err error) {
	select {
	case <-t.waiter.granted:
		return t.waiter.token, t.waiter.failed
	case <-t.drained:
		if token := t.Leave(); token != 0 {
			return token, nil
		}
		return 0, ErrWaitEnded
	case <-late:
	case <-done:
	}
	return 0, nil
}

// Leave gives the place in the queue up. The token is not 0 when the turn had come already: what was waited for is the caller's.
func (t *Turn) Leave() (token uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
	return t.waiter.token
}

// ender is what a request can have that ends with it.
type ender interface {
	// endWith gives it back, if the request still has it.
	endWith(request uint64)
}

// endings is what there is to give back when requests end.
type endings struct {
	mu   sync.Mutex
	of   map[uint64][]ender // by request
	size atomic.Int64       // len(of), so that a look costs one load
}

func newEndings() *endings { return &endings{of: map[uint64][]ender{}} }

func (e *endings) add(request uint64, x ender) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.of[request] = append(e.of[request], x)
	e.size.Store(int64(len(e.of)))
}

func (e *endings) remove(request uint64, x ender) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.of[request]
	for i := len(all) - 1; i >= 0; i-- { // what came last mostly goes first
		if all[i] == x {
			all = slices.Delete(all, i, i+1)
			break
		}
	}
	if len(all) == 0 {
		delete(e.of, request)
	} else {
		e.of[request] = all
	}
	e.size.Store(int64(len(e.of)))
}

// end gives back what ends with a request, in no order.
func (e *endings) end(request uint64) {
	if e.size.Load() == 0 {
		return
	}
	e.mu.Lock()
	all := e.of[request]
	delete(e.of, request)
	e.size.Store(int64(len(e.of)))
	e.mu.Unlock()
	for _, x := range all {
		x.endWith(request)
	}
}
