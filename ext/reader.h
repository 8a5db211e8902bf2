/* The lock-free reader: the only code outside Go that looks into a table. No Zend header is included, so that a plain C
 * harness compiles it under ThreadSanitizer, and nothing here allocates or can be left by longjmp: between setting and
 * clearing a hazard there is no call out.
 *
 * Every load and store of the protocol is sequentially consistent and pairs with Go's sync/atomic in sharedstate
 * (docs/internals.md, "Memory order"). Acquire would not do: on arm64 it may become LDAPR, which lets the re-check of the
 * slot word pass the store of the hazard. */
#ifndef FRANKENSHARE_READER_H
#define FRANKENSHARE_READER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "layout.h"

/* Fault points for the proofs: a harness defines it to yield there, or to break a step (tests/creader). */
#ifndef FS_POINT
#define FS_POINT(name) ((void)0)
#endif

typedef _Atomic uint64_t fs_word;

static inline uint64_t fs_load(fs_word *p) { return atomic_load_explicit(p, memory_order_seq_cst); }
static inline void fs_store(fs_word *p, uint64_t v) { atomic_store_explicit(p, v, memory_order_seq_cst); }
/* Takes a hazard away. What was read under it is over then, and nothing later depends on when others see it. */
static inline void fs_clear(fs_word *p) { atomic_store_explicit(p, 0, memory_order_release); }

typedef struct fs_meta {
	_Atomic uint32_t due;
	_Atomic uint32_t use;
} fs_meta;

typedef struct fs_bucket {
	fs_word word[8]; /* home: version, six slots, link; overflow: seven slots, link */
	fs_meta meta[8]; /* of the slot with the same index */
} fs_bucket;

typedef struct fs_row {
	fs_word expiry;
	fs_word number;
	uint64_t generation;
	uint32_t value_len;
	uint32_t key_len;
	uint8_t kind;
	uint8_t flags;
	uint16_t inline_len;
	uint32_t chunk;
	unsigned char bytes[];
} fs_row;

typedef struct fs_chunk {
	uint32_t next;
	uint32_t len;
	unsigned char bytes[];
} fs_chunk;

typedef struct fs_descriptor {
	uint64_t base;
	uint64_t homes;
	uint64_t buckets;
} fs_descriptor;

typedef struct fs_stripe_line {
	fs_word version;
	_Atomic uint32_t lock; /* FS_LOCK_* */
	uint32_t pad0;
	uint64_t writes; /* see number.h; the stripe is held */
	uint64_t pad[5];
} fs_stripe_line;

typedef struct fs_control {
	fs_word generation;
	fs_word multi;
	fs_word tick;
	fs_word intervals;
	uint64_t pad0[4];
	fs_word descriptor;
	uint32_t id;
	uint32_t stripes;
	fs_word max_value;
	_Atomic uint32_t max_key;
	_Atomic uint32_t eviction;
	uint8_t name_len;
	char name[63];
	fs_word objects;
	fs_word closed; /* FS_CLOSED_* bits */
	fs_word listeners;
	uint64_t pad1[1];
	fs_stripe_line stripe[];
} fs_control;

typedef struct fs_thread {
	fs_word claim;
	fs_word hazard;
	fs_word chunk;
	fs_word quiet;
	uint64_t pad0[4];
	fs_word hits;
	fs_word reads;
	fs_word locked;
	uint64_t pad1[5];
} fs_thread;

typedef struct fs_threads {
	fs_word high;
	fs_word sequence;
	uint64_t seed;
	fs_word entries;
	fs_word bytes;
	uint64_t pad[11];
	fs_thread record[FS_THREAD_RECORDS];
} fs_threads;

/* The cell of a counter or flag. Both are sequentially consistent: who sets a flag stores value, then loads waiters; who waits does it the other way
 * round. */
typedef struct fs_cell {
	fs_word value; /* an int64 */
	fs_word waiters;
} fs_cell;

