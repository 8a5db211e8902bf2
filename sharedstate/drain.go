package sharedstate

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Evicting rows here and there frees cells of the sizes that the table is full of, but no page, which another size may need, or
// the index. Then all rows in some pages are evicted: those pages with the least in them, which the whole index is searched for
// once, so that each such search frees many pages.

// drainPages evicts the rows of the emptiest pages, a pass's Proportion of all, and answers how many rows that were. It stops when
// they come to as many bytes: rows of many cells have some in many pages. No lock is held.
func (t *Table) drainPages(a *arena) (rows int) {
	t.draining.Lock()
	defer t.draining.Unlock()
	if a.cells.hasPages() {
		return 0 // another writer has just drained some
	}
	t.reclaimAll(a)
	n := max(int(float64(len(a.cells.page))*t.options.Load().Eviction.Proportion), 1)
	left := int64(n) * int64(a.cells.pageSize)
	chosen := a.cells.chooseDrained(n)
	defer a.cells.endDrain(chosen)
	marked := make([]bool, len(a.cells.page))
	for _, p := range chosen {
		marked[p] = true
	}
	first := rand.Uint64()
	for i := range uint64(len(t.stripes)) {
		i = (first + i) & t.mask
		s := &t.stripes[i]
		for pos, more := uint64(0), true; more && left > 0 && t.arena.Load() == a; pos += chainsPerHop {
			var g gone
			more = t.drainHop(s, a, i, pos, marked, &g)
			t.reclaim(s, a, true, g.chained...)
			t.tell(&g)
			rows += g.rows
			left -= g.bytes
		}
	}
	return rows
}

// drainHop evicts from a few chains the rows that have a cell in a marked page; false after the last.
func (t *Table) drainHop(s *stripe, a *arena, index, pos uint64, marked []bool, g *gone) (more bool) {
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	if t.arena.Load() != a {
		finished = true
		return false
	}
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	end := min(pos+chainsPerHop, a.homes)
	for ; pos < end; pos++ {
		home := a.homeAt(index, pos)
		a.walk(home, func(b *bucket, first int) bool {
			for j := first; j < BucketLink; j++ {
				if word := b[j].Load(); word != 0 && a.inPages(word, marked) {
					t.removeLocked(s, a, home, place{slot: &b[j], units: slotUnits(word)}, generation, OpEvict, g)
				}
			}
			return true
		})
	}
	finished = true
	return end < a.homes
}

// inPages says whether the row of a slot has a cell in a marked page. Only a row of many cells is looked at for it.
func (a *arena) inPages(word uint64, marked []bool) bool {
	u := slotUnits(word)
	if marked[a.cells.pageOf(u)] {
		return true
	}
	if word&SlotChained != 0 {
		for next := a.row(u).chunk; next != 0; next = a.chunk(uint64(next)).next {
			if marked[a.cells.pageOf(uint64(next))] {
				return true
			}
		}
	}
	return false
}

// hasPages says whether any page is free.
func (c *cells) hasPages() bool {
	c.poolMu.Lock()
	defer c.poolMu.Unlock()
	return len(c.pool) > 0 || int(c.fresh) < len(c.page)
}

// lockClasses takes every class's lock, in ascending order, for what looks at all pages: no page changes meanwhile. It is the
// one place where more than one is held.
func (c *cells) lockClasses() (unlock func()) {
	for k := range c.classes {
		c.classes[k].mu.Lock()
	}
	return func() {
		for k := range c.classes {
			c.classes[k].mu.Unlock()
		}
	}
}

// chooseDrained picks up to n pages of rows with the fewest bytes in use, and has them hand out no more cells.
func (c *cells) chooseDrained(n int) (chosen []int32) {
	defer c.lockClasses()()
	used := func(i int32) int { p := &c.page[i]; return (c.perPage(p) - int(p.free)) * int(c.classes[p.class].size) }
	for i := range c.page {
		if p := &c.page[i]; p.carved > 0 && int(p.free) < c.perPage(p) && int(p.class) < c.rows {
			chosen = append(chosen, int32(i))
		}
	}
	slices.SortFunc(chosen, func(x, y int32) int { return cmp.Compare(used(x), used(y)) })
	chosen = chosen[:min(n, len(chosen))]
	for _, i := range chosen {
		p := &c.page[i]
		if p.listed {
			c.unlistLocked(&c.classes[p.class], i)
		}
		p.drained = true
	}
	return chosen
}

func (c *cells) perPage(p *page) int { return int(c.classes[p.class].perPage) }

// endDrain lets the pages that are not free yet hand out cells again.
func (c *cells) endDrain(chosen []int32) {
	defer c.lockClasses()()
	for _, i := range chosen {
		p := &c.page[i]
		if p.drained && p.free > 0 {
			c.listLocked(&c.classes[p.class], i)
		}
		p.drained = false
	}
}
