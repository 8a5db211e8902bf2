package sharedstate

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// An arena is the memory of one table at one size: the home buckets of all stripes, then the pages that cells come
// from. The descriptor is what the C reader follows to it.
type arena struct {
	mem        []byte
	base       unsafe.Pointer
	homes      uint64 // home buckets in one stripe
	cells      *cells
	descriptor []byte
}

// bucket overlays BucketSize bytes: two lines of words, see BucketVersion.
type bucket [BucketSize / 8]atomic.Uint64

// row overlays a row's header; its bytes follow.
type row struct {
	expiry     atomic.Uint64
	number     atomic.Uint64
	generation uint64
	valueLen   uint32
	keyLen     uint32
	kind       Kind
	flags      uint8
	inline     uint16
	chunk      uint32
}

// chunk overlays a chunk's header; its bytes follow.
type chunk struct {
	next uint32
	len  uint32
}

// plan is how a table's memory is divided. Inside its bound are the control block, the page table on the Go heap, the
// index and the pages; the stripes' own structs and lists, some hundred bytes each, are not.
type plan struct {
	stripes  int
	homes    int64 // in one stripe
	index    int64 // bytes of all home buckets, rounded up to a page
	pageSize int64
	pages    int64
}

// planFor divides memory for the given number of stripes.
func planFor(memory int64, stripes int) plan {
	p := plan{stripes: stripes}
	p.pageSize = min(max(int64(1)<<(bits.Len64(uint64(memory/2048))-1), 4<<10), 64<<10)
	p.homes = max(memory/BytesPerHome/int64(stripes), 1)
	p.index = (p.homes*int64(stripes)*BucketSize + p.pageSize - 1) &^ (p.pageSize - 1)
	p.pages = (memory - p.index - controlBytes(stripes)) / (p.pageSize + pageEntry)
	return p
}

// stripesFor picks the number of stripes: 64 unless the memory is small, more on machines with many cores.
func stripesFor(memory int64, procs int) int {
	n := 64
	for n < 8*procs && n < 4096 {
		n *= 2
	}
	for n > 8 && int64(n)*(16<<10) > memory {
		n /= 2
	}
	return n
}

func newArena(p plan) (*arena, error) {
	mem, err := allocate(p.index + p.pages*p.pageSize)
	if err != nil {
		return nil, err
	}
	desc, err := allocate(DescriptorSize)
	if err != nil {
		_ = release(mem)
		return nil, err
	}
	a := &arena{mem: mem, base: unsafe.Pointer(unsafe.SliceData(mem)), homes: uint64(p.homes), descriptor: desc}
	a.cells = newCells(a.base, p)
	d := (*[DescriptorSize / 8]uint64)(unsafe.Pointer(unsafe.SliceData(desc))) // desc has DescriptorSize bytes
	d[DescriptorBase/8] = uint64(uintptr(a.base))
	d[DescriptorHomes/8] = a.homes
	d[DescriptorBuckets/8] = 0
	runtime.AddCleanup(a, unmap, [2][]byte{mem, desc})
	return a, nil
}

// unmap runs when nothing in Go holds the arena any more: no table, no write in progress, no grave.
func unmap(parts [2][]byte) {
	for _, mem := range parts {
		if err := release(mem); err != nil {
			panic("sharedstate: giving back a mapping: " + err.Error()) // only a wrong address or length fails
		}
	}
}

func (a *arena) descriptorAddress() uint64 {
	return uint64(addressOf(unsafe.SliceData(a.descriptor)))
}

// at gives the address of an offset in units. Every offset comes from cells.take or from a word stored from one, so it is
// inside mem.
func (a *arena) at(units uint64) unsafe.Pointer {
	return unsafe.Add(a.base, units*Unit)
}

func (a *arena) row(units uint64) *row     { return (*row)(a.at(units)) }
func (a *arena) chunk(units uint64) *chunk { return (*chunk)(a.at(units)) }

// home is the home bucket of a hash in a stripe. The product's high half is below homes, so the bucket is in the index.
func (a *arena) home(stripe uint64, low uint64) *bucket {
	i, _ := bits.Mul64(low, a.homes)
	return a.homeAt(stripe, i)
}

// homeAt is home bucket i of a stripe; i < a.homes.
func (a *arena) homeAt(stripe, i uint64) *bucket {
	return (*bucket)(unsafe.Add(a.base, (stripe*a.homes+i)*BucketSize))
}

// overflow is the bucket that a link leads to.
func (a *arena) overflow(link uint64) *bucket { return (*bucket)(a.at(link)) }

// inlineBytes is the part of a row's key and value that follows its header. Whoever built the row made inline fit its cell.
func (a *arena) inlineBytes(units uint64) []byte {
	r := a.row(units)
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(r), RowHeader)), r.inline)
}

// chunkBytes is a chunk's part, which was made to fit its cell.
func (a *arena) chunkBytes(units uint64) []byte {
	c := a.chunk(units)
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(c), ChunkHeader)), c.len)
}

// chained says whether a row goes on in chunks.
func (r *row) chained() bool { return r.chunk != 0 }

// keyIs compares a row's key. The caller holds the row's stripe or knows that the row is not yet published.
func (a *arena) keyIs(units uint64, key string) bool {
	r := a.row(units)
	if int(r.keyLen) != len(key) {
		return false
	}
	part, next := a.inlineBytes(units), uint64(r.chunk)
	for {
		n := min(len(part), len(key))
		if string(part[:n]) != key[:n] {
			return false
		}
		if key = key[n:]; key == "" {
			return true
		}
		part, next = a.chunkBytes(next), uint64(a.chunk(next).next)
	}
}

// appendBytes appends from the row's bytes (its key, then its value) those from index from up to index to.
func (a *arena) appendBytes(dst []byte, units uint64, from, to int) []byte {
	part, next := a.inlineBytes(units), uint64(a.row(units).chunk)
	for pos := 0; pos < to; {
		lo, hi := max(from-pos, 0), min(to-pos, len(part))
		if lo < hi {
			dst = append(dst, part[lo:hi]...)
		}
		pos += len(part)
		if pos < to {
			part, next = a.chunkBytes(next), uint64(a.chunk(next).next)
		}
	}
	return dst
}
