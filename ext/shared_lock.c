/* Locks: who has one is known in Go alone, which queues those who wait. Nothing here is held while PHP code runs. */
#include <php.h>
#include <ext/random/php_random.h>
#include <zend_exceptions.h>

#include "access.h"
#include "classes.h"
#include "compute.h"
#include "errors.h"
#include "shared_array.h"
#include "shared_lock.h"
#include "ttl.h"
#include "wait.h"

#define OWNER_BYTES 16
#define MILLISECOND 1000000

typedef struct fs_lock {
	fs_table table;
	zend_string *name;
	zend_string *owner;
	int64_t ttl;         /* FS_FOREVER for no limit */
	bool release_at_end; /* of the request */
	uint64_t token;      /* of the last acquisition */
	zend_object std;
} fs_lock;

static zend_object_handlers handlers;

#define LOCK_METHOD(name) ZEND_METHOD(FrankenPHP_SharedLock, name)
#define THIS_LOCK() lock_of(Z_OBJ_P(ZEND_THIS))

static fs_lock *lock_of(zend_object *obj) { return (fs_lock *)((char *)obj - offsetof(fs_lock, std)); }

static fs_bytes bytes_of(zend_string *s) { return (fs_bytes){.data = ZSTR_VAL(s), .len = ZSTR_LEN(s)}; }

static zend_object *create(zend_class_entry *ce)
{
	fs_lock *l = zend_object_alloc(sizeof(fs_lock), ce);
	l->table = FS_NO_TABLE;
	l->name = l->owner = NULL;
	l->token = 0;
	zend_object_std_init(&l->std, ce);
	object_properties_init(&l->std, ce);
	l->std.handlers = &handlers;
	return &l->std;
}

static void free_obj(zend_object *obj)
{
	fs_lock *l = lock_of(obj);
	if (l->name != NULL) {
		zend_string_release(l->name);
		zend_string_release(l->owner);
	}
	zend_object_std_dtor(obj);
}

void fs_shared_lock_init(zend_class_entry *ce)
{
	ce->create_object = create;
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = offsetof(fs_lock, std);
	handlers.free_obj = free_obj;
	handlers.clone_obj = NULL;
	handlers.compare = zend_objects_not_comparable;
}

/* False with an exception pending. */
static bool is_usable(const fs_lock *l)
{
	if (UNEXPECTED(l->table.control == NULL)) {
		zend_throw_exception(fs_class.uninitialized,
		                     "This FrankenPHP\\SharedLock is no lock: SharedArray::lock() makes one", 0);
		return false;
	}
	return fs_usable(l->table);
}

/* Is the status OK rather than ABSENT? False also with an exception pending. */
static bool is_done(int status, const fs_error *err)
{
	if (UNEXPECTED(status != FS_STATUS_OK && status != FS_STATUS_ABSENT)) {
		fs_throw(status, err->message);
	}
	return status == FS_STATUS_OK;
}

static void make(zval *to, fs_table t, zend_string *name, zend_string *owner, int64_t ttl, bool release_at_end)
{
	object_init_ex(to, fs_class.shared_lock);
	fs_lock *l = lock_of(Z_OBJ_P(to));
	l->name = zend_string_copy(name);
	l->owner = zend_string_copy(owner);
	l->ttl = ttl;
	l->release_at_end = release_at_end;
	l->table = t;
}

