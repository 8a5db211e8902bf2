package sharedstate

import (
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// hash says where a key lives: its stripe by the high half's low bits, its home bucket by the low half, its tag by the high
// half's top bits. Equal to XXH3_128bits_withSeed in fs_read.
type hash struct{ high, low uint64 }

func hashOf(key string, seed uint64) hash {
	h := xxh3.HashString128Seed(key, seed)
	return hash{h.Hi, h.Lo}
}

func (h hash) tag() uint64 { return h.high >> 48 }

// slotWord makes the word that publishes a row.
func (a *arena) slotWord(tag, units uint64) uint64 {
	word := tag<<SlotTagShift | units
	if a.row(units).chained() {
		word |= SlotChained
	}
	return word
}

func slotUnits(word uint64) uint64 { return word & (1<<SlotOffsetBits - 1) }

// walk visits the buckets of a chain, each with the index of its first slot, until visit answers false. The caller holds
// the stripe.
func (a *arena) walk(home *bucket, visit func(b *bucket, first int) bool) {
	for b, first := home, BucketHomeSlot; visit(b, first); first = 0 {
		link := b[BucketLink].Load()
		if link == 0 {
			return
		}
		b = a.overflow(link)
	}
}

// place is what a chain has for a key.
type place struct {
	slot  *atomic.Uint64 // the key's slot, or one that a new row may take; nil when the chain has neither
	units uint64         // the row in that slot, of this key or a dead one of another; 0 for none
	live  bool           // the row is this key's and can be read
	last  *bucket        // where a new overflow bucket is linked
}

// dead says whether a row can be read no more: cleared, or expired by now. The clock is read only for a row with an expiry.
func (r *row) dead(generation uint64) bool {
	if r.generation < generation {
		return true
	}
	e := r.expiry.Load()
	return e != 0 && now() >= e
}

// findLocked looks for key in its chain; the stripe is held.
func (a *arena) findLocked(home *bucket, h hash, key string, generation uint64) place {
	var p place
	tag := h.tag()
	a.walk(home, func(b *bucket, first int) bool {
		p.last = b
		for i := first; i < BucketLink; i++ {
			word := b[i].Load()
			if word == 0 {
				if p.slot == nil {
					p.slot = &b[i]
				}
				continue
			}
			if word>>SlotTagShift == tag && a.keyIs(slotUnits(word), key) {
				p.slot, p.units = &b[i], slotUnits(word)
				p.live = !a.row(p.units).dead(generation)
				return false
			}
		}
		return true
	})
	return p
}

// findDeadLocked looks for a dead row whose slot a new key may take.
func (a *arena) findDeadLocked(home *bucket, generation uint64) (slot *atomic.Uint64, units uint64) {
	a.walk(home, func(b *bucket, first int) bool {
		for i := first; i < BucketLink; i++ {
			if word := b[i].Load(); word != 0 && a.row(slotUnits(word)).dead(generation) {
				slot, units = &b[i], slotUnits(word)
				return false
			}
		}
		return true
	})
	return slot, units
}

// liveLocked visits the rows of a chain that can be read.
func (a *arena) liveLocked(home *bucket, generation uint64, visit func(slot *atomic.Uint64, units uint64)) {
	a.walk(home, func(b *bucket, first int) bool {
		for i := first; i < BucketLink; i++ {
			if word := b[i].Load(); word != 0 && !a.row(slotUnits(word)).dead(generation) {
				visit(&b[i], slotUnits(word))
			}
		}
		return true
	})
}
