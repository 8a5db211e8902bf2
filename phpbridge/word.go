package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

//export fs_go_word_open
func fs_go_word_open(kind C.int32_t, name C.fs_bytes, initial C.int64_t, id, cell *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	w, e := store.OpenWord(sharedstate.WordKind(kind), text(name), int64(initial))
	if e == nil {
		*id, *cell = C.uint64_t(w.ID()), C.uint64_t(w.Address())
	}
	return answer(e, err)
}

//export fs_go_word_close
func fs_go_word_close(id C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	store.Word(uint64(id)).Close() // C closes what it has opened
}

//export fs_go_word_remove
func fs_go_word_remove(kind C.int32_t, name C.fs_bytes) (status C.int32_t) {
	defer recovered(&status, nil)
	if store.RemoveWord(sharedstate.WordKind(kind), text(name)) {
		return C.int32_t(sharedstate.StatusOK)
	}
	return C.int32_t(sharedstate.StatusAbsent)
}

//export fs_go_word_wake
func fs_go_word_wake(id C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	store.Word(uint64(id)).Wake()
}

//export fs_go_word_wait
func fs_go_word_wait(id C.uint64_t, ms C.uint32_t, since *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	_, e := store.Word(uint64(id)).Wait(time.Duration(ms)*time.Millisecond, (*uint64)(since))
	return answer(e, err)
}
