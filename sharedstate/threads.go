package sharedstate

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// threads are the records of the PHP threads, which C claims and releases (fs_thread_claim). Go only looks at the
// hazards and the statistics. One set for the process.
type threads struct {
	mem  []byte
	base unsafe.Pointer
}

// newThreads maps the records and writes the seed.
func newThreads(seed uint64) (*threads, error) {
	mem, err := allocate(ThreadsHeader + ThreadRecords*ThreadSize)
	if err != nil {
		return nil, err
	}
	t := &threads{mem: mem, base: unsafe.Pointer(unsafe.SliceData(mem))}
	t.word(ThreadsSeed).Store(seed)
	return t, nil
}

// word is a word of the header; offset < ThreadsHeader.
func (t *threads) word(offset uintptr) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(t.base, offset))
}

// record is a word of record i < ThreadRecords; offset < ThreadSize.
func (t *threads) record(i uint64, offset uintptr) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Add(t.base, ThreadsHeader+uintptr(i)*ThreadSize+offset))
}

// hazards appends the addresses that some thread may be reading, sorted. The caller has unlinked what it wants to free
// before: in the one order of all sequentially consistent accesses either the reader's re-check of the slot word sees
// that, or these loads see the hazard. Pairs with the stores in fs_read.
func (t *threads) hazards(dst []uint64) []uint64 {
	for i := range t.word(ThreadsHigh).Load() {
		if h := t.record(i, ThreadHazard).Load(); h != 0 {
			dst = append(dst, h)
		}
		if h := t.record(i, ThreadChunk).Load(); h != 0 {
			dst = append(dst, h)
		}
	}
	slices.Sort(dst)
	return dst
}

// mayReadSince says whether a thread that was there at the given moment (a value of sequence) may be in the same read still:
// its record is claimed, and no request of it has ended since. Pairs with the stores in fs_thread_claim, fs_thread_release and
// fs_thread_quiet.
func (t *threads) mayReadSince(sequence uint64) bool {
	for i := range t.word(ThreadsHigh).Load() {
		c := t.record(i, ThreadClaim).Load()
		if c != 0 && c <= sequence && t.record(i, ThreadQuiet).Load() < sequence {
			return true
		}
	}
	return false
}

// totals sums the threads' statistics. A released record keeps its numbers, so they only grow.
func (t *threads) totals() (claimed, hits, reads, locked uint64) {
	for i := range t.word(ThreadsHigh).Load() {
		if t.record(i, ThreadClaim).Load() != 0 {
			claimed++
		}
		hits += t.record(i, ThreadHits).Load()
		reads += t.record(i, ThreadReads).Load()
		locked += t.record(i, ThreadLocked).Load()
	}
	return claimed, hits, reads, locked
}

// list gives the figures of each claimed record.
func (t *threads) list() []ThreadStats {
	var all []ThreadStats
	for i := range t.word(ThreadsHigh).Load() {
		if t.record(i, ThreadClaim).Load() != 0 {
			all = append(all, ThreadStats{
				Record: int(i),
				Hits:   t.record(i, ThreadHits).Load(),
				Reads:  t.record(i, ThreadReads).Load(),
				Locked: t.record(i, ThreadLocked).Load(),
			})
		}
	}
	return all
}

// grave keeps arenas that PHP threads may still read from until every thread that could has ended, or ended a request. Go
// code that still holds one keeps it from being unmapped by holding it.
type grave struct {
	mu      sync.Mutex
	buried  []buried
	pending atomic.Int64 // len(buried), so that a look costs one load
}

type buried struct {
	arena    *arena
	sequence uint64
}

// bury is called once no descriptor leads to the arena any more. A thread that claims its record, or ends a request, after
// that loads a sequence of at least the one made here, and a descriptor only then: it cannot find the arena.
func (g *grave) bury(t *threads, a *arena) {
	g.mu.Lock()
	g.buried = append(g.buried, buried{a, t.word(ThreadsSequence).Add(1)})
	g.pending.Store(int64(len(g.buried)))
	g.mu.Unlock()
	g.sweep(t)
}

// sweep lets go of what no thread can read any more and says how many bytes are left.
func (g *grave) sweep(t *threads) (left int64) {
	if g.pending.Load() == 0 {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	before := len(g.buried)
	g.buried = slices.DeleteFunc(g.buried, func(b buried) bool {
		if t.mayReadSince(b.sequence) {
			left += int64(len(b.arena.mem))
			return false
		}
		return true
	})
	g.pending.Store(int64(len(g.buried)))
	if len(g.buried) < before {
		go runtime.GC() // finds that nobody in Go holds them either, and unmaps them: a large and rare gain
	}
	return left
}
