/* Writes that depend on what is there. They look without a lock first, since they often find that they are not to be done. */
#ifndef FRANKENSHARE_CONDITIONAL_H
#define FRANKENSHARE_CONDITIONAL_H

#include <php.h>

#include "gate.h"

/* Stores value if the key is absent. Was it? False with an exception pending. */
bool fs_add(fs_table t, const fs_key *key, zval *value, int64_t ttl);

/* Stores value over one that is identical to expected, by its encoded bytes, and keeps the expiry. Did it? False with an
 * exception pending. */
bool fs_compare_and_set(fs_table t, const fs_key *key, zval *expected, zval *value);

#endif
