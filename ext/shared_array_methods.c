/* The methods of FrankenPHP\SharedArray, for callers by name. The work is that of the handlers. */
#include <php.h>
#include <php_globals.h>
#include <php_variables.h>
#include <zend_interfaces.h>
#include <ext/spl/spl_array.h>

#include "access.h"
#include "bulk.h"
#include "errors.h"
#include "info.h"
#include "rows.h"
#include "shared_array.h"
#include "snapshot.h"

#define DEFAULT_TABLE "default"

/* The table of the site that the request is for. */
static zend_string *table_of_request(void)
{
	zend_is_auto_global_str(ZEND_STRL("_SERVER"));
	zval *server = &PG(http_globals)[TRACK_VARS_SERVER];
	zval *name =
		Z_TYPE_P(server) == IS_ARRAY ? zend_hash_str_find(Z_ARRVAL_P(server), ZEND_STRL("FRANKENSHARE_TABLE")) : NULL;
	return name != NULL && Z_TYPE_P(name) == IS_STRING && Z_STRLEN_P(name) > 0 ? Z_STR_P(name) : NULL;
}

METHOD(__construct)
{
	zend_string *name = NULL;
	fs_error err;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();

	if (name == NULL) {
		name = table_of_request();
	}
	int status = name != NULL ? fs_handle_open(fs_handle_of(Z_OBJ_P(ZEND_THIS)), ZSTR_VAL(name), ZSTR_LEN(name), &err)
	                          : fs_handle_open(fs_handle_of(Z_OBJ_P(ZEND_THIS)), ZEND_STRL(DEFAULT_TABLE), &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
	}
}

METHOD(offsetGet)
{
	zval *offset;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(offset)
	ZEND_PARSE_PARAMETERS_END();
	fs_offset_get(TABLE(), offset, return_value);
}

METHOD(offsetSet)
{
	zval *offset, *value;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_ZVAL(offset)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_offset_set(TABLE(), offset, value);
}

METHOD(offsetExists)
{
	zval *offset;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(offset)
	ZEND_PARSE_PARAMETERS_END();
	RETURN_BOOL(fs_offset_exists(TABLE(), offset, false));
}

METHOD(offsetUnset)
{
	zval *offset;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(offset)
	ZEND_PARSE_PARAMETERS_END();
	fs_offset_unset(TABLE(), offset);
}

METHOD(count)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (fs_usable(TABLE()) && fs_count(TABLE().control, &Z_LVAL_P(return_value))) {
		Z_TYPE_INFO_P(return_value) = IS_LONG;
	}
}

METHOD(getIterator)
{
	ZEND_PARSE_PARAMETERS_NONE();
	zend_array *rows = fs_usable(TABLE()) ? fs_snapshot(TABLE().control) : NULL;
	if (rows == NULL) {
		RETURN_THROWS();
	}
	zval array;
	ZVAL_ARR(&array, rows);
	object_init_ex(return_value, spl_ce_ArrayIterator);
	zend_call_known_instance_method_with_1_params(spl_ce_ArrayIterator->constructor, Z_OBJ_P(return_value), NULL,
	                                              &array);
	zval_ptr_dtor(&array);
}

static void return_array(zend_array *array, zval *return_value)
{
	if (array != NULL) {
		RETVAL_ARR(array);
	}
}

METHOD(jsonSerialize)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_array(fs_usable(TABLE()) ? fs_snapshot(TABLE().control) : NULL, return_value);
}

METHOD(snapshot)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_array(fs_usable(TABLE()) ? fs_snapshot(TABLE().control) : NULL, return_value);
}

METHOD(keys)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_array(fs_usable(TABLE()) ? fs_keys(TABLE().control) : NULL, return_value);
}

METHOD(merge)
{
	zend_array *values;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(values)
	ZEND_PARSE_PARAMETERS_END();
	fs_merge(TABLE(), values, FS_FOREVER);
}

METHOD(replace)
{
	zend_array *values;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(values)
	ZEND_PARSE_PARAMETERS_END();
	fs_replace(TABLE(), values, return_value);
}

METHOD(version)
{
	fs_error err;
	uint64_t version = 0;
	ZEND_PARSE_PARAMETERS_NONE();
	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	int status = fs_go.version(TABLE().control->id, &version, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		RETURN_THROWS();
	}
	RETURN_LONG((zend_long)version);
}