/* NULL with an exception pending. */
static zend_string *random_owner(void)
{
	unsigned char bytes[OWNER_BYTES];
	if (php_random_bytes_throw(bytes, sizeof(bytes)) == FAILURE) {
		return NULL;
	}
	zend_string *owner = zend_string_alloc(2 * sizeof(bytes), 0);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		ZSTR_VAL(owner)[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		ZSTR_VAL(owner)[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	ZSTR_VAL(owner)[2 * sizeof(bytes)] = '\0';
	return owner;
}

/* The time that a lock is held at most: 0 is for ever, and nothing may have passed. False with an exception pending. */
static bool lease_of(zval *seconds, int64_t *ttl)
{
	if (seconds == NULL) {
		*ttl = FS_FOREVER;
		return true;
	}
	if (Z_TYPE_P(seconds) == IS_NULL) {
		zend_argument_type_error(2, "must be of type DateInterval|DateTimeInterface|int|float, null given");
		return false;
	}
	if (!fs_ttl_of(seconds, 2, ttl)) {
		return false;
	}
	bool moment = Z_TYPE_P(seconds) == IS_OBJECT;
	if (!moment && zval_get_double(seconds) == 0) {
		*ttl = FS_FOREVER;
	} else if (moment ? *ttl <= 0 : zval_get_double(seconds) < 0) {
		zend_argument_value_error(2, moment ? "must lie in the future" : "must be 0, for no limit, or more");
		return false;
	}
	return true;
}

METHOD(lock)
{
	zend_string *name, *owner = NULL;
	zval *seconds = NULL;
	bool release_at_end = false;
	int64_t ttl;

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(seconds)
		Z_PARAM_STR_OR_NULL(owner)
		Z_PARAM_BOOL(release_at_end)
	ZEND_PARSE_PARAMETERS_END();

	if (!fs_usable(TABLE()) || !lease_of(seconds, &ttl)) {
		RETURN_THROWS();
	}
	owner = owner != NULL ? zend_string_copy(owner) : random_owner();
	if (owner == NULL) {
		RETURN_THROWS();
	}
	make(return_value, TABLE(), name, owner, ttl, release_at_end);
	zend_string_release(owner);
}

METHOD(restoreLock)
{
	zend_string *name, *owner;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(name)
		Z_PARAM_STR(owner)
	ZEND_PARSE_PARAMETERS_END();
	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	make(return_value, TABLE(), name, owner, FS_FOREVER, false);
}

METHOD(flushLocks)
{
	fs_error err;
	ZEND_PARSE_PARAMETERS_NONE();
	if (!fs_usable(TABLE())) {
		RETURN_THROWS();
	}
	RETURN_BOOL(is_done(fs_go.lock_flush(TABLE().control->id, &err), &err));
}

LOCK_METHOD(__construct) { ZEND_PARSE_PARAMETERS_NONE(); }

/* A lock that a callable runs under is released at the request's end in any case: a fatal error leaves the call for good. */
static fs_lock_request request_of(const fs_lock *l, bool for_callable)
{
	return (fs_lock_request){.name = bytes_of(l->name),
	                         .owner = bytes_of(l->owner),
	                         .ttl = l->ttl,
	                         .request = fs_g->request,
	                         .release_at_end = for_callable || l->release_at_end};
}

/* False when another has it, or with an exception pending. */
static bool acquire(fs_lock *l, bool for_callable)
{
	fs_error err;
	uint64_t token;
	if (!is_usable(l)) {
		return false;
	}
	fs_lock_request r = request_of(l, for_callable);
	int status = fs_go.lock(l->table.control->id, &r, &token, &err);
	if (UNEXPECTED(status != FS_STATUS_OK)) {
		fs_throw(status, err.message);
		return false;
	}
	if (token != 0) {
		l->token = token;
	}
	return token != 0;
}

static bool unlock(const fs_lock *l)
{
	fs_error err;
	return is_done(fs_go.unlock(l->table.control->id, bytes_of(l->name), bytes_of(l->owner), &err), &err);
}

/* The same, in the queue. False also when the request is to end: PHP's own error follows. */
static bool await(fs_lock *l, double seconds, bool for_callable)
{
	fs_error err;
	uint64_t token, ticket;
	double end = (double)fs_now() + seconds * 1000 * MILLISECOND;
	if (seconds == 0) {
		if (acquire(l, for_callable)) {
			return true;
		}
		if (!EG(exception)) {
			fs_throw_lock_timeout(l->table.control, bytes_of(l->name), seconds);
		}
		return false;
	}
	if (!is_usable(l)) {
		return false;
	}
	fs_lock_request r = request_of(l, for_callable);
	int status = fs_go.lock_enqueue(l->table.control->id, &r, &token, &ticket, &err);
	if (ticket != 0) {
		token = fs_await_ticket(ticket, end, &status, &err);
	}
	if (token != 0 && !fs_may_wait()) {
		unlock(l);
		return false;
	}
	if (token != 0) {
		l->token = token;
	} else if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
	} else if (fs_may_wait()) {
		fs_throw_lock_timeout(l->table.control, bytes_of(l->name), seconds);
	}
	return token != 0;
}

/* Calls with the lock held, and releases it. */
static void call(fs_lock *l, zend_fcall_info *fci, zend_fcall_info_cache *fcc, zval *return_value)
{
	uint64_t token = l->token;
	zval value;
	if (fs_call(fci, fcc, NULL, &value)) {
		ZVAL_COPY_VALUE(return_value, &value);
	}
	/* A fiber may come here in a later request, when this object has got the lock anew; and a fork leaves it to the parent. */
	if (l->token == token && !fs_forked) {
		unlock(l);
	}
}

LOCK_METHOD(acquire)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(acquire(THIS_LOCK(), false));
}

