package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// word is one that C has open.
func word(id C.uint64_t) *sharedstate.Word { return store.Shared(uint64(id)).(*sharedstate.Word) }

//export fs_go_word_open
func fs_go_word_open(kind C.int32_t, name C.fs_bytes, initial C.int64_t, id, cell *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	w, e := store.OpenWord(sharedstate.SharedKind(kind), text(name), int64(initial))
	if e == nil {
		*id, *cell = C.uint64_t(w.ID()), C.uint64_t(w.Address())
	}
	return answer(e, err)
}

//export fs_go_word_wake
func fs_go_word_wake(id C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	word(id).Wake()
}

//export fs_go_word_wait
func fs_go_word_wait(id C.uint64_t, ms C.uint32_t, since *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	_, e := word(id).Wait(time.Duration(ms)*time.Millisecond, (*uint64)(since))
	return answer(e, err)
}
