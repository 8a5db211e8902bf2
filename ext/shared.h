/* Handles: PHP objects on shared objects (counters, flags, mutexes, channels). What all kinds have is here; Go's half is
 * sharedstate/shared.go. */
#ifndef FRANKENSHARE_SHARED_H
#define FRANKENSHARE_SHARED_H

#include "frankenshare.h"

typedef struct fs_shared {
	int32_t kind;  /* an FS_SHARED_* */
	uint64_t id;   /* 0: the constructor did not run */
	fs_cell *cell; /* of a counter or flag, NULL without */
	zend_object std;
} fs_shared;

static zend_always_inline fs_shared *fs_shared_of(zend_object *obj)
{
	return (fs_shared *)((char *)obj - offsetof(fs_shared, std));
}

/* Makes a class's objects handles of a kind; at each start of the engine. */
void fs_shared_class(int32_t kind, zend_class_entry *ce);

/* Throws why an object cannot be used. */
ZEND_COLD void fs_shared_throw(zend_object *obj);

/* The object's handle; NULL with an exception pending. */
static zend_always_inline fs_shared *fs_shared_usable(zend_object *obj)
{
	fs_shared *h = fs_shared_of(obj);
	if (EXPECTED(h->id != 0 && !fs_forked)) {
		return h;
	}
	fs_shared_throw(obj);
	return NULL;
}

/* What the constructor does once Go has opened the shared object. It may have been called before. */
void fs_shared_set(zend_object *obj, uint64_t id, fs_cell *cell);

/* The control block of the table that says which values may be stored outside tables; NULL with an exception pending. */
fs_control *fs_shared_limits(void);

/* A name that may be null, for Go. */
static inline fs_bytes fs_shared_name(const zend_string *name)
{
	return name != NULL ? (fs_bytes){ZSTR_VAL(name), ZSTR_LEN(name)} : (fs_bytes){"", 0};
}

/* The methods id() and remove(). */
void fs_shared_id(INTERNAL_FUNCTION_PARAMETERS);
void fs_shared_remove(INTERNAL_FUNCTION_PARAMETERS, int32_t kind);

#endif
