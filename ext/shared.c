#include <php.h>
#include <zend_exceptions.h>

#include "classes.h"
#include "errors.h"
#include "shared.h"

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
