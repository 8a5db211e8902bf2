package sharedstate

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// cells hands out the memory behind the index. Pages of one size are given to size classes and come back to the pool when
// their last cell is freed, so that no class keeps what another needs. A class has one list of pages with room.
//
// Lock order: a stripe, a class, the page pool. Nothing is taken under the pool's lock.
type cells struct {
	base     unsafe.Pointer
	first    uint64 // byte offset of page 0
	pageSize uint64
	page     []page
	classes  []class // those of rows and chunks by size, then that of overflow buckets
	rows     int     // how many are of rows
	byUnits  []uint8 // class for a size in units, up to a page

	poolMu sync.Mutex
	pool   []uint32 // free pages
	fresh  uint32   // pages from here on were never used
}

// page is one page's entry in the page table. Its class is fixed while one of its cells is in use; the rest is guarded by
// that class's lock.
type page struct {
	next, prev int32 // in the class's list of pages with room, -1 at the ends
	free       uint16
	carved     uint16 // cells that were ever handed out
	head       uint16 // first free cell's index + 1; each free cell begins with the next one's
	class      uint8
	listed     bool
	drained    bool // it hands out no more cells, see drain.go
}

// pageEntry is what a page costs outside itself: its entry, and its place in the pool.
const pageEntry = int64(unsafe.Sizeof(page{})) + 4

type class struct {
	mu      sync.Mutex
	size    uint32 // bytes
	perPage uint16
	room    int32          // first page with a free cell, -1 for none
	inUse   atomic.Uint64  // cells handed out; changed under mu, loaded by used at any time
	_       [LineSize]byte // the next class's lock is on another line
}

// smallCell is the largest cell that a stripe may keep spare and fill under its lock.
const smallCell = 256

func newCells(base unsafe.Pointer, p plan) *cells {
	c := &cells{base: base, first: uint64(p.index), pageSize: uint64(p.pageSize), page: make([]page, p.pages), pool: make([]uint32, 0, p.pages)}
	for _, size := range classSizes(p.pageSize) {
		c.classes = append(c.classes, newClass(size, p.pageSize))
	}
	c.rows = len(c.classes)
	c.classes = append(c.classes, newClass(BucketSize, p.pageSize))
	c.byUnits = make([]uint8, p.pageSize/Unit+1)
	k := 0
	for u := range c.byUnits {
		if u*Unit > int(c.classes[k].size) {
			k++
		}
		c.byUnits[u] = uint8(k)
	}
	return c
}

func newClass(size, pageSize int64) class {
	return class{size: uint32(size), perPage: uint16(pageSize / size), room: -1}
}

// classSizes lists the sizes: four steps to a doubling, eight above smallCell, while a page holds more than sixteen, then a page's
// even parts, which leave no tail of it unused.
func classSizes(pageSize int64) []int64 {
	sizes := []int64{48}
	for s, steps := int64(64), int64(4); ; s *= 2 {
		if s == smallCell {
			steps = 8
		}
		for step := range steps {
			size := s + s/steps*step
			if size > pageSize/17 {
				for n := int64(16); n >= 1; n-- {
					if part := pageSize / n &^ (Unit - 1); part > sizes[len(sizes)-1] {
						sizes = append(sizes, part)
					}
				}
				return sizes
			}
			sizes = append(sizes, size)
		}
	}
}

// largest is the biggest cell's size.
func (c *cells) largest() int { return int(c.pageSize) }

// classFor is the smallest class that holds size bytes, size <= largest().
func (c *cells) classFor(size int) int { return int(c.byUnits[(size+Unit-1)/Unit]) }

// wasteful says whether the smallest cell for size bytes, size <= largest(), would be empty by more than a thirty-second of them: then
// two smaller ones are worth a second look. Small rows stay in one cell.
func (c *cells) wasteful(size int) bool {
	return size > 2*smallCell && int(c.classes[c.classFor(size)].size)-size > size/32
}

// take hands out a cell of at least size bytes as an offset in units, or 0. With none of the best class it takes one of a
// larger class, up to twice the size.
func (c *cells) take(size int) uint64 {
	best := c.classFor(size)
	limit := max(2*size, int(c.classes[best].size))
	for k := best; k < c.rows && int(c.classes[k].size) <= limit; k++ {
		if u := c.takeClass(k); u != 0 {
			return u
		}
	}
	return 0
}

