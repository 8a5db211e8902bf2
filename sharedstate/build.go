package sharedstate

import "unsafe"

// A row is built before any stripe is locked, from one cell or a chain of them, and is nobody's until it is published.

// fit says which cells may be taken where there is none of the right size.
type fit bool

const (
	closeCell fit = false // smaller ones, and larger ones up to twice the size
	anyCell   fit = true  // all: room that would be wasted is better than none
)

// build takes memory for a row and fills it; 0 when the table has no room. The generation is stamped at publication.
func (a *arena) build(key string, v *Value, expiry uint64, f fit) uint64 {
	total := len(key) + len(v.data)
	if need := RowHeader + total; need <= a.cells.largest() && !a.cells.wasteful(need) {
		if u := a.cells.take(need); u != 0 {
			a.fill(u, key, v, expiry)
			return u
		}
	}
	return a.buildChained(key, v, expiry, f)
}

// fill writes a row that fits its cell.
func (a *arena) fill(units uint64, key string, v *Value, expiry uint64) {
	r := a.header(units, key, v, expiry)
	r.inline = uint16(len(key) + len(v.data))
	n := copy(a.inlineBytes(units), key)
	copy(a.inlineBytes(units)[n:], v.data)
}

// header writes all of a row's header but generation and inline.
func (a *arena) header(units uint64, key string, v *Value, expiry uint64) *row {
	r := a.row(units)
	r.expiry.Store(expiry)
	r.number.Store(v.number)
	r.keyLen, r.valueLen = uint32(len(key)), uint32(len(v.data))
	r.kind, r.flags, r.chunk = v.Kind(), v.flags, 0
	return r
}

// buildChained spreads a row over as many cells as it takes: the largest that help first, and any that are left when
// those have run out, so that no row is refused while there is room for it in pieces.
func (a *arena) buildChained(key string, v *Value, expiry uint64, f fit) uint64 {
	rest := len(key) + len(v.data)
	head := a.takePiece(RowHeader+rest, f)
	if head == 0 {
		return 0
	}
	r := a.header(head, key, v, expiry)
	room := a.cells.sizeOf(head) - RowHeader
	r.inline = uint16(min(room, rest))
	pos := copyPiece(a.inlineBytes(head), key, v.data, 0)
	rest -= int(r.inline)
	var last *chunk
	for rest > 0 {
		u := a.takePiece(ChunkHeader+rest, f)
		if u == 0 {
			a.discard(head)
			return 0
		}
		c := a.chunk(u)
		c.next = 0
		c.len = uint32(min(a.cells.sizeOf(u)-ChunkHeader, rest))
		pos = copyPiece(a.chunkBytes(u), key, v.data, pos)
		rest -= int(c.len)
		if last == nil {
			r.chunk = uint32(u)
		} else {
			last.next = uint32(u)
		}
		last = c
	}
	return head
}

// takePiece takes the cell that fits need best, or the largest smaller one that there is, or with anyCell a larger one. Where the
// best is wasteful, the next smaller one comes first, and the rest goes to another.
func (a *arena) takePiece(need int, f fit) uint64 {
	k := a.cells.rows - 1
	if need < a.cells.largest() {
		k = a.cells.classFor(need) - 1
		if a.cells.wasteful(need) {
			if u := a.cells.takeClass(k); u != 0 {
				return u
			}
		}
		if u := a.cells.take(need); u != 0 {
			return u
		}
	}
	for ; k >= 0; k-- {
		if u := a.cells.takeClass(k); u != 0 {
			return u
		}
	}
	if f == anyCell {
		for k := a.cells.classFor(min(need, a.cells.largest())); k < a.cells.rows; k++ {
			if u := a.cells.takeClass(k); u != 0 {
				return u
			}
		}
	}
	return 0
}

// copyPiece fills dst with the bytes of key and data from index pos on, and returns the index after them.
func copyPiece(dst []byte, key, data string, pos int) int {
	n := 0
	if pos < len(key) {
		n = copy(dst, key[pos:])
	}
	if n < len(dst) {
		n += copy(dst[n:], data[pos+n-len(key):])
	}
	return pos + n
}

// pieces appends the cells of a row that nobody can change: it is not published, or its stripe is held.
func (a *arena) pieces(units uint64, dst []uint64) []uint64 {
	dst = append(dst, units)
	for next := a.row(units).chunk; next != 0; next = a.chunk(uint64(next)).next {
		dst = append(dst, uint64(next))
	}
	return dst
}

// discard frees a row that was never published.
func (a *arena) discard(units uint64) {
	if units == 0 {
		return
	}
	for _, u := range a.pieces(units, nil) {
		a.cells.give(u)
	}
}

// fits says whether a row with that many bytes of key and value could be stored in an empty table of this size at all.
func (a *arena) fits(total int) bool {
	pages := uint64(len(a.cells.page))
	perPage := a.cells.pageSize - ChunkHeader
	return uint64(total)+RowHeader <= pages*perPage
}

// stringOf views b as a string without a copy; b must not change while the string is in use.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
