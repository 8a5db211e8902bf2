package sharedstate

import "sync/atomic"

// stripeLock is the mutex of a stripe. C may take it too, if it is free, for the few words of a number (fs_change_number): that is why
// it is a word in the control block and no sync.Mutex. Who finds it held sleeps in Go.
type stripeLock struct {
	word *atomic.Uint32
	wake chan struct{} // holds at most one call to look again
}

func newStripeLock(word *atomic.Uint32) stripeLock {
	return stripeLock{word, make(chan struct{}, 1)}
}

// spins is how often Lock looks before it sleeps: a stripe is mostly held for less than a sleep takes.
const spins = 64

// Lock takes the lock. The word is LockWanted for as long as anybody may sleep, so that whoever unlocks calls one.
func (l *stripeLock) Lock() {
	if l.word.CompareAndSwap(LockFree, LockHeld) {
		return
	}
	for range spins {
		if l.word.Load() == LockFree && l.word.CompareAndSwap(LockFree, LockHeld) {
			return
		}
	}
	for l.word.Swap(LockWanted) != LockFree {
		<-l.wake
	}
}

// Unlock frees the lock, which is held. The same is done in fs_unlock.
func (l *stripeLock) Unlock() {
	switch l.word.Swap(LockFree) {
	case LockFree:
		panic("sharedstate: unlock of a stripe that nobody holds")
	case LockWanted:
		l.Wake()
	}
}

// Wake has one sleeper look again, after a lock that was wanted has become free.
func (l *stripeLock) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // a call is on its way already
	}
}