// takeBucket hands out zeroed memory for an overflow bucket, or 0. With anyCell it need not stand on a line's boundary.
func (c *cells) takeBucket(f fit) uint64 {
	u := c.takeClass(c.rows)
	for k := c.classFor(BucketSize); u == 0 && f == anyCell && k < c.rows; k++ {
		u = c.takeClass(k)
	}
	if u != 0 {
		clear(unsafe.Slice((*byte)(unsafe.Add(c.base, u*Unit)), BucketSize)) // the cell has that many bytes
	}
	return u
}

// takeClass hands out a cell of class k, or 0.
func (c *cells) takeClass(k int) uint64 {
	cl := &c.classes[k]
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if cl.room < 0 && !c.openLocked(cl, k) {
		return 0
	}
	n := cl.room
	p := &c.page[n]
	var index uint64
	if p.head != 0 {
		index = uint64(p.head - 1)
		p.head = *(*uint16)(c.cell(uint64(n), cl, index))
	} else {
		index = uint64(p.carved)
		p.carved++
	}
	p.free--
	if p.free == 0 {
		c.unlistLocked(cl, n)
	}
	cl.inUse.Add(1)
	return uint64(uintptr(c.cell(uint64(n), cl, index))-uintptr(c.base)) / Unit
}

// give takes a cell back. Nobody may read it any more.
func (c *cells) give(units uint64) {
	offset := units*Unit - c.first
	n := int32(c.pageOf(units))
	p := &c.page[n]
	cl := &c.classes[p.class] // ours pins the page, so its class stands
	cl.mu.Lock()
	defer cl.mu.Unlock()
	index := (offset - uint64(n)*c.pageSize) / uint64(cl.size)
	*(*uint16)(c.cell(uint64(n), cl, index)) = p.head
	p.head = uint16(index) + 1
	p.free++
	cl.inUse.Add(^uint64(0))
	switch {
	case p.free == cl.perPage:
		if p.listed {
			c.unlistLocked(cl, n)
		}
		p.drained = false
		c.poolMu.Lock()
		c.pool = append(c.pool, uint32(n))
		c.poolMu.Unlock()
	case !p.listed && !p.drained:
		c.listLocked(cl, n)
	}
}

// sizeOf is the size of the cell at an offset that is handed out.
func (c *cells) sizeOf(units uint64) int {
	return int(c.classes[c.page[c.pageOf(units)].class].size)
}

// pageOf is the page that a cell is in.
func (c *cells) pageOf(units uint64) uint64 { return (units*Unit - c.first) / c.pageSize }

// capacity is the number of bytes in all pages.
func (c *cells) capacity() int64 { return int64(len(c.page)) * int64(c.pageSize) }

// used is the number of bytes in cells that are handed out.
func (c *cells) used() uint64 {
	var n uint64
	for i := range c.classes {
		n += c.classes[i].inUse.Load() * uint64(c.classes[i].size)
	}
	return n
}

// cell is the address of a page's cell; index < perPage, so it is inside the page. Of a free cell the first two bytes are
// the list's, and no cell has less than 48.
func (c *cells) cell(n uint64, cl *class, index uint64) unsafe.Pointer {
	return unsafe.Add(c.base, c.first+n*c.pageSize+index*uint64(cl.size))
}

// openLocked gives class k, whose lock is held, a page from the pool.
func (c *cells) openLocked(cl *class, k int) bool {
	c.poolMu.Lock()
	var n uint32
	switch {
	case len(c.pool) > 0:
		n = c.pool[len(c.pool)-1]
		c.pool = c.pool[:len(c.pool)-1]
	case int(c.fresh) < len(c.page):
		n = c.fresh
		c.fresh++
	default:
		c.poolMu.Unlock()
		return false
	}
	c.poolMu.Unlock()
	c.page[n] = page{free: cl.perPage, class: uint8(k)}
	c.listLocked(cl, int32(n))
	return true
}

func (c *cells) listLocked(cl *class, n int32) {
	p := &c.page[n]
	p.listed, p.prev, p.next = true, -1, cl.room
	if cl.room >= 0 {
		c.page[cl.room].prev = n
	}
	cl.room = n
}

func (c *cells) unlistLocked(cl *class, n int32) {
	p := &c.page[n]
	if p.prev >= 0 {
		c.page[p.prev].next = p.next
	} else {
		cl.room = p.next
	}
	if p.next >= 0 {
		c.page[p.next].prev = p.prev
	}
	p.listed = false
}
