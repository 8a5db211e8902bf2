#include <php.h>

#include "access.h"
#include "codec.h"
#include "errors.h"
#include "interval.h"

#define FIRST_SCRATCH 4096

bool fs_usable(fs_table t)
{
	if (UNEXPECTED(fs_forked)) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED);
		return false;
	}
	if (UNEXPECTED(t.control == NULL)) {
		fs_throw_uninitialized();
		return false;
	}
	return true;
}

static int take_over(fs_found *found, int status, const fs_value *v)
{
	found->status = status;
	found->kind = v->kind;
	found->flags = v->flags;
	found->number = v->number;
	found->len = v->len;
	return status;
}

int fs_read_once(fs_control *c, fs_bytes key, char *dst, size_t cap, fs_found *found, fs_error *err)
{
	if (EXPECTED(fs_g->thread != NULL)) {
		fs_read(fs_all_threads(), fs_g->thread, c, key.data, key.len, dst, cap, found);
		if (EXPECTED(found->status != FS_STATUS_LOCKED)) {
			return found->status;
		}
	}
	fs_value v = {0};
	*found = (fs_found){0};
	return take_over(found, fs_go.get(c->id, key, dst, cap, &v, &found->expiry, err), &v);
}

/* The same, and the key is gone. */
static int pull_once(fs_control *c, fs_bytes key, char *dst, size_t cap, fs_found *found, fs_error *err)
{
	fs_value v = {0};
	*found = (fs_found){0};
	return take_over(found, fs_go.pull(c->id, key, dst, cap, &v, err), &v);
}

typedef int read_function(fs_control *c, fs_bytes key, char *dst, size_t cap, fs_found *found, fs_error *err);

static bool is_string(const fs_found *found) { return found->kind == FS_KIND_STRING || found->kind == FS_KIND_TEXT; }

/* Decodes what was read to dst: the scratch buffer, or the string's bytes. False with an exception pending. */
static bool decode(const fs_control *c, const fs_key *key, const fs_found *found, const char *dst, zval *out)
{
	fs_digits digits;
	fs_error err;
	char *own = NULL;

	if (found->flags & FS_FLAG_RUNS_CODE) {
		/* That code may use the scratch buffer again. */
		own = emalloc(found->len + 1);
		dst = memcpy(own, dst, found->len);
	}
	int status = fs_decode(found->kind, found->flags, found->number, dst, found->len, out, &err);
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw_decode(status, c, fs_key_bytes(key, digits), &err);
	}
	if (own != NULL) {
		efree(own);
	}
	return status == FS_STATUS_OK;
}

/* Reads and decodes a value, UNDEF when it is absent. False with an exception pending. */
static zend_always_inline bool read_value(fs_control *c, const fs_key *key, read_function *read, fs_found *found,
                                          zval *out)
{
	fs_buffer *scratch = &fs_g->scratch;
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_error err;
	zend_string *s = NULL;
	int status;

	fs_buffer_reserve(scratch, FIRST_SCRATCH);
	char *dst = scratch->data;
	size_t cap = scratch->cap;
	/* The value may be replaced by a longer one between two rounds. */
	while ((status = read(c, bytes, dst, cap, found, &err)) == FS_STATUS_GROW) {
		if (s != NULL) {
			zend_string_efree(s);
			s = NULL;
		}
		if (is_string(found)) {
			s = zend_string_alloc(found->len, 0);
			dst = ZSTR_VAL(s);
			cap = found->len;
		} else if (fs_buffer_reserve(scratch, found->len)) {
			dst = scratch->data;
			cap = scratch->cap;
		} else {
			snprintf(err.message, sizeof(err.message), "No memory to read a value of %zu bytes", found->len);
			status = FS_STATUS_UNAVAILABLE;
			break;
		}
	}

	bool ok = true;
	if (status == FS_STATUS_ABSENT) {
		ZVAL_UNDEF(out);
	} else if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw(status, err.message);
		ok = false;
	} else if (s != NULL && is_string(found)) {
		s = zend_string_truncate(s, found->len, 0);
		ZSTR_VAL(s)[found->len] = '\0';
		ZVAL_NEW_STR(out, s);
		return true;
	} else {
		ok = decode(c, key, found, dst, out);
	}
	if (s != NULL) {
		zend_string_efree(s);
	}
	return ok;
}

