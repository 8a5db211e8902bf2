#include <php.h>

#include "key.h"

static bool key_of_float(double d, fs_key *key)
{
	zend_long n = zend_dval_to_lval(d);
	if (!zend_is_long_compatible(d, n)) {
		zend_incompatible_double_to_long_error(d);
		if (EG(exception)) {
			return false;
		}
	}
	*key = fs_key_of_int(n);
	return true;
}

bool fs_key_of_other_offset(zval *offset, fs_key *key)
{
	ZVAL_DEREF(offset);
	switch (Z_TYPE_P(offset)) {
	case IS_STRING:
		*key = fs_key_of_string(Z_STR_P(offset));
		return true;
	case IS_LONG:
		*key = fs_key_of_int(Z_LVAL_P(offset));
		return true;
	case IS_UNDEF:
	case IS_NULL:
#if PHP_VERSION_ID >= 80500
		zend_error(E_DEPRECATED, "Using null as an array offset is deprecated, use an empty string instead");
		if (EG(exception)) {
			return false;
		}
#endif
		*key = fs_key_of_string(ZSTR_EMPTY_ALLOC());
		return true;
	case IS_FALSE:
	case IS_TRUE:
		*key = fs_key_of_int(Z_TYPE_P(offset) == IS_TRUE);
		return true;
	case IS_DOUBLE:
		return key_of_float(Z_DVAL_P(offset), key);
	case IS_RESOURCE: {
		zend_long handle = Z_RES_HANDLE_P(offset);
		zend_error(E_WARNING, "Resource ID#" ZEND_LONG_FMT " used as offset, casting to integer (" ZEND_LONG_FMT ")",
		           handle, handle);
		*key = fs_key_of_int(handle);
		return !EG(exception);
	}
	default:
		zend_type_error("Illegal offset type %s", zend_zval_type_name(offset));
		return false;
	}
}

fs_key fs_key_of_bytes(const char *data, size_t len)
{
	zend_ulong n;
	/* The engine's check reads the byte after a string, which a row does not end with; an int is short enough to copy. */
	fs_digits digits;
	if (len > 0 && len < sizeof(digits)) {
		memcpy(digits, data, len);
		digits[len] = 0;
		if (ZEND_HANDLE_NUMERIC_STR(digits, len, n)) {
			return fs_key_of_int((zend_long)n);
		}
	}
	zend_string *s = zend_string_init(data, len, 0);
	return (fs_key){.string = s, .hash = ZSTR_HASH(s)};
}

fs_bytes fs_key_bytes(const fs_key *key, fs_digits digits)
{
	if (key->string != NULL) {
		return (fs_bytes){.data = ZSTR_VAL(key->string), .len = ZSTR_LEN(key->string)};
	}
	char *end = digits + MAX_LENGTH_OF_LONG;
	char *start = zend_print_long_to_buf(end, (zend_long)key->hash);
	return (fs_bytes){.data = start, .len = (size_t)(end - start)};
}
