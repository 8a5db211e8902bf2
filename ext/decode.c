/* The decoder. It trusts nothing: no byte is read beyond the end, and no more elements are made room for than there are
 * bytes in the whole value. It accepts exactly what the Go decoder does. */
#include <php.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/php_var.h>
#include <zend_enum.h>

#include "codec.h"

typedef struct decoder {
	const unsigned char *p;
	const unsigned char *end;
	size_t unclaimed; /* bytes less the elements announced so far, each of which takes a byte at least */
	fs_error *err;
	bool runs_code;
	bool has_handles;
} decoder;

static int decode_array(decoder *d, zval *out, uint32_t depth);

static int damaged(decoder *d, const char *what)
{
	snprintf(d->err->message, sizeof(d->err->message), "the stored bytes are damaged (%s, %zu bytes before the end)",
	         what, (size_t)(d->end - d->p));
	return FS_STATUS_VALUE;
}

static zend_always_inline bool get_varint(decoder *d, uint64_t *out)
{
	uint64_t n = 0;
	for (unsigned shift = 0; d->p != d->end; shift += 7) {
		unsigned char byte = *d->p++;
		if ((shift > 0 && byte == 0) || (shift == 63 && byte > 1)) {
			return false;
		}
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = n;
			return true;
		}
	}
	return false;
}

static zend_always_inline bool get_int(decoder *d, zend_long *out)
{
	uint64_t n;
	if (!get_varint(d, &n)) {
		return false;
	}
	*out = (zend_long)(n >> 1 ^ (0 - (n & 1)));
	return true;
}

static zend_always_inline bool get_bytes(decoder *d, fs_bytes *out)
{
	uint64_t len;
	if (!get_varint(d, &len) || len > (size_t)(d->end - d->p)) {
		return false;
	}
	*out = (fs_bytes){.data = (const char *)d->p, .len = (size_t)len};
	d->p += len;
	return true;
}

static bool get_version(decoder *d) { return d->p != d->end && *d->p++ == FS_FORMAT_VERSION; }

static int find_case(decoder *d, zend_string *class_name, zend_string *case_name, zval *out)
{
	zend_class_entry *ce = zend_lookup_class(class_name);
	if (EG(exception)) {
		return -1;
	}
	if (ce != NULL && (ce->ce_flags & ZEND_ACC_ENUM)) {
		zend_class_constant *c = zend_hash_find_ptr(CE_CONSTANTS_TABLE(ce), case_name);
		if (c != NULL && (ZEND_CLASS_CONST_FLAGS(c) & ZEND_CLASS_CONST_IS_CASE)) {
			if (Z_TYPE(c->value) == IS_CONSTANT_AST && zval_update_constant_ex(&c->value, c->ce) == FAILURE) {
				return -1;
			}
			ZVAL_COPY(out, &c->value);
			return FS_STATUS_OK;
		}
	}
	snprintf(d->err->message, sizeof(d->err->message), "the stored enum case %.200s::%.200s does not exist",
	         ZSTR_VAL(class_name), ZSTR_VAL(case_name));
	return FS_STATUS_VALUE;
}

static int decode_enum(decoder *d, zval *out)
{
	fs_bytes class_name, case_name;
	if (!d->runs_code) {
		return damaged(d, "an enum in a value that may run no code");
	}
	if (!get_version(d) || !get_bytes(d, &class_name) || !get_bytes(d, &case_name)) {
		return damaged(d, "an enum");
	}
	zend_string *c = zend_string_init_fast(class_name.data, class_name.len);
	zend_string *n = zend_string_init_fast(case_name.data, case_name.len);
	int status = find_case(d, c, n, out);
	zend_string_release(c);
	zend_string_release(n);
	return status;
}

static int decode_handle(decoder *d, zval *out)
{
	uint64_t number;
	if (!d->has_handles) {
		return damaged(d, "a handle in a value that may hold none");
	}
	if (!get_version(d) || d->p == d->end) {
		return damaged(d, "a handle");
	}
	int32_t kind = *d->p++;
	if (kind < FS_SHARED_COUNTER || kind > FS_SHARED_CHANNEL || !get_varint(d, &number) || number == 0) {
		return damaged(d, "a handle");
	}
	return fs_handle_decode(kind, number, out, d->err);
}