zval *fs_get_from_table(fs_table t, const fs_key *key, zval *rv)
{
	if (UNEXPECTED(!fs_usable(t))) {
		return NULL;
	}
	fs_found found;
	/* Code of the user's may change the variable that the key came from. */
	zend_string *held = key->string != NULL ? zend_string_copy(key->string) : NULL;
	zval *value = read_value(t.control, key, fs_read_once, &found, rv) ? rv : NULL;
	bool computed = false;
	if (UNEXPECTED(fs_has_intervals(t)) && value != NULL && !fs_interval_read(t, key, rv, &computed)) {
		value = NULL;
	}
	if (value != NULL && found.cacheable && !computed &&
	    (Z_TYPE_P(rv) == IS_UNDEF || (found.flags & FS_FLAG_FRESH) == 0)) {
		zval *kept = fs_gate_fill(&fs_g->gate, t, key, &found, rv, found.len);
		value = kept != NULL ? kept : rv;
	}
	if (held != NULL) {
		zend_string_release(held);
	}
	return value;
}

fs_presence fs_has(fs_table t, const fs_key *key)
{
	zval *hit = fs_gate_get(&fs_g->gate, fs_g->thread, t, key);
	if (hit != NULL) {
		return Z_TYPE_P(hit) == IS_UNDEF ? FS_MISSING : Z_TYPE_P(hit) == IS_NULL ? FS_NULL : FS_PRESENT;
	}
	if (!fs_usable(t)) {
		return FS_FAILED;
	}
	fs_digits digits;
	fs_found found;
	fs_error err;
	char none;
	zval value;
	int status = fs_read_once(t.control, fs_key_bytes(key, digits), &none, 0, &found, &err);
	if (status == FS_STATUS_GROW) {
		return FS_PRESENT;
	}
	if (status != FS_STATUS_OK && status != FS_STATUS_ABSENT) {
		fs_throw(status, err.message);
		return FS_FAILED;
	}
	ZVAL_UNDEF(&value);
	/* A read of an interval's key has more to do than to look: nothing may spare it that. */
	if (found.cacheable && !fs_has_intervals(t) &&
	    (status == FS_STATUS_ABSENT || decode(t.control, key, &found, &none, &value))) {
		fs_gate_fill(&fs_g->gate, t, key, &found, &value, 0);
	}
	return status == FS_STATUS_ABSENT ? FS_MISSING : found.kind == FS_KIND_NULL ? FS_NULL : FS_PRESENT;
}

bool fs_peek(fs_table t, const fs_key *key, uint64_t *expiry)
{
	const fs_slot *slot = fs_gate_find(&fs_g->gate, t, key);
	if (slot != NULL && fs_gate_valid(t.control, slot->home, slot->version, slot->generation, slot->expiry)) {
		fs_bump(&fs_g->thread->hits);
		*expiry = slot->expiry;
		return Z_TYPE(slot->value) != IS_UNDEF;
	}
	if (!fs_usable(t)) {
		return false;
	}
	fs_digits digits;
	fs_found found;
	fs_error err;
	int status = fs_read_once(t.control, fs_key_bytes(key, digits), NULL, 0, &found, &err);
	*expiry = found.expiry;
	if (status != FS_STATUS_OK && status != FS_STATUS_ABSENT) {
		fs_throw(status, err.message);
	}
	return status == FS_STATUS_OK;
}

bool fs_pull(fs_table t, const fs_key *key, zval *out)
{
	fs_found found;
	return fs_usable(t) && read_value(t.control, key, pull_once, &found, out);
}

/* Only values that cost nothing to keep: no array, which may hold references, and no interned string, whose address an
 * OPcache restart may give to another one. */
