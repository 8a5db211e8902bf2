/* The one place where a status becomes an exception. */
#ifndef FRANKENSHARE_ERRORS_H
#define FRANKENSHARE_ERRORS_H

#include <php.h>

#include "bridge.h"
#include "key.h"
#include "reader.h"

/* Throws what status stands for. */
void fs_throw(int status, const char *message);
/* The same with a message that is put together, up to the size of an fs_error. */
void fs_throw_format(int status, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/* Throws for an update() that other writers have come between that often. */
void fs_throw_contention(const fs_control *c, fs_bytes key, int rounds);

/* Throws for a lock that another had for all that time. */
void fs_throw_lock_timeout(const fs_control *c, fs_bytes name, double seconds);

/* Throws for a value that could not be encoded; err names the value alone. Nothing when PHP's exception is pending (-1). */
void fs_throw_encode(int status, const fs_control *c, fs_bytes key, const fs_error *err);

/* Throws for stored bytes that could not be decoded. */
void fs_throw_decode(int status, const fs_control *c, fs_bytes key, const fs_error *err);

void fs_throw_uninitialized(void);

#endif
