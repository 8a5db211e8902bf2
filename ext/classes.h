/* The class entries; set anew by each start of the engine. */
#ifndef FRANKENSHARE_CLASSES_H
#define FRANKENSHARE_CLASSES_H

#include <php.h>

typedef struct fs_classes {
	zend_class_entry *shared_array;
	zend_class_entry *shared_lock;
	zend_class_entry *shared_state; /* parent of the exceptions that follow */
	zend_class_entry *invalid_value;
	zend_class_entry *invalid_key;
	zend_class_entry *value_too_large;
	zend_class_entry *table_full;
	zend_class_entry *unknown_table;
	zend_class_entry *uninitialized;
	zend_class_entry *unavailable;
	zend_class_entry *stale_handle;
	zend_class_entry *corrupted_mutex;
	zend_class_entry *concurrency; /* parent of those that follow */
	zend_class_entry *contention;
	zend_class_entry *operation_timeout;
	zend_class_entry *lock_timeout;
	zend_class_entry *deadlock;
	zend_class_entry *wait_cancelled;
	zend_class_entry *send_result; /* of channels, with the enums of their status */
	zend_class_entry *send_status;
	zend_class_entry *recv_result;
	zend_class_entry *recv_status;
} fs_classes;

extern fs_classes fs_class;

/* The extension's functions, for the module's entry. */
const zend_function_entry *fs_functions(void);

void fs_classes_register(void);

#endif
