package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"strings"
	"time"
	"unsafe"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// ownValue is C's value, copied.
func ownValue(v *C.fs_value) sharedstate.Value {
	kind, flags, number, data := valueOf(v).RawParts()
	return sharedstate.Raw(kind, flags, number, strings.Clone(data))
}

// mutex is an open one by its number.
func mutex(id C.uint64_t) (*sharedstate.Mutex, error) {
	if m, is := store.Shared(uint64(id)).(*sharedstate.Mutex); is {
		return m, nil
	}
	return nil, fmt.Errorf("%w: mutex %d", sharedstate.ErrStaleHandle, id)
}

// ticketOf is a number for C to keep, 0 for none.
func ticketOf(turn *sharedstate.Turn) C.uint64_t {
	if turn == nil {
		return 0
	}
	return C.uint64_t(cgo.NewHandle(turn))
}

//export fs_go_mutex_open
func fs_go_mutex_open(name C.fs_bytes, initial *C.fs_value, id *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	m, e := store.OpenMutex(strings.Clone(text(name)), ownValue(initial))
	if e == nil {
		*id = C.uint64_t(m.ID())
	}
	return answer(e, err)
}

//export fs_go_mutex_try
func fs_go_mutex_try(id, request C.uint64_t, token *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	m, e := mutex(id)
	if e != nil {
		return answer(e, err)
	}
	got, e := m.TryLock(uint64(request))
	*token = C.uint64_t(got)
	return answer(e, err)
}

//export fs_go_mutex_enqueue
func fs_go_mutex_enqueue(id, request C.uint64_t, token, ticket *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	*token, *ticket = 0, 0
	m, e := mutex(id)
	if e != nil {
		return answer(e, err)
	}
	got, turn, e := m.Enqueue(uint64(request))
	*token, *ticket = C.uint64_t(got), ticketOf(turn)
	return answer(e, err)
}

//export fs_go_mutex_value
func fs_go_mutex_value(id, token C.uint64_t, dst *C.char, room C.size_t, out *C.fs_value, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	m, e := mutex(id)
	if e != nil {
		return answer(e, err)
	}
	v, e := m.Value(uint64(token))
	if e != nil {
		return answer(e, err)
	}
	kind, flags, number, data := v.RawParts()
	*out = C.fs_value{kind: C.uint8_t(kind), flags: C.uint8_t(flags), number: C.uint64_t(number), data: dst, len: C.size_t(len(data))}
	if len(data) > int(room) {
		return C.int32_t(sharedstate.StatusGrow)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(dst)), int(room)), data)
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_mutex_commit
func fs_go_mutex_commit(id, token C.uint64_t, value *C.fs_value, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	m, e := mutex(id)
	if e != nil {
		return answer(e, err)
	}
	return answer(m.Commit(uint64(token), ownValue(value)), err)
}

//export fs_go_mutex_unlock
func fs_go_mutex_unlock(id, token C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	if m, e := mutex(id); e == nil {
		m.Unlock(uint64(token))
	}
}

//export fs_go_turn_wait
func fs_go_turn_wait(ticket C.uint64_t, waitMs C.uint32_t, token *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	got, e := cgo.Handle(ticket).Value().(*sharedstate.Turn).Wait(time.Duration(waitMs) * time.Millisecond)
	*token = C.uint64_t(got)
	return answer(e, err)
}

//export fs_go_turn_leave
func fs_go_turn_leave(ticket C.uint64_t) (token C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	h := cgo.Handle(ticket)
	defer h.Delete()
	return C.uint64_t(h.Value().(*sharedstate.Turn).Leave())
}
