/* A view is what a thread has cached of a table. It is current while the generation and all stripe versions are those of its
 * cut and no row of it has expired: as versions only grow, all of that was then so at the moment the check began. */
#include <php.h>

#include "codec.h"
#include "errors.h"
#include "rows.h"
#include "snapshot.h"

#define UNSEEN (~(uint64_t)0)
#define SCANS 3

typedef struct part {
	uint64_t version; /* of the stripe */
	uint64_t expiry;  /* the soonest of its rows; 0 for none */
	fs_key *keys;     /* its keys in `rows`, so that they can be taken out of it */
	uint32_t len;
	uint32_t cap;
} part;

typedef struct fs_view {
	struct fs_view *next;
	fs_control *control;
	uint64_t generation;
	uint64_t expiry;  /* the soonest of all parts */
	zend_array *rows; /* NULL when only keys were asked for */
	zend_array *keys; /* NULL until they are asked for */
	part parts[];
} fs_view;

static fs_view *new_view(fs_control *c)
{
	size_t size = sizeof(fs_view) + c->stripes * sizeof(part);
	fs_view *v = emalloc(size);
	memset(v, 0, size);
	v->control = c;
	for (uint32_t s = 0; s < c->stripes; s++) {
		v->parts[s].version = UNSEEN;
	}
	return v;
}

static void release_array(zend_array *ht)
{
	if (ht != NULL) {
		zend_array_release(ht);
	}
}

static void empty_part(part *p, zend_array *rows)
{
	for (uint32_t i = 0; i < p->len; i++) {
		fs_key *key = &p->keys[i];
		if (key->string == NULL) {
			zend_hash_index_del(rows, key->hash);
		} else {
			zend_hash_del(rows, key->string);
			zend_string_release(key->string);
		}
	}
	p->len = 0;
	p->expiry = 0;
}

/* Gives up the rows, of which the array may live on, and the lists of their keys. */
static void drop_rows(fs_view *v)
{
	for (uint32_t s = 0; s < v->control->stripes; s++) {
		part *p = &v->parts[s];
		for (uint32_t i = 0; i < p->len; i++) {
			if (p->keys[i].string != NULL) {
				zend_string_release(p->keys[i].string);
			}
		}
		if (p->keys != NULL) {
			efree(p->keys);
		}
		*p = (part){.version = UNSEEN};
	}
	release_array(v->rows);
	v->rows = NULL;
}

static void free_view(fs_view *v)
{
	drop_rows(v);
	release_array(v->keys);
	efree(v);
}

void fs_views_drop(fs_globals *g, bool forget)
{
	fs_view *v = g->views;
	g->views = NULL;
	while (v != NULL && !forget) {
		fs_view *next = v->next;
		free_view(v);
		v = next;
	}
}

static fs_view *find_view(fs_control *c)
{
	fs_view *v = fs_g->views;
	while (v != NULL && v->control != c) {
		v = v->next;
	}
	return v;
}

/* Takes a view out of the cache while it is changed: code of the user's may run meanwhile and ask for the same table. */
static fs_view *take_view(fs_control *c)
{
	for (fs_view **link = &fs_g->views; *link != NULL; link = &(*link)->next) {
		if ((*link)->control == c) {
			fs_view *v = *link;
			*link = v->next;
			return v;
		}
	}
	return NULL;
}

/* Keeps a view for the next call, in place of one that such code may have left. */
static void keep_view(fs_view *v)
{
	fs_view *other = take_view(v->control);
	if (other != NULL) {
		free_view(other);
	}
	if (!fs_g->gate.open || fs_memory_is_short()) {
		free_view(v);
		return;
	}
	v->next = fs_g->views;
	fs_g->views = v;
}

static bool is_current(const fs_view *v)
{
	fs_control *c = v->control;
	if (fs_load(&c->generation) != v->generation) {
		return false;
	}
	for (uint32_t s = 0; s < c->stripes; s++) {
		if (fs_load(&c->stripe[s].version) != v->parts[s].version) {
			return false;
		}
	}
	return v->expiry == 0 || fs_now() < v->expiry;
}

static zend_array *new_reference(zend_array *ht)
{
	GC_ADDREF(ht);
	return ht;
}

static void add_to_part(part *p, fs_key key)
{
	if (p->len == p->cap) {
		p->keys = safe_erealloc(p->keys, p->cap != 0 ? p->cap * 2 : 4, sizeof(*p->keys), 0);
		p->cap = p->cap != 0 ? p->cap * 2 : 4;
	}
	p->keys[p->len++] = key;
	if (key.string != NULL) {
		zend_string_addref(key.string);
	}
}

/* Takes out of the view what has changed: all when the generation has. */
static void remove_changed(fs_view *v, bool all, const uint8_t *changed, uint32_t rows_to_come)
{
	if (all) {
		drop_rows(v);
		v->rows = zend_new_array(rows_to_come);
		return;
	}
	if (GC_REFCOUNT(v->rows) > 1) {
		zend_array *copy = zend_array_dup(v->rows);
		GC_DELREF(v->rows);
		v->rows = copy;
	}
	for (uint32_t s = 0; s < v->control->stripes; s++) {
		if (changed[s]) {
			empty_part(&v->parts[s], v->rows);
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
		part *p = &v->parts[h->stripe];
		fs_key k = fs_key_of_bytes(key.data, key.len);
		add_to_part(p, k);
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
		versions[s] = v->rows == NULL || expired ? UNSEEN : v->parts[s].version;
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
		release_array(v->keys);
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
	fs_view *v = find_view(c);
	if (v != NULL && v->rows != NULL && is_current(v)) {
		return new_reference(v->rows);
	}
	bool fresh;
	v = take_view(c);
	if (v == NULL) {
		v = new_view(c);
	}
	if (!refresh(v, &fresh)) {
		free_view(v);
		return NULL;
	}
	zend_array *rows = new_reference(v->rows);
	if (fresh) {
		free_view(v);
	} else {
		keep_view(v);
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
	return status == FS_STATUS_OK && !is_current(v) ? FS_STATUS_LOCKED : status;
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
	fs_view *v = find_view(c);
	if (v != NULL && v->rows == rows) {
		v->keys = new_reference(keys);
	}
	zend_array_release(rows);
	return keys;
}

zend_array *fs_keys(fs_control *c)
{
	fs_view *v = find_view(c);
	if (v != NULL && v->keys != NULL && is_current(v)) {
		return new_reference(v->keys);
	}
	if (v != NULL && v->rows != NULL) {
		return keys_of_snapshot(c);
	}
	fs_error err;
	int status = FS_STATUS_LOCKED;
	v = new_view(c);
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
		free_view(v);
		return NULL;
	}
	v->keys = fs_rows_to_keys(&fs_g->rows, &v->expiry);
	zend_array *keys = new_reference(v->keys);
	keep_view(v);
	return keys;
}

bool fs_count(fs_control *c, zend_long *count)
{
	fs_view *v = find_view(c);
	if (v != NULL && is_current(v)) {
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