#define FS_AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
FS_AT(fs_bucket, word, FS_BUCKET_VERSION * 8);
FS_AT(fs_bucket, meta, FS_BUCKET_META * 8);
FS_AT(fs_cell, value, FS_CELL_VALUE);
FS_AT(fs_cell, waiters, FS_CELL_WAITERS);
FS_AT(fs_meta, due, FS_META_DUE);
FS_AT(fs_meta, use, FS_META_USE);
FS_AT(fs_row, expiry, FS_ROW_EXPIRY);
FS_AT(fs_row, number, FS_ROW_NUMBER);
FS_AT(fs_row, generation, FS_ROW_GENERATION);
FS_AT(fs_row, value_len, FS_ROW_VALUE_LEN);
FS_AT(fs_row, key_len, FS_ROW_KEY_LEN);
FS_AT(fs_row, kind, FS_ROW_KIND);
FS_AT(fs_row, flags, FS_ROW_FLAGS);
FS_AT(fs_row, inline_len, FS_ROW_INLINE);
FS_AT(fs_row, chunk, FS_ROW_CHUNK);
FS_AT(fs_row, bytes, FS_ROW_HEADER);
FS_AT(fs_chunk, next, FS_CHUNK_NEXT);
FS_AT(fs_chunk, len, FS_CHUNK_LEN);
FS_AT(fs_chunk, bytes, FS_CHUNK_HEADER);
FS_AT(fs_descriptor, base, FS_DESCRIPTOR_BASE);
FS_AT(fs_descriptor, homes, FS_DESCRIPTOR_HOMES);
FS_AT(fs_descriptor, buckets, FS_DESCRIPTOR_BUCKETS);
FS_AT(fs_control, generation, FS_CONTROL_GENERATION);
FS_AT(fs_control, multi, FS_CONTROL_MULTI);
FS_AT(fs_control, tick, FS_CONTROL_TICK);
FS_AT(fs_control, intervals, FS_CONTROL_INTERVALS);
FS_AT(fs_control, descriptor, FS_CONTROL_DESCRIPTOR);
FS_AT(fs_control, id, FS_CONTROL_ID);
FS_AT(fs_control, stripes, FS_CONTROL_STRIPES);
FS_AT(fs_control, max_value, FS_CONTROL_MAX_VALUE);
FS_AT(fs_control, max_key, FS_CONTROL_MAX_KEY);
FS_AT(fs_control, objects, FS_CONTROL_OBJECTS);
FS_AT(fs_control, name_len, FS_CONTROL_NAME);
FS_AT(fs_control, eviction, FS_CONTROL_EVICTION);
FS_AT(fs_control, stripe, FS_CONTROL_STRIPE);
FS_AT(fs_control, closed, FS_CONTROL_CLOSED);
FS_AT(fs_control, listeners, FS_CONTROL_LISTENERS);
FS_AT(fs_stripe_line, version, FS_STRIPE_VERSION);
FS_AT(fs_stripe_line, lock, FS_STRIPE_LOCK);
FS_AT(fs_stripe_line, writes, FS_STRIPE_WRITES);
FS_AT(fs_thread, claim, FS_THREAD_CLAIM);
FS_AT(fs_thread, hazard, FS_THREAD_HAZARD);
FS_AT(fs_thread, chunk, FS_THREAD_CHUNK);
FS_AT(fs_thread, quiet, FS_THREAD_QUIET);
FS_AT(fs_thread, hits, FS_THREAD_HITS);
FS_AT(fs_thread, reads, FS_THREAD_READS);
FS_AT(fs_thread, locked, FS_THREAD_LOCKED);
FS_AT(fs_threads, high, FS_THREADS_HIGH);
FS_AT(fs_threads, sequence, FS_THREADS_SEQUENCE);
FS_AT(fs_threads, seed, FS_THREADS_SEED);
FS_AT(fs_threads, entries, FS_THREADS_ENTRIES);
FS_AT(fs_threads, bytes, FS_THREADS_BYTES);
FS_AT(fs_threads, record, FS_THREADS_HEADER);
_Static_assert(sizeof(fs_bucket) == FS_BUCKET_SIZE, "bucket");
_Static_assert(sizeof(fs_stripe_line) == FS_STRIPE_SIZE, "stripe");
_Static_assert(sizeof(fs_thread) == FS_THREAD_SIZE, "thread record");

/* What a read found. home, version and generation are what a gate entry needs; it may be filled only if cacheable. */
typedef struct fs_found {
	int32_t status; /* OK, ABSENT, GROW (len says how much), LOCKED (ask the bridge) */
	uint8_t kind;
	uint8_t flags;
	uint8_t cacheable;
	uint64_t number;
	uint64_t expiry;
	size_t len; /* bytes copied to dst, or with GROW those that it must have room for */
	fs_bucket *home;
	uint64_t version;
	uint64_t generation;
} fs_found;

