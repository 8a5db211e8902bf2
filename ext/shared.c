#include <php.h>
#include <zend_exceptions.h>

#include "classes.h"
#include "codec.h"
#include "errors.h"
#include "shared.h"
#include "shared_array.h"

#define KINDS (FS_SHARED_CHANNEL + 1)

static zend_class_entry *classes[KINDS];
static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
	fs_shared *h = zend_object_alloc(sizeof(*h), ce);
	h->kind = 0;
	while (classes[h->kind] != ce) {
		h->kind++;
	}
	h->id = 0;
	h->cell = NULL;
	zend_object_std_init(&h->std, ce);
	object_properties_init(&h->std, ce);
	h->std.handlers = &handlers;
	return &h->std;
}

void fs_shared_set(zend_object *obj, uint64_t id, fs_cell *cell)
{
	fs_shared *h = fs_shared_of(obj);
	if (h->id != 0 && !fs_forked) {
		fs_go.shared_close(h->id);
	}
	h->id = id;
	h->cell = cell;
}

static void free_obj(zend_object *obj)
{
	fs_shared_set(obj, 0, NULL);
	zend_object_std_dtor(obj);
}

/* Two handles are equal when they are on the same object. */
static int compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	return Z_OBJCE_P(a) == Z_OBJCE_P(b) && fs_shared_of(Z_OBJ_P(a))->id == fs_shared_of(Z_OBJ_P(b))->id
	           ? 0
	           : ZEND_UNCOMPARABLE;
}

void fs_shared_class(int32_t kind, zend_class_entry *ce)
{
	classes[kind] = ce;
	ce->create_object = create;
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = offsetof(fs_shared, std);
	handlers.free_obj = free_obj;
	handlers.clone_obj = NULL;
	handlers.compare = compare;
}

ZEND_COLD void fs_shared_throw(zend_object *obj)
{
	if (fs_forked) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED);
	} else {
		zend_throw_exception_ex(fs_class.uninitialized, 0, "This %s has no value: its constructor did not run",
		                        ZSTR_VAL(obj->ce->name));
	}
}

fs_control *fs_shared_limits(void)
{
	static _Atomic(fs_control *) known; /* control blocks stay where they are */
	fs_control *c = atomic_load(&known);
	fs_handle defaults;
	fs_error err;
	if (UNEXPECTED(c == NULL)) {
		int status = fs_handle_open(&defaults, ZEND_STRL("default"), &err);
		if (status != FS_STATUS_OK) {
			fs_throw(status, err.message);
			return NULL;
		}
		c = defaults.table.control;
		atomic_store(&known, c);
	}
	return c;
}

void fs_shared_id(INTERNAL_FUNCTION_PARAMETERS)
{
	ZEND_PARSE_PARAMETERS_NONE();
	fs_shared *h = fs_shared_usable(Z_OBJ_P(ZEND_THIS));
	if (h != NULL) {
		RETVAL_LONG((zend_long)h->id);
	}
}

void fs_shared_remove(INTERNAL_FUNCTION_PARAMETERS, int32_t kind)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	if (fs_forked) {
		fs_throw(FS_STATUS_UNAVAILABLE, FS_FORKED);
		RETURN_THROWS();
	}
	RETURN_BOOL(fs_go.shared_remove(kind, fs_shared_name(name)) == FS_STATUS_OK);
}

bool fs_handle_parts(zend_object *obj, int32_t *kind, uint64_t *number)
{
	if (obj->handlers != &handlers) {
		return false;
	}
	*kind = fs_shared_of(obj)->kind;
	*number = fs_shared_of(obj)->id;
	return true;
}

int fs_handle_decode(int32_t kind, uint64_t number, zval *out, fs_error *err)
{
	uint64_t cell;
	object_init_ex(out, classes[kind]);
	int status = fs_go.shared_open(kind, number, &cell, err);
	if (status != FS_STATUS_OK) {
		zval_ptr_dtor(out);
		ZVAL_NULL(out); /* an element of an array that is given up */
		return status;
	}
	fs_shared_set(Z_OBJ_P(out), number, (fs_cell *)(uintptr_t)cell);
	return FS_STATUS_OK;
}
