/* The thread's cache of views. */
#include "gate.h"
#include "view.h"

fs_view *fs_view_new(fs_control *c)
{
	size_t size = sizeof(fs_view) + c->stripes * sizeof(fs_part);
	fs_view *v = emalloc(size);
	memset(v, 0, size);
	v->control = c;
	for (uint32_t s = 0; s < c->stripes; s++) {
		v->parts[s].version = FS_UNSEEN;
	}
	return v;
}

void fs_part_add(fs_part *p, fs_key key)
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

void fs_part_empty(fs_part *p, zend_array *rows)
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

void fs_view_drop_rows(fs_view *v)
{
	for (uint32_t s = 0; s < v->control->stripes; s++) {
		fs_part *p = &v->parts[s];
		for (uint32_t i = 0; i < p->len; i++) {
			if (p->keys[i].string != NULL) {
				zend_string_release(p->keys[i].string);
			}
		}
		if (p->keys != NULL) {
			efree(p->keys);
		}
		*p = (fs_part){.version = FS_UNSEEN};
	}
	fs_array_release(v->rows);
	v->rows = NULL;
}

void fs_view_free(fs_view *v)
{
	fs_view_drop_rows(v);
	fs_array_release(v->keys);
	efree(v);
}

void fs_views_drop(fs_globals *g, bool forget)
{
	fs_view *v = g->views;
	g->views = NULL;
	while (v != NULL && !forget) {
		fs_view *next = v->next;
		fs_view_free(v);
		v = next;
	}
}

fs_view *fs_view_find(fs_control *c)
{
	fs_view *v = fs_g->views;
	while (v != NULL && v->control != c) {
		v = v->next;
	}
	return v;
}

bool fs_view_is_held(const fs_view *v) { return v->rows != NULL && GC_REFCOUNT(v->rows) > 1; }

void fs_view_keep(fs_view *v)
{
	if (!fs_g->gate.open || fs_memory_is_short()) {
		fs_view_free(v);
		return;
	}
	v->next = fs_g->views;
	fs_g->views = v;
	int kept = 0;
	for (fs_view **link = &fs_g->views; *link != NULL;) {
		fs_view *one = *link;
		if (one->control == v->control && ++kept > 2) {
			*link = one->next;
			fs_view_free(one);
		} else {
			link = &one->next;
		}
	}
}

/* A second view of the same rows. */
static fs_view *copy_view(const fs_view *v)
{
	fs_view *copy = fs_view_new(v->control);
	copy->generation = v->generation;
	copy->expiry = v->expiry;
	copy->rows = fs_array_reference(v->rows);
	for (uint32_t s = 0; s < v->control->stripes; s++) {
		const fs_part *from = &v->parts[s];
		fs_part *to = &copy->parts[s];
		to->version = from->version;
		to->expiry = from->expiry;
		for (uint32_t i = 0; i < from->len; i++) {
			fs_part_add(to, from->keys[i]);
		}
	}
	return copy;
}

fs_view *fs_view_take(fs_control *c)
{
	fs_view **newest = NULL, **chosen = NULL;
	int found = 0;
	for (fs_view **link = &fs_g->views; *link != NULL; link = &(*link)->next) {
		if ((*link)->control == c) {
			found++;
			newest = newest != NULL ? newest : link;
			if (chosen == NULL && !fs_view_is_held(*link)) {
				chosen = link;
			}
		}
	}
	if (newest == NULL) {
		return NULL;
	}
	bool spare = chosen == NULL && found == 1 && !fs_memory_is_short();
	chosen = chosen != NULL ? chosen : newest;
	fs_view *v = *chosen;
	*chosen = v->next;
	if (spare) {
		fs_view_keep(copy_view(v));
	}
	return v;
}

bool fs_view_is_current(const fs_view *v)
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