static inline uint64_t fs_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Is what a gate entry remembers still so? The generation comes first: it says whether home may be followed at all. */
static inline int fs_gate_valid(fs_control *c, fs_bucket *home, uint64_t version, uint64_t generation, uint64_t expiry)
{
	return fs_load(&c->generation) == generation && fs_load(&home->word[FS_BUCKET_VERSION]) == version &&
	       (expiry == 0 || fs_now() < expiry);
}

/* Claims a thread record; NULL when all are taken: that thread has no gate and reads through the locked path. */
static inline fs_thread *fs_thread_claim(fs_threads *all)
{
	uint64_t number = atomic_fetch_add(&all->sequence, 1) + 1;
	for (uint64_t i = 0; i < FS_THREAD_RECORDS; i++) {
		fs_thread *t = &all->record[i];
		uint64_t is_free = 0;
		if (fs_load(&t->claim) == 0 && atomic_compare_exchange_strong(&t->claim, &is_free, number)) {
			/* Raised before the first hazard is set; pairs with the scan in threads.go, which loads it before the hazards. */
			uint64_t high = fs_load(&all->high);
			while (high < i + 1 && !atomic_compare_exchange_weak(&all->high, &high, i + 1)) {
			}
			return t;
		}
	}
	return NULL;
}

/* May be called by another thread than the one that claimed, once that one has ended. */
static inline void fs_thread_release(fs_thread *t)
{
	if (t != NULL) {
		fs_store(&t->hazard, 0);
		fs_store(&t->chunk, 0);
		fs_store(&t->claim, 0);
	}
}

/* Says that the thread is in no read: whatever it reads later is of a table as it is now. Pairs with Go's grave. */
static inline void fs_thread_quiet(fs_threads *all, fs_thread *t)
{
	if (t != NULL) {
		fs_store(&t->quiet, fs_load(&all->sequence));
	}
}

