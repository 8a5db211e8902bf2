/* The twin's shared objects: in a list, all on the C heap. Nobody else runs, so that nobody wakes who waits. Stored values keep none
 * alive. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake_object.h"

typedef fake_object word;

static word *all;
static uint64_t last;

static word *find(int32_t kind, fs_bytes name)
{
	for (word *w = all; w != NULL; w = w->next) {
		if (w->named && w->kind == kind && w->len == name.len && memcmp(w->name, name.data, name.len) == 0) {
			return w;
		}
	}
	return NULL;
}

word *fake_object_find(uint64_t id)
{
	word *w = all;
	while (w != NULL && w->id != id) {
		w = w->next;
	}
	return w;
}

static void drop(word *gone)
{
	if (gone->opens > 0 || gone->named) {
		return;
	}
	word **w = &all;
	while (*w != gone) {
		w = &(*w)->next;
	}
	*w = gone->next;
	if (gone->free != NULL) {
		gone->free(gone->data);
	}
	free(gone->name);
	free(gone);
}

word *fake_object_open(int32_t kind, fs_bytes name)
{
	word *w = name.len > 0 ? find(kind, name) : NULL;
	if (w == NULL) {
		w = calloc(1, sizeof(*w));
		w->id = ++last;
		w->kind = kind;
		w->named = name.len > 0;
		w->name = memcpy(malloc(name.len + 1), name.data, name.len);
		w->len = name.len;
		w->next = all;
		all = w;
	}
	w->opens++;
	return w;
}

int32_t fake_word_open(int32_t kind, fs_bytes name, int64_t initial, uint64_t *id, uint64_t *cell, fs_error *err)
{
	(void)err;
	word *w = fake_object_open(kind, name);
	if (!w->made) {
		fs_store(&w->cell.value, (uint64_t)initial);
		w->made = true;
	}
	*id = w->id;
	*cell = (uint64_t)(uintptr_t)&w->cell;
	return FS_STATUS_OK;
}

int32_t fake_shared_open(int32_t kind, uint64_t id, uint64_t *cell, fs_error *err)
{
	word *w = fake_object_find(id);
	if (w == NULL || w->kind != kind) {
		strcpy(err->message, "the shared object is gone");
		return FS_STATUS_STALE_HANDLE;
	}
	w->opens++;
	*cell = kind == FS_SHARED_COUNTER || kind == FS_SHARED_FLAG ? (uint64_t)(uintptr_t)&w->cell : 0;
	return FS_STATUS_OK;
}

void fake_shared_close(uint64_t id)
{
	word *w = fake_object_find(id);
	w->opens--;
	drop(w);
}

int32_t fake_shared_remove(int32_t kind, fs_bytes name)
{
	word *w = find(kind, name);
	if (w == NULL) {
		return FS_STATUS_ABSENT;
	}
	w->named = false;
	drop(w);
	return FS_STATUS_OK;
}

void fake_word_wake(uint64_t id) { (void)id; }

int32_t fake_word_wait(uint64_t id, uint32_t ms, uint64_t *since, fs_error *err)
{
	(void)id, (void)ms, (void)since, (void)err;
	return FS_STATUS_OK;
}
