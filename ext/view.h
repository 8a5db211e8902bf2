/* A view is what a thread has cached of a table. It is current while the generation and all stripe versions are those of its
 * cut and no row of it has expired: as versions only grow, all of that was then so at the moment the check began.
 *
 * Rows that a caller still holds cannot be changed, and a copy of them costs time by their number. So there may be two views of
 * a table, of which the newest comes first: `$rows = $shared->snapshot()` in a loop holds the rows of one while the other, whose
 * rows it held before, is brought up to date. */
#ifndef FRANKENSHARE_VIEW_H
#define FRANKENSHARE_VIEW_H

#include <php.h>

#include "frankenshare.h"
#include "key.h"

#define FS_UNSEEN (~(uint64_t)0) /* no stripe's version */

typedef struct fs_part {
	uint64_t version; /* of the stripe */
	uint64_t expiry;  /* the soonest of its rows; 0 for none */
	fs_key *keys;     /* its keys in `rows`, so that they can be taken out of it */
	uint32_t len;
	uint32_t cap;
} fs_part;

typedef struct fs_view {
	struct fs_view *next;
	fs_control *control;
	uint64_t generation;
	uint64_t expiry;  /* the soonest of all parts */
	zend_array *rows; /* NULL when only keys were asked for */
	zend_array *keys; /* NULL until they are asked for */
	fs_part parts[];
} fs_view;

static inline void fs_array_release(zend_array *ht)
{
	if (ht != NULL) {
		zend_array_release(ht);
	}
}

static inline zend_array *fs_array_reference(zend_array *ht)
{
	GC_ADDREF(ht);
	return ht;
}

fs_view *fs_view_new(fs_control *c);
void fs_view_free(fs_view *v);

/* The newest view of a table in the thread's cache; NULL when there is none. */
fs_view *fs_view_find(fs_control *c);

/* Takes a view out of the cache while it is changed: code of the user's may run meanwhile and ask for the same table. It is the
 * newest whose rows nobody holds. NULL when there is no view. */
fs_view *fs_view_take(fs_control *c);

/* Keeps a view for the next call, and one older view of the table beside it. */
void fs_view_keep(fs_view *v);

/* Drops what the thread has cached; with forget, without a look at it. */
void fs_views_drop(fs_globals *g, bool forget);

bool fs_view_is_current(const fs_view *v);

/* Are the view's rows also a caller's? */
bool fs_view_is_held(const fs_view *v);

/* Gives up the rows, of which the array may live on, and the lists of their keys. */
void fs_view_drop_rows(fs_view *v);

/* Takes a part's keys out of the view's rows. */
void fs_part_empty(fs_part *p, zend_array *rows);

void fs_part_add(fs_part *p, fs_key key);

#endif
