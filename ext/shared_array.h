/* FrankenPHP\SharedArray: a handle to a table. Its methods are in shared_array_methods.c and cache_methods.c. */
#ifndef FRANKENSHARE_SHARED_ARRAY_H
#define FRANKENSHARE_SHARED_ARRAY_H

#include <php.h>

#include "gate.h"
#include "reader.h"

typedef struct fs_handle {
	fs_table table;
	zend_object std;
} fs_handle;

static zend_always_inline fs_handle *fs_handle_of(zend_object *obj)
{
	return (fs_handle *)((char *)obj - offsetof(fs_handle, std));
}

/* Inside a method. */
#define METHOD(name) ZEND_METHOD(FrankenPHP_SharedArray, name)
#define TABLE() (fs_handle_of(Z_OBJ_P(ZEND_THIS))->table)

void fs_shared_array_init(zend_class_entry *ce);

/* Opens the table of that name for h. A status, with err->message on failure. */
int fs_handle_open(fs_handle *h, const char *name, size_t len, fs_error *err);

/* The handlers by the names of the methods that do the same; each is void or false with an exception pending. */
void fs_offset_get(fs_table t, zval *offset, zval *return_value);
void fs_offset_set(fs_table t, zval *offset, zval *value);
bool fs_offset_exists(fs_table t, zval *offset, bool check_empty);
void fs_offset_unset(fs_table t, zval *offset);

#endif
