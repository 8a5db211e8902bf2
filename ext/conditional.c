#include <php.h>

#include "access.h"
#include "codec.h"
#include "conditional.h"
#include "errors.h"

/* Encodes a value to store. False with an exception pending. */
static bool encode(fs_table t, fs_bytes key, zval *value, fs_encoder *enc, fs_value *out)
{
	fs_error err;
	int status = fs_encode(value, fs_load(&t.control->max_value), fs_object_classes(t.control), enc, out, &err);
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw_encode(status, t.control, key, &err);
	}
	return status == FS_STATUS_OK;
}

/* The write is done, or an exception is pending. */
static bool finish(fs_table t, const fs_key *key, int status, int32_t done, const fs_receipt *receipt, zval *value,
                   const fs_error *err)
{
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw(status, err->message);
		return false;
	}
	if (done) {
		ZVAL_DEREF(value);
		fs_remember(t, key, receipt, value);
	}
	return done;
}

bool fs_add(fs_table t, const fs_key *key, zval *value, int64_t ttl)
{
	uint64_t expiry;
	if (fs_peek(t, key, &expiry) || EG(exception) != NULL) {
		return false;
	}
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_encoder enc;
	fs_value encoded;
	fs_receipt receipt = {0};
	fs_error err;
	int32_t done = 0;

	fs_encoder_init(&enc, &fs_g->scratch, false);
	bool ok = encode(t, bytes, value, &enc, &encoded);
	if (ok) {
		int status = fs_go.add(t.control->id, bytes, &encoded, ttl, &done, &receipt, &err);
		ok = finish(t, key, status, done, &receipt, value, &err);
	}
	fs_encoder_free(&enc);
	return ok;
}

/* Does the table hold what was encoded? False with an exception pending, too. */
static bool holds(fs_table t, const fs_key *key, fs_bytes bytes, const fs_value *expected)
{
	const zval *hit = fs_gate_get(&fs_g->gate, fs_g->thread, t, key);
	if (hit != NULL && Z_TYPE_P(hit) == IS_UNDEF) {
		return false;
	}
	fs_buffer *scratch = &fs_g->scratch;
	fs_found found;
	fs_error err;
	int status = FS_STATUS_UNAVAILABLE;
	snprintf(err.message, sizeof(err.message), "No memory to compare a value of %zu bytes", expected->len);
	if (fs_buffer_reserve(scratch, expected->len + 1)) {
		status = fs_read_once(t.control, bytes, scratch->data, expected->len, &found, &err);
	}
	if (status == FS_STATUS_OK) {
		bool number = found.kind == FS_KIND_INT || found.kind == FS_KIND_FLOAT;
		return found.kind == expected->kind &&
		       (number ? found.number == expected->number
		               : found.len == expected->len &&
		                     (found.len == 0 || memcmp(scratch->data, expected->data, found.len) == 0));
	}
	if (status != FS_STATUS_ABSENT && status != FS_STATUS_GROW) {
		fs_throw(status, err.message);
	}
	return false;
}

bool fs_compare_and_set(fs_table t, const fs_key *key, zval *expected, zval *value)
{
	if (!fs_usable(t)) {
		return false;
	}
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_encoder enc;
	fs_value old, encoded;
	fs_receipt receipt = {0};
	fs_error err;
	int32_t done = 0;

	fs_encoder_init(&enc, &fs_g->scratch, true);
	/* Whatever it is, it is only compared: the limits on what may be stored are not for it. */
	int status = fs_encode(expected, UINT32_MAX, NULL, &enc, &old, &err);
	if (status != FS_STATUS_OK) {
		fs_throw_encode(status, t.control, bytes, &err);
	}
	bool ok = status == FS_STATUS_OK && holds(t, key, bytes, &old) && encode(t, bytes, value, &enc, &encoded);
	if (ok) {
		fs_change change = fs_swap_number(t, key, &old, &encoded);
		if (change == FS_FOR_GO) {
			status = fs_go.compare_and_set(t.control->id, bytes, &old, &encoded, &done, &receipt, &err);
			ok = finish(t, key, status, done, &receipt, value, &err);
		} else {
			ok = change == FS_CHANGED;
		}
	}
	fs_encoder_free(&enc);
	return ok;
}

bool fs_read_raw(fs_table t, const fs_key *key, fs_raw *raw, zval *out)
{
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_found found;
	fs_error err;
	size_t cap = 256;
	char *data = emalloc(cap);
	int status;
	*raw = (fs_raw){0};
	ZVAL_NULL(out);
	while ((status = fs_read_once(t.control, bytes, data, cap, &found, &err)) == FS_STATUS_GROW) {
		cap = found.len;
		data = erealloc(data, cap);
	}
	if (status == FS_STATUS_OK) {
		*raw = (fs_raw){true, {found.kind, found.flags, found.number, data, found.len}};
		status = fs_decode(found.kind, found.flags, found.number, data, found.len, out, &err);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			fs_throw_decode(status, t.control, bytes, &err);
			fs_raw_free(raw);
		}
		return status == FS_STATUS_OK;
	}
	efree(data);
	if (status != FS_STATUS_ABSENT) {
		fs_throw(status, err.message);
	}
	return status == FS_STATUS_ABSENT;
}

void fs_raw_free(fs_raw *raw)
{
	if (raw->there) {
		efree((char *)raw->value.data);
		raw->there = false;
	}
}

bool fs_swap(fs_table t, const fs_key *key, const fs_raw *old, zval *value, bool *done)
{
	fs_control *c = t.control;
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_encoder enc;
	fs_value encoded;
	fs_receipt receipt = {0};
	fs_error err;
	int32_t did = 0;

	fs_encoder_init(&enc, &fs_g->scratch, false);
	bool ok = encode(t, bytes, value, &enc, &encoded);
	fs_change change = ok && old->there ? fs_swap_number(t, key, &old->value, &encoded) : FS_FOR_GO;
	if (change != FS_FOR_GO) {
		*done = ok = change == FS_CHANGED;
	} else if (ok) {
		int status = old->there ? fs_go.compare_and_set(c->id, bytes, &old->value, &encoded, &did, &receipt, &err)
		                        : fs_go.add(c->id, bytes, &encoded, FS_FOREVER, &did, &receipt, &err);
		*done = finish(t, key, status, did, &receipt, value, &err);
		ok = status == FS_STATUS_OK;
	}
	fs_encoder_free(&enc);
	return ok;
}
