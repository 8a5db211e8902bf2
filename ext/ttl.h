/* Times to live, as PHP code gives them. */
#ifndef FRANKENSHARE_TTL_H
#define FRANKENSHARE_TTL_H

#include <php.h>

#include "bridge.h"

/* The nanoseconds from now that an argument means: FS_FOREVER for null (or NULL, when it was not given) and for times that are
 * too long to count, 0 or less for what has passed. An int or float is seconds, a DateInterval is added to this moment by
 * PHP's date arithmetic, a DateTimeInterface is a moment of the wall clock. False with an exception pending. */
bool fs_ttl_of(zval *arg, uint32_t arg_num, int64_t *ttl);

#endif
