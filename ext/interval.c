#include <php.h>
#include <SAPI.h>
#include <zend_closures.h>
#include <zend_exceptions.h>

#include "access.h"
#include "codec.h"
#include "compute.h"
#include "conditional.h"
#include "errors.h"
#include "interval.h"
#include "rows.h"
#include "shared_array.h"

#define NANOSECONDS 1e9
#define REFRESH "FrankenPHP\\SharedState\\refresh_intervals"

/* Where a resolver of this script is kept: the table's number, then the key. */
static zend_string *local_name(fs_table t, fs_bytes key)
{
	zend_string *name = zend_string_alloc(sizeof(uint32_t) + key.len, 0);
	memcpy(ZSTR_VAL(name), &t.control->id, sizeof(uint32_t));
	memcpy(ZSTR_VAL(name) + sizeof(uint32_t), key.data, key.len);
	ZSTR_VAL(name)[ZSTR_LEN(name)] = '\0';
	return name;
}

static zval *local_resolver(fs_table t, fs_bytes key)
{
	if (fs_g->resolvers == NULL) {
		return NULL;
	}
	zend_string *name = local_name(t, key);
	zval *found = zend_hash_find(fs_g->resolvers, name);
	zend_string_release(name);
	return found;
}

static zend_array *make(zend_array **table)
{
	if (*table == NULL) {
		*table = zend_new_array(8);
	}
	return *table;
}

/* The one before goes only when the table is done with: its destructor may register intervals itself. */
static void keep_resolver(fs_table t, fs_bytes key, zval *resolver)
{
	zval before;
	zend_string *name = local_name(t, key);
	zval *place = zend_hash_lookup(make(&fs_g->resolvers), name);
	ZVAL_COPY_VALUE(&before, place);
	ZVAL_COPY(place, resolver);
	zend_string_release(name);
	zval_ptr_dtor(&before);
}

static void drop(zend_array **table, bool forget)
{
	zend_array *gone = *table;
	*table = NULL;
	if (gone != NULL && !forget) {
		zend_array_destroy(gone);
	}
}

void fs_resolvers_drop(fs_globals *g, bool forget)
{
	drop(&g->resolvers, forget);
	drop(&g->due, forget);
}

/* The name by which every thread knows a callable, new and the caller's; NULL when it has none. */
static zend_string *name_of(zval *resolver, zend_fcall_info_cache *fcc)
{
	if (Z_TYPE_P(resolver) == IS_OBJECT || fcc->function_handler == NULL || fcc->object != NULL) {
		return NULL;
	}
	zend_string *function = fcc->function_handler->common.function_name;
	if (fcc->called_scope != NULL) {
		return zend_string_concat3(ZSTR_VAL(fcc->called_scope->name), ZSTR_LEN(fcc->called_scope->name), "::", 2,
		                           ZSTR_VAL(function), ZSTR_LEN(function));
	}
	return zend_string_copy(function);
}

/* An invokable class by its name. */
static bool is_invokable_class(zval *resolver)
{
	if (Z_TYPE_P(resolver) != IS_STRING) {
		return false;
	}
	zend_class_entry *ce = zend_lookup_class(Z_STR_P(resolver));
	return ce != NULL && zend_hash_str_exists(&ce->function_table, ZEND_STRL("__invoke"));
}

/* What there is to call for a name. False with an exception pending; *out is the caller's. */
static bool callable_of_name(zend_string *name, zval *out)
{
	ZVAL_STR_COPY(out, name);
	if (zend_is_callable(out, 0, NULL)) {
		return true;
	}
	zend_class_entry *ce = EG(exception) == NULL ? zend_lookup_class(name) : NULL;
	if (ce != NULL && zend_hash_str_exists(&ce->function_table, ZEND_STRL("__invoke"))) {
		zval_ptr_dtor(out);
		if (object_init_ex(out, ce) == FAILURE) {
			ZVAL_UNDEF(out);
			return false;
		}
		if (ce->constructor != NULL) {
			zend_call_known_instance_method_with_0_params(ce->constructor, Z_OBJ_P(out), NULL);
		}
	} else if (EG(exception) == NULL) {
		fs_throw_format(FS_STATUS_VALUE, "Interval resolver \"%s\" is neither a function nor a class with __invoke()",
		                ZSTR_VAL(name));
	}
	if (EG(exception) != NULL) {
		zval_ptr_dtor(out);
		ZVAL_UNDEF(out);
		return false;
	}
	return true;
}