LOCK_METHOD(get)
{
	zend_fcall_info fci = empty_fcall_info;
	zend_fcall_info_cache fcc = empty_fcall_info_cache;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_FUNC_OR_NULL(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();
	bool callable = ZEND_FCI_INITIALIZED(fci);
	if (!acquire(THIS_LOCK(), callable)) {
		RETURN_FALSE;
	}
	if (!callable) {
		RETURN_TRUE;
	}
	call(THIS_LOCK(), &fci, &fcc, return_value);
}

LOCK_METHOD(block)
{
	double seconds;
	zend_fcall_info fci = empty_fcall_info;
	zend_fcall_info_cache fcc = empty_fcall_info_cache;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_DOUBLE(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_FUNC_OR_NULL(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();
	if (!(seconds >= 0)) { /* NAN too */
		zend_argument_value_error(1, "must be a number of seconds of 0 or more, %g given", seconds);
		RETURN_THROWS();
	}
	bool callable = ZEND_FCI_INITIALIZED(fci);
	if (!await(THIS_LOCK(), seconds, callable)) {
		return;
	}
	if (!callable) {
		RETURN_TRUE;
	}
	call(THIS_LOCK(), &fci, &fcc, return_value);
}

LOCK_METHOD(release)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(is_usable(THIS_LOCK()) && unlock(THIS_LOCK()));
}

LOCK_METHOD(forceRelease)
{
	fs_error err;
	ZEND_PARSE_PARAMETERS_NONE();
	const fs_lock *l = THIS_LOCK();
	if (is_usable(l)) {
		is_done(fs_go.lock_force(l->table.control->id, bytes_of(l->name), &err), &err);
	}
}

/* What there is to know of the lock, and whether an owner has it. False with an exception pending. */
static bool state_of(const fs_lock *l, zend_string *owner, fs_lock_state *state)
{
	fs_error err;
	fs_bytes none = {.data = "", .len = 0};
	return is_usable(l) && is_done(fs_go.lock_state(l->table.control->id, bytes_of(l->name),
	                                                owner != NULL ? bytes_of(owner) : none, state, &err),
	                               &err);
}

static bool is_owner(const fs_lock *l)
{
	fs_lock_state state;
	return state_of(l, l->owner, &state) && state.owned;
}

LOCK_METHOD(refresh)
{
	zval *seconds = NULL;
	int64_t ttl;
	fs_error err;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_NUMBER_OR_NULL(seconds)
	ZEND_PARSE_PARAMETERS_END();
	const fs_lock *l = THIS_LOCK();
	if (!fs_ttl_of(seconds, 1, &ttl)) {
		RETURN_THROWS();
	}
	if (ttl <= 0) {
		zend_argument_value_error(1, "must be more than 0");
		RETURN_THROWS();
	}
	if (!is_usable(l)) {
		RETURN_THROWS();
	}
	if (seconds == NULL && l->ttl == FS_FOREVER) {
		RETURN_BOOL(is_owner(l));
	}
	RETURN_BOOL(is_done(fs_go.lock_refresh(l->table.control->id, bytes_of(l->name), bytes_of(l->owner),
	                                       seconds != NULL ? ttl : l->ttl, &err),
	                    &err));
}

LOCK_METHOD(getRemainingLifetime)
{
	fs_lock_state state;
	ZEND_PARSE_PARAMETERS_NONE();
	if (state_of(THIS_LOCK(), NULL, &state) && state.held && state.left != FS_FOREVER) {
		RETURN_DOUBLE((double)state.left / (1000.0 * MILLISECOND));
	}
}

LOCK_METHOD(owner)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!is_usable(THIS_LOCK())) {
		RETURN_THROWS();
	}
	RETURN_STR_COPY(THIS_LOCK()->owner);
}

LOCK_METHOD(isOwnedBy)
{
	zend_string *owner;
	fs_lock_state state;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR_OR_NULL(owner)
	ZEND_PARSE_PARAMETERS_END();
	RETURN_BOOL(state_of(THIS_LOCK(), owner, &state) && (owner != NULL ? state.owned : !state.held));
}

LOCK_METHOD(isOwnedByCurrentProcess)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(is_owner(THIS_LOCK()));
}

LOCK_METHOD(token)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!is_usable(THIS_LOCK())) {
		RETURN_THROWS();
	}
	RETURN_LONG((zend_long)THIS_LOCK()->token);
}
