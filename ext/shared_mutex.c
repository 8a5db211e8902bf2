/* FrankenPHP\SharedMutex. Who has a mutex, and its value, are known in Go alone. Here a request has but a token, so that whatever becomes
 * of the call that took it, the end of the request gives the mutex back, and a call that goes on after that changes nothing. */
#include <php.h>
#include <math.h>
#include <zend_exceptions.h>

#include "access.h"
#include "classes.h"
#include "codec.h"
#include "compute.h"
#include "errors.h"
#include "shared.h"
#include "shared_array.h"
#include "wait.h"

#define MILLISECOND 1000000.0
#define FIRST_SCRATCH 4096
#define MUTEX_METHOD(name) ZEND_METHOD(FrankenPHP_SharedMutex, name)

/* Encodes a value, and hands it to Go. Runs code of the user's. False with an exception pending. */
typedef int32_t store_function(const fs_value *value, void *to, fs_error *err);

static bool store(zval *value, store_function *to_go, void *to)
{
	fs_encoder enc;
	fs_value encoded;
	fs_error err;
	fs_control *c = fs_shared_limits();
	if (UNEXPECTED(c == NULL)) {
		return false;
	}
	fs_encoder_init(&enc, &fs_g->scratch, false);
	int status = fs_encode(value, fs_load(&c->max_value), fs_object_classes(c), &enc, &encoded, &err);
	if (UNEXPECTED(fs_forked)) {
		snprintf(err.message, sizeof(err.message), FS_FORKED);
		status = EG(exception) ? -1 : FS_STATUS_UNAVAILABLE;
	} else if (status == FS_STATUS_OK) {
		status = to_go(&encoded, to, &err);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			fs_throw(status, err.message);
		}
	} else if (status != -1) {
		fs_throw_format(status, "Cannot store in a mutex: %s", err.message);
	}
	fs_encoder_free(&enc);
	return status == FS_STATUS_OK;
}

typedef struct opening {
	fs_bytes name;
	uint64_t id;
} opening;

static int32_t open_in_go(const fs_value *value, void *to, fs_error *err)
{
	opening *o = to;
	return fs_go.mutex_open(o->name, value, &o->id, err);
}

MUTEX_METHOD(__construct)
{
	zval held, *initial = NULL;
	zend_string *name = NULL;
	ZVAL_NULL(&held);
	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(initial)
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	if (fs_forked) {
		fs_shared_throw(Z_OBJ_P(ZEND_THIS));
		RETURN_THROWS();
	}
	/* Encoding may run code of the user's. */
	if (initial != NULL) {
		ZVAL_COPY_DEREF(&held, initial);
	}
	name = name != NULL ? zend_string_copy(name) : NULL;
	opening o = {.name = fs_shared_name(name)};
	if (store(&held, open_in_go, &o)) {
		fs_shared_set(Z_OBJ_P(ZEND_THIS), o.id, NULL);
	}
	if (name != NULL) {
		zend_string_release(name);
	}
	zval_ptr_dtor(&held);
}

/* What a call does with the mutex. It keeps the number, for its closure may call the constructor again. */
typedef struct hold {
	uint64_t id;
	uint64_t token; /* 0: it is not held */
} hold;

/* Takes the mutex, within ms milliseconds. Without a token an exception is pending, or the request is to end: PHP's own error
 * follows. */
static hold take(zend_object *obj, double ms)
{
	fs_shared *m = fs_shared_usable(obj);
	fs_error err;
	uint64_t ticket;
	if (m == NULL) {
		return (hold){0};
	}
	hold h = {.id = m->id};
	double end = (double)fs_now() + ms * MILLISECOND;
	int status = fs_go.mutex_enqueue(h.id, fs_g->request, &h.token, &ticket, &err);
	if (ticket != 0) {
		h.token = fs_await_ticket(ticket, end, &status, &err);
	}
	if (!fs_may_wait()) {
		if (h.token != 0) {
			fs_go.mutex_unlock(h.id, h.token);
		}
		h.token = 0;
	} else if (h.token == 0 && status != FS_STATUS_OK) {
		fs_throw(status, err.message);
	} else if (h.token == 0) {
		fs_throw_format(FS_STATUS_OPERATION_TIMEOUT, "Mutex %" PRIu64 " was not free within %.0f ms", h.id, ms);
	}
	return h;
}

/* The same if it is free. */
static hold take_free(zend_object *obj)
{
	fs_shared *m = fs_shared_usable(obj);
	fs_error err;
	if (m == NULL) {
		return (hold){0};
	}
	hold h = {.id = m->id};
	int status = fs_go.mutex_try(h.id, fs_g->request, &h.token, &err);
	if (status != FS_STATUS_OK) {
		h.token = 0;
		fs_throw(status, err.message);
	}
	return h;
}