/* Puts the value, or default_value when it is absent, into to. False with an exception pending. */
static bool get_or_default(fs_table t, const fs_key *key, zval *default_value, zval *to)
{
	zval *value = fs_get(t, key, to);
	if (UNEXPECTED(value == NULL)) {
		return false;
	}
	if (Z_TYPE_P(value) == IS_UNDEF) {
		if (default_value == NULL) {
			ZVAL_NULL(to);
		} else {
			ZVAL_COPY(to, default_value);
		}
	} else if (value != to) {
		ZVAL_COPY(to, value);
	}
	return true;
}

METHOD(get)
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
	get_or_default(TABLE(), &key, default_value, return_value);
}

METHOD(many)
{
	zend_array *keys;
	zval *default_value = NULL, *element;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ARRAY_HT(keys)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(default_value)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	array_init_size(return_value, zend_hash_num_elements(keys));
	ZEND_HASH_FOREACH_VAL(keys, element)
	{
		fs_key key;
		zval value;
		if (!fs_key_of_element(element, &key)) {
			RETURN_THROWS();
		}
		/* Held, because decoding may run code that changes a variable which the array refers to. */
		if (key.string != NULL) {
			zend_string_addref(key.string);
		}
		if (!get_or_default(TABLE(), &key, default_value, &value)) {
			if (key.string != NULL) {
				zend_string_release(key.string);
			}
			RETURN_THROWS();
		}
		fs_array_add(Z_ARRVAL_P(return_value), key, &value);
	}
	ZEND_HASH_FOREACH_END();
}

METHOD(exists)
{
	zend_string *string;
	zend_long index;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR_OR_LONG(string, index)
	ZEND_PARSE_PARAMETERS_END();
	fs_key key = fs_key_of_argument(string, index);
	RETURN_BOOL(fs_has(TABLE(), &key) >= FS_NULL);
}

METHOD(forget)
{
	zend_string *string;
	zend_long index;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR_OR_LONG(string, index)
	ZEND_PARSE_PARAMETERS_END();
	fs_key key = fs_key_of_argument(string, index);
	RETURN_BOOL(fs_erase(TABLE(), &key) == FS_PRESENT);
}

METHOD(forgetMany)
{
	zend_array *keys;
	zend_long removed = 0;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(keys)
	ZEND_PARSE_PARAMETERS_END();
	fs_erase_many(TABLE(), keys, &removed);
	RETURN_LONG(removed);
}

METHOD(forgetPrefix)
{
	zend_string *prefix;
	zend_long removed = 0;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(prefix)
	ZEND_PARSE_PARAMETERS_END();
	fs_erase_prefix(TABLE(), prefix, &removed);
	RETURN_LONG(removed);
}

METHOD(scan)
{
	zend_string *prefix = ZSTR_EMPTY_ALLOC();
	zend_long limit = ZEND_LONG_MAX;
	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR(prefix)
		Z_PARAM_LONG(limit)
	ZEND_PARSE_PARAMETERS_END();
	if (limit < 0) {
		zend_argument_value_error(2, "must not be negative, " ZEND_LONG_FMT " given", limit);
		RETURN_THROWS();
	}
	fs_scan(TABLE(), prefix, limit, return_value);
}

METHOD(stats)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (fs_usable(TABLE())) {
		fs_stats(TABLE().control, return_value);
	}
}

METHOD(__serialize)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	fs_control *c = TABLE().control;
	array_init_size(return_value, 1);
	add_assoc_stringl(return_value, "table", c->name, c->name_len);
}

/* Is there such a table already? A string from elsewhere must not make one. */
static bool is_known(zend_string *name)
{
	fs_error err;
	fs_rows rows;
	fs_bytes key, value;
	bool known = zend_string_equals_literal(name, DEFAULT_TABLE);

	fs_g->rows.len = 0;
	if (known || fs_forked || fs_go.tables(&fs_g->rows, &err) != FS_STATUS_OK) {
		return known;
	}
	fs_rows_open(&rows, &fs_g->rows);
	while (!known && fs_rows_next(&rows, &key, &value) != NULL) {
		known = key.len == ZSTR_LEN(name) && memcmp(key.data, ZSTR_VAL(name), key.len) == 0;
	}
	fs_rows_close(&rows);
	return known;
}

METHOD(__unserialize)
{
	zend_array *data;
	fs_error err;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(data)
	ZEND_PARSE_PARAMETERS_END();
	/* A string that names no table is answered by the first use of the object, where the reason can be acted on. */
	zval *name = zend_hash_str_find(data, ZEND_STRL("table"));
	if (name != NULL && Z_TYPE_P(name) == IS_STRING && zend_hash_num_elements(data) == 1 && is_known(Z_STR_P(name))) {
		fs_handle_open(fs_handle_of(Z_OBJ_P(ZEND_THIS)), Z_STRVAL_P(name), Z_STRLEN_P(name), &err);
	}
}
