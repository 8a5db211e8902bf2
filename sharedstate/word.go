package sharedstate

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A word is the value of a counter or a flag: one cell of memory of its own, which no table's eviction, clearing or resizing touches.
// Go and C change it by one atomic operation. The cell is used again when the object is gone.

const wordChunk = 1024 // cells that are mapped at once

// cell overlays a word's memory. C knows it as fs_cell.
type cell struct {
	value   atomic.Int64
	waiters atomic.Int64 // who sets a flag looks here whether somebody is to be woken
	_       [CellSize - 16]byte
}

// Word is an open counter or flag.
type Word struct {
	shared
	words *words
	cell  *cell
	woken chan struct{} // guarded by words.mu
}

// words are those of one store.
type words struct {
	waits *waits
	mu    sync.Mutex
	cells []*cell // free ones
}

// OpenWord opens a counter or flag: the one of that name, or a new one with the initial value. Without a name it is always a new one.
// It fails with ErrSharedFull.
func (s *Store) OpenWord(kind SharedKind, name string, initial int64) (*Word, error) {
	w, err := s.registry.open(kind, name, CellSize, func() (Shared, error) {
		c, err := s.words.cell()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSharedFull, err)
		}
		c.value.Store(initial)
		return &Word{words: &s.words, cell: c, woken: make(chan struct{})}, nil
	})
	if err != nil {
		return nil, err
	}
	return w.(*Word), nil
}

// cell takes a free cell. Chunks are never given back: there are as many as were in use at once.
func (ws *words) cell() (*cell, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.cells) == 0 {
		mem, err := allocate(wordChunk * CellSize)
		if err != nil {
			return nil, err
		}
		for i := range wordChunk {
			ws.cells = append(ws.cells, (*cell)(unsafe.Pointer(&mem[i*CellSize]))) // mem has wordChunk cells
		}
	}
	c := ws.cells[len(ws.cells)-1]
	ws.cells = ws.cells[:len(ws.cells)-1]
	return c, nil
}

func (w *Word) free() []Value {
	w.words.mu.Lock()
	defer w.words.mu.Unlock()
	w.words.cells = append(w.words.cells, w.cell)
	return nil
}

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
	drained := w.words.waits.begin(since)
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
