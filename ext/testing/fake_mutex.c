/* The twin's mutexes. One thread, so that who has one is this request. */
#include <stdio.h>
#include <stdlib.h>

#include "fake_object.h"
#include "fake_table.h"

typedef struct fake_mutex {
	uint64_t token, holder;
	bool corrupted;
	fs_value value; /* its data is malloc'ed */
	struct fake_mutex *next;
} fake_mutex;

static fake_mutex *all;
static uint64_t tokens;

static fake_mutex *find(uint64_t id) { return fake_object_find(id)->data; }

static void forget(void *data)
{
	fake_mutex **m = &all;
	while (*m != data) {
		m = &(*m)->next;
	}
	*m = ((fake_mutex *)data)->next;
	free((char *)((fake_mutex *)data)->value.data);
	free(data);
}

static void set(fake_mutex *m, const fs_value *value)
{
	char *data = malloc(value->len + 1);
	memcpy(data, value->len > 0 ? value->data : "", value->len);
	free((char *)m->value.data);
	m->value = *value;
	m->value.data = data;
}

int32_t fake_mutex_open(fs_bytes name, const fs_value *initial, uint64_t *id, fs_error *err)
{
	(void)err;
	fake_object *o = fake_object_open(FS_SHARED_MUTEX, name);
	if (!o->made) {
		fake_mutex *m = calloc(1, sizeof *m);
		m->next = all;
		all = m;
		set(m, initial);
		o->data = m;
		o->free = forget;
		o->made = true;
	}
	*id = o->id;
	return FS_STATUS_OK;
}

int32_t fake_mutex_try(uint64_t id, uint64_t request, uint64_t *token, fs_error *err)
{
	fake_mutex *m = find(id);
	if (m->corrupted) {
		snprintf(err->message, sizeof err->message, "mutex %llu is corrupted", (unsigned long long)id);
		return FS_STATUS_CORRUPTED;
	}
	if (m->token != 0) {
		snprintf(err->message, sizeof err->message, "waiting would never end: mutex %llu", (unsigned long long)id);
		return FS_STATUS_DEADLOCK;
	}
	m->holder = request;
	*token = m->token = ++tokens;
	return FS_STATUS_OK;
}

int32_t fake_mutex_enqueue(uint64_t id, uint64_t request, uint64_t *token, uint64_t *ticket, fs_error *err)
{
	*token = *ticket = 0;
	return fake_mutex_try(id, request, token, err);
}

static fake_mutex *held(uint64_t id, uint64_t token, fs_error *err)
{
	fake_mutex *m = find(id);
	if (m->token == token) {
		return m;
	}
	snprintf(err->message, sizeof err->message, "mutex %llu is not held any more", (unsigned long long)id);
	return NULL;
}

int32_t fake_mutex_value(uint64_t id, uint64_t token, char *dst, size_t cap, fs_value *out, fs_error *err)
{
	fake_mutex *m = held(id, token, err);
	if (m == NULL) {
		return FS_STATUS_STALE_HANDLE;
	}
	*out = m->value;
	out->data = dst;
	if (out->len > cap) {
		return FS_STATUS_GROW;
	}
	memcpy(dst, m->value.data, out->len);
	return FS_STATUS_OK;
}

/* The twin's fault point: a value that asks for it. */
static bool is_fault(const fs_value *v)
{
	static const char text[] = "a fault";
	return v->len == sizeof text - 1 && memcmp(v->data, text, v->len) == 0;
}

int32_t fake_mutex_commit(uint64_t id, uint64_t token, const fs_value *value, fs_error *err)
{
	fake_mutex *m = held(id, token, err);
	if (m == NULL) {
		return FS_STATUS_STALE_HANDLE;
	}
	m->token = 0;
	if (is_fault(value)) {
		m->corrupted = true;
		snprintf(err->message, sizeof err->message, "internal failure: on purpose");
		return FS_STATUS_PANIC;
	}
	set(m, value);
	return FS_STATUS_OK;
}

void fake_mutex_unlock(uint64_t id, uint64_t token)
{
	fs_error err;
	fake_mutex *m = held(id, token, &err);
	if (m != NULL) {
		m->token = 0;
	}
}

void fake_mutex_end(uint64_t request)
{
	for (fake_mutex *m = all; m != NULL; m = m->next) {
		if (m->holder == request) {
			m->token = 0;
		}
	}
}
