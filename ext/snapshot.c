/* What callers get of a view, and how it is brought up to date. */
#include <php.h>

#include "codec.h"
#include "errors.h"
#include "rows.h"
#include "snapshot.h"
#include "view.h"

#define SCANS 3

/* Takes out of the view what has changed: all when the generation has. */
static void remove_changed(fs_view *v, bool all, const uint8_t *changed, uint32_t rows_to_come)
{
	if (all) {
		fs_view_drop_rows(v);
		v->rows = zend_new_array(rows_to_come);
		return;
	}
	if (fs_view_is_held(v)) {
		zend_array *copy = zend_array_dup(v->rows);
		GC_DELREF(v->rows);
		v->rows = copy;
	}
	for (uint32_t s = 0; s < v->control->stripes; s++) {
		if (changed[s]) {
			fs_part_empty(&v->parts[s], v->rows);
		}
	}
}

/* Decodes rows into the view. False with an exception pending. */
static bool add_rows(fs_view *v, fs_rows *rows)
{
	fs_bytes key, data;
	const fs_row_header *h;
	while ((h = fs_rows_next(rows, &key, &data)) != NULL) {
		zval value;
		fs_error err;
		int status = fs_decode(h->kind, h->flags, h->number, data.data, data.len, &value, &err);
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			fs_throw_decode(status, v->control, key, &err);
			return false;
		}
		fs_part *p = &v->parts[h->stripe];
		fs_key k = fs_key_of_bytes(key.data, key.len);
		fs_part_add(p, k);
		p->expiry = fs_sooner(p->expiry, h->expiry);
		fs_array_add(v->rows, k, &value);
	}
	return true;
}

/* Brings a view that is in no list up to date. False with an exception pending. *fresh says that it holds objects, which no
 * two callers may share. */
static bool refresh(fs_view *v, bool *fresh)
{
	fs_control *c = v->control;
	uint64_t *versions = safe_emalloc(c->stripes, sizeof(*versions) + 1, 0);
	uint8_t *changed = (uint8_t *)(versions + c->stripes);
	uint64_t generation = v->generation;
	uint64_t now = v->expiry != 0 ? fs_now() : 0;
	fs_error err;

	for (uint32_t s = 0; s < c->stripes; s++) {
		bool expired = v->parts[s].expiry != 0 && v->parts[s].expiry <= now;
		versions[s] = v->rows == NULL || expired ? FS_UNSEEN : v->parts[s].version;
	}
	fs_g->rows.len = 0;
	int status = fs_go.snapshot(c->id, &generation, versions, changed, &fs_g->rows, &err);
	bool ok = status == FS_STATUS_OK;
	if (ok) {
		fs_rows rows;
		fs_rows_open(&rows, &fs_g->rows);
		remove_changed(v, v->rows == NULL || generation != v->generation, changed, rows.count);
		ok = add_rows(v, &rows);
		*fresh = rows.fresh;
		fs_rows_close(&rows);
	} else {
		fs_throw(status, err.message);
	}
	if (ok) {
		fs_array_release(v->keys);
		v->keys = NULL;
		v->generation = generation;
		v->expiry = 0;
		for (uint32_t s = 0; s < c->stripes; s++) {
			v->parts[s].version = versions[s];
			v->expiry = fs_sooner(v->expiry, v->parts[s].expiry);
		}
	}
	efree(versions);
	return ok;
}

zend_array *fs_snapshot(fs_control *c)
{
	fs_view *v = fs_view_find(c);
	if (v != NULL && v->rows != NULL && fs_view_is_current(v)) {
		return fs_array_reference(v->rows);
	}
	bool fresh;
	v = fs_view_take(c);
	if (v == NULL) {
		v = fs_view_new(c);
	}
	if (!refresh(v, &fresh)) {
		fs_view_free(v);
		return NULL;
	}
	zend_array *rows = fs_array_reference(v->rows);
	if (fresh) {
		fs_view_free(v);
	} else {
		fs_view_keep(v);
	}
	return rows;
}

