/* FrankenPHP\SharedChannel and what its calls answer. A received value is a delivery until it is decoded: if PHP dies before, as of
 * memory_limit, the end of the request puts it back. */
#include <php.h>
#include <math.h>
#include <zend_enum.h>

#include "access.h"
#include "classes.h"
#include "codec.h"
#include "errors.h"
#include "shared.h"
#include "shared_array.h"
#include "wait.h"

#define CHANNEL(name) ZEND_METHOD(FrankenPHP_SharedChannel, name)
#define SEND_RESULT(name) ZEND_METHOD(FrankenPHP_SharedState_SendResult, name)
#define RECV_RESULT(name) ZEND_METHOD(FrankenPHP_SharedState_RecvResult, name)
#define MILLISECOND 1000000.0

/* How long a call may wait, in milliseconds. */
#define NOT_AT_ALL 0.0
#define FOR_EVER INFINITY

CHANNEL(__construct)
{
	zend_long capacity;
	zend_string *name = NULL;
	uint64_t id;
	fs_error err;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_LONG(capacity)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	if (capacity < 1) {
		zend_argument_value_error(1, "must be at least 1, " ZEND_LONG_FMT " given", capacity);
		RETURN_THROWS();
	}
	if (fs_forked) {
		fs_shared_throw(Z_OBJ_P(ZEND_THIS));
		RETURN_THROWS();
	}
	int status = fs_go.channel_open(fs_shared_name(name), capacity, &id, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		RETURN_THROWS();
	}
	fs_shared_set(Z_OBJ_P(ZEND_THIS), id, NULL);
}

/* Waits by a ticket until end. The status is OK also when there was no time left. */
static int await(uint64_t ticket, double end, fs_error *err)
{
	int32_t over = 0;
	int status = FS_STATUS_OK;
	while (status == FS_STATUS_OK && !over && fs_may_wait()) {
		double left = ceil((end - (double)fs_now()) / MILLISECOND);
		if (left <= 0) {
			break;
		}
		status = fs_go.channel_wait(ticket, (uint32_t)MIN(left, FS_WAIT_SLICE_MS), &over, err);
	}
	return status;
}

/* The case of an operation's status; NULL for a failure. */
static const char *case_name(int status, bool timed)
{
	switch (status) {
	case FS_STATUS_OK:
		return "Ok";
	case FS_STATUS_CHANNEL_CLOSED:
		return "Closed";
	case FS_STATUS_CHANNEL_FULL:
		return timed ? "Timeout" : "Full";
	case FS_STATUS_CHANNEL_EMPTY:
		return timed ? "Timeout" : "Empty";
	default:
		return NULL;
	}
}

/* Makes the result of an operation. False with an exception pending. */
static bool answer(zval *out, zend_class_entry *result, zend_class_entry *cases, int status, bool timed,
                   const fs_error *err)
{
	const char *name = case_name(status, timed);
	if (name == NULL) {
		fs_throw(status, err->message);
		return false;
	}
	object_init_ex(out, result);
	ZVAL_OBJ_COPY(OBJ_PROP_NUM(Z_OBJ_P(out), 0), zend_enum_get_case_cstr(cases, name));
	return true;
}

/* Hands an encoded value to Go, and waits for room until end. */
static int send_encoded(uint64_t id, const fs_value *value, bool may_wait, double end, fs_error *err)
{
	fs_error why;
	uint64_t ticket;
	int status = fs_go.channel_send(id, value, may_wait, &ticket, err);
	if (ticket == 0) {
		return status;
	}
	int waited = await(ticket, end, &why);
	status = fs_go.channel_sent(ticket, err);
	if (status != FS_STATUS_CHANNEL_FULL || waited == FS_STATUS_OK) {
		return status;
	}
	*err = why;
	return waited;
}

static void send_within(zend_object *channel, zval *value, double ms, zval *return_value)
{
	fs_control *limits = fs_shared_usable(channel) != NULL ? fs_shared_limits() : NULL;
	if (limits == NULL) {
		return;
	}
	double end = (double)fs_now() + ms * MILLISECOND;
	fs_encoder enc;
	fs_value encoded;
	fs_error err;
	zval held;
	ZVAL_COPY_DEREF(&held, value); /* encoding may run code of the user's */
	fs_encoder_init(&enc, &fs_g->scratch, false);
	int status = fs_encode(&held, fs_load(&limits->max_value), fs_object_classes(limits), &enc, &encoded, &err);
	if (status != FS_STATUS_OK) {
		if (status != -1) {
			fs_throw_format(status, "Cannot send: %s", err.message);
		}
	} else if (fs_shared_usable(channel) != NULL) { /* that code may have forked */
		status = send_encoded(fs_shared_of(channel)->id, &encoded, ms > 0, end, &err);
		if (status == FS_STATUS_OK || fs_may_wait()) { /* else PHP's own error follows */
			answer(return_value, fs_class.send_result, fs_class.send_status, status, ms > 0, &err);
		}
	}
	fs_encoder_free(&enc);
	zval_ptr_dtor(&held);
}

