/* The methods that compute a value with the caller's code, which runs with nothing held that could stop another request: a lease
 * only has others wait, and ends with its request. */
#include <php.h>

#include "access.h"
#include "compute.h"
#include "conditional.h"
#include "errors.h"
#include "shared_array.h"
#include "ttl.h"
#include "wait.h"

/* How often update() lets another writer come between. */
#define MAX_ROUNDS 100

bool fs_call(zend_fcall_info *fci, zend_fcall_info_cache *fcc, zval *arg, zval *out)
{
	ZVAL_UNDEF(out);
	fci->retval = out;
	fci->params = arg;
	fci->param_count = arg != NULL ? 1 : 0;
	bool forked = fs_forked;
	bool ok = zend_call_function(fci, fcc) == SUCCESS && EG(exception) == NULL && Z_TYPE_P(out) != IS_UNDEF;
	if (UNEXPECTED(fs_forked != forked) && EG(exception) == NULL) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED); /* the caller goes on in a child, which has no Go runtime */
		ok = false;
	}
	if (ok) {
		ZVAL_DEREF(out);
		if (out != fci->retval) {
			zval copy;
			ZVAL_COPY(&copy, out);
			zval_ptr_dtor(fci->retval);
			ZVAL_COPY_VALUE(fci->retval, &copy);
		}
		return true;
	}
	zval_ptr_dtor(out);
	ZVAL_UNDEF(out);
	return false;
}

fs_turn fs_await_turn(fs_table t, const fs_key *key, int32_t kind)
{
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	uint64_t since = 0;
	for (;;) {
		fs_error err;
		int32_t answer;
		int status = fs_go.lease(t.control->id, bytes, kind, fs_g->request, FS_WAIT_SLICE_MS, &since, &answer, &err);
		if (status != FS_STATUS_OK) {
			fs_throw(status, err.message);
			return FS_TURN_FAILED;
		}
		switch (answer) {
		case FS_LEASE_HELD:
			return FS_TURN_HELD;
		case FS_LEASE_FREED:
			return FS_TURN_LOOK_AGAIN;
		case FS_LEASE_BUSY:
			if (!fs_may_wait()) {
				return FS_TURN_FAILED;
			}
			break;
		default: /* a nested call, requests that wait for one another, a reload: waiting would not help */
			return FS_TURN_ALONE;
		}
	}
}

void fs_end_turn(fs_table t, const fs_key *key, int32_t kind, uint64_t request)
{
	fs_digits digits;
	if (fs_forked) {
		return; /* it is the parent's */
	}
	fs_go.end_lease(t.control->id, fs_key_bytes(key, digits), kind, request);
}

/* Computes the value and stores it. */
static void compute(fs_table t, const fs_key *key, zval *ttl, zend_fcall_info *fci, zend_fcall_info_cache *fcc,
                    zval *return_value)
{
	int64_t life;
	zval value;
	if (!fs_call(fci, fcc, NULL, &value)) {
		return;
	}
	if (fs_ttl_of(ttl, 2, &life) && fs_put(t, key, &value, life)) {
		ZVAL_COPY_VALUE(return_value, &value);
	} else {
		zval_ptr_dtor(&value);
	}
}

/* The value that there is, as a copy in return_value; false when there is none, or an exception. */
static bool found(fs_table t, const fs_key *key, zval *return_value)
{
	zval rv;
	zval *value = fs_get(t, key, &rv);
	if (value == NULL || Z_TYPE_P(value) == IS_UNDEF) {
		return false;
	}
	if (value == &rv) {
		ZVAL_COPY_VALUE(return_value, value);
	} else {
		ZVAL_COPY(return_value, value);
	}
	return true;
}

METHOD(remember)
{
	zend_string *string;
	zend_long index = 0;
	zval *ttl;
	int64_t life;
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(ttl)
		Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();

	/* Said before anything is computed; it counts from when the value is there. */
	if (!fs_usable(TABLE()) || !fs_ttl_of(ttl, 2, &life)) {
		RETURN_THROWS();
	}
	fs_table t = TABLE();
	fs_key key = fs_key_of_argument(string, index);
	zend_string *held = key.string != NULL ? zend_string_copy(key.string) : NULL;
	for (fs_turn turn = FS_TURN_LOOK_AGAIN; turn == FS_TURN_LOOK_AGAIN;) {
		if (found(t, &key, return_value) || EG(exception)) {
			break;
		}
		uint64_t request = fs_g->request;
		turn = fs_await_turn(t, &key, FS_LEASE_REMEMBER);
		if (turn == FS_TURN_ALONE) {
			compute(t, &key, ttl, &fci, &fcc, return_value);
		} else if (turn == FS_TURN_HELD) {
			/* Somebody may have stored it between the look and the lease. */
			if (!found(t, &key, return_value) && !EG(exception)) {
				compute(t, &key, ttl, &fci, &fcc, return_value);
			}
			fs_end_turn(t, &key, FS_LEASE_REMEMBER, request);
		}
	}
	if (held != NULL) {
		zend_string_release(held);
	}
}

/* One round of update(): *done says whether the new value, in return_value, was stored. False with an exception pending. */
static bool update_round(fs_table t, const fs_key *key, zend_fcall_info *fci, zend_fcall_info_cache *fcc,
                         zval *return_value, bool *done)
{
	fs_raw old;
	zval arg, value;
	*done = false;
	if (!fs_read_raw(t, key, &old, &arg)) {
		return false;
	}
	bool ok = fs_call(fci, fcc, &arg, &value);
	zval_ptr_dtor(&arg);
	if (ok) {
		ok = fs_swap(t, key, &old, &value, done);
		if (ok && *done) {
			ZVAL_COPY_VALUE(return_value, &value);
		} else {
			zval_ptr_dtor(&value);
		}
	}
	fs_raw_free(&old);
	return ok;
}

METHOD(update)
{
	zend_string *string;
	zend_long index = 0;
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();

	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	fs_table t = TABLE();
	fs_key key = fs_key_of_argument(string, index);
	zend_string *held = key.string != NULL ? zend_string_copy(key.string) : NULL;
	fs_turn turn = FS_TURN_LOOK_AGAIN;
	uint64_t request = fs_g->request;
	bool done = false;
	for (int round = 0; update_round(t, &key, &fci, &fcc, return_value, &done) && !done; round++) {
		if (round == MAX_ROUNDS) {
			fs_digits digits;
			fs_throw_contention(t.control, fs_key_bytes(&key, digits), MAX_ROUNDS);
			break;
		}
		/* Who has lost once takes turns with others who have, so that each gets on. */
		while (turn == FS_TURN_LOOK_AGAIN) {
			turn = fs_await_turn(t, &key, FS_LEASE_UPDATE);
		}
		if (turn == FS_TURN_FAILED) {
			break;
		}
	}
	if (turn == FS_TURN_HELD) {
		fs_end_turn(t, &key, FS_LEASE_UPDATE, request);
	}
	if (held != NULL) {
		zend_string_release(held);
	}
}
