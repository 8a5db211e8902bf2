/* Inside the twin: a table, its cells and its chains. "locked" in a name: the caller holds the stripe's mutex. */
#ifndef FRANKENSHARE_FAKE_TABLE_H
#define FRANKENSHARE_FAKE_TABLE_H

#include <pthread.h>
#include <stdbool.h>

#include "fake.h"

typedef struct fake_table {
	fs_control *control;
	fs_threads *threads;
	unsigned char *base; /* the arena: home buckets, overflow buckets, cells */
	fs_descriptor descriptor;
	fs_fake_options shape;
	pthread_mutex_t *stripe;

	pthread_mutex_t pool;                             /* guards the rest; taken inside a stripe, never the other way */
	uint64_t first_cell, next_overflow, end_overflow; /* in units */
	uint64_t *free, *retired;                         /* cells in units */
	size_t free_count, retired_count;

	_Atomic uint64_t writes, deletes, expired, refused, clears;
} fake_table;

static inline void *fake_at(const fake_table *t, uint64_t units) { return t->base + units * FS_UNIT; }
static inline fs_row *fake_row(const fake_table *t, uint64_t units) { return fake_at(t, units); }

/* Cells and rows (fake_cells.c). A row is built before any stripe is locked and nobody's until it is published. */
bool fake_cells_init(fake_table *t);
void fake_cells_free(fake_table *t);
uint64_t fake_build(fake_table *t, fs_bytes key, const fs_value *value, uint64_t expiry); /* 0: no room */
void fake_discard(fake_table *t, uint64_t row); /* a row that was never published */
void fake_retire(fake_table *t, uint64_t row);  /* a row that no slot leads to any more */
bool fake_key_is(const fake_table *t, uint64_t row, fs_bytes key);
void fake_copy(const fake_table *t, uint64_t row, size_t from, char *dst, size_t n); /* of key and value as one run */
void fake_value_of(const fake_table *t, uint64_t row, fs_value *out);                /* all but data */
void fake_set_number(fake_table *t, uint64_t row, const fs_value *v);                /* of an unpublished row */
bool fake_is_number(uint8_t kind);

/* Chains (fake_chain.c). */
typedef struct fake_key {
	fs_bytes bytes;
	uint64_t tag;
	uint32_t stripe;
	fs_bucket *home;
} fake_key;

typedef struct fake_place {
	fs_word *slot; /* the key's, or one that a new row may take; NULL when the chain has neither */
	uint64_t row;  /* what is in the slot now, 0 for nothing */
	bool mine;     /* that row has the key; it may be dead all the same */
} fake_place;

fake_key fake_locate(const fake_table *t, fs_bytes key);
void fake_lock(fake_table *t, uint32_t stripe);
void fake_unlock(fake_table *t, uint32_t stripe);
fake_place fake_find_locked(const fake_table *t, const fake_key *k);
bool fake_alive_locked(const fake_table *t, uint64_t row, uint64_t now);
/* The two halves of the bracket around every change that a reader of the chain can see. */
void fake_open_locked(fake_table *t, uint32_t stripe, fs_bucket *home);
void fake_close_locked(fake_table *t, uint32_t stripe, fs_bucket *home);
void fake_publish_locked(const fake_key *k, fs_word *slot, uint64_t row); /* inside an open bracket */
/* Sees to it that the chain has need empty slots; no bracket may be open. False without overflow buckets. */
bool fake_room_locked(fake_table *t, const fake_key *k, size_t need);
/* Frees what clear and expiry left behind, one stripe at a time; no stripe may be held. Answers how many had expired. */
uint64_t fake_sweep(fake_table *t);
/* Visits the live rows of a stripe; stops when visit returns false. */
typedef bool fake_visitor(fake_table *t, uint32_t stripe, uint64_t row, void *context);
bool fake_visit_locked(fake_table *t, uint32_t stripe, fake_visitor *visit, void *context);

