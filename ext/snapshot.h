/* Whole tables: snapshots and lists of keys, which a thread caches and brings up to date stripe by stripe. */
#ifndef FRANKENSHARE_SNAPSHOT_H
#define FRANKENSHARE_SNAPSHOT_H

#include <php.h>

#include "frankenshare.h"

/* All keys and values as they were at one moment of the call. A new reference; NULL with an exception pending. */
zend_array *fs_snapshot(fs_control *c);

/* All keys, as above. */
zend_array *fs_keys(fs_control *c);

/* How many keys there are. False with an exception pending. */
bool fs_count(fs_control *c, zend_long *count);

#endif
