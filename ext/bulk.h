/* Many keys in one call to the store. */
#ifndef FRANKENSHARE_BULK_H
#define FRANKENSHARE_BULK_H

#include <php.h>

#include "gate.h"

/* Each is false with an exception pending. A merge has then changed nothing; nor has a replace, unless it is old contents
 * that could not be decoded, which happens after the swap. */
bool fs_merge(fs_table t, zend_array *values, int64_t ttl);
bool fs_replace(fs_table t, zend_array *values, zval *old);

/* keys: strings and ints. */
bool fs_erase_many(fs_table t, zend_array *keys, zend_long *removed);
bool fs_erase_prefix(fs_table t, zend_string *prefix, zend_long *removed);

/* At most limit rows whose key begins with prefix. */
bool fs_scan(fs_table t, zend_string *prefix, zend_long limit, zval *out);

/* The key that an element of an argument names. False with a TypeError pending. */
bool fs_key_of_element(const zval *element, fs_key *key);

#endif
