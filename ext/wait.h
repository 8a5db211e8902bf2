/* Waiting for another request. */
#ifndef FRANKENSHARE_WAIT_H
#define FRANKENSHARE_WAIT_H

#include <php.h>

/* A wait crosses the bridge in slices, for nothing can interrupt a thread inside Go. */
#define FS_WAIT_SLICE_MS 50

/* May a wait go on after a slice? Not once the request's time is up or PHP is to stop: PHP's own error follows. */
static inline bool fs_may_wait(void) { return !zend_atomic_bool_load_ex(&EG(timed_out)); }

#endif
