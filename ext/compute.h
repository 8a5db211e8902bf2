/* Computing a value with code of the user's, one request at a time. */
#ifndef FRANKENSHARE_COMPUTE_H
#define FRANKENSHARE_COMPUTE_H

#include <php.h>

#include "frankenshare.h"
#include "key.h"

/* Calls a callable with arg, or without one when it is NULL; *out is the caller's, and no reference. False after an exception,
 * exit() among them, with *out UNDEF. */
bool fs_call(zend_fcall_info *fci, zend_fcall_info_cache *fcc, zval *arg, zval *out);

typedef enum fs_turn {
	FS_TURN_FAILED,     /* an exception is pending, or the request's time is up */
	FS_TURN_HELD,       /* the caller has the lease, and ends it with fs_end_turn() */
	FS_TURN_LOOK_AGAIN, /* another had it and has let go: its value may be there */
	FS_TURN_ALONE,      /* there is no waiting for it: go on without */
} fs_turn;

/* Waits until this request may compute a key's value; kind is an FS_LEASE_*. */
fs_turn fs_await_turn(fs_table t, const fs_key *key, int32_t kind);

/* Ends the lease of the request that took it; one that has ended, and a fiber that outlives it, have none any more. */
void fs_end_turn(fs_table t, const fs_key *key, int32_t kind, uint64_t request);

#endif
