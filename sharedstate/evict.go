package sharedstate

import "math/rand/v2"

// Eviction looks at a sample of neighbouring slots in one stripe, at their metadata alone, and lets go of those that rank
// highest. No write scans the table for it, and a row that is used is rarely in the worst quarter of a sample.
const (
	evictSample = 64
	evictBatch  = 16 // one look at the hazards serves that many rows
	// ticksPerTurn is how often the policies' clock moves while new rows take a table's whole memory once: an age in seconds
	// alone could not tell rows apart where the table turns over in less.
	ticksPerTurn = 16
)

// candidate is a sampled slot.
type candidate struct {
	home *bucket
	p    place
	rank uint64
	use  uint32 // its metadata's
}

// victims are the highest ranks of a sample, the highest first.
type victims struct {
	list [evictBatch]candidate
	n    int
}

func (v *victims) offer(c candidate) {
	i := v.n
	if v.n < len(v.list) {
		v.n++
	} else if i--; v.list[i].rank >= c.rank {
		return
	}
	for ; i > 0 && v.list[i-1].rank < c.rank; i-- {
		v.list[i] = v.list[i-1]
	}
	v.list[i] = c
}

// evicts says whether the table lets go of rows that are still good.
func (t *Table) evicts() bool { return t.options.Load().Eviction.Policy != EvictNone }

// evictSome evicts from one stripe, which may be any, and answers the bytes of the cells that it unlinked; 0 when there is
// nothing to evict. It spares the chain of the key that room is wanted for. No lock is held.
func (t *Table) evictSome(spared hash) (rows int, freed int64) {
	first := rand.Uint64()
	for i := range uint64(len(t.stripes)) {
		s := &t.stripes[(first+i)&t.mask]
		var g gone
		a := t.evictFrom(s, (first+i)&t.mask, spared, &g)
		rows, freed = g.rows, g.bytes
		if rows > 0 {
			t.reclaim(s, a, false, g.chained...)
			t.tell(&g)
			return rows, freed
		}
	}
	return 0, 0
}

// turnLocked counts the cell of a new row, and moves the policies' clock when the stripes together have had enough. A stripe
// tells the table only when it has had its share.
func (t *Table) turnLocked(s *stripe, a *arena, units uint64) {
	s.turned += int64(a.cells.sizeOf(units))
	if share := a.cells.capacity() / ticksPerTurn / int64(len(t.stripes)); s.turned >= share {
		s.turned = 0
		if t.turned.Add(1) >= int64(len(t.stripes)) {
			t.turned.Store(0) // two at once may lose a little
			t.control.tick.Add(1)
		}
	}
}

// evictFrom unlinks the worst rows of a sample: a quarter of it.
func (t *Table) evictFrom(s *stripe, index uint64, spared hash, g *gone) *arena {
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	worst, seen := t.sampleLocked(a, s, index, spared, generation)
	fault("chosen")
	for i := range min(worst.n, (seen+3)/4) {
		c := &worst.list[i]
		if c.rank < rankDead && worst.list[0].rank >= rankDead {
			break // what is dead goes first, and may do
		}
		if metaOf(c.p.slot).use.Load() != c.use {
			continue // somebody has read it meanwhile
		}
		t.removeLocked(s, a, c.home, c.p, generation, OpEvict, g)
	}
	finished = true
	return a
}

// sampleLocked ranks the slots of some chains one behind another, from a random one on.
func (t *Table) sampleLocked(a *arena, s *stripe, index uint64, spared hash, generation uint64) (worst victims, seen int) {
	policy, tick, now := t.options.Load().Eviction.Policy, t.control.tick.Load(), now()
	except := a.home(spared.high&t.mask, spared.low)
	pos := rand.Uint64N(a.homes)
	for range min(a.homes, chainsPerHop) {
		home := a.homeAt(index, pos)
		if pos++; pos == a.homes {
			pos = 0
		}
		if home == except {
			continue
		}
		a.walk(home, func(b *bucket, first int) bool {
			for j := first; j < BucketLink; j++ {
				word := b[j].Load()
				if word == 0 {
					continue
				}
				m := metaOf(&b[j])
				use, rank := m.use.Load(), m.rank(policy, tick, now)
				if s.swept != generation && a.row(slotUnits(word)).generation != generation {
					rank = rankDead
				}
				worst.offer(candidate{home, place{slot: &b[j], units: slotUnits(word)}, rank, use})
				seen++
			}
			return true
		})
		if seen >= evictSample {
			break
		}
	}
	return worst, seen
}

// evictChain evicts the worst row of a key's chain that is not spared, so that a new row has a slot without another overflow
// bucket: no chain gives one back, so that a table that stays full would in time be full of them. False when there is none.
func (t *Table) evictChain(h hash, spared func(a *arena, units uint64) bool) bool {
	s := t.stripeOf(h)
	var g gone
	a := t.evictChainAttempt(s, h, spared, &g)
	t.reclaim(s, a, false, g.chained...)
	t.tell(&g)
	return g.rows > 0
}

func (t *Table) evictChainAttempt(s *stripe, h hash, spared func(a *arena, units uint64) bool, g *gone) *arena {
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	policy, tick, now := t.options.Load().Eviction.Policy, t.control.tick.Load(), now()
	var worst candidate
	home := a.home(h.high&t.mask, h.low)
	a.walk(home, func(b *bucket, first int) bool {
		for j := first; j < BucketLink; j++ {
			word := b[j].Load()
			if word == 0 || spared != nil && spared(a, slotUnits(word)) {
				continue
			}
			if rank := metaOf(&b[j]).rank(policy, tick, now); worst.p.slot == nil || rank > worst.rank {
				worst = candidate{home: home, p: place{slot: &b[j], units: slotUnits(word)}, rank: rank}
			}
		}
		return true
	})
	if worst.p.slot != nil {
		t.removeLocked(s, a, home, worst.p, generation, OpEvict, g)
	}
	finished = true
	return a
}

// Evict takes out what has expired and, while the table is fuller than its eviction's Buffer allows, rows by its policy,
// Proportion of its memory at a time. It answers how many rows that were.
func (t *Table) Evict() (rows int, err error) {
	if err := t.usable(); err != nil {
		return 0, err
	}
	return t.sweep() + t.relieve(), nil
}

// relieve evicts while the table is fuller than it should be.
func (t *Table) relieve() (rows int) {
	e := t.options.Load().Eviction
	if e.Policy == EvictNone {
		return 0
	}
	a := t.arena.Load()
	size := float64(a.cells.capacity())
	for float64(a.cells.used()) > size*(1-e.Buffer) && t.arena.Load() == a {
		for pass := int64(0); pass < int64(size*e.Proportion); {
			n, freed := t.evictSome(hash{})
			if n == 0 {
				return rows
			}
			rows += n
			pass += freed
		}
	}
	return rows
}
