/* FrankenPHP\SharedCounter and FrankenPHP\SharedFlag. */
#include <php.h>
#include <zend_exceptions.h>

#include "classes.h"
#include "errors.h"
#include "frankenshare.h"
#include "wait.h"
#include "word.h"

#define COUNTER(name) ZEND_METHOD(FrankenPHP_SharedCounter, name)
#define FLAG(name) ZEND_METHOD(FrankenPHP_SharedFlag, name)
#define CELL() cell_of(Z_OBJ_P(ZEND_THIS))
#define NANOSECONDS 1e9

typedef struct fs_word_handle {
	uint64_t id;
	fs_cell *cell; /* NULL: the constructor did not run */
	zend_object std;
} fs_word_handle;

static zend_object_handlers handlers;

static zend_always_inline fs_word_handle *handle_of(zend_object *obj)
{
	return (fs_word_handle *)((char *)obj - offsetof(fs_word_handle, std));
}

static ZEND_COLD fs_cell *no_cell(zend_object *obj)
{
	if (fs_forked) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED);
	} else {
		zend_throw_exception_ex(fs_class.uninitialized, 0, "This %s has no value: its constructor did not run",
		                        ZSTR_VAL(obj->ce->name));
	}
	return NULL;
}

/* The cell; NULL with an exception pending. */
static zend_always_inline fs_cell *cell_of(zend_object *obj)
{
	fs_cell *cell = handle_of(obj)->cell;
	return EXPECTED(cell != NULL && !fs_forked) ? cell : no_cell(obj);
}

static zend_object *create(zend_class_entry *ce)
{
	fs_word_handle *h = zend_object_alloc(sizeof(*h), ce);
	h->id = 0;
	h->cell = NULL;
	zend_object_std_init(&h->std, ce);
	object_properties_init(&h->std, ce);
	h->std.handlers = &handlers;
	return &h->std;
}

static void close_cell(fs_word_handle *h)
{
	if (h->cell != NULL && !fs_forked) {
		fs_go.word_close(h->id);
	}
	h->cell = NULL;
}

static void free_obj(zend_object *obj)
{
	close_cell(handle_of(obj));
	zend_object_std_dtor(obj);
}

/* Two handles are equal when they are on the same cell. */
static int compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	return Z_OBJCE_P(a) == Z_OBJCE_P(b) && handle_of(Z_OBJ_P(a))->cell == handle_of(Z_OBJ_P(b))->cell
	           ? 0
	           : ZEND_UNCOMPARABLE;
}

void fs_words_init(zend_class_entry *counter, zend_class_entry *flag)
{
	counter->create_object = flag->create_object = create;
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = offsetof(fs_word_handle, std);
	handlers.free_obj = free_obj;
	handlers.clone_obj = NULL;
	handlers.compare = compare;
}

static void construct(zend_object *obj, int32_t kind, zend_string *name, int64_t initial)
{
	uint64_t id, cell;
	fs_error err;
	if (fs_forked) {
		no_cell(obj);
		return;
	}
	fs_bytes bytes = name != NULL ? (fs_bytes){ZSTR_VAL(name), ZSTR_LEN(name)} : (fs_bytes){"", 0};
	int status = fs_go.word_open(kind, bytes, initial, &id, &cell, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		return;
	}
	fs_word_handle *h = handle_of(obj);
	close_cell(h); /* of a constructor that is called again */
	h->id = id;
	h->cell = (fs_cell *)(uintptr_t)cell;
}

static void remove_name(INTERNAL_FUNCTION_PARAMETERS, int32_t kind)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	if (fs_forked) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED);
		RETURN_THROWS();
	}
	RETURN_BOOL(fs_go.word_remove(kind, (fs_bytes){ZSTR_VAL(name), ZSTR_LEN(name)}) == FS_STATUS_OK);
}

static void id(INTERNAL_FUNCTION_PARAMETERS)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (CELL() != NULL) {
		RETVAL_LONG((zend_long)handle_of(Z_OBJ_P(ZEND_THIS))->id);
	}
}

static bool compare_and_set(fs_cell *cell, int64_t expected, int64_t value)
{
	uint64_t old = (uint64_t)expected;
	return atomic_compare_exchange_strong(&cell->value, &old, (uint64_t)value);
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
	construct(Z_OBJ_P(ZEND_THIS), FS_WORD_COUNTER, name, initial);
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
		RETVAL_LONG((zend_long)atomic_exchange(&cell->value, (uint64_t)value));
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
	uint64_t old = fs_load(&cell->value);
	int64_t sum;
	do {
		if (UNEXPECTED(__builtin_add_overflow((int64_t)old, (int64_t)by, &sum))) {
			fs_throw_format(FS_STATUS_OVERFLOW,
			                "The counter is " ZEND_LONG_FMT "; adding " ZEND_LONG_FMT " has no room in an int",
			                (zend_long)old, by);
			RETURN_THROWS();
		}
	} while (!atomic_compare_exchange_weak(&cell->value, &old, (uint64_t)sum));
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
		RETVAL_BOOL(compare_and_set(cell, expected, value));
	}
}

COUNTER(id) { id(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

COUNTER(remove) { remove_name(INTERNAL_FUNCTION_PARAM_PASSTHRU, FS_WORD_COUNTER); }

FLAG(__construct)
{
	bool initial = false;
	zend_string *name = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(initial)
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	construct(Z_OBJ_P(ZEND_THIS), FS_WORD_FLAG, name, initial);
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
		fs_go.word_wake(handle_of(obj)->id);
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
	RETVAL_BOOL(atomic_exchange(&cell->value, (uint64_t)value) != 0);
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
	bool done = compare_and_set(cell, expected, value);
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
	uint64_t id = handle_of(Z_OBJ_P(ZEND_THIS))->id;
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

FLAG(id) { id(INTERNAL_FUNCTION_PARAM_PASSTHRU); }

FLAG(remove) { remove_name(INTERNAL_FUNCTION_PARAM_PASSTHRU, FS_WORD_FLAG); }
