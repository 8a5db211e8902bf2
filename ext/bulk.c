#include <php.h>

#include "access.h"
#include "bulk.h"
#include "codec.h"
#include "errors.h"
#include "rows.h"

/* What a merge or replace sends: entries, and the memory that their keys and values point into. */
typedef struct batch {
	zend_array *values;
	fs_encoder enc;
	fs_entry *entries;
	fs_digits *digits;
	size_t len;
} batch;

/* A reference to values that code of the user's cannot change: elements that are PHP references become their values. */
static zend_array *hold(zend_array *values)
{
	bool has_reference = false;
	zval *v;
	ZEND_HASH_FOREACH_VAL(values, v) { has_reference |= Z_ISREF_P(v); }
	ZEND_HASH_FOREACH_END();
	if (!has_reference) {
		GC_TRY_ADDREF(values);
		return values;
	}
	zend_array *copy = zend_new_array(zend_hash_num_elements(values));
	zend_ulong index;
	zend_string *name;
	ZEND_HASH_FOREACH_KEY_VAL(values, index, name, v)
	{
		zval value;
		ZVAL_COPY_DEREF(&value, v);
		if (name != NULL) {
			zend_hash_add_new(copy, name, &value);
		} else {
			zend_hash_index_add_new(copy, index, &value);
		}
	}
	ZEND_HASH_FOREACH_END();
	return copy;
}

static void batch_free(batch *b)
{
	fs_encoder_free(&b->enc);
	efree(b->entries);
	efree(b->digits);
	zend_array_release(b->values);
}

/* Encodes all values, which may run code of the user's, before anything is sent. False with an exception pending. */
static bool batch_make(batch *b, fs_control *c, zend_array *values)
{
	uint64_t max_value = fs_load(&c->max_value);
	const char *classes = fs_object_classes(c);
	size_t n = zend_hash_num_elements(values);
	size_t ints = 0;
	zend_ulong index;
	zend_string *name;
	zval *v;

	b->values = hold(values);
	b->len = 0;
	fs_encoder_init(&b->enc, &fs_g->scratch, true);
	b->entries = safe_emalloc(n, sizeof(*b->entries), 1);
	b->digits = safe_emalloc(n, sizeof(*b->digits), 1);
	ZEND_HASH_FOREACH_KEY_VAL(b->values, index, name, v)
	{
		fs_error err;
		fs_key key = name != NULL ? fs_key_of_string(name) : fs_key_of_int((zend_long)index);
		fs_entry *e = &b->entries[b->len++];
		e->key = fs_key_bytes(&key, b->digits[ints]);
		ints += key.string == NULL;
		int status = fs_encode(v, max_value, classes, &b->enc, &e->value, &err);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			fs_throw_encode(status, c, e->key, &err);
			batch_free(b);
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static bool check(int status, const fs_error *err)
{
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw(status, err->message);
		return false;
	}
	return true;
}

bool fs_merge(fs_table t, zend_array *values, int64_t ttl)
{
	batch b;
	fs_error err;
	if (!fs_usable(t) || !batch_make(&b, t.control, values)) {
		return false;
	}
	int status = fs_go.merge(t.control->id, b.entries, b.len, ttl, &err);
	batch_free(&b);
	return check(status, &err);
}

bool fs_replace(fs_table t, zend_array *values, zval *old)
{
	batch b;
	fs_error err;
	if (!fs_usable(t) || !batch_make(&b, t.control, values)) {
		return false;
	}
	fs_control *c = t.control;
	fs_g->rows.len = 0;
	int status = fs_go.replace(c->id, b.entries, b.len, &fs_g->rows, &err);
	if (!check(status, &err)) {
		batch_free(&b);
		return false;
	}
	bool ok = fs_rows_to_array(c, &fs_g->rows, old);
	batch_free(&b);
	return ok;
}

bool fs_key_of_element(const zval *element, fs_key *key)
{
	ZVAL_DEREF(element);
	if (EXPECTED(Z_TYPE_P(element) == IS_STRING)) {
		*key = fs_key_of_string(Z_STR_P(element));
	} else if (EXPECTED(Z_TYPE_P(element) == IS_LONG)) {
		*key = fs_key_of_int(Z_LVAL_P(element));
	} else {
		zend_argument_type_error(1, "must contain only strings and ints, %s given", zend_zval_type_name(element));
		return false;
	}
	return true;
}

bool fs_erase_many(fs_table t, zend_array *keys, zend_long *removed)
{
	if (!fs_usable(t)) {
		return false;
	}
	size_t n = zend_hash_num_elements(keys), len = 0;
	fs_bytes *bytes = safe_emalloc(n, sizeof(*bytes), 1);
	fs_digits *digits = safe_emalloc(n, sizeof(*digits), 1);
	fs_error err;
	uint64_t count = 0;
	bool ok = true;
	zval *element;

	ZEND_HASH_FOREACH_VAL(keys, element)
	{
		fs_key key;
		ok = fs_key_of_element(element, &key);
		if (!ok) {
			break;
		}
		bytes[len] = fs_key_bytes(&key, digits[len]);
		len++;
	}
	ZEND_HASH_FOREACH_END();
	if (ok) {
		ok = check(fs_go.erase_many(t.control->id, bytes, len, &count, &err), &err);
	}
	efree(digits);
	efree(bytes);
	*removed = (zend_long)count;
	return ok;
}

bool fs_erase_prefix(fs_table t, zend_string *prefix, zend_long *removed)
{
	if (!fs_usable(t)) {
		return false;
	}
	fs_error err;
	uint64_t count = 0;
	fs_bytes bytes = {.data = ZSTR_VAL(prefix), .len = ZSTR_LEN(prefix)};
	int status = fs_go.erase_prefix(t.control->id, bytes, &count, &err);
	*removed = (zend_long)count;
	return check(status, &err);
}

bool fs_scan(fs_table t, zend_string *prefix, zend_long limit, zval *out)
{
	if (!fs_usable(t)) {
		return false;
	}
	fs_error err;
	fs_bytes bytes = {.data = ZSTR_VAL(prefix), .len = ZSTR_LEN(prefix)};
	fs_g->rows.len = 0;
	int status = fs_go.scan(t.control->id, bytes, (uint64_t)limit, 0, &fs_g->rows, &err);
	return check(status, &err) && fs_rows_to_array(t.control, &fs_g->rows, out);
}
