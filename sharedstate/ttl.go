package sharedstate

import (
	"math"
	"time"
)

// Forever is the time to live of what does not expire. Every shorter one is exact to the clock; 0 or less means that the value
// has expired already.
const Forever time.Duration = math.MaxInt64

// expiryAfter is the moment at which something written now with a ttl expires, 0 for never.
func expiryAfter(ttl time.Duration) uint64 {
	if ttl == Forever {
		return 0
	}
	return now() + uint64(max(ttl, 0)) // the clock and a ttl have 63 bits
}

// TTL answers how long a key has still to live, Forever when it does not expire; false when it is absent.
func (t *Table) TTL(key string) (time.Duration, bool) {
	f, status := t.Peek(key)
	if status != StatusOK {
		return 0, false
	}
	return left(f.Expiry), true
}

// left is the time until an expiry: at least 1, for what was seen alive.
func left(expiry uint64) time.Duration {
	if expiry == 0 {
		return Forever
	}
	return max(time.Duration(expiry-now()), 1)
}

// Touch gives a key another time to live and keeps its value; false when the key is absent. It needs no memory, so it works in
// a full table. A ttl of 0 or less removes the key.
func (t *Table) Touch(key string, ttl time.Duration) (bool, error) {
	if ttl <= 0 {
		return t.Delete(key)
	}
	if err := t.usable(); err != nil {
		return false, err
	}
	live := t.touch(key, expiryAfter(ttl))
	if live {
		t.notify(Event{Op: OpTouch, Key: key})
	}
	return live, nil
}

func (t *Table) touch(key string, expiry uint64) bool {
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	finished := false
	fault("lock")
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	p := a.findLocked(home, h, key, generation)
	if !p.live {
		finished = true
		return false
	}
	// The clock is read inside the bracket, as in setNumberLocked.
	r := a.row(p.units)
	s.beginLocked(home)
	live := !r.dead(generation)
	if live {
		s.stripeCounts.touch(r.expiry.Load(), expiry)
		r.expiry.Store(expiry) // pairs with the load in fs_read
	}
	s.endLocked(home)
	if live {
		s.expiresLocked(p.slot, expiry)
		t.noteUse(p.slot)
		s.writes++
	}
	finished = true
	return live
}

// ExpiryAt is the expiry, as rows have it, of what expires at a moment of the wall clock; at least 1, which has passed already. What
// sets the wall clock later does not move it.
func ExpiryAt(moment time.Time) uint64 {
	base := time.Now()
	mono := int64(monotonic(base))
	left := moment.Sub(base.Round(0)) // by the wall clock; it saturates
	if left > time.Duration(math.MaxInt64-mono) {
		return math.MaxInt64
	}
	return uint64(max(mono+int64(left), 1))
}

// ExpiryTime is the moment of the wall clock at which a row with an expiry, which is not 0, expires.
func ExpiryTime(expiry uint64) time.Time {
	base := time.Now()
	return base.Round(0).Add(time.Duration(int64(expiry) - int64(monotonic(base))))
}
