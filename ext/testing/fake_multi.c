/* Writes of many keys in one step: merge, replace, clear. */
#include <stdlib.h>

#include "fake_table.h"

typedef struct item {
	fake_key key;
	uint64_t row, old;
	size_t order;
} item;

/* By chain, and within one in the order that the caller gave. */
static int by_chain(const void *a, const void *b)
{
	const item *x = a, *y = b;
	if (x->key.home != y->key.home) {
		return x->key.home < y->key.home ? -1 : 1;
	}
	return x->order < y->order ? -1 : 1;
}

static void drop(fake_table *t, item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fake_discard(t, items[i].row);
	}
	free(items);
}

/* Builds a row for each entry; NULL when they do not fit. */
static item *prepare(fake_table *t, const fs_entry *entries, size_t n, uint64_t expiry)
{
	item *items = calloc(n + 1, sizeof *items);
	for (size_t i = 0; items != NULL && i < n; i++) {
		uint64_t row = fake_build_or_sweep(t, entries[i].key, &entries[i].value, expiry);
		if (row == 0) {
			drop(t, items, i);
			return NULL;
		}
		items[i] = (item){.key = fake_locate(t, entries[i].key), .row = row, .order = i};
	}
	if (items != NULL) {
		qsort(items, n, sizeof *items, by_chain);
	}
	return items;
}

static size_t chain_end(const item *items, size_t n, size_t i)
{
	size_t end = i + 1;
	while (end < n && items[end].key.home == items[i].key.home) {
		end++;
	}
	return end;
}

/* Sees to it that every new key will find an empty slot, so that nothing can fail once the first word has changed. */
static bool room_locked(fake_table *t, const item *items, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		size_t absent = 0;
		end = chain_end(items, n, i);
		for (size_t j = i; j < end; j++) {
			absent += !fake_find_locked(t, &items[j].key).mine;
		}
		if (!fake_room_locked(t, &items[i].key, absent)) {
			return false;
		}
	}
	return true;
}

static void enter_multi(fake_table *t)
{
#ifndef FS_BREAK_NO_MULTI
	atomic_fetch_add(&t->control->multi, 1);
#endif
	FS_POINT(multi);
}

static void leave_multi(fake_table *t)
{
#ifndef FS_BREAK_NO_MULTI
	atomic_fetch_sub(&t->control->multi, 1);
#endif
}

/* How many rows are changed between one odd and one even step: all of them, so that a gate that has one of the keys
 * misses before any other key shows its new value. */
static size_t step_end(const item *items, size_t n, size_t i)
{
#ifdef FS_BREAK_NOT_ALL_ODD
	return chain_end(items, n, i);
#else
	(void)items, (void)i;
	return n;
#endif
}

static void swap_all_locked(fake_table *t, item *items, size_t n)
{
	uint64_t generation = fs_load(&t->control->generation);
	for (size_t from = 0, to; from < n; from = to) {
		to = step_end(items, n, from);
		for (size_t i = from; i < to; i = chain_end(items, to, i)) {
			fake_open_locked(t, items[i].key.stripe, items[i].key.home);
		}
		for (size_t i = from; i < to; i++) {
			fake_place p = fake_find_locked(t, &items[i].key);
			fake_row(t, items[i].row)->generation = generation;
			items[i].old = p.row;
			fake_publish_locked(&items[i].key, p.slot, items[i].row);
		}
		for (size_t i = from; i < to; i = chain_end(items, to, i)) {
			fake_close_locked(t, items[i].key.stripe, items[i].key.home);
		}
	}
}

static void finish(fake_table *t, item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fake_retire(t, items[i].old);
	}
	free(items);
	atomic_fetch_add(&t->writes, n);
}

/* Calls use for each stripe of the items, in ascending order: they are sorted by home bucket, and a stripe's home
 * buckets stand together. */
static void each_stripe(fake_table *t, const item *items, size_t n, void (*use)(fake_table *, uint32_t))
{
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || items[i].key.stripe != items[i - 1].key.stripe) {
			use(t, items[i].key.stripe);
		}
	}
}

int32_t fake_merge(fake_table *t, const fs_entry *entries, size_t n, uint64_t expiry)
{
	item *items = prepare(t, entries, n, expiry);
	if (items == NULL) {
		return FS_STATUS_FULL;
	}
	each_stripe(t, items, n, fake_lock);
	for (bool swept = false; !room_locked(t, items, n); swept = true) {
		each_stripe(t, items, n, fake_unlock);
		if (swept) {
			drop(t, items, n);
			return FS_STATUS_FULL;
		}
		fake_sweep(t);
		each_stripe(t, items, n, fake_lock);
	}
	enter_multi(t);
	swap_all_locked(t, items, n);
	leave_multi(t);
	each_stripe(t, items, n, fake_unlock);
	finish(t, items, n);
	return FS_STATUS_OK;
}

void fake_lock_all(fake_table *t)
{
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		fake_lock(t, s);
	}
}

void fake_unlock_all(fake_table *t)
{
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		fake_unlock(t, s);
	}
}

/* Holds all stripes at once: the fake's tables are small. */
uint64_t fake_erase_many(fake_table *t, const fs_bytes *keys, size_t n)
{
	uint64_t was = 0;
	fake_lock_all(t);
	enter_multi(t);
	for (size_t i = 0; i < n; i++) {
		fake_key k = fake_locate(t, keys[i]);
		fake_place p = fake_find_locked(t, &k);
		if (p.mine) {
			fake_open_locked(t, k.stripe, k.home);
			was += fake_alive_locked(t, p.row, fs_now());
			fs_store(p.slot, 0);
			fake_close_locked(t, k.stripe, k.home);
			fake_retire(t, p.row);
		}
	}
	leave_multi(t);
	fake_unlock_all(t);
	atomic_fetch_add(&t->deletes, was);
	return was;
}

static void raise_generation(fake_table *t)
{
	static fs_word last; /* one counter for all tables, so that none ever has the number of another's gate entry */
	fs_store(&t->control->generation, atomic_fetch_add(&last, 1) + 1);
	atomic_fetch_add(&t->clears, 1);
}

int32_t fake_replace(fake_table *t, const fs_entry *entries, size_t n, fake_visitor *old, void *context)
{
	item *items = prepare(t, entries, n, 0);
	if (items == NULL) {
		return FS_STATUS_FULL;
	}
	fake_lock_all(t);
	for (bool swept = false; !room_locked(t, items, n); swept = true) {
		fake_unlock_all(t);
		if (swept) {
			drop(t, items, n);
			return FS_STATUS_FULL;
		}
		fake_sweep(t);
		fake_lock_all(t);
	}
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		fake_visit_locked(t, s, old, context);
	}
	enter_multi(t);
	raise_generation(t);
	swap_all_locked(t, items, n);
	leave_multi(t);
	fake_unlock_all(t);
	finish(t, items, n);
	return FS_STATUS_OK;
}

void fake_clear(fake_table *t)
{
	fake_lock_all(t);
	raise_generation(t);
	fake_unlock_all(t);
}