/* The file that this thread's script began with. */
static fs_bytes main_script(void)
{
	zend_execute_data *ex = EG(current_execute_data);
	zend_string *file = NULL;
	for (; ex != NULL; ex = ex->prev_execute_data) {
		if (ex->func != NULL && ZEND_USER_CODE(ex->func->type)) {
			file = ex->func->op_array.filename;
		}
	}
	return file != NULL ? (fs_bytes){ZSTR_VAL(file), ZSTR_LEN(file)} : (fs_bytes){"", 0};
}

/* Does this script serve many requests? While it starts, FrankenPHP tells it so. */
static bool is_worker(void)
{
	if (fs_g->request != fs_g->script) {
		return true;
	}
	zend_is_auto_global_str(ZEND_STRL("_SERVER"));
	zval *server = &PG(http_globals)[TRACK_VARS_SERVER];
	return Z_TYPE_P(server) == IS_ARRAY && zend_hash_str_exists(Z_ARRVAL_P(server), ZEND_STRL("FRANKENPHP_WORKER"));
}

/* Must a refresh wait until the response is out? A worker's next request would wait for it all the same. */
static bool is_deferred(void) { return strcmp(sapi_module.name, "cli") != 0 && !is_worker(); }

static void give_up(fs_table t, fs_bytes key, uint64_t claim)
{
	if (!fs_forked) { /* else it is the parent's */
		fs_go.give_up(t.control->id, key, claim);
	}
}

/* Runs the resolver of a claimed interval and commits. False, with the exception pending, when it or the value failed; the claim
 * is over in any case. *out, if not NULL, gets the value. */
static bool refresh(fs_table t, fs_bytes key, zend_string *callable, uint64_t claim, zval *out)
{
	zval resolver, value;
	zval *local = local_resolver(t, key);
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;
	fs_error err;
	bool ok = false;

	ZVAL_UNDEF(&value);
	if (local != NULL) {
		ZVAL_COPY(&resolver, local);
	} else if (!callable_of_name(callable, &resolver)) {
		give_up(t, key, claim);
		return false;
	}
	if (zend_fcall_info_init(&resolver, 0, &fci, &fcc, NULL, NULL) == SUCCESS && fs_call(&fci, &fcc, NULL, &value)) {
		fs_encoder enc;
		fs_value encoded;
		fs_encoder_init(&enc, &fs_g->scratch, false);
		int status =
			fs_encode(&value, fs_load(&t.control->max_value), fs_object_classes(t.control), &enc, &encoded, &err);
		if (status != FS_STATUS_OK) {
			fs_throw_encode(status, t.control, key, &err);
		} else {
			status = fs_go.commit(t.control->id, key, claim, &encoded, &err);
			/* Another has taken this one's place: the value is as good, and not an error of the caller's. */
			ok = status == FS_STATUS_OK || status == FS_STATUS_CLAIM_LOST;
			if (!ok) {
				fs_throw(status, err.message);
			}
		}
		fs_encoder_free(&enc);
	}
	give_up(t, key, claim); /* after a commit it has no effect */
	zval_ptr_dtor(&resolver);
	if (ok && out != NULL) {
		ZVAL_COPY_VALUE(out, &value);
	} else {
		zval_ptr_dtor(&value);
	}
	return ok;
}

/* A failed refresh in the background goes to PHP's log, not to the response of a request that has the value there was. exit()
 * goes on, and so does what a forked child is told. */
static void report_failure(fs_table t, fs_bytes key)
{
	zend_object *ex = EG(exception);
	if (ex == NULL || zend_is_unwind_exit(ex) || zend_is_graceful_exit(ex) || fs_forked) {
		return;
	}
	GC_ADDREF(ex);
	zend_clear_exception();
	zval message, rv;
	zend_class_entry *base = instanceof_function(ex->ce, zend_ce_exception) ? zend_ce_exception : zend_ce_error;
	ZVAL_COPY(&message, zend_read_property_ex(base, ex, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &rv));
	zend_string *text = zval_get_string(&message);
	zend_string *line =
		zend_strpprintf(0, "Interval \"%.*s\" of table \"%.*s\" was not refreshed: %s: %s", (int)key.len, key.data,
	                    (int)t.control->name_len, t.control->name, ZSTR_VAL(ex->ce->name), ZSTR_VAL(text));
	php_log_err(ZSTR_VAL(line));
	zend_string_release(line);
	zend_string_release(text);
	zval_ptr_dtor(&message);
	OBJ_RELEASE(ex);
}

/* The two strings that a claim came with: the key's and the callable's, which are the caller's. */
static void take_names(zend_string **key, zend_string **callable)
{
	fs_rows rows;
	fs_bytes name, none;
	fs_rows_open(&rows, &fs_g->rows);
	fs_rows_next(&rows, &name, &none);
	*key = zend_string_init(name.data, name.len, 0);
	fs_rows_next(&rows, &name, &none);
	*callable = zend_string_init(name.data, name.len, 0);
	fs_rows_close(&rows);
}

