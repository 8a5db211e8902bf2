/* The object's handlers: what `$s['k']` and its kin call. */
#include <php.h>
#include <zend_exceptions.h>
#include <zend_interfaces.h>

#include "access.h"
#include "frankenshare.h"
#include "rows.h"
#include "shared_array.h"
#include "snapshot.h"

#define DEBUG_KEYS 20

static zend_object_handlers handlers;

int fs_handle_open(fs_handle *h, const char *name, size_t len, fs_error *err)
{
	uint64_t control = 0;
	if (fs_forked) {
		snprintf(err->message, sizeof(err->message), FS_FORKED);
		return FS_STATUS_UNAVAILABLE;
	}
	int32_t autostart = (int32_t)zend_ini_long(ZEND_STRL("frankenshare.autostart"), 0);
	int status = fs_go.open((fs_bytes){.data = name, .len = len}, autostart, &control, err);
	if (status == FS_STATUS_OK) {
		h->table = fs_table_of((fs_control *)(uintptr_t)control);
	}
	return status;
}

static zend_object *create(zend_class_entry *ce)
{
	fs_handle *h = zend_object_alloc(sizeof(fs_handle), ce);
	h->table = FS_NO_TABLE;
	zend_object_std_init(&h->std, ce);
	object_properties_init(&h->std, ce);
	h->std.handlers = &handlers;
	return &h->std;
}

static zend_object *clone_obj(zend_object *obj)
{
	fs_handle *copy = fs_handle_of(create(obj->ce));
	copy->table = fs_handle_of(obj)->table;
	return &copy->std;
}

/* Two handles are equal when they are the same table's. */
static int compare(zval *a, zval *b)
{
	ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
	return fs_handle_of(Z_OBJ_P(a))->table.control == fs_handle_of(Z_OBJ_P(b))->table.control ? 0 : ZEND_UNCOMPARABLE;
}

static ZEND_COLD void throw_no_append(void)
{
	zend_throw_error(NULL, "Cannot use [] with FrankenPHP\\SharedArray: it has no next index");
}

static ZEND_COLD void throw_in_place(void)
{
	zend_throw_error(NULL,
	                 "Cannot change an element of FrankenPHP\\SharedArray in place: use increment() for a number, or "
	                 "read the value, change it and write it back with put()");
}

/* What fs_get() answers, but for an absent key, which reads as null. */
static zend_always_inline zval *read_offset(fs_table t, zval *offset, zval *rv)
{
	fs_key key;
	if (UNEXPECTED(!fs_key_of_offset(offset, &key))) {
		return NULL;
	}
	zval *value = fs_get(t, &key, rv);
	if (UNEXPECTED(value == NULL)) {
		return NULL;
	}
	if (UNEXPECTED(Z_TYPE_P(value) == IS_UNDEF)) {
		ZVAL_NULL(rv);
	} else if (EXPECTED(value != rv)) {
		/* Not the gate's own: `$s['k'] .= $object` holds the result while the object's __toString() may empty the gate. */
		ZVAL_COPY(rv, value);
	}
	return rv;
}

static zval *read_dimension(zend_object *obj, zval *offset, int type, zval *rv)
{
	if (UNEXPECTED(type != BP_VAR_R) && type != BP_VAR_IS) {
		throw_in_place();
		return NULL;
	}
	if (UNEXPECTED(offset == NULL)) {
		throw_no_append();
		return NULL;
	}
	return read_offset(fs_handle_of(obj)->table, offset, rv);
}

static void write_dimension(zend_object *obj, zval *offset, zval *value)
{
	if (UNEXPECTED(offset == NULL)) {
		throw_no_append();
		return;
	}
	fs_offset_set(fs_handle_of(obj)->table, offset, value);
}

static int has_dimension(zend_object *obj, zval *offset, int check_empty)
{
	return fs_offset_exists(fs_handle_of(obj)->table, offset, check_empty != 0);
}

static void unset_dimension(zend_object *obj, zval *offset) { fs_offset_unset(fs_handle_of(obj)->table, offset); }

void fs_offset_get(fs_table t, zval *offset, zval *return_value) { read_offset(t, offset, return_value); }