/* A statistic that its thread alone writes and others may load. */
static inline void fs_bump(fs_word *p)
{
	atomic_store_explicit(p, atomic_load_explicit(p, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* Writes a use of a row down for the eviction policies: under LRU once in a tick, under LFU by chance. The same rule stands in
 * Go's meta.noteUse. Readers and writers may overwrite one another here, so nothing needs an order. */
static inline void fs_use(const fs_thread *self, fs_control *c, fs_meta *m)
{
	uint32_t policy = atomic_load_explicit(&c->eviction, memory_order_relaxed);
	uint32_t tick = (uint32_t)atomic_load_explicit(&c->tick, memory_order_relaxed) & FS_USE_TICK_MASK;
	uint32_t use = atomic_load_explicit(&m->use, memory_order_relaxed);
	uint32_t age = (tick - (use >> FS_USE_TICK_SHIFT)) & FS_USE_TICK_MASK;
	if (policy > FS_EVICT_LFU || (policy == FS_EVICT_LRU && age == 0)) {
		return;
	}
	uint32_t count = use & FS_USE_COUNT_MASK, lost = age / FS_USE_DECAY;
	count -= lost < count ? lost : count;
	if (policy == FS_EVICT_LFU && count < FS_USE_COUNT_MASK) {
		uint32_t over = count > FS_USE_FIRST ? count - FS_USE_FIRST : 0;
		/* The number of the thread's reads, spread over all bits, is random enough. */
		uint64_t dice = atomic_load_explicit(&self->reads, memory_order_relaxed) * 0x9E3779B97F4A7C15u >> 32;
		count += dice % (1 + ((uint64_t)over << FS_USE_RARITY)) == 0;
	}
	uint32_t next = tick << FS_USE_TICK_SHIFT | count;
	if (next != use) {
		atomic_store_explicit(&m->use, next, memory_order_relaxed);
	}
}

/* Looks key up and copies its value to dst. Ints and floats come in number. With dst NULL it is a look that is no use of the key:
 * OK, with len, and nothing is copied. Leaves no hazard behind. */
static inline void fs_read(fs_threads *all, fs_thread *self, fs_control *c, const char *key, size_t key_len, char *dst,
                           size_t cap, fs_found *out)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(key, key_len, all->seed);
	uint64_t tag = hash.high64 >> 48;
	unsigned restarts = 0;

	fs_bump(&self->reads);
restart:
	out->status = FS_STATUS_ABSENT;
	out->cacheable = 0;
	out->expiry = 0;
	out->len = 0;
	out->generation = fs_load(&c->generation); /* before the descriptor: resize stores it after */
	FS_POINT(generation);
	fs_descriptor *d = (fs_descriptor *)fs_load(&c->descriptor);
	unsigned char *base = (unsigned char *)d->base;
	uint64_t stripe = hash.high64 & (c->stripes - 1);
	uint64_t index = stripe * d->homes + (uint64_t)(((unsigned __int128)hash.low64 * d->homes) >> 64);
	fs_bucket *bucket = (fs_bucket *)(base + d->buckets) + index;
	__builtin_prefetch(&bucket->meta);
	out->home = bucket;
	out->version = fs_load(&bucket->word[FS_BUCKET_VERSION]);
	FS_POINT(version);
	if (fs_load(&c->multi) != 0) { /* a merge is half done somewhere: its rows must not be seen one by one */
		goto locked;
	}
	out->cacheable = (out->version & 1) == 0;
	FS_POINT(scan);

	for (int i = FS_BUCKET_HOME_SLOT;;) {
		for (; i < FS_BUCKET_LINK; i++) {
			uint64_t word = fs_load(&bucket->word[i]);
		protect:
			if (word == 0 || word >> FS_SLOT_TAG_SHIFT != tag) {
				continue;
			}
			fs_row *row = (fs_row *)(base + (word & (((uint64_t)1 << FS_SLOT_OFFSET_BITS) - 1)) * FS_UNIT);
			FS_POINT(slot);
#ifndef FS_BREAK_NO_HAZARD
			fs_store(&self->hazard, (uint64_t)row); /* pairs with the scan's load in threads.go */
#endif
			FS_POINT(hazard);
#ifndef FS_BREAK_NO_RECHECK
			uint64_t again = fs_load(&bucket->word[i]);
			if (again != word) {
				if (++restarts > 8) {
					goto locked;
				}
				word = again;
				goto protect;
			}
#endif
			if (row->key_len != key_len) {
				continue;
			}
			if (row->inline_len < key_len) { /* a key longer than a cell: rare enough for the lock */
				goto locked;
			}
			if (memcmp(row->bytes, key, key_len) != 0) {
				continue;
			}
			if (row->generation < out->generation) {
				goto done; /* cleared: absent */
			}
			out->expiry = fs_load(&row->expiry);
			if (out->expiry != 0 && fs_now() >= out->expiry) {
				/* Believed only without a writer at the chain: writers read the clock after making the version odd. */
				if ((out->version & 1) != 0 || fs_load(&out->home->word[FS_BUCKET_VERSION]) != out->version) {
					goto locked;
				}
				out->expiry = 0;
				goto done;
			}
			out->kind = row->kind;
			out->flags = row->flags;
			out->number = fs_load(&row->number);
			size_t len = row->value_len;
			if (dst == NULL) {
				out->len = len;
				out->status = FS_STATUS_OK;
				goto done;
			}
			fs_use(self, c, &bucket->meta[i]);
			if (len > cap) {
				out->len = len;
				out->status = FS_STATUS_GROW;
				goto done;
			}
			size_t have = row->inline_len - key_len;
			FS_POINT(copy);
			memcpy(dst, row->bytes + key_len, have);
			/* The hazard stays on the head; each chunk gets the second one, and the word says that it was in time. */
			for (uint64_t next = row->chunk; have < len;) {
				fs_chunk *chunk = (fs_chunk *)(base + next * FS_UNIT);
				fs_store(&self->chunk, (uint64_t)chunk);
				FS_POINT(chunk);
				if (fs_load(&bucket->word[i]) != word) {
					if (++restarts > 8) {
						goto locked;
					}
					fs_clear(&self->hazard);
					fs_clear(&self->chunk);
					goto restart;
				}
				memcpy(dst + have, chunk->bytes, chunk->len);
				have += chunk->len;
				next = chunk->next;
			}
			out->len = len;
			out->status = FS_STATUS_OK;
			goto done;
		}
		uint64_t link = fs_load(&bucket->word[FS_BUCKET_LINK]);
		if (link == 0) {
			goto done;
		}
		bucket = (fs_bucket *)(base + link * FS_UNIT);
		i = 0;
	}

locked:
	fs_bump(&self->locked);
	out->status = FS_STATUS_LOCKED;
	out->cacheable = 0;
done:
	fs_clear(&self->hazard);
	fs_clear(&self->chunk);
}

#endif
