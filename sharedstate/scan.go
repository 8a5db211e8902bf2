package sharedstate

import (
	"math/bits"
	"sync/atomic"
)

// A scan's cursor is a stripe and, in its low 32 bits, a place in the range of the hashes in it. So it stays right when the table is
// resized: what lies behind the place is the same then, though it is spread over another number of chains.
const cursorBits = 32

// pageChains is how many chains a page goes through at least, in tables with few keys.
const pageChains = 4096

// ScanPage appends the rows, or their keys alone, that stand in the next chains from cursor on, until there are count of them or
// enough chains were looked at. It answers the cursor of the next page, 0 at the end. A key that is there from the first page to
// the last is found, twice only if the table was resized meanwhile. A row without its value still has its kind and expiry.
func (t *Table) ScanPage(cursor uint64, count int, keysOnly bool, rows *Rows) (next uint64, err error) {
	i := cursor >> cursorBits
	place := cursor & (1<<cursorBits - 1)
	for chains := max(10*count, pageChains); i < uint64(len(t.stripes)); i, place = i+1, 0 {
		for {
			hop := t.pageHop(i, place, count, chains, keysOnly, rows)
			if hop.short > 0 {
				if err := rows.reserve(hop.short); err != nil {
					return 0, err
				}
				continue
			}
			count -= hop.found
			chains -= hop.chains
			if hop.end {
				break
			}
			place = hop.place
			if count <= 0 || chains <= 0 {
				return i<<cursorBits | place, nil
			}
		}
		if count <= 0 || chains <= 0 {
			if i+1 == uint64(len(t.stripes)) {
				return 0, nil
			}
			return (i + 1) << cursorBits, nil
		}
	}
	return 0, nil
}

// pageHop is what a hold of a stripe came to: how many rows and chains, where it ended, or the room that it lacks.
type pageHop struct {
	found, chains, short int
	place                uint64
	end                  bool
}

func (t *Table) pageHop(i, place uint64, count, chains int, keysOnly bool, rows *Rows) (hop pageHop) {
	s := &t.stripes[i]
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	if s.rows == 0 {
		finished = true
		return pageHop{end: true}
	}
	first, _ := bits.Mul64(place<<(64-cursorBits), a.homes)
	pos := first
	mark, size := len(rows.Bytes), 0
	for ; pos < a.homes && hop.found < count && hop.chains < min(chains, chainsPerHop); pos++ {
		hop.chains++
		a.liveLocked(a.homeAt(i, pos), generation, func(_ *atomic.Uint64, u uint64) {
			r := a.row(u)
			n := rowBytes(int(r.keyLen), 0)
			if !keysOnly {
				n = rowBytes(int(r.keyLen), int(r.valueLen))
			}
			hop.found++
			if size += n; mark+size <= cap(rows.Bytes) {
				rows.addLocked(a, u, int(i), keysOnly)
			}
		})
	}
	finished = true
	if mark+size > cap(rows.Bytes) {
		rows.Bytes = rows.Bytes[:mark]
		return pageHop{short: size}
	}
	hop.end = pos == a.homes
	hop.place = (pos<<cursorBits + a.homes - 1) / a.homes // the first place that is in chain pos
	return hop
}
