/* Keys: a string, or an int, which is the same key as its canonical decimal string, as in a PHP array. */
#ifndef FRANKENSHARE_KEY_H
#define FRANKENSHARE_KEY_H

#include <php.h>

#include "bridge.h"

typedef struct fs_key {
	zend_string *string; /* NULL: the key is the int */
	zend_ulong hash;     /* the string's hash, or the int */
} fs_key;

/* Room for an int key's digits, its sign and a NUL. */
typedef char fs_digits[MAX_LENGTH_OF_LONG + 1];

static zend_always_inline fs_key fs_key_of_string(zend_string *s)
{
	fs_key key;
	if (UNEXPECTED(ZEND_HANDLE_NUMERIC(s, key.hash))) {
		key.string = NULL;
	} else {
		key.string = s;
		key.hash = ZSTR_HASH(s);
	}
	return key;
}

static zend_always_inline fs_key fs_key_of_int(zend_long n) { return (fs_key){.string = NULL, .hash = (zend_ulong)n}; }

/* The key that an argument of the type string|int gives. */
static zend_always_inline fs_key fs_key_of_argument(zend_string *string, zend_long index)
{
	return string != NULL ? fs_key_of_string(string) : fs_key_of_int(index);
}

/* Follows PHP's rules for array offsets, messages of null, floats and resources included, which may run an error handler of
 * the user's. False with an exception pending. */
bool fs_key_of_other_offset(zval *offset, fs_key *key);

static zend_always_inline bool fs_key_of_offset(zval *offset, fs_key *key)
{
	if (EXPECTED(Z_TYPE_P(offset) == IS_STRING)) {
		*key = fs_key_of_string(Z_STR_P(offset));
		return true;
	}
	if (EXPECTED(Z_TYPE_P(offset) == IS_LONG)) {
		*key = fs_key_of_int(Z_LVAL_P(offset));
		return true;
	}
	return fs_key_of_other_offset(offset, key);
}

/* The key of a row. The string is new, and the caller's. */
fs_key fs_key_of_bytes(const char *data, size_t len);

/* The key's bytes in the store, valid as long as key and digits. */
fs_bytes fs_key_bytes(const fs_key *key, fs_digits digits);

#endif
