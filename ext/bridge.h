/* What the extension knows of Go: a table of functions that phpbridge fills and hands to fs_install(). Nothing here is
 * cgo's, so that the extension also links against a fake table (tests under sanitizers and callgrind).
 *
 * Rules for every function: it returns an FS_STATUS_*; it keeps no pointer after it returns; it calls no PHP; a Go
 * panic comes back as FS_STATUS_PANIC. Strings are bytes with a length. `message` in fs_error is filled on failure. */
#ifndef FRANKENSHARE_BRIDGE_H
#define FRANKENSHARE_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

typedef struct fs_bytes {
	const char *data;
	size_t len;
} fs_bytes;

/* An encoded value. Ints and floats (by their bits) are `number` alone; strings, arrays, enums and objects are bytes. */
typedef struct fs_value {
	uint8_t kind;  /* FS_KIND_* */
	uint8_t flags; /* FS_FLAG_* */
	uint64_t number;
	const char *data;
	size_t len;
} fs_value;

typedef struct fs_entry {
	fs_bytes key;
	fs_value value;
} fs_entry;

/* What a write leaves for the writer's own gate: the chain's even version after it. home is 0 when there is none. */
typedef struct fs_receipt {
	uint64_t home; /* address of the home bucket */
	uint64_t version;
	uint64_t generation;
	uint64_t expiry; /* the row's */
} fs_receipt;

/* A time to live that does not end. Others are nanoseconds; 0 or less means that the value has expired already. */
#define FS_FOREVER INT64_MAX

/* A growable malloc'ed buffer that belongs to the calling thread; Go grows it with fs_buffer_reserve(), never under a
 * lock. Rows in it stand one behind another, see fs_row_header. */
typedef struct fs_buffer {
	char *data;
	size_t len;
	size_t cap;
} fs_buffer;

/* One row in a buffer: this header, the key's bytes, the value's bytes, then zero bytes up to a multiple of 8. */
typedef struct fs_row_header {
	uint64_t number;
	uint64_t expiry;
	uint32_t key_len;
	uint32_t value_len;
	uint8_t kind;
	uint8_t flags;
	uint8_t pad[2];
	uint32_t stripe; /* which of the table's stripes the row is in */
} fs_row_header;

/* Text for the exception's message: what, which value, which limit. Cut to fit, NUL-terminated. */
typedef struct fs_error {
	char message[512];
} fs_error;

typedef struct fs_table_stats {
	uint64_t count, keys_bytes, values_bytes;
	uint64_t memory_limit, memory_used, memory_retired;
	uint64_t stripes, homes, overflow_buckets;
	uint64_t writes, deletes, expired, evicted, refused, generation, version;
	uint64_t hits, reads, locked; /* of all threads, all tables */
	uint64_t threads;             /* thread records claimed now */
} fs_table_stats;

/* The right to refresh an interval. */
typedef struct fs_claim {
	uint64_t control; /* of its table */
	uint64_t number;
} fs_claim;

/* Answers of interval_worker. */
#define FS_NO_WORKER 0
#define FS_OTHER_WORKER 1
#define FS_THE_WORKER 2

/* Answers of interval_state. */
#define FS_INTERVAL 1       /* the key is one */
#define FS_INTERVAL_DUE 2   /* and is due, and nobody is refreshing it */
#define FS_INTERVAL_NAMED 4 /* and every thread can */

/* What somebody wants a lock for. */
typedef struct fs_lock_request {
	fs_bytes name;
	fs_bytes owner;
	int64_t ttl; /* from the moment it is got; FS_FOREVER for no limit */
	uint64_t request;
	int32_t release_at_end; /* of the request */
} fs_lock_request;

typedef struct fs_lock_state {
	int64_t left;  /* FS_FOREVER when it does not expire */
	int32_t held;  /* by anybody */
	int32_t owned; /* by the owner asked for */
} fs_lock_state;

/* A value on its way to a receiver. */
typedef struct fs_delivery {
	uint64_t number;
	fs_value value;
} fs_delivery;