/* Reads the keys of a quiet table. FS_STATUS_LOCKED when something changed meanwhile: what was found is not one moment's. */
static int scan_keys(fs_view *v, fs_error *err)
{
	fs_control *c = v->control;
	v->generation = fs_load(&c->generation);
	for (uint32_t s = 0; s < c->stripes; s++) {
		v->parts[s].version = fs_load(&c->stripe[s].version);
		if ((v->parts[s].version & 1) != 0) {
			return FS_STATUS_LOCKED;
		}
	}
	v->expiry = 0;
	int status = fs_go.scan(c->id, (fs_bytes){.data = "", .len = 0}, INT64_MAX, 1, &fs_g->rows, err);
	return status == FS_STATUS_OK && !fs_view_is_current(v) ? FS_STATUS_LOCKED : status;
}

/* Reads the keys of a busy one, with the values' bytes. */
static int snapshot_keys(fs_view *v, fs_error *err)
{
	fs_control *c = v->control;
	uint64_t *versions = safe_emalloc(c->stripes, sizeof(*versions) + 1, 0);
	memset(versions, 0xff, c->stripes * sizeof(*versions));
	int status = fs_go.snapshot(c->id, &v->generation, versions, (uint8_t *)(versions + c->stripes), &fs_g->rows, err);
	for (uint32_t s = 0; s < c->stripes; s++) {
		v->parts[s].version = versions[s];
	}
	efree(versions);
	return status;
}

static zend_array *keys_of_rows(zend_array *rows)
{
	zend_array *keys = zend_new_array(zend_hash_num_elements(rows));
	zend_ulong index;
	zend_string *name;
	ZEND_HASH_FOREACH_KEY(rows, index, name)
	{
		zval key;
		if (name != NULL) {
			ZVAL_STR_COPY(&key, name);
		} else {
			ZVAL_LONG(&key, (zend_long)index);
		}
		zend_hash_next_index_insert(keys, &key);
	}
	ZEND_HASH_FOREACH_END();
	return keys;
}

/* The keys of a thread that takes snapshots of the table. */
static zend_array *keys_of_snapshot(fs_control *c)
{
	zend_array *rows = fs_snapshot(c);
	if (rows == NULL) {
		return NULL;
	}
	zend_array *keys = keys_of_rows(rows);
	fs_view *v = fs_view_find(c);
	if (v != NULL && v->rows == rows) {
		v->keys = fs_array_reference(keys);
	}
	zend_array_release(rows);
	return keys;
}

zend_array *fs_keys(fs_control *c)
{
	fs_view *v = fs_view_find(c);
	if (v != NULL && v->keys != NULL && fs_view_is_current(v)) {
		return fs_array_reference(v->keys);
	}
	if (v != NULL && v->rows != NULL) {
		return keys_of_snapshot(c);
	}
	fs_error err;
	int status = FS_STATUS_LOCKED;
	v = fs_view_new(c);
	for (int i = 0; i < SCANS && status == FS_STATUS_LOCKED; i++) {
		fs_g->rows.len = 0;
		status = scan_keys(v, &err);
	}
	if (status == FS_STATUS_LOCKED) {
		fs_g->rows.len = 0;
		status = snapshot_keys(v, &err);
	}
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		fs_view_free(v);
		return NULL;
	}
	v->keys = fs_rows_to_keys(&fs_g->rows, &v->expiry);
	zend_array *keys = fs_array_reference(v->keys);
	fs_view_keep(v);
	return keys;
}

bool fs_count(fs_control *c, zend_long *count)
{
	fs_view *v = fs_view_find(c);
	if (v != NULL && fs_view_is_current(v)) {
		*count = zend_hash_num_elements(v->rows != NULL ? v->rows : v->keys);
		return true;
	}
	fs_error err;
	uint64_t n = 0;
	int status = fs_go.count(c->id, &n, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		return false;
	}
	*count = (zend_long)n;
	return true;
}
