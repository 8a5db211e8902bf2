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

/* A value as it is stored. */
typedef struct fs_raw {
	bool there;
	fs_value value; /* its data is request memory */
} fs_raw;

/* Reads a value both ways; *out is the caller's, null when it is absent. False with an exception pending. */
bool fs_read_raw(fs_table t, const fs_key *key, fs_raw *raw, zval *out);

void fs_raw_free(fs_raw *raw);

/* Stores value if the key still has the old one, or is still absent; *done says whether it did. False with an exception
 * pending. */
bool fs_swap(fs_table t, const fs_key *key, const fs_raw *old, zval *value, bool *done);

#endif