typedef struct fs_bridge {
	/* The control block of a table. autostart: make the table "default" with default settings when there is no table.
	 * UNKNOWN_TABLE, UNAVAILABLE. */
	int32_t (*open)(fs_bytes name, int32_t autostart, uint64_t *control, fs_error *err);

	/* Stores one value. FULL, VALUE_SIZE, KEY_SIZE; as all that write also DAMAGED, and UNKNOWN_TABLE when the table was
	 * removed. */
	int32_t (*put)(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, fs_receipt *out, fs_error *err);
	/* Stores one value if the key is absent; *done says whether it was. */
	int32_t (*add)(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, int32_t *done, fs_receipt *out,
	               fs_error *err);
	/* Stores one value over another one that is identical to old, and keeps the expiry; *done says whether it did. */
	int32_t (*compare_and_set)(uint32_t table, fs_bytes key, const fs_value *old, const fs_value *value, int32_t *done,
	                           fs_receipt *out, fs_error *err);
	/* Gives a key another time to live: OK or ABSENT. */
	int32_t (*touch)(uint32_t table, fs_bytes key, int64_t ttl, fs_error *err);
	/* Removes one key: OK or ABSENT. */
	int32_t (*erase)(uint32_t table, fs_bytes key, fs_error *err);
	/* Reads one key under its stripe's lock into dst. GROW sets out->len to the size needed. out->data is dst. With dst NULL, as fs_read. */
	int32_t (*get)(uint32_t table, fs_bytes key, char *dst, size_t cap, fs_value *out, uint64_t *expiry, fs_error *err);
	/* Removes one key and copies its value to dst, in one step. As get; with GROW nothing is removed. */
	int32_t (*pull)(uint32_t table, fs_bytes key, char *dst, size_t cap, fs_value *out, fs_error *err);
	/* Adds by (an int, or a float's bits), or subtracts it, and answers the new number in out. A number that it makes gets
	 * the ttl. NOT_NUMBER, OVERFLOW, FULL. */
	int32_t (*increment)(uint32_t table, fs_bytes key, uint8_t by_kind, uint64_t by, int32_t subtract, int64_t ttl,
	                     fs_value *out, fs_receipt *receipt, fs_error *err);

	/* Stores all or nothing. */
	int32_t (*merge)(uint32_t table, const fs_entry *entries, size_t n, int64_t ttl, fs_error *err);
	/* Swaps the whole contents for the entries in one step; the old rows go to old. */
	int32_t (*replace)(uint32_t table, const fs_entry *entries, size_t n, fs_buffer *old, fs_error *err);
	/* Removes keys in one step; *removed counts those that were there. */
	int32_t (*erase_many)(uint32_t table, const fs_bytes *keys, size_t n, uint64_t *removed, fs_error *err);
	int32_t (*erase_prefix)(uint32_t table, fs_bytes prefix, uint64_t *removed, fs_error *err);
	/* Removes every key in one step. */
	int32_t (*clear)(uint32_t table, fs_error *err);
	/* Takes out what has expired; *rows says how many. */
	int32_t (*sweep)(uint32_t table, uint64_t *rows, fs_error *err);
	/* The same and, while the table is fuller than its policy wants, what that chooses. */
	int32_t (*evict)(uint32_t table, uint64_t *rows, fs_error *err);

	/* One consistent cut of the table into rows. versions has one word for each stripe: in, the raw stripe versions that
	 * the caller has already (~0 for none) at generation *generation; out, those of the cut. Only stripes that changed are
	 * written to rows, all of them when the generation changed; changed[s] says which (1) and may be read for every s. */
	int32_t (*snapshot)(uint32_t table, uint64_t *generation, uint64_t *versions, uint8_t *changed, fs_buffer *rows,
	                    fs_error *err);
	/* Up to limit rows whose key begins with prefix; keys alone when keys_only. */
	int32_t (*scan)(uint32_t table, fs_bytes prefix, uint64_t limit, int32_t keys_only, fs_buffer *rows, fs_error *err);

	int32_t (*count)(uint32_t table, uint64_t *out, fs_error *err);
	int32_t (*version)(uint32_t table, uint64_t *out, fs_error *err);
	int32_t (*stats)(uint32_t table, fs_table_stats *out, fs_error *err);
	/* Names of all tables as rows with keys alone, for phpinfo(). */
	int32_t (*tables)(fs_buffer *rows, fs_error *err);

	/* Asks for the lease to compute a key's value for a request, and waits up to wait_ms while another request has it; *answer
	 * is an FS_LEASE_*. kind is FS_LEASE_REMEMBER or FS_LEASE_UPDATE. A wait of several calls has one since, 0 before the first. */
	int32_t (*lease)(uint32_t table, fs_bytes key, int32_t kind, uint64_t request, uint32_t wait_ms, uint64_t *since,
	                 int32_t *answer, fs_error *err);
	void (*end_lease)(uint32_t table, fs_bytes key, int32_t kind, uint64_t request);

	/* Makes a key an interval, refreshed every that many nanoseconds. callable is its name, empty for one that only threads
	 * know that have registered it; by is an FS_..._THREAD(S). VALUE, KEY_SIZE, FULL. */
	int32_t (*interval)(uint32_t table, fs_bytes key, fs_bytes callable, uint8_t by, int64_t every, fs_error *err);
	/* Is there a worker that refreshes intervals, and does it run this script? An FS_..._WORKER. */
	int32_t (*interval_worker)(fs_bytes script);
	/* FS_INTERVAL bits of a key. */
	int32_t (*interval_state)(uint32_t table, fs_bytes key);
	/* Claims the refresh of one key, with early before it is due; ABSENT when that cannot be. The claim ends by commit, give_up
	 * or with the request. names gets two rows of keys alone: the interval's key and its callable. */
	int32_t (*claim)(uint32_t table, fs_bytes key, uint64_t request, int32_t early, fs_claim *out, fs_buffer *names,
	                 fs_error *err);
	/* Claims one that is due and that a thread of the worker can refresh, of any table; ABSENT when there is none. */
	int32_t (*claim_any)(uint64_t request, fs_claim *out, fs_buffer *names, fs_error *err);
	/* Stores the value. CLAIM_LOST, or as put. */
	int32_t (*commit)(uint32_t table, fs_bytes key, uint64_t claim, const fs_value *value, fs_error *err);
	void (*give_up)(uint32_t table, fs_bytes key, uint64_t claim);

	/* Shared objects; kind is an FS_SHARED_*. Opens one by its number; *cell is as for word_open, 0 for other kinds. STALE_HANDLE. */
	int32_t (*shared_open)(int32_t kind, uint64_t id, uint64_t *cell, fs_error *err);
	void (*shared_close)(uint64_t id);
	/* Takes the name away: OK or ABSENT. */
	int32_t (*shared_remove)(int32_t kind, fs_bytes name);

	/* Opens the counter or flag of that name, or a new one when the name is empty; *cell is the address of its fs_cell, valid until
	 * shared_close. SHARED_FULL. */
	int32_t (*word_open)(int32_t kind, fs_bytes name, int64_t initial, uint64_t *id, uint64_t *cell, fs_error *err);
	/* Has those look again who wait for the flag. */
	void (*word_wake)(uint64_t id);
	/* Waits up to ms until the flag is set; look then whether it is. since: as for lease. WAIT_ENDED. */
	int32_t (*word_wait)(uint64_t id, uint32_t ms, uint64_t *since, fs_error *err);

	/* Opens the channel of that name, or a new one for so many values when the name is empty. SHARED_FULL. */
	int32_t (*channel_open)(fs_bytes name, int64_t capacity, uint64_t *id, fs_error *err);
	/* Sends a value. When there is no room: CHANNEL_FULL or, with wait, OK and *ticket, which is ended by channel_sent; it is 0 else.
	 * CHANNEL_CLOSED, SHARED_FULL, VALUE_SIZE. */
	int32_t (*channel_send)(uint64_t id, const fs_value *value, int32_t wait, uint64_t *ticket, fs_error *err);
	/* Receives a value for a request, its bytes in buf. When there is none: CHANNEL_EMPTY or, with wait, OK and *ticket, which is ended
	 * by channel_received; it is 0 else. CHANNEL_CLOSED. */
	int32_t (*channel_receive)(uint64_t id, uint64_t request, int32_t wait, uint64_t *ticket, fs_delivery *out,
	                           fs_buffer *buf, fs_error *err);
	/* Waits up to ms; *over says that there is nothing more to wait for. WAIT_ENDED. */
	int32_t (*channel_wait)(uint64_t ticket, uint32_t ms, int32_t *over, fs_error *err);
	/* OK when the value is in the channel, CHANNEL_FULL when it is not, CHANNEL_CLOSED. */
	int32_t (*channel_sent)(uint64_t ticket, fs_error *err);
	/* OK with a delivery, or CHANNEL_EMPTY, CHANNEL_CLOSED. */
	int32_t (*channel_received)(uint64_t ticket, fs_delivery *out, fs_buffer *buf, fs_error *err);
	/* The value is the caller's. ABSENT when its request has ended before, with which what was not accepted has gone back. */
	int32_t (*channel_accept)(uint64_t delivery);
	/* ABSENT when it was closed before. */
	int32_t (*channel_close)(uint64_t id);
	void (*channel_state)(uint64_t id, uint64_t *count, int32_t *closed);

	/* Takes a lock; *token is 0 when another has it. LOCKS_FULL. */
	int32_t (*lock)(uint32_t table, const fs_lock_request *request, uint64_t *token, fs_error *err);
	/* The same, but when another has it *ticket is a place in its queue, which the caller leaves in any case. DEADLOCK too. */
	int32_t (*lock_enqueue)(uint32_t table, const fs_lock_request *request, uint64_t *token, uint64_t *ticket,
	                        fs_error *err);
	/* These answer ABSENT when the owner, or for lock_force anybody, does not have the lock. */
	int32_t (*unlock)(uint32_t table, fs_bytes name, fs_bytes owner, fs_error *err);
	int32_t (*lock_force)(uint32_t table, fs_bytes name, fs_error *err);
	int32_t (*lock_refresh)(uint32_t table, fs_bytes name, fs_bytes owner, int64_t ttl, fs_error *err);
	int32_t (*lock_state)(uint32_t table, fs_bytes name, fs_bytes owner, fs_lock_state *out, fs_error *err);
	/* Takes all locks of a table away. */
	int32_t (*lock_flush)(uint32_t table, fs_error *err);

	/* Opens the mutex of that name, or a new one when the name is empty; initial is for one that is made. SHARED_FULL, VALUE_SIZE. */
	int32_t (*mutex_open)(fs_bytes name, const fs_value *initial, uint64_t *id, fs_error *err);
	/* Takes the mutex for a request; *token is the acquisition's. CONTENTION, DEADLOCK, CORRUPTED. */
	int32_t (*mutex_try)(uint64_t id, uint64_t request, uint64_t *token, fs_error *err);
	/* The same, but when another has it token is 0 and *ticket is as for lock_enqueue. SHARED_FULL too. */
	int32_t (*mutex_enqueue)(uint64_t id, uint64_t request, uint64_t *token, uint64_t *ticket, fs_error *err);
	/* Copies the value to dst for who has the mutex by that token. GROW as get. STALE_HANDLE. */
	int32_t (*mutex_value)(uint64_t id, uint64_t token, char *dst, size_t cap, fs_value *out, fs_error *err);
	/* Sets the value and gives the mutex back, which is given back also after an error. VALUE_SIZE, SHARED_FULL, STALE_HANDLE. */
	int32_t (*mutex_commit)(uint64_t id, uint64_t token, const fs_value *value, fs_error *err);
	/* Gives the mutex back with the value as it was, if it is the token's still. */
	void (*mutex_unlock)(uint64_t id, uint64_t token);

	/* Waits up to wait_ms for what a ticket is for; *token is 0 when it has not come yet. WAIT_ENDED, CORRUPTED. */
	int32_t (*turn_wait)(uint64_t ticket, uint32_t wait_ms, uint64_t *token, fs_error *err);
	/* Gives the ticket back. The answer is the token of what had come, which is the caller's, or 0. */
	uint64_t (*turn_leave)(uint64_t ticket);

	/* A request (its identity: never reused in this process) has ended on this thread; what it held goes. */
	void (*request_end)(uint64_t request);

	/* Has one look again who sleeps until a stripe is free, and tells a table's listeners of a change: after fs_change_number(). */
	void (*wake_stripe)(uint32_t table, uint64_t stripe);
	int32_t (*changed)(uint32_t table, fs_bytes key, fs_error *err);

	uint64_t threads; /* address of the thread records */
} fs_bridge;

/* Saves the table and puts the extension into PHP's start-up; called once, from a Go init(). */
void fs_install(const fs_bridge *bridge);

/* Grows buf to hold at least cap bytes; false when memory is short. The one place that allocates a buffer. */
int fs_buffer_reserve(fs_buffer *buf, size_t cap);

#endif