/* The value, UNDEF with an exception pending. */
static void read_value(const hold *h, zval *out)
{
	fs_buffer *scratch = &fs_g->scratch;
	fs_value v = {0};
	fs_error err;
	int status;
	ZVAL_UNDEF(out);
	fs_buffer_reserve(scratch, FIRST_SCRATCH);
	while ((status = fs_go.mutex_value(h->id, h->token, scratch->data, scratch->cap, &v, &err)) == FS_STATUS_GROW) {
		if (!fs_buffer_reserve(scratch, v.len)) {
			snprintf(err.message, sizeof(err.message), "No memory to read a value of %zu bytes", v.len);
			status = FS_STATUS_UNAVAILABLE;
			break;
		}
	}
	char *own = NULL;
	if (status == FS_STATUS_OK) {
		const char *data = scratch->data;
		if (v.flags & FS_FLAG_RUNS_CODE) { /* which may use the scratch buffer again */
			own = emalloc(v.len + 1);
			data = memcpy(own, data, v.len);
		}
		status = fs_decode(v.kind, v.flags, v.number, data, v.len, out, &err);
	}
	if (own != NULL) {
		efree(own);
	}
	if (UNEXPECTED(status != FS_STATUS_OK && status != -1)) {
		fs_throw_format(status, "Cannot read mutex %" PRIu64 ": %s", h->id, err.message);
	}
}

static int32_t commit_in_go(const fs_value *value, void *to, fs_error *err)
{
	hold *h = to;
	int status = fs_go.mutex_commit(h->id, h->token, value, err);
	h->token = 0;
	return status;
}

static void unlock(const hold *h)
{
	if (h->token != 0 && !fs_forked) {
		fs_go.mutex_unlock(h->id, h->token);
	}
}

/* Commits the value while thrown, NULL for none, is on its way, which stays so. */
static void commit(hold *h, zval *value, zend_object *thrown)
{
	EG(exception) = NULL;
	store(value, commit_in_go, h);
	zend_object *now = EG(exception);
	if (now == NULL) {
		EG(exception) = thrown;
	} else if (thrown != NULL && (zend_is_unwind_exit(now) || zend_is_graceful_exit(now))) {
		OBJ_RELEASE(thrown);
	} else if (thrown != NULL) {
		zend_exception_set_previous(now, thrown);
	}
}

/* Calls with the value by reference, commits what is left in it, and gives the mutex back. After exit(), and when the call's fiber is
 * destroyed, nothing is committed. A fatal error does not come back here: the end of the request gives the mutex back. */
static void call(hold h, zend_fcall_info *fci, zend_fcall_info_cache *fcc, zval *return_value)
{
	zval value, arg;
	read_value(&h, &value);
	if (Z_ISUNDEF(value)) {
		unlock(&h);
		return;
	}
	ZVAL_NEW_REF(&arg, &value);
	fs_call(fci, fcc, &arg, return_value);
	zend_object *thrown = EG(exception);
	bool ends = fs_forked || (thrown != NULL && (zend_is_unwind_exit(thrown) || zend_is_graceful_exit(thrown)));
	if (!ends) {
		ZVAL_COPY(&value, Z_REFVAL(arg)); /* who kept the reference may change it while code of an object's runs */
		commit(&h, &value, thrown);
	}
	unlock(&h);
	if (!ends) {
		zval_ptr_dtor(&value);
	}
	zval_ptr_dtor(&arg);
	if (EG(exception) || Z_ISUNDEF_P(return_value)) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
	}
}

static void with_lock(INTERNAL_FUNCTION_PARAMETERS, bool try)
{
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();
	hold h = try ? take_free(Z_OBJ_P(ZEND_THIS)) : take(Z_OBJ_P(ZEND_THIS), INFINITY);
	if (h.token != 0) {
		call(h, &fci, &fcc, return_value);
	}
}

MUTEX_METHOD(withLock) { with_lock(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }

MUTEX_METHOD(tryWithLock) { with_lock(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }

MUTEX_METHOD(withLockTimeout)
{
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;
	zend_long ms;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_FUNC(fci, fcc)
		Z_PARAM_LONG(ms)
	ZEND_PARSE_PARAMETERS_END();
	if (ms <= 0) {
		zend_argument_value_error(2, "must be a number of milliseconds of 1 or more, " ZEND_LONG_FMT " given", ms);
		RETURN_THROWS();
	}
	hold h = take(Z_OBJ_P(ZEND_THIS), (double)ms);
	if (h.token != 0) {
		call(h, &fci, &fcc, return_value);
	}
}

MUTEX_METHOD(id) { fs_shared_id(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

MUTEX_METHOD(remove) { fs_shared_remove(INTERNAL_FUNCTION_PARAM_PASSTHRU, FS_SHARED_MUTEX); }
