/* FrankenPHP\SharedLock: a handle to a lock of a table. */
#ifndef FRANKENSHARE_SHARED_LOCK_H
#define FRANKENSHARE_SHARED_LOCK_H

#include <php.h>

void fs_shared_lock_init(zend_class_entry *ce);

#endif