/* Claims an interval and refreshes it, if nobody else is doing so. False with an exception pending; *ran says whether it did. */
static bool claim_and_refresh(fs_table t, fs_bytes key, bool early, zval *out, bool *ran)
{
	fs_claim claim;
	fs_error err;
	zend_string *name, *callable;
	fs_g->rows.len = 0;
	int status = fs_go.claim(t.control->id, key, fs_g->request, early, &claim, &fs_g->rows, &err);
	*ran = status == FS_STATUS_OK;
	if (status != FS_STATUS_OK) {
		if (status != FS_STATUS_ABSENT) {
			fs_throw(status, err.message);
		}
		return status == FS_STATUS_ABSENT;
	}
	take_names(&name, &callable);
	bool ok = refresh(t, key, callable, claim.number, out);
	zend_string_release(name);
	zend_string_release(callable);
	return ok;
}

/* Has the value computed for a reader who found none: by this request, or by another that is at it. */
static bool compute_first(fs_table t, const fs_key *key, fs_bytes bytes, zval *value, bool *computed)
{
	uint64_t request = fs_g->request;
	fs_turn turn = fs_await_turn(t, key, FS_LEASE_REMEMBER);
	bool ok = turn != FS_TURN_FAILED;
	if (turn == FS_TURN_HELD || turn == FS_TURN_LOOK_AGAIN) {
		fs_raw there; /* another may have stored it since */
		ok = fs_read_raw(t, key, &there, value);
		if (!there.there) {
			ZVAL_UNDEF(value);
			ok = ok && (turn != FS_TURN_HELD || claim_and_refresh(t, bytes, true, value, computed));
		}
		fs_raw_free(&there);
		*computed = true;
	}
	if (turn == FS_TURN_HELD) {
		fs_end_turn(t, key, FS_LEASE_REMEMBER, request);
	}
	return ok;
}

/* Notes for the end of the request that an interval is due. */
static bool refresh_later(fs_table t, fs_bytes key)
{
	zval name, call, args[2], result;
	bool first = fs_g->due == NULL;
	ZVAL_LONG(&name, (zend_long)(uintptr_t)t.control);
	zend_string *local = local_name(t, key);
	zend_hash_update(make(&fs_g->due), local, &name);
	zend_string_release(local);
	if (!first) {
		return true;
	}
	ZVAL_STRING(&call, "register_shutdown_function");
	ZVAL_STRING(&args[0], REFRESH);
	ZVAL_TRUE(&args[1]);
	ZVAL_UNDEF(&result);
	call_user_function(NULL, NULL, &call, &result, 2, args);
	zval_ptr_dtor(&result);
	zval_ptr_dtor(&call);
	zval_ptr_dtor(&args[0]);
	return EG(exception) == NULL;
}

bool fs_interval_read(fs_table t, const fs_key *key, zval *value, bool *computed)
{
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(key, digits);
	int32_t state = fs_go.interval_state(t.control->id, bytes);
	bool here = state & FS_INTERVAL_NAMED || (state & FS_INTERVAL && local_resolver(t, bytes) != NULL);
	if (!here) {
		return true;
	}
	if (Z_TYPE_P(value) == IS_UNDEF) {
		return compute_first(t, key, bytes, value, computed);
	}
	if ((state & FS_INTERVAL_DUE) == 0) {
		return true;
	}
	if (is_deferred()) {
		return refresh_later(t, bytes);
	}
	zval fresh;
	ZVAL_UNDEF(&fresh);
	if (!claim_and_refresh(t, bytes, false, &fresh, computed)) {
		report_failure(t, bytes);
	} else if (*computed) {
		zval_ptr_dtor(value);
		ZVAL_COPY_VALUE(value, &fresh);
	}
	return EG(exception) == NULL;
}