/* Decodes one element of an array of the given depth. */
static zend_always_inline int decode_element(decoder *d, zval *out, uint32_t depth)
{
	zend_long n;
	fs_bytes s;

	if (d->p == d->end) {
		return damaged(d, "an element");
	}
	switch (*d->p++) {
	case FS_KIND_NULL:
		ZVAL_NULL(out);
		return FS_STATUS_OK;
	case FS_KIND_FALSE:
		ZVAL_FALSE(out);
		return FS_STATUS_OK;
	case FS_KIND_TRUE:
		ZVAL_TRUE(out);
		return FS_STATUS_OK;
	case FS_KIND_INT:
		if (!get_int(d, &n)) {
			return damaged(d, "an int");
		}
		ZVAL_LONG(out, n);
		return FS_STATUS_OK;
	case FS_KIND_FLOAT: {
		uint64_t bits = 0;
		double f;
		if (d->end - d->p < 8) {
			return damaged(d, "a float");
		}
		for (int i = 0; i < 8; i++) {
			bits |= (uint64_t)*d->p++ << 8 * i;
		}
		memcpy(&f, &bits, sizeof(f));
		ZVAL_DOUBLE(out, f);
		return FS_STATUS_OK;
	}
	case FS_KIND_STRING:
		if (!get_bytes(d, &s)) {
			return damaged(d, "a string");
		}
		ZVAL_STRINGL_FAST(out, s.data, s.len);
		return FS_STATUS_OK;
	case FS_KIND_ARRAY:
		return decode_array(d, out, depth + 1);
	case FS_KIND_ENUM:
		return decode_enum(d, out);
	case FS_KIND_HANDLE:
		return decode_handle(d, out);
	default:
		return damaged(d, "an element's tag");
	}
}

static int decode_list(decoder *d, HashTable *ht, uint32_t count, uint32_t depth)
{
	int status = FS_STATUS_OK;
	zend_hash_real_init_packed(ht);
	ZEND_HASH_FILL_PACKED(ht)
	{
		for (uint32_t i = 0; i < count; i++) {
			zval v;
			status = decode_element(d, &v, depth);
			if (UNEXPECTED(status != FS_STATUS_OK)) {
				break;
			}
			ZEND_HASH_FILL_ADD(&v);
		}
	}
	ZEND_HASH_FILL_END();
	return status;
}

/* Adds one key with a null for its value; NULL if it was there or its bytes are damaged. */
static zval *decode_key(decoder *d, HashTable *ht, bool *ordinal)
{
	zval null, *slot = NULL;
	zend_long n;
	zend_ulong index;
	fs_bytes s;

	ZVAL_NULL(&null);
	unsigned char tag = d->p != d->end ? *d->p++ : FS_KIND_NONE;
	if (tag == FS_KIND_INT && get_int(d, &n)) {
		*ordinal &= n == (zend_long)zend_hash_num_elements(ht);
		slot = zend_hash_index_add(ht, (zend_ulong)n, &null);
	} else if (tag == FS_KIND_STRING && get_bytes(d, &s)) {
		zend_string *key = zend_string_init_fast(s.data, s.len);
		*ordinal = false;
		if (!ZEND_HANDLE_NUMERIC(key, index)) {
			slot = zend_hash_add(ht, key, &null);
		}
		zend_string_release(key);
	}
	return slot;
}

static int decode_hash(decoder *d, HashTable *ht, uint32_t count, uint32_t depth)
{
	bool ordinal = true;
	zend_hash_real_init_mixed(ht);
	for (uint32_t i = 0; i < count; i++) {
		zval *slot = decode_key(d, ht, &ordinal);
		if (UNEXPECTED(slot == NULL)) {
			return damaged(d, "a key");
		}
		int status = decode_element(d, slot, depth);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			return status;
		}
	}
	return ordinal ? damaged(d, "a list written as a hash") : FS_STATUS_OK;
}

