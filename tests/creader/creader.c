#include "creader.h"
#include "cell.h"

#include <stdlib.h>

_Thread_local uint64_t creader_dice = 88172645463325252u;
int creader_pause;
int creader_sleep;

creader *creader_new(uint64_t threads, uint64_t control)
{
	creader *r = calloc(1, sizeof *r);
	r->threads = (fs_threads *)threads;
	r->control = (fs_control *)control;
	r->self = fs_thread_claim(r->threads);
	return r;
}

void creader_free(creader *r)
{
	fs_thread_release(r->self);
	free(r);
}

void creader_quiet(creader *r) { fs_thread_quiet(r->threads, r->self); }

creader_answer creader_read(creader *r, int slot, const char *key, size_t key_len, char *dst, size_t cap)
{
	if (r->self == NULL) { /* as in ext/access.c */
		return (creader_answer){.status = FS_STATUS_LOCKED};
	}
	creader_entry past = {0};
	creader_entry *e = slot < 0 ? &past : &r->gate[slot];
	int hit =
		e->valid && fs_gate_valid(r->control, e->found.home, e->found.version, e->found.generation, e->found.expiry);
	if (!hit) {
		fs_read(r->threads, r->self, r->control, key, key_len, dst, cap, &e->found);
		e->valid = e->found.cacheable && e->found.status != FS_STATUS_GROW;
	}
	creader_answer a = {
		.status = e->found.status,
		.kind = e->found.kind,
		.hit = (uint8_t)hit,
		.number = e->found.number,
		.len = e->found.len,
	};
	return a;
}

int creader_change(creader *r, const char *key, size_t key_len, fs_number *n)
{
	return r->self != NULL && fs_change_number(r->threads, r->self, r->control, key, key_len, n);
}

/* The sum has room for what the histories add. */
int64_t creader_add(uint64_t cell, int64_t by)
{
	int64_t sum;
	fs_cell_add((fs_cell *)cell, by, &sum);
	return sum;
}

int64_t creader_set(uint64_t cell, int64_t value) { return fs_cell_set((fs_cell *)cell, value); }

int creader_compare(uint64_t cell, int64_t expected, int64_t value)
{
	return fs_cell_compare_and_set((fs_cell *)cell, expected, value);
}

int64_t creader_value(uint64_t cell) { return (int64_t)fs_load(&((fs_cell *)cell)->value); }
