// Package creader lets Go tests read a table through the C reader and a gate, as PHP threads do.
package creader

/*
#cgo CFLAGS: -std=gnu11 -O2 -I${SRCDIR}/../../ext
#include <stdlib.h>
#include "creader.h"
*/
import "C"

import (
	"time"
	"unsafe"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// NoGate reads past the gate.
const NoGate = -1

// PauseAt has readers sleep at one in n points of the protocol, 0 for none.
func PauseAt(n int, d time.Duration) {
	C.creader_pause, C.creader_sleep = C.int(n), C.int(d.Microseconds())
}

// Reader is one reader thread's state. It may be used by one goroutine at a time.
type Reader struct {
	c     *C.creader
	dst   []byte
	table *sharedstate.Table
	done  int // numbers that C has changed in place
}

// Answer is what a read found. Hit says that the gate answered; then Data is nil.
type Answer struct {
	Status sharedstate.Status
	Kind   sharedstate.Kind
	Hit    bool
	Number uint64
	Data   []byte
}

// New claims a thread record for a reader of the table.
func New(s *sharedstate.Store, t *sharedstate.Table) *Reader {
	dst := unsafe.Slice((*byte)(C.malloc(1<<20)), 1<<20)
	return &Reader{C.creader_new(C.uint64_t(s.Threads()), C.uint64_t(t.Control())), dst, t, 0}
}

// Close releases the record.
func (r *Reader) Close() {
	C.creader_free(r.c)
	C.free(unsafe.Pointer(unsafe.SliceData(r.dst)))
}

// Quiet says that the reader's request has ended.
func (r *Reader) Quiet() { C.creader_quiet(r.c) }

// Read looks a key up; slot, below 64, is the key's place in the gate, NoGate for a key without one.
func (r *Reader) Read(slot int, key string) Answer {
	a := C.creader_read(r.c, C.int(slot), (*C.char)(unsafe.Pointer(unsafe.StringData(key))), C.size_t(len(key)), (*C.char)(unsafe.Pointer(unsafe.SliceData(r.dst))), C.size_t(len(r.dst)))
	out := Answer{Status: sharedstate.Status(a.status), Kind: sharedstate.Kind(a.kind), Hit: a.hit != 0, Number: uint64(a.number)}
	if !out.Hit {
		out.Data = r.dst[:a.len]
	}
	return out
}

// Changed is how many numbers C has changed in place.
func (r *Reader) Changed() int { return r.done }

// change has C change an int in place; false when that is for Go.
func (r *Reader) change(key string, n *C.fs_number) bool {
	n.kind = C.FS_KIND_INT
	done := C.creader_change(r.c, (*C.char)(unsafe.Pointer(unsafe.StringData(key))), C.size_t(len(key)), n) != 0
	if n.wake != 0 {
		r.table.WakeStripe(uint64(n.stripe))
	}
	if done {
		r.done++
	}
	return done
}

// Set is Table.Set as a PHP thread does it, and so are the next two.
func (r *Reader) Set(key string, v sharedstate.Value) error {
	if n, ok := v.Int(); ok && r.change(key, &C.fs_number{op: C.FS_NUMBER_SET, number: C.uint64_t(n)}) {
		return nil
	}
	return r.table.Set(key, v)
}

// CompareAndSet is Table.CompareAndSet.
func (r *Reader) CompareAndSet(key string, old, v sharedstate.Value) (bool, error) {
	o, isInt := old.Int()
	if n, ok := v.Int(); ok && isInt && r.change(key, &C.fs_number{op: C.FS_NUMBER_SWAP, old: C.uint64_t(o), number: C.uint64_t(n)}) {
		return true, nil
	}
	return r.table.CompareAndSet(key, old, v)
}

// Increment is Table.Increment of an int.
func (r *Reader) Increment(key string, by sharedstate.Value, ttl time.Duration) (sharedstate.Value, error) {
	n, _ := by.Int()
	c := C.fs_number{op: C.FS_NUMBER_ADD, number: C.uint64_t(n)}
	if r.change(key, &c) {
		return sharedstate.Int(int64(c.result)), nil
	}
	return r.table.Increment(key, by, ttl)
}

// Cell is a counter as PHP threads change it.
type Cell struct{ address C.uint64_t }

// CellOf is that of an open counter.
func CellOf(w *sharedstate.Word) Cell { return Cell{C.uint64_t(w.Address())} }

// Add adds, and answers the sum.
func (c Cell) Add(n int64) int64 { return int64(C.creader_add(c.address, C.int64_t(n))) }

// Swap sets the value, and answers the one before.
func (c Cell) Swap(n int64) int64 { return int64(C.creader_set(c.address, C.int64_t(n))) }

// CompareAndSet sets the value if it is old.
func (c Cell) CompareAndSet(old, n int64) bool {
	return C.creader_compare(c.address, C.int64_t(old), C.int64_t(n)) != 0
}

// Load answers the value.
func (c Cell) Load() int64 { return int64(C.creader_value(c.address)) }