void fs_remember(fs_table t, const fs_key *key, const fs_receipt *receipt, zval *value)
{
	if (receipt->home == 0 || (receipt->version & 1) != 0 || Z_TYPE_P(value) > IS_STRING) {
		return;
	}
	fs_found found = {.home = (fs_bucket *)(uintptr_t)receipt->home,
	                  .version = receipt->version,
	                  .generation = receipt->generation,
	                  .expiry = receipt->expiry};
	size_t len = Z_TYPE_P(value) == IS_STRING ? Z_STRLEN_P(value) : 0;
	zval copy;
	if (Z_TYPE_P(value) == IS_STRING && ZSTR_IS_INTERNED(Z_STR_P(value))) {
		ZVAL_STRINGL(&copy, Z_STRVAL_P(value), len);
	} else {
		ZVAL_COPY(&copy, value);
	}
	if (fs_gate_fill(&fs_g->gate, t, key, &found, &copy, len) == NULL) {
		zval_ptr_dtor(&copy);
	}
}

bool fs_put(fs_table t, const fs_key *key, zval *value, int64_t ttl)
{
	if (!fs_usable(t)) {
		return false;
	}
	fs_control *c = t.control;
	fs_digits digits;
	fs_encoder enc;
	fs_value encoded;
	fs_receipt receipt = {0};
	fs_error err;
	zval held;
	zend_string *key_string = NULL;

	ZVAL_DEREF(value);
	if (ttl == FS_FOREVER) {
		fs_change change = fs_set_number(t, key, value);
		if (change != FS_FOR_GO) {
			return change == FS_CHANGED;
		}
	}
	ZVAL_UNDEF(&held);
	if (Z_TYPE_P(value) > IS_STRING) {
		/* Encoding may run code of the user's, which may change the variables that value and key came from. */
		ZVAL_COPY(&held, value);
		value = &held;
		key_string = key->string != NULL ? zend_string_copy(key->string) : NULL;
	}
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_encoder_init(&enc, &fs_g->scratch, false);
	int status = fs_encode(value, fs_load(&c->max_value), fs_object_classes(c), &enc, &encoded, &err);
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw_encode(status, c, bytes, &err);
	} else {
		status = fs_go.put(c->id, bytes, &encoded, ttl, &receipt, &err);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			fs_throw(status, err.message);
		} else {
			fs_remember(t, key, &receipt, value);
		}
	}
	fs_encoder_free(&enc);
	if (key_string != NULL) {
		zend_string_release(key_string);
	}
	zval_ptr_dtor(&held);
	return status == FS_STATUS_OK;
}

fs_presence fs_erase(fs_table t, const fs_key *key)
{
	if (!fs_usable(t)) {
		return FS_FAILED;
	}
	fs_digits digits;
	fs_error err;
	int status = fs_go.erase(t.control->id, fs_key_bytes(key, digits), &err);
	if (status != FS_STATUS_OK && status != FS_STATUS_ABSENT) {
		fs_throw(status, err.message);
		return FS_FAILED;
	}
	return status == FS_STATUS_OK ? FS_PRESENT : FS_MISSING;
}

bool fs_increment(fs_table t, const fs_key *key, const zval *by, bool subtract, int64_t ttl, zval *out)
{
	if (!fs_usable(t)) {
		return false;
	}
	fs_change change = fs_add_number(t, key, by, subtract, out);
	if (change != FS_FOR_GO) {
		return change == FS_CHANGED;
	}
	fs_digits digits;
	fs_receipt receipt = {0};
	fs_value sum = {0};
	fs_error err;
	uint64_t number;
	uint8_t kind = Z_TYPE_P(by) == IS_LONG ? FS_KIND_INT : FS_KIND_FLOAT;

	memcpy(&number, &by->value, sizeof(number));
	int status =
		fs_go.increment(t.control->id, fs_key_bytes(key, digits), kind, number, subtract, ttl, &sum, &receipt, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		return false;
	}
	fs_decode(sum.kind, sum.flags, sum.number, NULL, 0, out, &err); /* a number: it cannot fail */
	fs_remember(t, key, &receipt, out);
	return true;
}
