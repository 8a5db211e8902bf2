/* FrankenPHP\SharedCounter and FrankenPHP\SharedFlag. */
#include <php.h>

#include "cell.h"
#include "errors.h"
#include "shared.h"
#include "wait.h"

#define COUNTER(name) ZEND_METHOD(FrankenPHP_SharedCounter, name)
#define FLAG(name) ZEND_METHOD(FrankenPHP_SharedFlag, name)
#define CELL() cell_of(Z_OBJ_P(ZEND_THIS))
#define NANOSECONDS 1e9

/* The cell; NULL with an exception pending. */
static zend_always_inline fs_cell *cell_of(zend_object *obj)
{
	fs_cell *cell = fs_shared_of(obj)->cell;
	if (EXPECTED(cell != NULL && !fs_forked)) {
		return cell;
	}
	fs_shared_throw(obj);
	return NULL;
}

static void construct(zend_object *obj, int32_t kind, zend_string *name, int64_t initial)
{
	uint64_t id, cell;
	fs_error err;
	if (fs_forked) {
		fs_shared_throw(obj);
		return;
	}
	int status = fs_go.word_open(kind, fs_shared_name(name), initial, &id, &cell, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		return;
	}
	fs_shared_set(obj, id, (fs_cell *)(uintptr_t)cell);
}

COUNTER(__construct)
{
	zend_long initial = 0;
	zend_string *name = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(initial)
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	construct(Z_OBJ_P(ZEND_THIS), FS_SHARED_COUNTER, name, initial);
}

COUNTER(get)
{
	ZEND_PARSE_PARAMETERS_NONE();
	fs_cell *cell = CELL();
	if (EXPECTED(cell != NULL)) {
		RETVAL_LONG((zend_long)fs_load(&cell->value));
	}
}

COUNTER(set)
{
	zend_long value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_cell *cell = CELL();
	if (EXPECTED(cell != NULL)) {
		RETVAL_LONG((zend_long)fs_cell_set(cell, value));
	}
}

COUNTER(add)
{
	zend_long by = 1;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(by)
	ZEND_PARSE_PARAMETERS_END();
	fs_cell *cell = CELL();
	if (UNEXPECTED(cell == NULL)) {
		RETURN_THROWS();
	}
	int64_t sum;
	if (UNEXPECTED(!fs_cell_add(cell, by, &sum))) {
		fs_throw_format(FS_STATUS_OVERFLOW,
		                "The counter is " ZEND_LONG_FMT "; adding " ZEND_LONG_FMT " has no room in an int",
		                (zend_long)sum, by);
		RETURN_THROWS();
	}
	RETURN_LONG((zend_long)sum);
}

COUNTER(compareAndSet)
{
	zend_long expected, value;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_LONG(expected)
		Z_PARAM_LONG(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_cell *cell = CELL();
	if (EXPECTED(cell != NULL)) {
		RETVAL_BOOL(fs_cell_compare_and_set(cell, expected, value));
	}
}

COUNTER(id) { fs_shared_id(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

COUNTER(remove) { fs_shared_remove(INTERNAL_FUNCTION_PARAM_PASSTHRU, FS_SHARED_COUNTER); }

FLAG(__construct)
{
	bool initial = false;
	zend_string *name = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(initial)
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	construct(Z_OBJ_P(ZEND_THIS), FS_SHARED_FLAG, name, initial);
}

FLAG(get)
{
	ZEND_PARSE_PARAMETERS_NONE();
	fs_cell *cell = CELL();
	if (EXPECTED(cell != NULL)) {
		RETVAL_BOOL(fs_load(&cell->value) != 0);
	}
}

/* After the flag was set: wakes who waits for it. */
static void wake(zend_object *obj, fs_cell *cell)
{
	if (UNEXPECTED(fs_load(&cell->waiters) != 0)) {
		fs_go.word_wake(fs_shared_of(obj)->id);
	}
}

FLAG(set)
{
	bool value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_BOOL(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_cell *cell = CELL();
	if (UNEXPECTED(cell == NULL)) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(fs_cell_set(cell, value) != 0);
	if (value) {
		wake(Z_OBJ_P(ZEND_THIS), cell);
	}
}

FLAG(compareAndSet)
{
	bool expected, value;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_BOOL(expected)
		Z_PARAM_BOOL(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_cell *cell = CELL();
	if (UNEXPECTED(cell == NULL)) {
		RETURN_THROWS();
	}
	bool done = fs_cell_compare_and_set(cell, expected, value);
	RETVAL_BOOL(done);
	if (done && value) {
		wake(Z_OBJ_P(ZEND_THIS), cell);
	}
}

FLAG(wait)
{
	double seconds;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_DOUBLE(seconds)
	ZEND_PARSE_PARAMETERS_END();
	fs_cell *cell = CELL();
	if (UNEXPECTED(cell == NULL)) {
		RETURN_THROWS();
	}
	if (!(seconds >= 0)) { /* NAN too */
		zend_argument_value_error(1, "must be a number of seconds, 0 or more, %g given", seconds);
		RETURN_THROWS();
	}
	uint64_t id = fs_shared_of(Z_OBJ_P(ZEND_THIS))->id;
	uint64_t start = fs_now();
	double left = seconds * NANOSECONDS;
	uint64_t since = 0;
	while (fs_load(&cell->value) == 0) {
		double passed = (double)(fs_now() - start);
		if (passed >= left || !fs_may_wait()) {
			RETURN_FALSE;
		}
		fs_error err;
		double slice = MIN((left - passed) / 1e6 + 1, FS_WAIT_SLICE_MS);
		int status = fs_go.word_wait(id, (uint32_t)slice, &since, &err);
		if (status != FS_STATUS_OK && fs_load(&cell->value) == 0) {
			fs_throw(status, err.message);
			RETURN_THROWS();
		}
	}
	RETURN_TRUE;
}

FLAG(id) { fs_shared_id(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

FLAG(remove) { fs_shared_remove(INTERNAL_FUNCTION_PARAM_PASSTHRU, FS_SHARED_FLAG); }
