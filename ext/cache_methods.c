/* The methods of FrankenPHP\SharedArray that caches have: times to live, writes on a condition, upkeep. */
#include <php.h>

#include "access.h"
#include "bulk.h"
#include "conditional.h"
#include "errors.h"
#include "shared_array.h"
#include "ttl.h"

METHOD(put)
{
	zend_string *string;
	zend_long index;
	zval *value, *lifetime = NULL;
	int64_t ttl;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(value)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(lifetime)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_ttl_of(lifetime, 3, &ttl)) {
		RETURN_THROWS();
	}
	fs_key key = fs_key_of_argument(string, index);
	RETURN_BOOL(fs_put(TABLE(), &key, value, ttl));
}

METHOD(forever)
{
	zend_string *string;
	zend_long index;
	zval *value;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_key key = fs_key_of_argument(string, index);
	RETURN_BOOL(fs_put(TABLE(), &key, value, FS_FOREVER));
}

METHOD(putMany)
{
	zend_array *values;
	zval *lifetime = NULL;
	int64_t ttl;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ARRAY_HT(values)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(lifetime)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_ttl_of(lifetime, 2, &ttl)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(fs_merge(TABLE(), values, ttl));
}

METHOD(add)
{
	zend_string *string;
	zend_long index;
	zval *value, *lifetime = NULL;
	int64_t ttl;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(value)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(lifetime)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_ttl_of(lifetime, 3, &ttl)) {
		RETURN_THROWS();
	}
	fs_key key = fs_key_of_argument(string, index);
	RETURN_BOOL(fs_add(TABLE(), &key, value, ttl));
}

METHOD(compareAndSet)
{
	zend_string *string;
	zend_long index;
	zval *expected, *value;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(expected)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_key key = fs_key_of_argument(string, index);
	RETURN_BOOL(fs_compare_and_set(TABLE(), &key, expected, value));
}

METHOD(ttl)
{
	zend_string *string;
	zend_long index;
	uint64_t expiry;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR_OR_LONG(string, index)
	ZEND_PARSE_PARAMETERS_END();
	fs_key key = fs_key_of_argument(string, index);
	if (fs_peek(TABLE(), &key, &expiry) && expiry != 0) {
		int64_t left = (int64_t)(expiry - fs_now());
		RETURN_DOUBLE((double)MAX(left, 1) / 1e9); /* it was there, so that some time was left */
	}
}

METHOD(touch)
{
	zend_string *string;
	zend_long index;
	zval *lifetime;
	int64_t ttl;
	fs_error err;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(lifetime)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_ttl_of(lifetime, 2, &ttl) || !fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	fs_key key = fs_key_of_argument(string, index);
	fs_digits digits;
	int status = fs_go.touch(TABLE().control->id, fs_key_bytes(&key, digits), ttl, &err);
	if (status != FS_STATUS_OK && status != FS_STATUS_ABSENT) {
		fs_throw(status, err.message);
		RETURN_THROWS();
	}
	RETURN_BOOL(status == FS_STATUS_OK);
}

METHOD(pull)
{
	zend_string *string;
	zend_long index;
	zval *default_value = NULL;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(default_value)
	ZEND_PARSE_PARAMETERS_END();
	fs_key key = fs_key_of_argument(string, index);
	if (!fs_pull(TABLE(), &key, return_value)) {
		RETURN_THROWS();
	}
	if (Z_TYPE_P(return_value) == IS_UNDEF) {
		if (default_value == NULL) {
			RETURN_NULL();
		}
		RETURN_COPY(default_value);
	}
}

METHOD(flush)
{
	fs_error err;
	ZEND_PARSE_PARAMETERS_NONE();
	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	int status = fs_go.clear(TABLE().control->id, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		RETURN_THROWS();
	}
	RETURN_TRUE;
}

static void take_out(fs_table t, int32_t (*rows_go)(uint32_t, uint64_t *, fs_error *), zval *return_value)
{
	fs_error err;
	uint64_t rows = 0;
	if (!fs_usable(t)) {
		return;
	}
	int status = rows_go(t.control->id, &rows, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		return;
	}
	RETVAL_LONG((zend_long)rows);
}

METHOD(sweep)
{
	ZEND_PARSE_PARAMETERS_NONE();
	take_out(TABLE(), fs_go.sweep, return_value);
}

METHOD(evict)
{
	ZEND_PARSE_PARAMETERS_NONE();
	take_out(TABLE(), fs_go.evict, return_value);
}

static void change_number(INTERNAL_FUNCTION_PARAMETERS, bool subtract)
{
	zend_string *string;
	zend_long index;
	zval one, *by = &one, *lifetime = NULL;
	int64_t ttl;
	ZVAL_LONG(&one, 1);
	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_OPTIONAL
		Z_PARAM_NUMBER(by)
		Z_PARAM_ZVAL(lifetime)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_ttl_of(lifetime, 3, &ttl)) {
		RETURN_THROWS();
	}
	fs_key key = fs_key_of_argument(string, index);
	fs_increment(TABLE(), &key, by, subtract, ttl, return_value);
}

METHOD(increment) { change_number(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }

METHOD(decrement) { change_number(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