static int decode_array(decoder *d, zval *out, uint32_t depth)
{
	uint64_t head;
	if (depth > FS_MAX_DEPTH) {
		return damaged(d, "an array nested too deep");
	}
	if (!get_version(d) || !get_varint(d, &head)) {
		return damaged(d, "an array");
	}
	bool is_list = (head & 1) == 0;
	uint64_t count = head >> 1;
	if (count > d->unclaimed || count > HT_MAX_SIZE) {
		return damaged(d, "an array's count");
	}
	d->unclaimed -= count;
	if (count == 0) {
		ZVAL_EMPTY_ARRAY(out);
		return is_list ? FS_STATUS_OK : damaged(d, "a list written as a hash");
	}
	HashTable *ht = zend_new_array((uint32_t)count);
	int status = is_list ? decode_list(d, ht, (uint32_t)count, depth) : decode_hash(d, ht, (uint32_t)count, depth);
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		zend_array_destroy(ht);
		return status;
	}
	ZVAL_ARR(out, ht);
	return FS_STATUS_OK;
}

static int decode_object(decoder *d, zval *out)
{
	php_unserialize_data_t data;
	if (!d->runs_code || !get_version(d)) {
		return damaged(d, "an object");
	}
	BG(serialize_lock)++; /* a context of our own, as in encode.c */
	PHP_VAR_UNSERIALIZE_INIT(data);
	php_var_unserialize_set_max_depth(data, 0); /* the writer kept to FS_MAX_OBJECT_DEPTH */
	bool complete = php_var_unserialize(out, &d->p, d->end, &data) && d->p == d->end;
	/* Here the delayed __unserialize and __wakeup calls are made, which may still change what out holds. */
	PHP_VAR_UNSERIALIZE_DESTROY(data);
	BG(serialize_lock)--;
	if (EG(exception)) {
		return -1;
	}
	if (!complete) {
		return damaged(d, "an object");
	}
	if (Z_ISREF_P(out)) {
		zend_unwrap_reference(out);
	}
	return FS_STATUS_OK;
}

static int decode_encoded(decoder *d, uint8_t kind, zval *out)
{
	int status = FS_STATUS_OK;
	switch (kind) {
	case FS_KIND_ARRAY:
		status = decode_array(d, out, 1);
		break;
	case FS_KIND_ENUM:
		status = decode_enum(d, out);
		break;
	case FS_KIND_HANDLE:
		status = decode_handle(d, out);
		break;
	case FS_KIND_OBJECT:
		status = decode_object(d, out);
		break;
	default:
		return damaged(d, "the kind");
	}
	return status == FS_STATUS_OK && d->p != d->end ? damaged(d, "surplus bytes") : status;
}

int fs_decode(uint8_t kind, uint8_t flags, uint64_t number, const char *data, size_t len, zval *out, fs_error *err)
{
	switch (kind) {
	case FS_KIND_NULL:
		ZVAL_NULL(out);
		return FS_STATUS_OK;
	case FS_KIND_FALSE:
		ZVAL_FALSE(out);
		return FS_STATUS_OK;
	case FS_KIND_TRUE:
		ZVAL_TRUE(out);
		return FS_STATUS_OK;
	case FS_KIND_INT:
		ZVAL_LONG(out, (zend_long)number);
		return FS_STATUS_OK;
	case FS_KIND_FLOAT: {
		double f;
		memcpy(&f, &number, sizeof(f));
		ZVAL_DOUBLE(out, f);
		return FS_STATUS_OK;
	}
	case FS_KIND_STRING:
	case FS_KIND_TEXT:
		ZVAL_STRINGL_FAST(out, data, len);
		return FS_STATUS_OK;
	}
	decoder d = {
		.p = (const unsigned char *)data,
		.end = (const unsigned char *)data + len,
		.unclaimed = len,
		.err = err,
		.runs_code = (flags & FS_FLAG_RUNS_CODE) != 0,
		.has_handles = (flags & FS_FLAG_HANDLES) != 0,
	};
	ZVAL_UNDEF(out);
	int status = decode_encoded(&d, kind, out);
	if (status != FS_STATUS_OK) {
		zval_ptr_dtor(out);
		ZVAL_UNDEF(out);
	}
	return status;
}
