package sharedstate

import (
	"math/rand/v2"
	"sync/atomic"
	"unsafe"
)

// meta overlays a slot's metadata word. It says nothing when the slot is empty.
type meta struct {
	due atomic.Uint32 // see MetaDue
	use atomic.Uint32 // see MetaUse; pairs with the load and store in fs_use
}

// metaOf is the metadata of a slot: as far behind its bucket's start plus BucketMeta words as the slot behind the start.
func metaOf(slot *atomic.Uint64) *meta {
	return (*meta)(unsafe.Add(unsafe.Pointer(slot), BucketMeta*8)) // a bucket has as many metadata words as words before them
}

// dueOf is the metadata's form of an expiry.
func dueOf(expiry uint64) uint32 {
	if expiry == 0 {
		return 0
	}
	return uint32(min(expiry>>DueShift+1, 1<<32-1))
}

// mayBeDead says whether a row with that word can have expired; only the row itself knows.
func mayBeDead(due uint32, now uint64) bool { return due != 0 && leastExpiry(due) <= now }

// leastExpiry is the soonest expiry that has this word.
func leastExpiry(due uint32) uint64 { return uint64(due-1) << DueShift }

// newUse is the metadata of a row's first use.
func newUse(tick uint64) uint32 { return uint32(tick&UseTickMask)<<UseTickShift | UseFirst }

// ageOf is how many ticks ago a row was used.
func ageOf(use uint32, tick uint64) uint32 { return (uint32(tick) - use>>UseTickShift) & UseTickMask }

// countOf is a row's count of uses, less what it has lost since the last.
func countOf(use uint32, tick uint64) uint32 {
	return (use & UseCountMask) - min(use&UseCountMask, ageOf(use, tick)/UseDecay)
}

// noteUse writes down a use, under LRU the first in a tick. The same rule stands in fs_use.
func (m *meta) noteUse(policy EvictionPolicy, tick uint64) {
	use := m.use.Load()
	count := countOf(use, tick)
	if policy == EvictLFU && count < UseCountMask {
		over := max(count, UseFirst) - UseFirst
		if over == 0 || rand.Uint32N(1+over<<UseRarity) == 0 {
			count++
		}
	}
	if next := uint32(tick&UseTickMask)<<UseTickShift | count; next != use {
		m.use.Store(next)
	}
}

// rankDead is above the rank of every row that can be read.
const rankDead = 1 << 32

// rank says how soon a row goes under a policy: the highest first. What may have expired goes before all else.
func (m *meta) rank(policy EvictionPolicy, tick, now uint64) uint64 {
	due := m.due.Load()
	switch {
	case mayBeDead(due, now):
		return rankDead
	case policy == EvictTTL:
		return uint64(-due) // 0 for none; else the sooner, the higher
	}
	use := m.use.Load()
	age := uint64(ageOf(use, tick))
	if policy == EvictLFU {
		return uint64(UseCountMask-countOf(use, tick))<<(32-UseTickShift) | age
	}
	return age
}