ZEND_METHOD(FrankenPHP_SharedArray, interval)
{
	zend_string *string;
	zend_long index = 0;
	zval *resolver;
	double seconds;
	zend_fcall_info_cache fcc;
	fs_error err;
	fs_digits digits;

	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR_OR_LONG(string, index)
		Z_PARAM_ZVAL(resolver)
		Z_PARAM_DOUBLE(seconds)
	ZEND_PARSE_PARAMETERS_END();

	fs_table t = TABLE();
	if (!fs_usable(t)) {
		RETURN_THROWS();
	}
	if (!(seconds > 0 && seconds < (double)INT64_MAX / NANOSECONDS)) {
		zend_argument_value_error(3, "must be a number of seconds above 0, %g given", seconds);
		RETURN_THROWS();
	}
	fs_key key = fs_key_of_argument(string, index);
	fs_bytes bytes = fs_key_bytes(&key, digits);
	zend_string *name = NULL;
	if (zend_is_callable_ex(resolver, NULL, 0, NULL, &fcc, NULL)) {
		name = name_of(resolver, &fcc);
		zend_release_fcall_info_cache(&fcc);
	} else if (!EG(exception) && is_invokable_class(resolver)) {
		name = zend_string_copy(Z_STR_P(resolver));
	} else {
		if (!EG(exception)) {
			zend_argument_type_error(2, "must be a callable or the name of a class with __invoke()");
		}
		RETURN_THROWS();
	}
	uint8_t by = FS_ANY_THREAD;
	if (name == NULL) {
		int32_t worker = fs_go.interval_worker(main_script());
		if (worker == FS_OTHER_WORKER) {
			fs_throw_format(
				FS_STATUS_VALUE,
				"A %s cannot be the resolver of interval \"%s\" here: the intervals worker "
				"cannot call it; name a function, Class::method or a class with __invoke(), or register it in "
				"that worker's script",
				Z_TYPE_P(resolver) == IS_OBJECT ? ZSTR_VAL(Z_OBJCE_P(resolver)->name) : "method of an object",
				string != NULL ? ZSTR_VAL(string) : bytes.data);
			RETURN_THROWS();
		}
		by = worker == FS_THE_WORKER ? FS_WORKER_THREADS : FS_OWN_THREAD;
	}
	fs_bytes callable = name != NULL ? (fs_bytes){ZSTR_VAL(name), ZSTR_LEN(name)} : (fs_bytes){"", 0};
	int status = fs_go.interval(t.control->id, bytes, callable, by, (int64_t)(seconds * NANOSECONDS), &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
	} else if (name == NULL) {
		keep_resolver(t, bytes, resolver);
	}
	if (name != NULL) {
		zend_string_release(name);
	}
}

/* What this request has found due. */
static zend_long refresh_read(void)
{
	zend_array *due = fs_g->due;
	zend_string *name;
	zval *control;
	zend_long count = 0;
	fs_g->due = NULL;
	if (due == NULL) {
		return 0;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(due, name, control)
	{
		fs_table t = fs_table_of((fs_control *)(uintptr_t)Z_LVAL_P(control));
		bool ran;
		fs_bytes key = {ZSTR_VAL(name) + sizeof(uint32_t), ZSTR_LEN(name) - sizeof(uint32_t)};
		if (!claim_and_refresh(t, key, false, NULL, &ran)) {
			report_failure(t, key);
		} else {
			count += ran;
		}
		if (EG(exception)) {
			break;
		}
	}
	ZEND_HASH_FOREACH_END();
	zend_array_destroy(due);
	return count;
}

/* What is due of all tables. */
static zend_long refresh_all(void)
{
	zend_long count = 0;
	fs_claim claim;
	fs_error err;
	int status;
	while (fs_g->rows.len = 0, (status = fs_go.claim_any(fs_g->request, &claim, &fs_g->rows, &err)) == FS_STATUS_OK) {
		zend_string *key, *callable;
		take_names(&key, &callable);
		fs_table t = fs_table_of((fs_control *)(uintptr_t)claim.control);
		fs_bytes bytes = {ZSTR_VAL(key), ZSTR_LEN(key)};
		if (refresh(t, bytes, callable, claim.number, NULL)) {
			count++;
		} else {
			report_failure(t, bytes);
		}
		zend_string_release(key);
		zend_string_release(callable);
		if (EG(exception)) {
			return count;
		}
	}
	if (status != FS_STATUS_ABSENT) {
		fs_throw(status, err.message);
	}
	return count;
}

ZEND_FUNCTION(FrankenPHP_SharedState_refresh_intervals)
{
	bool finish = false;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(finish)
	ZEND_PARSE_PARAMETERS_END();

	if (fs_forked) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED);
		RETURN_THROWS();
	}
	if (finish) {
		zval call, result;
		ZVAL_STRING(&call, "frankenphp_finish_request");
		ZVAL_UNDEF(&result);
		if (zend_is_callable(&call, 0, NULL)) {
			call_user_function(NULL, NULL, &call, &result, 0, NULL);
		}
		zval_ptr_dtor(&result);
		zval_ptr_dtor(&call);
	}
	zend_long count = refresh_read();
	if (!EG(exception) && fs_go.interval_worker(main_script()) == FS_THE_WORKER) {
		count += refresh_all();
	}
	RETVAL_LONG(count);
}