/* Decodes a delivery, which is in the thread's buffer. */
static int decode(const fs_delivery *d, zval *out, fs_error *err)
{
	if ((d->value.flags & FS_FLAG_RUNS_CODE) == 0) {
		return fs_decode(d->value.kind, d->value.flags, d->value.number, d->value.data, d->value.len, out, err);
	}
	char *own = emalloc(d->value.len + 1); /* that code may use the buffer again */
	memcpy(own, d->value.data, d->value.len);
	int status = fs_decode(d->value.kind, d->value.flags, d->value.number, own, d->value.len, out, err);
	efree(own);
	return status;
}

/* Decodes a delivery and accepts it, last of all. What cannot be decoded is gone all the same: it would only stand in the way of
 * what comes behind it. False with an exception pending. */
static bool take(const fs_delivery *d, zval *out)
{
	fs_error err;
	zval value;
	int status = decode(d, &value, &err);
	if (UNEXPECTED(fs_forked || fs_go.channel_accept(d->number) != FS_STATUS_OK)) {
		/* Code of the value's has forked, or has suspended its fiber beyond the end of the request. */
		zval_ptr_dtor(&value);
		if (!EG(exception)) {
			fs_throw(FS_STATUS_CLAIM_LOST,
			         "The request that was to receive a value is over: the value is in the channel again");
		}
		return false;
	}
	if (status == FS_STATUS_OK) {
		ZVAL_COPY_VALUE(out, &value);
	} else if (status != -1) {
		fs_throw_format(status, "Cannot read what was received, which is lost: %s", err.message);
	}
	return status == FS_STATUS_OK;
}

/* Has a delivery come to the thread's buffer by end, or else why not? */
static int receive_encoded(uint64_t id, bool may_wait, double end, fs_delivery *out, fs_error *err)
{
	fs_error why;
	fs_buffer *buf = &fs_g->scratch;
	uint64_t ticket;
	int status = fs_go.channel_receive(id, fs_g->request, may_wait, &ticket, out, buf, err);
	if (ticket == 0) {
		return status;
	}
	int waited = await(ticket, end, &why);
	status = fs_go.channel_received(ticket, out, buf, err);
	if (status != FS_STATUS_CHANNEL_EMPTY || waited == FS_STATUS_OK) {
		return status;
	}
	*err = why;
	return waited;
}

static void receive_within(zend_object *channel, double ms, zval *return_value)
{
	const fs_shared *h = fs_shared_usable(channel);
	if (h == NULL) {
		return;
	}
	fs_error err;
	fs_delivery delivery;
	double end = (double)fs_now() + ms * MILLISECOND;
	int status = receive_encoded(h->id, ms > 0, end, &delivery, &err);
	if (!fs_may_wait()) {
		return; /* PHP's own error follows, and the end of the request puts back what has come */
	}
	if (answer(return_value, fs_class.recv_result, fs_class.recv_status, status, ms > 0, &err) &&
	    status == FS_STATUS_OK && !take(&delivery, OBJ_PROP_NUM(Z_OBJ_P(return_value), 1))) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
	}
}

/* Takes a time of so many milliseconds, at least 1. */
static bool is_time(uint32_t arg, zend_long ms)
{
	if (ms < 1) {
		zend_argument_value_error(arg, "must be at least 1 millisecond, " ZEND_LONG_FMT " given", ms);
	}
	return ms >= 1;
}

CHANNEL(send)
{
	zval *value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	send_within(Z_OBJ_P(ZEND_THIS), value, FOR_EVER, return_value);
}

CHANNEL(trySend)
{
	zval *value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	send_within(Z_OBJ_P(ZEND_THIS), value, NOT_AT_ALL, return_value);
}

CHANNEL(sendTimeout)
{
	zval *value;
	zend_long ms;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_ZVAL(value)
		Z_PARAM_LONG(ms)
	ZEND_PARSE_PARAMETERS_END();
	if (is_time(2, ms)) {
		send_within(Z_OBJ_P(ZEND_THIS), value, (double)ms, return_value);
	}
}