void fs_offset_set(fs_table t, zval *offset, zval *value)
{
	fs_key key;
	zval held;
	ZVAL_UNDEF(&held);
	if (UNEXPECTED(Z_TYPE_P(offset) != IS_STRING && Z_TYPE_P(offset) != IS_LONG)) {
		/* Making a key of it may call an error handler, which may take the variable away that the value is in. */
		ZVAL_COPY_DEREF(&held, value);
		value = &held;
	}
	if (EXPECTED(fs_key_of_offset(offset, &key))) {
		fs_put(t, &key, value, FS_FOREVER);
	}
	zval_ptr_dtor(&held);
}

bool fs_offset_exists(fs_table t, zval *offset, bool check_empty)
{
	fs_key key;
	if (UNEXPECTED(!fs_key_of_offset(offset, &key))) {
		return false;
	}
	if (!check_empty) {
		return fs_has(t, &key) == FS_PRESENT;
	}
	zval rv;
	zval *value = fs_get(t, &key, &rv);
	bool truthy = value != NULL && zend_is_true(value);
	if (value == &rv) { /* else it is the gate's */
		zval_ptr_dtor(&rv);
	}
	return truthy;
}

void fs_offset_unset(fs_table t, zval *offset)
{
	fs_key key;
	if (EXPECTED(fs_key_of_offset(offset, &key))) {
		fs_erase(t, &key);
	}
}

static zend_result count_elements(zend_object *obj, zend_long *count)
{
	fs_table t = fs_handle_of(obj)->table;
	return fs_usable(t) && fs_count(t.control, count) ? SUCCESS : FAILURE;
}

/* What var_dump() shows: never all of a table, and never an exception. */
static zend_array *debug_info(fs_control *c)
{
	fs_error err;
	uint64_t count;
	zval value;
	zend_array *info = zend_new_array(3);

	if (c == NULL) {
		ZVAL_NULL(&value);
		zend_hash_str_add(info, ZEND_STRL("table"), &value);
		return info;
	}
	ZVAL_STRINGL(&value, c->name, c->name_len);
	zend_hash_str_add(info, ZEND_STRL("table"), &value);
	if (fs_forked || fs_go.count(c->id, &count, &err) != FS_STATUS_OK) {
		return info;
	}
	ZVAL_LONG(&value, (zend_long)count);
	zend_hash_str_add(info, ZEND_STRL("count"), &value);
	fs_g->rows.len = 0;
	if (fs_go.scan(c->id, (fs_bytes){.data = "", .len = 0}, DEBUG_KEYS, 1, &fs_g->rows, &err) == FS_STATUS_OK) {
		ZVAL_ARR(&value, fs_rows_to_keys(&fs_g->rows, NULL));
		zend_hash_str_add(info, ZEND_STRL("keys"), &value);
	}
	return info;
}

static zend_array *get_properties_for(zend_object *obj, zend_prop_purpose purpose)
{
	if (purpose == ZEND_PROP_PURPOSE_DEBUG || purpose == ZEND_PROP_PURPOSE_VAR_EXPORT) {
		return debug_info(fs_handle_of(obj)->table.control);
	}
	return zend_std_get_properties_for(obj, purpose);
}

static zend_object_iterator *get_iterator(zend_class_entry *ce, zval *object, int by_ref)
{
	if (by_ref) {
		/* An ArrayIterator would take it, and the changes would be lost with the snapshot. */
		throw_in_place();
		return NULL;
	}
	return zend_user_it_get_new_iterator(ce, object, by_ref);
}

void fs_shared_array_init(zend_class_entry *ce)
{
	ce->create_object = create;
	ce->get_iterator = get_iterator;
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = offsetof(fs_handle, std);
	handlers.clone_obj = clone_obj;
	handlers.compare = compare;
	handlers.read_dimension = read_dimension;
	handlers.write_dimension = write_dimension;
	handlers.has_dimension = has_dimension;
	handlers.unset_dimension = unset_dimension;
	handlers.count_elements = count_elements;
	handlers.get_properties_for = get_properties_for;
}
