/* The twin's index: from a key to its chain, and the bracket of versions around every change to one. */
#include "fake_table.h"

fake_key fake_locate(const fake_table *t, fs_bytes key)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(key.data, key.len, t->threads->seed);
	uint32_t stripe = (uint32_t)(hash.high64 & (t->shape.stripes - 1));
	uint64_t home = (uint64_t)(((unsigned __int128)hash.low64 * t->shape.homes) >> 64);
	return (fake_key){key, hash.high64 >> 48, stripe, (fs_bucket *)t->base + (uint64_t)stripe * t->shape.homes + home};
}

/* The mutex keeps those apart who come through the bridge, the word those who change a number in place. */
void fake_lock(fake_table *t, uint32_t stripe)
{
	pthread_mutex_lock(&t->stripe[stripe]);
	uint32_t is_free = FS_LOCK_FREE;
	while (!atomic_compare_exchange_weak(&t->control->stripe[stripe].lock, &is_free, FS_LOCK_HELD)) {
		is_free = FS_LOCK_FREE;
		sched_yield();
	}
}

void fake_unlock(fake_table *t, uint32_t stripe)
{
	atomic_store(&t->control->stripe[stripe].lock, FS_LOCK_FREE);
	pthread_mutex_unlock(&t->stripe[stripe]);
}

static void make_odd(fs_word *version) { fs_store(version, fs_load(version) | 1); }
static void make_even(fs_word *version) { fs_store(version, (fs_load(version) | 1) + 1); }

void fake_open_locked(fake_table *t, uint32_t stripe, fs_bucket *home)
{
#ifndef FS_BREAK_NO_ODD
	make_odd(&t->control->stripe[stripe].version);
	make_odd(&home->word[FS_BUCKET_VERSION]);
#endif
	FS_POINT(odd);
}

void fake_close_locked(fake_table *t, uint32_t stripe, fs_bucket *home)
{
	FS_POINT(even);
	make_even(&home->word[FS_BUCKET_VERSION]);
	make_even(&t->control->stripe[stripe].version);
}

bool fake_alive_locked(const fake_table *t, uint64_t row, uint64_t now)
{
	uint64_t expiry = fs_load(&fake_row(t, row)->expiry);
	return fake_row(t, row)->generation >= fs_load(&t->control->generation) && (expiry == 0 || now < expiry);
}

static uint64_t row_of(uint64_t word) { return word & (((uint64_t)1 << FS_SLOT_OFFSET_BITS) - 1); }

/* Walks a chain's slots; next_slot() gives NULL at its end. */
typedef struct walk {
	fs_bucket *bucket;
	int index;
} walk;

static fs_word *next_slot(const fake_table *t, walk *w)
{
	if (w->index == FS_BUCKET_LINK) {
		uint64_t link = fs_load(&w->bucket->word[FS_BUCKET_LINK]);
		if (link == 0) {
			return NULL;
		}
		*w = (walk){fake_at(t, link), 0};
	}
	return &w->bucket->word[w->index++];
}

/* May a new key's row take this slot instead of the one found so far? An empty slot goes before a dead row of another
 * key, whose readers find it absent before and after. In a replace, which has just made all rows dead, there is an
 * empty one for every new key: the rows that died last are still found by readers of the generation before. */
static bool is_better(const fake_table *t, const fake_place *p, uint64_t row, uint64_t now)
{
#ifdef FS_BREAK_STEAL
	if (row != 0 && p->row != 0) {
		return !fake_alive_locked(t, row, now) && fake_row(t, row)->generation > fake_row(t, p->row)->generation;
	}
	return row == 0 ? p->slot == NULL : !fake_alive_locked(t, row, now);
#else
	return row == 0 ? p->slot == NULL || p->row != 0 : p->slot == NULL && !fake_alive_locked(t, row, now);
#endif
}

fake_place fake_find_locked(const fake_table *t, const fake_key *k)
{
	fake_place p = {0};
	walk w = {k->home, FS_BUCKET_HOME_SLOT};
	uint64_t now = fs_now();
	for (fs_word *slot; (slot = next_slot(t, &w)) != NULL;) {
		uint64_t word = fs_load(slot), row = row_of(word);
		if (word != 0 && word >> FS_SLOT_TAG_SHIFT == k->tag && fake_key_is(t, row, k->bytes)) {
			return (fake_place){slot, row, true};
		}
		if (is_better(t, &p, row, now)) {
			p = (fake_place){slot, row, false};
		}
	}
	return p;
}

void fake_publish_locked(const fake_key *k, fs_word *slot, uint64_t row)
{
	fs_store(slot, k->tag << FS_SLOT_TAG_SHIFT | row);
	FS_POINT(slot);
}

static uint64_t take_overflow(fake_table *t)
{
	uint64_t bucket = 0;
	pthread_mutex_lock(&t->pool);
	if (t->next_overflow < t->end_overflow) {
		bucket = t->next_overflow;
		t->next_overflow += FS_BUCKET_SIZE / FS_UNIT;
	}
	pthread_mutex_unlock(&t->pool);
	return bucket;
}

bool fake_room_locked(fake_table *t, const fake_key *k, size_t need)
{
	size_t empty = 0;
	walk w = {k->home, FS_BUCKET_HOME_SLOT};
	for (fs_word *slot; (slot = next_slot(t, &w)) != NULL;) {
		empty += fs_load(slot) == 0;
	}
	for (; empty < need; empty += FS_BUCKET_LINK) {
		uint64_t bucket = take_overflow(t);
		if (bucket == 0) {
			return false;
		}
		fake_open_locked(t, k->stripe, k->home);
		fs_store(&w.bucket->word[FS_BUCKET_LINK], bucket);
		fake_close_locked(t, k->stripe, k->home);
		w.bucket = fake_at(t, bucket);
	}
	return true;
}

uint64_t fake_sweep(fake_table *t)
{
	uint64_t expired = 0;
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		fake_lock(t, s);
		for (uint32_t h = 0; h < t->shape.homes; h++) {
			fs_bucket *home = (fs_bucket *)t->base + (uint64_t)s * t->shape.homes + h;
			walk w = {home, FS_BUCKET_HOME_SLOT};
			uint64_t now = fs_now();
			for (fs_word *slot; (slot = next_slot(t, &w)) != NULL;) {
				uint64_t row = row_of(fs_load(slot));
				if (row != 0 && !fake_alive_locked(t, row, now)) {
					expired += fake_row(t, row)->generation >= fs_load(&t->control->generation);
					fake_open_locked(t, s, home);
					fs_store(slot, 0);
					fake_close_locked(t, s, home);
					fake_retire(t, row);
				}
			}
		}
		fake_unlock(t, s);
	}
	atomic_fetch_add(&t->expired, expired);
	return expired;
}

bool fake_visit_locked(fake_table *t, uint32_t stripe, fake_visitor *visit, void *context)
{
	uint64_t now = fs_now();
	for (uint32_t h = 0; h < t->shape.homes; h++) {
		walk w = {(fs_bucket *)t->base + (uint64_t)stripe * t->shape.homes + h, FS_BUCKET_HOME_SLOT};
		for (fs_word *slot; (slot = next_slot(t, &w)) != NULL;) {
			uint64_t row = row_of(fs_load(slot));
			if (row != 0 && fake_alive_locked(t, row, now) && !visit(t, stripe, row, context)) {
				return false;
			}
		}
	}
	return true;
}