CHANNEL(recv)
{
	ZEND_PARSE_PARAMETERS_NONE();
	receive_within(Z_OBJ_P(ZEND_THIS), FOR_EVER, return_value);
}

CHANNEL(tryRecv)
{
	ZEND_PARSE_PARAMETERS_NONE();
	receive_within(Z_OBJ_P(ZEND_THIS), NOT_AT_ALL, return_value);
}

CHANNEL(recvTimeout)
{
	zend_long ms;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(ms)
	ZEND_PARSE_PARAMETERS_END();
	if (is_time(1, ms)) {
		receive_within(Z_OBJ_P(ZEND_THIS), (double)ms, return_value);
	}
}

CHANNEL(close)
{
	ZEND_PARSE_PARAMETERS_NONE();
	fs_shared *h = fs_shared_usable(Z_OBJ_P(ZEND_THIS));
	if (h != NULL) {
		RETVAL_BOOL(fs_go.channel_close(h->id) == FS_STATUS_OK);
	}
}

CHANNEL(isClosed)
{
	uint64_t count;
	int32_t closed;
	ZEND_PARSE_PARAMETERS_NONE();
	fs_shared *h = fs_shared_usable(Z_OBJ_P(ZEND_THIS));
	if (h != NULL) {
		fs_go.channel_state(h->id, &count, &closed);
		RETVAL_BOOL(closed);
	}
}

CHANNEL(count)
{
	uint64_t count;
	int32_t closed;
	ZEND_PARSE_PARAMETERS_NONE();
	fs_shared *h = fs_shared_usable(Z_OBJ_P(ZEND_THIS));
	if (h != NULL) {
		fs_go.channel_state(h->id, &count, &closed);
		RETVAL_LONG((zend_long)count);
	}
}

CHANNEL(id) { fs_shared_id(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

CHANNEL(remove) { fs_shared_remove(INTERNAL_FUNCTION_PARAM_PASSTHRU, FS_SHARED_CHANNEL); }

/* The two results: the status is their first property, the value of a RecvResult its second. */
static const char *case_of(zval *result)
{
	const zval *status = OBJ_PROP_NUM(Z_OBJ_P(result), 0);
	return Z_TYPE_P(status) == IS_OBJECT ? Z_STRVAL_P(zend_enum_fetch_case_name(Z_OBJ_P(status))) : "none";
}

static void is_case(INTERNAL_FUNCTION_PARAMETERS, const char *name)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(strcmp(case_of(ZEND_THIS), name) == 0);
}

static void result_status(INTERNAL_FUNCTION_PARAMETERS)
{
	ZEND_PARSE_PARAMETERS_NONE();
	zval *status = OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), 0);
	if (Z_TYPE_P(status) != IS_OBJECT) {
		fs_shared_throw(Z_OBJ_P(ZEND_THIS));
		RETURN_THROWS();
	}
	RETURN_COPY(status);
}

SEND_RESULT(__construct) { ZEND_PARSE_PARAMETERS_NONE(); }
SEND_RESULT(isOk) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Ok"); }
SEND_RESULT(isFull) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Full"); }
SEND_RESULT(isTimeout) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Timeout"); }
SEND_RESULT(isClosed) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Closed"); }
SEND_RESULT(status) { result_status(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

RECV_RESULT(__construct) { ZEND_PARSE_PARAMETERS_NONE(); }
RECV_RESULT(isOk) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Ok"); }
RECV_RESULT(isEmpty) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Empty"); }
RECV_RESULT(isTimeout) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Timeout"); }
RECV_RESULT(isClosed) { is_case(INTERNAL_FUNCTION_PARAM_PASSTHRU, "Closed"); }
RECV_RESULT(status) { result_status(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

RECV_RESULT(value)
{
	ZEND_PARSE_PARAMETERS_NONE();
	const char *name = case_of(ZEND_THIS);
	if (strcmp(name, "Ok") == 0) {
		RETURN_COPY(OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), 1));
	}
	fs_throw_format(strcmp(name, "Timeout") == 0 ? FS_STATUS_OPERATION_TIMEOUT : FS_STATUS_CHANNEL_EMPTY,
	                "Nothing was received, so that there is no value: the status is %s", name);
}

RECV_RESULT(valueOr)
{
	zval *instead;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(instead)
	ZEND_PARSE_PARAMETERS_END();
	RETURN_COPY_DEREF(strcmp(case_of(ZEND_THIS), "Ok") == 0 ? OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), 1) : instead);
}
