/* Waiting for another request. */
#ifndef FRANKENSHARE_WAIT_H
#define FRANKENSHARE_WAIT_H

#include <php.h>

#include "bridge.h"

/* A wait crosses the bridge in slices, for nothing can interrupt a thread inside Go. */
#define FS_WAIT_SLICE_MS 50

/* May a wait go on after a slice? Not once the request's time is up or PHP is to stop: PHP's own error follows. */
static inline bool fs_may_wait(void) { return !zend_atomic_bool_load_ex(&EG(timed_out)); }

/* Waits until end, in nanoseconds of fs_now(), for the turn that a ticket is for, and gives the ticket back. The answer is the token
 * of what is the caller's then, or 0; *status is an FS_STATUS_*, OK also when there was no time left. */
uint64_t fs_await_ticket(uint64_t ticket, double end, int *status, fs_error *err);

#endif
