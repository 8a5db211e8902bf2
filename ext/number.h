/* Numbers that are changed in place: the one write that does not go through Go, for it is nothing but words that change. It takes the
 * stripe's lock as Go does, if that is free, and goes the way of Table.setNumberLocked; whatever needs more than that (a key that is
 * absent, expired, of another kind, a lock that is held, a closed table) is left to Go. No Zend header is included, and between
 * lock and unlock there is no call out. */
#ifndef FRANKENSHARE_NUMBER_H
#define FRANKENSHARE_NUMBER_H

#include <math.h>

#include "reader.h"

typedef enum fs_number_op {
	FS_NUMBER_SET,  /* whatever it was, for a row without expiry */
	FS_NUMBER_ADD,  /* or with subtract take off */
	FS_NUMBER_SWAP, /* if it is old */
} fs_number_op;

/* A change, and what it came to. Floats by their bits. */
typedef struct fs_number {
	fs_number_op op;
	uint8_t kind; /* FS_KIND_INT or FS_KIND_FLOAT: of number, and of old */
	uint8_t subtract;
	uint64_t number;
	uint64_t old;

	uint8_t result_kind;
	uint8_t wake; /* somebody sleeps until the stripe is free */
	uint64_t stripe;
	uint64_t result;
	uint64_t home; /* address; with version, generation and expiry what a gate needs */
	uint64_t version;
	uint64_t generation;
	uint64_t expiry;
} fs_number;

static inline double fs_float_of(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof(d));
	return d;
}

static inline uint64_t fs_bits_of(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* What a change makes of a row's number, in n->result. False when it has another kind then, leaves the range, or is not to be made: all
 * that is for Go to tell. The rules are those of addNumbers. */
static inline int fs_number_result(fs_number *n, uint8_t kind, uint64_t present)
{
	n->result_kind = kind;
	n->result = n->number;
	if (n->op != FS_NUMBER_ADD) {
		return kind == n->kind && (n->op == FS_NUMBER_SET || present == n->old);
	}
	if (kind == FS_KIND_INT && n->kind == FS_KIND_INT) {
		int64_t sum, x = (int64_t)present, y = (int64_t)n->number;
		int over = n->subtract ? __builtin_sub_overflow(x, y, &sum) : __builtin_add_overflow(x, y, &sum);
		n->result = (uint64_t)sum;
		return !over;
	}
	if (kind != FS_KIND_FLOAT) {
		return 0;
	}
	double x = fs_float_of(present), y = n->kind == FS_KIND_INT ? (double)(int64_t)n->number : fs_float_of(n->number);
	double sum = n->subtract ? x - y : x + y;
	n->result = fs_bits_of(sum);
	return !isinf(sum) || isinf(x) || isinf(y);
}

/* The slot of a key in its chain, whose stripe is held; NULL when it is absent or longer than its cell. */
static inline fs_row *fs_find_held(unsigned char *base, fs_bucket *home, uint64_t tag, const char *key, size_t key_len,
                                   uint64_t generation, fs_meta **meta)
{
	fs_bucket *bucket = home;
	for (int i = FS_BUCKET_HOME_SLOT;;) {
		for (; i < FS_BUCKET_LINK; i++) {
			uint64_t word = fs_load(&bucket->word[i]);
			if (word == 0 || word >> FS_SLOT_TAG_SHIFT != tag) {
				continue;
			}
			fs_row *row = (fs_row *)(base + (word & (((uint64_t)1 << FS_SLOT_OFFSET_BITS) - 1)) * FS_UNIT);
			if (row->key_len == key_len && row->inline_len >= key_len && memcmp(row->bytes, key, key_len) == 0) {
				*meta = &bucket->meta[i];
				return row->generation == generation ? row : NULL;
			}
		}
		uint64_t link = fs_load(&bucket->word[FS_BUCKET_LINK]);
		if (link == 0) {
			return NULL;
		}
		bucket = (fs_bucket *)(base + link * FS_UNIT);
		i = 0;
	}
}

/* The two halves of the bracket around a change: as openLocked and closeLocked in Go. */
static inline void fs_open(fs_word *version)
{
#ifndef FS_BREAK_NUMBER_NO_ODD
	fs_store(version, fs_load(version) | 1);
#endif
}

static inline void fs_close(fs_word *version) { fs_store(version, (fs_load(version) | 1) + 1); }

/* Makes the change, whose stripe is held; false when it is for Go. */
static inline int fs_change_held(fs_thread *self, fs_control *c, fs_stripe_line *stripe, XXH128_hash_t hash,
                                 const char *key, size_t key_len, fs_number *n)
{
	if (fs_load(&c->closed) != 0) {
		return 0;
	}
	n->generation = fs_load(&c->generation);
	fs_descriptor *d = (fs_descriptor *)fs_load(&c->descriptor);
	unsigned char *base = (unsigned char *)d->base;
	uint64_t index = n->stripe * d->homes + (uint64_t)(((unsigned __int128)hash.low64 * d->homes) >> 64);
	fs_bucket *home = (fs_bucket *)(base + d->buckets) + index;
	fs_meta *meta;
	fs_row *row = fs_find_held(base, home, hash.high64 >> 48, key, key_len, n->generation, &meta);
	if (row == NULL || !fs_number_result(n, row->kind, fs_load(&row->number))) {
		return 0;
	}
	n->expiry = fs_load(&row->expiry);
	if (n->op == FS_NUMBER_SET && n->expiry != 0) {
		return 0;
	}
	fs_open(&stripe->version);
	fs_open(&home->word[FS_BUCKET_VERSION]);
	FS_POINT(open);
	/* The clock is read inside: no reader can have taken the row for expired before this change. */
	int live = n->expiry == 0 || fs_now() < n->expiry;
	if (live) {
		fs_store(&row->number, n->result);
		FS_POINT(changed);
	}
	fs_close(&home->word[FS_BUCKET_VERSION]);
	fs_close(&stripe->version);
	if (live) {
		stripe->writes++;
		fs_use(self, c, meta);
		n->home = (uint64_t)home;
		n->version = fs_load(&home->word[FS_BUCKET_VERSION]);
	}
	return live;
}

/* Changes a key's number in place. False: nothing has changed, and Go is to do it. In both cases, with n->wake set, somebody has to
 * be woken who sleeps until the stripe n->stripe is free; and after a change the table's listeners, if it has any, are to be told. */
static inline int fs_change_number(fs_threads *all, fs_thread *self, fs_control *c, const char *key, size_t key_len,
                                   fs_number *n)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(key, key_len, all->seed);
	n->stripe = hash.high64 & (c->stripes - 1);
	n->wake = 0;
	fs_stripe_line *stripe = &c->stripe[n->stripe];
	uint32_t is_free = FS_LOCK_FREE;
#ifndef FS_BREAK_NUMBER_NO_LOCK
	if (!atomic_compare_exchange_strong(&stripe->lock, &is_free, FS_LOCK_HELD)) {
		return 0;
	}
#endif
	FS_POINT(held);
	int done = fs_change_held(self, c, stripe, hash, key, key_len, n);
#ifndef FS_BREAK_NUMBER_NO_LOCK
	n->wake = atomic_exchange(&stripe->lock, FS_LOCK_FREE) == FS_LOCK_WANTED;
#endif
	return done;
}

#endif
