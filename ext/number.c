#include <php.h>

#include "access.h"
#include "errors.h"
#include "number.h"

static fs_change change(fs_table t, const fs_key *key, fs_number *n, zval *value)
{
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	fs_error err;
	if (UNEXPECTED(fs_g->thread == NULL)) {
		return FS_FOR_GO;
	}
	int done = fs_change_number(fs_all_threads(), fs_g->thread, t.control, bytes.data, bytes.len, n);
	if (UNEXPECTED(n->wake)) {
		fs_go.wake_stripe(t.control->id, n->stripe);
	}
	if (!done) {
		return FS_FOR_GO;
	}
	/* After the change: who begins to listen looks at the table then. */
	if (UNEXPECTED(fs_load(&t.control->listeners) != 0)) {
		int status = fs_go.changed(t.control->id, bytes, &err);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			fs_throw(status, err.message);
			return FS_THREW;
		}
	}
	if (n->result_kind == FS_KIND_INT) {
		ZVAL_LONG(value, (zend_long)n->result);
	} else {
		ZVAL_DOUBLE(value, fs_float_of(n->result));
	}
	fs_receipt receipt = {.home = n->home, .version = n->version, .generation = n->generation, .expiry = n->expiry};
	fs_remember(t, key, &receipt, value);
	return FS_CHANGED;
}

static bool number_of(const zval *v, uint8_t *kind, uint64_t *number)
{
	if (Z_TYPE_P(v) == IS_LONG) {
		*kind = FS_KIND_INT;
		*number = (uint64_t)Z_LVAL_P(v);
		return true;
	}
	if (Z_TYPE_P(v) == IS_DOUBLE) {
		*kind = FS_KIND_FLOAT;
		*number = fs_bits_of(Z_DVAL_P(v));
		return true;
	}
	return false;
}

fs_change fs_set_number(fs_table t, const fs_key *key, const zval *value)
{
	fs_number n = {.op = FS_NUMBER_SET};
	zval result;
	return number_of(value, &n.kind, &n.number) ? change(t, key, &n, &result) : FS_FOR_GO;
}

fs_change fs_add_number(fs_table t, const fs_key *key, const zval *by, bool subtract, zval *sum)
{
	fs_number n = {.op = FS_NUMBER_ADD, .subtract = subtract};
	return number_of(by, &n.kind, &n.number) ? change(t, key, &n, sum) : FS_FOR_GO;
}

fs_change fs_swap_number(fs_table t, const fs_key *key, const fs_value *old, const fs_value *value)
{
	if (old->kind != value->kind || (old->kind != FS_KIND_INT && old->kind != FS_KIND_FLOAT)) {
		return FS_FOR_GO;
	}
	fs_number n = {.op = FS_NUMBER_SWAP, .kind = old->kind, .old = old->number, .number = value->number};
	zval result;
	return change(t, key, &n, &result);
}
