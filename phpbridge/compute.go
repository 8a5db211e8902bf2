package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

//export fs_go_lease
func fs_go_lease(id C.uint32_t, key C.fs_bytes, kind C.int32_t, request C.uint64_t, waitMs C.uint32_t, since *C.uint64_t, out *C.int32_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	*out = C.int32_t(table(id).Lease(text(key), sharedstate.LeaseKind(kind), uint64(request), time.Duration(waitMs)*time.Millisecond, (*uint64)(since)))
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_end_lease
func fs_go_end_lease(id C.uint32_t, key C.fs_bytes, kind C.int32_t, request C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	table(id).EndLease(text(key), sharedstate.LeaseKind(kind), uint64(request))
}

//export fs_go_interval
func fs_go_interval(id C.uint32_t, key, callable C.fs_bytes, by C.uint8_t, every C.int64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return answer(table(id).Register(text(key), text(callable), sharedstate.Refreshers(by), time.Duration(every)), err)
}

//export fs_go_interval_worker
func fs_go_interval_worker(script C.fs_bytes) (status C.int32_t) {
	defer recovered(&status, nil)
	switch itself, any := store.RunsIntervals(text(script)); {
	case itself:
		return C.FS_THE_WORKER
	case any:
		return C.FS_OTHER_WORKER
	default:
		return C.FS_NO_WORKER
	}
}

//export fs_go_interval_state
func fs_go_interval_state(id C.uint32_t, key C.fs_bytes) C.int32_t {
	var status C.int32_t
	defer recovered(&status, nil)
	i := table(id).Interval(text(key))
	for bit, set := range map[C.int32_t]bool{C.FS_INTERVAL: i.Exists, C.FS_INTERVAL_DUE: i.Due, C.FS_INTERVAL_NAMED: i.Named} {
		if set {
			status |= bit
		}
	}
	return status
}

//export fs_go_claim
func fs_go_claim(id C.uint32_t, key C.fs_bytes, request C.uint64_t, early C.int32_t, out *C.fs_claim, names *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	c, ok := table(id).Claim(text(key), uint64(request), early != 0)
	return putClaim(c, ok, out, names, err)
}

//export fs_go_claim_any
func fs_go_claim_any(request C.uint64_t, out *C.fs_claim, names *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	c, ok := store.ClaimAny(uint64(request))
	return putClaim(c, ok, out, names, err)
}

// putClaim writes a claim's key and callable to names.
func putClaim(c sharedstate.Claim, ok bool, out *C.fs_claim, names *C.fs_buffer, err *C.fs_error) C.int32_t {
	if !ok {
		return C.int32_t(sharedstate.StatusAbsent)
	}
	rows := rowsIn(names)
	for _, name := range []string{c.Key, c.Callable} {
		if e := rows.AddKey(name); e != nil {
			c.Table.GiveUp(c.Key, c.Number)
			return answer(e, err)
		}
	}
	names.len = C.size_t(len(rows.Bytes))
	out.control, out.number = C.uint64_t(c.Table.Control()), C.uint64_t(c.Number)
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_commit
func fs_go_commit(id C.uint32_t, key C.fs_bytes, claim C.uint64_t, value *C.fs_value, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return answer(table(id).Commit(text(key), uint64(claim), valueOf(value)), err)
}

//export fs_go_give_up
func fs_go_give_up(id C.uint32_t, key C.fs_bytes, claim C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	table(id).GiveUp(text(key), uint64(claim))
}
