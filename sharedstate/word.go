package sharedstate

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A word is the value of a counter or a flag: one cell of memory of its own, which no table's eviction, clearing or resizing touches.
// Go and C change it by one atomic operation. A named one is the same for all who open it until its name is removed; the cell is used
// again when nobody has it open any more.

const (
	wordChunk = 1024 // cells that are mapped at once
	// wordCost is what a word takes beside its cell and its name.
	wordCost = 192
)

// ErrWordsFull says that there is no memory for another counter or flag.
var ErrWordsFull = errors.New("there is no memory for another counter or flag")

type wordName struct {
	kind WordKind
	name string
}

// cell overlays a word's memory. C knows it as fs_cell.
type cell struct {
	value   atomic.Int64
	waiters atomic.Int64 // who sets a flag looks here whether somebody is to be woken
	_       [CellSize - 16]byte
}

// Word is an open counter or flag.
type Word struct {
	words *words
	cell  *cell
	id    uint64
	name  wordName
	opens int  // guarded by words.mu
	named bool // its name is its own still; guarded by words.mu
	woken chan struct{}
}

// words are those of one store.
type words struct {
	store *Store
	mu    sync.Mutex
	named map[wordName]*Word
	byID  map[uint64]*Word
	free  []*cell
	last  uint64
}

// OpenWord opens a word: the one of that name, or a new one with the initial value. Without a name it is always a new one. It fails with
// ErrWordsFull.
func (s *Store) OpenWord(kind WordKind, name string, initial int64) (*Word, error) {
	ws := &s.words
	ws.mu.Lock()
	defer ws.mu.Unlock()
	n := wordName{kind, name}
	if w := ws.named[n]; w != nil && name != "" {
		w.opens++
		return w, nil
	}
	if used := s.locks.memory.Add(costOfWord(name)); used > s.locks.limit.Load() {
		s.locks.memory.Add(-costOfWord(name))
		return nil, fmt.Errorf("%w: %s, the limit is locks_memory = %d bytes", ErrWordsFull, quoteKey(name), s.locks.limit.Load())
	}
	c, err := ws.cellLocked()
	if err != nil {
		s.locks.memory.Add(-costOfWord(name))
		return nil, fmt.Errorf("%w: %w", ErrWordsFull, err)
	}
	c.value.Store(initial)
	ws.last++
	n.name = string([]byte(name)) // the caller's bytes may be C's
	w := &Word{words: ws, cell: c, id: ws.last, name: n, opens: 1, named: name != "", woken: make(chan struct{})}
	ws.byID[w.id] = w
	if w.named {
		ws.named[n] = w
	}
	return w, nil
}

func costOfWord(name string) int64 { return wordCost + CellSize + int64(len(name)) }

// cellLocked takes a free cell. Chunks are never given back: there are as many as were in use at once.
func (ws *words) cellLocked() (*cell, error) {
	if len(ws.free) == 0 {
		mem, err := allocate(wordChunk * CellSize)
		if err != nil {
			return nil, err
		}
		for i := range wordChunk {
			ws.free = append(ws.free, (*cell)(unsafe.Pointer(&mem[i*CellSize]))) // mem has wordChunk cells
		}
	}
	c := ws.free[len(ws.free)-1]
	ws.free = ws.free[:len(ws.free)-1]
	return c, nil
}

// Word is an open word by its number; nil when nobody has it open and it has no name.
func (s *Store) Word(id uint64) *Word {
	s.words.mu.Lock()
	defer s.words.mu.Unlock()
	return s.words.byID[id]
}

// Close ends one OpenWord. A named word keeps its value.
func (w *Word) Close() {
	w.words.mu.Lock()
	defer w.words.mu.Unlock()
	w.opens--
	w.words.dropLocked(w)
}

// RemoveWord takes a word's name away, so that the next OpenWord makes a new one. Who has it open keeps it.
func (s *Store) RemoveWord(kind WordKind, name string) bool {
	ws := &s.words
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.named[wordName{kind, name}]
	if w == nil {
		return false
	}
	delete(ws.named, w.name)
	w.named = false
	ws.dropLocked(w)
	return true
}

func (ws *words) dropLocked(w *Word) {
	if w.opens > 0 || w.named {
		return
	}
	delete(ws.byID, w.id)
	ws.free = append(ws.free, w.cell)
	ws.store.locks.memory.Add(-costOfWord(w.name.name))
}

// ID is the word's number, never used again in this process.
func (w *Word) ID() uint64 { return w.id }

// Address is that of the word's cell, for C; valid until Close.
func (w *Word) Address() uintptr { return addressOf(w.cell) }

// Load answers the value.
func (w *Word) Load() int64 { return w.cell.value.Load() }

// Swap sets the value and answers the one before.
func (w *Word) Swap(v int64) int64 {
	old := w.cell.value.Swap(v)
	if v != 0 && w.cell.waiters.Load() > 0 { // after the value; Wait does it the other way round
		w.Wake()
	}
	return old
}

// Add adds to the value in one step and answers the sum. It fails with ErrOverflow, and the value stands.
func (w *Word) Add(n int64) (int64, error) {
	for {
		old := w.cell.value.Load()
		sum, err := addNumbers(Int(old), Int(n), false)
		if err != nil {
			return 0, err
		}
		v, _ := sum.Int()
		if w.cell.value.CompareAndSwap(old, v) {
			return v, nil
		}
	}
}

// CompareAndSet sets the value if it is old, and says whether it was.
func (w *Word) CompareAndSet(old, v int64) bool {
	done := w.cell.value.CompareAndSwap(old, v)
	if done && v != 0 && w.cell.waiters.Load() > 0 {
		w.Wake()
	}
	return done
}

// Wake has those look again who wait.
func (w *Word) Wake() {
	w.words.mu.Lock()
	defer w.words.mu.Unlock()
	close(w.woken)
	w.woken = make(chan struct{})
}

// Wait waits up to a time until the value is other than 0, and says whether it is. It fails with ErrWaitEnded. A wait of several calls
// has one since, 0 before the first; it may be nil.
func (w *Word) Wait(d time.Duration, since *uint64) (bool, error) {
	w.cell.waiters.Add(1)
	defer w.cell.waiters.Add(-1)
	drained := w.words.store.waits.begin(since)
	if drained == nil {
		return w.Load() != 0, ErrWaitEnded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		w.words.mu.Lock()
		woken := w.woken
		w.words.mu.Unlock()
		if w.Load() != 0 {
			return true, nil
		}
		select {
		case <-woken:
		case <-drained:
			return w.Load() != 0, ErrWaitEnded
		case <-timer.C:
			return w.Load() != 0, nil
		}
	}
}
