package phpbridge

/*
#include "table.h"
*/
import "C"

import "github.com/frankenshare/frankenshare/sharedstate"

//export fs_go_shared_open
func fs_go_shared_open(kind C.int32_t, id C.uint64_t, cell *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	object, e := store.OpenShared(sharedstate.Handle{Kind: sharedstate.SharedKind(kind), ID: uint64(id)})
	*cell = 0
	if w, is := object.(*sharedstate.Word); is {
		*cell = C.uint64_t(w.Address())
	}
	return answer(e, err)
}

//export fs_go_shared_close
func fs_go_shared_close(id C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	store.Shared(uint64(id)).Close() // C closes what it has opened
}

//export fs_go_shared_remove
func fs_go_shared_remove(kind C.int32_t, name C.fs_bytes) (status C.int32_t) {
	defer recovered(&status, nil)
	return done(store.RemoveShared(sharedstate.SharedKind(kind), text(name)))
}
