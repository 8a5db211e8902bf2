/* One key at a time: what the object's handlers and the methods both call, so that they agree. */
#ifndef FRANKENSHARE_ACCESS_H
#define FRANKENSHARE_ACCESS_H

#include <php.h>

#include "frankenshare.h"
#include "key.h"

/* The classes whose objects the table takes: names with a zero byte behind each and one at the end; NULL for every class. The
 * list stays as it is for as long as the process lives. */
static inline const char *fs_object_classes(fs_control *c) { return (const char *)(uintptr_t)fs_load(&c->objects); }

/* Is there a table, and may this process use it? False with an exception pending. */
bool fs_usable(fs_table t);

zval *fs_get_from_table(fs_table t, const fs_key *key, zval *rv);

/* The value of a key, UNDEF when it is absent: in the gate, to be copied at once, or in rv, which is then the caller's. NULL
 * with an exception pending. */
static zend_always_inline zval *fs_get(fs_table t, const fs_key *key, zval *rv)
{
	zval *hit = fs_gate_get(&fs_g->gate, fs_g->thread, t, key);
	return EXPECTED(hit != NULL) ? hit : fs_get_from_table(t, key, rv);
}

typedef enum fs_presence {
	FS_FAILED = -1, /* an exception is pending */
	FS_MISSING,
	FS_NULL,
	FS_PRESENT,
} fs_presence;

/* What there is under a key, without reading a long value. */
fs_presence fs_has(fs_table t, const fs_key *key);

/* Is the key there? That is no use of it. *expiry is when it expires, 0 for never. False with an exception pending, too. */
bool fs_peek(fs_table t, const fs_key *key, uint64_t *expiry);

/* ttl here and below: nanoseconds, see bridge.h. False with an exception pending. */
bool fs_put(fs_table t, const fs_key *key, zval *value, int64_t ttl);

/* Removes a key; *out is its value, UNDEF when it was absent. False with an exception pending, which, when the value cannot be
 * decoded, comes after the removal. */
bool fs_pull(fs_table t, const fs_key *key, zval *out);

/* FS_MISSING when there was nothing. */
fs_presence fs_erase(fs_table t, const fs_key *key);

/* Adds or subtracts by, an int or a float; *out is the new number, which has the ttl if it was made. False with an exception
 * pending. */
bool fs_increment(fs_table t, const fs_key *key, const zval *by, bool subtract, int64_t ttl, zval *out);

/* How a write of a number in place has ended (number.c). */
typedef enum fs_change {
	FS_THREW = -1, /* an exception is pending */
	FS_FOR_GO,     /* nothing has changed: it takes more than that */
	FS_CHANGED,
} fs_change;

/* A value that is no number is for Go. */
fs_change fs_set_number(fs_table t, const fs_key *key, const zval *value);
fs_change fs_add_number(fs_table t, const fs_key *key, const zval *by, bool subtract, zval *sum);
fs_change fs_swap_number(fs_table t, const fs_key *key, const fs_value *old, const fs_value *value);

/* One read, lock-free or, where the reader cannot, under the stripe's lock. With dst NULL, as fs_read. */
int fs_read_once(fs_control *c, fs_bytes key, char *dst, size_t cap, fs_found *found, fs_error *err);

/* After a write of its own a thread knows the value without reading it. */
void fs_remember(fs_table t, const fs_key *key, const fs_receipt *receipt, zval *value);

#endif
