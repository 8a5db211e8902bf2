package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// lockRequest views C's request, for the time of the call.
func lockRequest(r *C.fs_lock_request) sharedstate.LockRequest {
	return sharedstate.LockRequest{Name: text(r.name), Owner: text(r.owner), TTL: time.Duration(r.ttl),
		Request: uint64(r.request), ReleaseAtEnd: r.release_at_end != 0}
}

// done is OK, or ABSENT when the caller did not have the lock.
func done(had bool) C.int32_t {
	if had {
		return C.int32_t(sharedstate.StatusOK)
	}
	return C.int32_t(sharedstate.StatusAbsent)
}

//export fs_go_lock
func fs_go_lock(id C.uint32_t, r *C.fs_lock_request, token *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	got, e := table(id).Lock(lockRequest(r))
	*token = C.uint64_t(got)
	return answer(e, err)
}

//export fs_go_lock_enqueue
func fs_go_lock_enqueue(id C.uint32_t, r *C.fs_lock_request, token, ticket *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	got, turn, e := table(id).Enqueue(lockRequest(r))
	*token, *ticket = C.uint64_t(got), ticketOf(turn)
	return answer(e, err)
}

//export fs_go_unlock
func fs_go_unlock(id C.uint32_t, name, owner C.fs_bytes, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return done(table(id).Unlock(text(name), text(owner)))
}

//export fs_go_lock_force
func fs_go_lock_force(id C.uint32_t, name C.fs_bytes, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return done(table(id).ForceUnlock(text(name)))
}

//export fs_go_lock_refresh
func fs_go_lock_refresh(id C.uint32_t, name, owner C.fs_bytes, ttl C.int64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return done(table(id).Refresh(text(name), text(owner), time.Duration(ttl)))
}

//export fs_go_lock_state
func fs_go_lock_state(id C.uint32_t, name, owner C.fs_bytes, out *C.fs_lock_state, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	state, held := table(id).LockHeld(text(name))
	*out = C.fs_lock_state{left: C.int64_t(state.Left)}
	putBool(&out.held, held)
	putBool(&out.owned, held && state.Owner == text(owner))
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_lock_flush
func fs_go_lock_flush(id C.uint32_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	table(id).UnlockAll()
	return C.int32_t(sharedstate.StatusOK)
}
