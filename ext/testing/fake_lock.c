/* The twin's locks: one thread, so that a wait ends only by its time or when a lock expires. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fake_table.h"

enum { MAX_LOCKS = 16 };

typedef struct fake_held {
	char *name, *owner; /* NULL for a free one */
	size_t name_len, owner_len;
	uint32_t table;
	uint64_t token, expiry, ends_with;
} fake_held;

static fake_held locks[MAX_LOCKS];
static uint64_t tokens;

/* The one who waits. */
static struct {
	uint32_t table;
	fs_lock_request request;
} waiter;

static bool same(const char *data, size_t len, fs_bytes b) { return len == b.len && memcmp(data, b.data, len) == 0; }

static char *copy_of(fs_bytes b)
{
	char *data = malloc(b.len + 1);
	return data != NULL ? memcpy(data, b.data, b.len) : NULL;
}

static void let_go(fake_held *l)
{
	free(l->name);
	free(l->owner);
	*l = (fake_held){0};
}

static fake_held *find(uint32_t table, fs_bytes name)
{
	for (fake_held *l = locks; l < locks + MAX_LOCKS; l++) {
		if (l->name != NULL && l->expiry != 0 && fs_now() >= l->expiry) {
			let_go(l);
		}
		if (l->name != NULL && l->table == table && same(l->name, l->name_len, name)) {
			return l;
		}
	}
	return NULL;
}

static fake_held *find_owned(uint32_t table, fs_bytes name, fs_bytes owner)
{
	fake_held *l = find(table, name);
	return l != NULL && same(l->owner, l->owner_len, owner) ? l : NULL;
}

int32_t fake_lock_take(uint32_t table, const fs_lock_request *r, uint64_t *token, fs_error *err)
{
	*token = 0;
	if (find(table, r->name) != NULL) {
		return FS_STATUS_OK;
	}
	for (fake_held *l = locks; l < locks + MAX_LOCKS; l++) {
		if (l->name == NULL) {
			*l = (fake_held){.name = copy_of(r->name),
			                 .owner = copy_of(r->owner),
			                 .name_len = r->name.len,
			                 .owner_len = r->owner.len,
			                 .table = table,
			                 .token = ++tokens,
			                 .expiry = fake_expiry(r->ttl),
			                 .ends_with = r->release_at_end ? r->request : 0};
			*token = l->token;
			return FS_STATUS_OK;
		}
	}
	snprintf(err->message, sizeof err->message, "there is no memory for another lock");
	return FS_STATUS_LOCKS_FULL;
}

int32_t fake_lock_enqueue(uint32_t table, const fs_lock_request *r, uint64_t *token, uint64_t *ticket, fs_error *err)
{
	waiter.table = table;
	waiter.request = *r;
	int32_t status = fake_lock_take(table, r, token, err);
	*ticket = status == FS_STATUS_OK && *token == 0;
	return status;
}

int32_t fake_lock_wait(uint64_t ticket, uint32_t wait_ms, uint64_t *token, fs_error *err)
{
	(void)ticket;
	nanosleep(&(struct timespec){.tv_nsec = wait_ms * 1000000L}, NULL);
	return fake_lock_take(waiter.table, &waiter.request, token, err);
}

/* As in Go the lock that has come is still the waiter's. */
uint64_t fake_lock_leave(uint64_t ticket)
{
	(void)ticket;
	fake_held *l = find_owned(waiter.table, waiter.request.name, waiter.request.owner);
	return l != NULL ? l->token : 0;
}

int32_t fake_lock_release(uint32_t table, fs_bytes name, fs_bytes owner, fs_error *err)
{
	(void)err;
	fake_held *l = find_owned(table, name, owner);
	if (l == NULL) {
		return FS_STATUS_ABSENT;
	}
	let_go(l);
	return FS_STATUS_OK;
}

int32_t fake_lock_force(uint32_t table, fs_bytes name, fs_error *err)
{
	(void)err;
	fake_held *l = find(table, name);
	if (l == NULL) {
		return FS_STATUS_ABSENT;
	}
	let_go(l);
	return FS_STATUS_OK;
}

int32_t fake_lock_refresh(uint32_t table, fs_bytes name, fs_bytes owner, int64_t ttl, fs_error *err)
{
	(void)err;
	fake_held *l = find_owned(table, name, owner);
	if (l == NULL) {
		return FS_STATUS_ABSENT;
	}
	l->expiry = fake_expiry(ttl);
	return FS_STATUS_OK;
}

int32_t fake_lock_state(uint32_t table, fs_bytes name, fs_bytes owner, fs_lock_state *out, fs_error *err)
{
	(void)err;
	fake_held *l = find(table, name);
	*out = (fs_lock_state){.held = l != NULL, .owned = find_owned(table, name, owner) != NULL, .left = FS_FOREVER};
	if (l != NULL && l->expiry != 0) {
		out->left = (int64_t)(l->expiry - fs_now());
	}
	return FS_STATUS_OK;
}

int32_t fake_lock_flush(uint32_t table, fs_error *err)
{
	(void)err;
	for (fake_held *l = locks; l < locks + MAX_LOCKS; l++) {
		if (l->name != NULL && l->table == table) {
			let_go(l);
		}
	}
	return FS_STATUS_OK;
}

void fake_lock_end(uint64_t request)
{
	for (fake_held *l = locks; l < locks + MAX_LOCKS; l++) {
		if (l->name != NULL && l->ends_with == request) {
			let_go(l);
		}
	}
}