/* Writes (fake_write.c, fake_multi.c): what the bridge's functions do once their input is checked. */
uint64_t fake_build_or_sweep(fake_table *t, fs_bytes key, const fs_value *value, uint64_t expiry);
uint64_t fake_expiry(int64_t ttl);
bool fake_value_is_locked(const fake_table *t, uint64_t row, const fs_value *value);
/* What a put asks of the row that is there, with its stripe held. */
typedef enum fake_condition { FAKE_ALWAYS, FAKE_IF_ABSENT, FAKE_IF_SAME } fake_condition;
/* Stores value if the condition holds, which *done then says; old is what FAKE_IF_SAME compares with, whose expiry stays. */
int32_t fake_put(fake_table *t, fs_bytes key, const fs_value *value, int64_t ttl, fake_condition when,
                 const fs_value *old, int32_t *done, fs_receipt *out);
int32_t fake_erase(fake_table *t, fs_bytes key);
/* fake_erase() that copies the value to dst first; GROW, and nothing is removed, when that has no room. */
int32_t fake_pull(fake_table *t, fs_bytes key, char *dst, size_t cap, fs_value *out);
int32_t fake_increment(fake_table *t, fs_bytes key, const fs_value *by, bool subtract, int64_t ttl, fs_value *out,
                       fs_receipt *receipt);
int32_t fake_touch(fake_table *t, fs_bytes key, uint64_t expiry);
int32_t fake_merge(fake_table *t, const fs_entry *entries, size_t n, uint64_t expiry);
/* Removes the keys in one step. */
uint64_t fake_erase_many(fake_table *t, const fs_bytes *keys, size_t n);
/* The rows that were there are given to old before they go. */
int32_t fake_replace(fake_table *t, const fs_entry *entries, size_t n, fake_visitor *old, void *context);
void fake_clear(fake_table *t);
void fake_lock_all(fake_table *t);
void fake_unlock_all(fake_table *t);
/* Reads of many rows (fake_rows.c). */
typedef struct fake_wanted {
	fs_bytes prefix;
	uint64_t limit;
	bool keys_only;
	fs_buffer *rows;
} fake_wanted;

fake_visitor fake_append; /* with a fake_wanted as context: adds the rows that are wanted to its buffer */
void fake_scan(fake_table *t, fake_wanted *some);
void fake_snapshot(fake_table *t, uint64_t *generation, uint64_t *versions, uint8_t *changed, fs_buffer *rows);
void fake_stats(fake_table *t, fs_table_stats *out);
uint64_t fake_version(fake_table *t);

/* Locks (fake_lock.c), as the bridge has them. */
int32_t fake_lock_take(uint32_t table, const fs_lock_request *request, uint64_t *token, fs_error *err);
int32_t fake_lock_enqueue(uint32_t table, const fs_lock_request *request, uint64_t *token, uint64_t *ticket,
                          fs_error *err);
int32_t fake_lock_wait(uint64_t ticket, uint32_t wait_ms, uint64_t *token, fs_error *err);
uint64_t fake_lock_leave(uint64_t ticket);
int32_t fake_lock_release(uint32_t table, fs_bytes name, fs_bytes owner, fs_error *err);
int32_t fake_lock_force(uint32_t table, fs_bytes name, fs_error *err);
int32_t fake_lock_refresh(uint32_t table, fs_bytes name, fs_bytes owner, int64_t ttl, fs_error *err);
int32_t fake_lock_state(uint32_t table, fs_bytes name, fs_bytes owner, fs_lock_state *out, fs_error *err);
int32_t fake_lock_flush(uint32_t table, fs_error *err);
void fake_lock_end(uint64_t request);

/* Mutexes (fake_mutex.c), as the bridge has them. */
int32_t fake_mutex_open(fs_bytes name, const fs_value *initial, uint64_t *id, fs_error *err);
int32_t fake_mutex_try(uint64_t id, uint64_t request, uint64_t *token, fs_error *err);
int32_t fake_mutex_enqueue(uint64_t id, uint64_t request, uint64_t *token, uint64_t *ticket, fs_error *err);
int32_t fake_mutex_value(uint64_t id, uint64_t token, char *dst, size_t cap, fs_value *out, fs_error *err);
int32_t fake_mutex_commit(uint64_t id, uint64_t token, const fs_value *value, fs_error *err);
void fake_mutex_unlock(uint64_t id, uint64_t token);
void fake_mutex_end(uint64_t request);

#endif
