// Package phpbridge joins the PHP extension to the store: it owns the process's one store, exports the functions that the
// extension calls, and puts the extension into PHP's start-up when it is imported.
//
// Every exported function recovers panics and answers a status (see ext/bridge.h). Memory that C passes in is looked at only
// during the call; strings made over it are never kept.
package phpbridge

/*
#cgo CFLAGS: -I${SRCDIR}/../ext
#include "table.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/frankenshare/frankenshare/ext"
	"github.com/frankenshare/frankenshare/sharedstate"
)

var store = newStore()

func newStore() *sharedstate.Store {
	s, err := sharedstate.NewStore()
	if err != nil {
		panic("frankenshare: " + err.Error()) // without memory for the thread records there is no PHP either
	}
	return s
}

func init() {
	ext.Install(unsafe.Pointer(C.fs_bridge_table(C.uint64_t(store.Threads()))))
}

// Store is the process's store. It lives as long as the process.
func Store() *sharedstate.Store { return store }

// answer turns err into a status, and writes its text to out for the exception's message.
func answer(err error, out *C.fs_error) C.int32_t {
	if err == nil {
		return C.int32_t(sharedstate.StatusOK)
	}
	message(err.Error(), out)
	return C.int32_t(sharedstate.StatusOf(err))
}

// message writes text, cut to fit, with a NUL behind it.
func message(text string, out *C.fs_error) {
	if out == nil {
		return
	}
	dst := unsafe.Slice((*byte)(unsafe.Pointer(&out.message)), len(out.message))
	dst[copy(dst[:len(dst)-1], text)] = 0
}

// recovered is deferred by every export.
func recovered(status *C.int32_t, out *C.fs_error) {
	if p := recover(); p != nil {
		message(fmt.Sprintf("internal failure: %v", p), out)
		*status = C.int32_t(sharedstate.StatusPanic)
	}
}

// text views C's bytes, len of them, as a string for the time of the call.
func text(b C.fs_bytes) string {
	return unsafe.String((*byte)(unsafe.Pointer(b.data)), int(b.len))
}

// valueOf views C's value, whose data has len bytes, for the time of the call.
func valueOf(v *C.fs_value) sharedstate.Value {
	return sharedstate.Raw(sharedstate.Kind(v.kind), uint8(v.flags), uint64(v.number), unsafe.String((*byte)(unsafe.Pointer(v.data)), int(v.len)))
}

func putReceipt(out *C.fs_receipt, r sharedstate.Receipt) {
	if out != nil {
		*out = C.fs_receipt{home: C.uint64_t(r.Home), version: C.uint64_t(r.Version), generation: C.uint64_t(r.Generation),
			expiry: C.uint64_t(r.Expiry)}
	}
}

// C's FS_FOREVER is Forever; all other times to live are the same number of nanoseconds.
var _ = [1]struct{}{}[C.FS_FOREVER-sharedstate.Forever]

func putBool(out *C.int32_t, b bool) {
	*out = 0
	if b {
		*out = 1
	}
}

// table is the one with a number from a control block. C has no other numbers, so there is one.
func table(id C.uint32_t) *sharedstate.Table { return store.ByID(uint32(id)) }

// entriesOf views n entries; their strings are C's.
func entriesOf(first *C.fs_entry, n C.size_t) []sharedstate.Entry {
	entries := make([]sharedstate.Entry, n)
	for i, e := range unsafe.Slice(first, n) {
		entries[i] = sharedstate.Entry{Key: text(e.key), Value: valueOf(&e.value)}
	}
	return entries
}

// rowsIn appends to C's buffer, which has cap bytes and grows outside every lock.
func rowsIn(buf *C.fs_buffer) *sharedstate.Rows {
	view := func(used int) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(buf.data)), int(buf.cap))[:used]
	}
	return &sharedstate.Rows{
		Bytes: view(int(buf.len)),
		Grow: func(used []byte, need int) ([]byte, error) {
			if C.fs_buffer_reserve(buf, C.size_t(len(used)+need)) == 0 {
				return used, fmt.Errorf("%w: no memory for an answer of %d bytes", sharedstate.ErrUnavailable, len(used)+need)
			}
			return view(len(used)), nil
		},
	}
}
