/* A C twin of the Go store: it implements fs_bridge over tables with the real layout, so that the reader's proofs and
 * the extension run as plain C programs under sanitizers and callgrind. It keeps the store's protocol, not its
 * policies: one size of cell, as few of them as the options say, no eviction. */
#ifndef FRANKENSHARE_FAKE_H
#define FRANKENSHARE_FAKE_H

#include "../bridge.h"
#include "../reader.h"

/* The shape of every table. A small number of cells makes each be used again at once. */
typedef struct fs_fake_options {
	uint32_t stripes;  /* a power of two */
	uint32_t homes;    /* home buckets in one stripe */
	uint32_t overflow; /* overflow buckets */
	uint32_t cells;
	uint32_t cell_size; /* bytes, a multiple of 16 */
	uint64_t max_value;
	uint32_t max_key;
} fs_fake_options;

/* Makes the thread records; tables are made when they are first opened. One store for the process.
 * NULL without memory. */
const fs_bridge *fs_fake_start(const fs_fake_options *options);
/* Frees everything. No thread may be reading any more. */
void fs_fake_stop(void);

fs_threads *fs_fake_threads(void);
fs_control *fs_fake_control(uint32_t table);

/* Changes a live row's expiry (monotonic nanoseconds, 0 for none) in place: OK, or ABSENT when it has expired. */
int32_t fs_fake_touch(uint32_t table, fs_bytes key, uint64_t expiry);

/* fake_word.c: counters and flags. */
int32_t fake_shared_open(int32_t kind, uint64_t id, uint64_t *cell, fs_error *err);
void fake_shared_close(uint64_t id);
int32_t fake_shared_remove(int32_t kind, fs_bytes name);
int32_t fake_word_open(int32_t kind, fs_bytes name, int64_t initial, uint64_t *id, uint64_t *cell, fs_error *err);
void fake_word_wake(uint64_t id);
int32_t fake_word_wait(uint64_t id, uint32_t ms, uint64_t *since, fs_error *err);

/* fake_channel.c. */
int32_t fake_channel_open(fs_bytes name, int64_t capacity, uint64_t *id, fs_error *err);
int32_t fake_channel_send(uint64_t id, const fs_value *value, int32_t wait, uint64_t *ticket, fs_error *err);
int32_t fake_channel_receive(uint64_t id, uint64_t request, int32_t wait, uint64_t *ticket, fs_delivery *out,
                             fs_buffer *buf, fs_error *err);
int32_t fake_channel_wait(uint64_t ticket, uint32_t ms, int32_t *over, fs_error *err);
int32_t fake_channel_sent(uint64_t ticket, fs_error *err);
int32_t fake_channel_received(uint64_t ticket, fs_delivery *out, fs_buffer *buf, fs_error *err);
int32_t fake_channel_accept(uint64_t number);
int32_t fake_channel_close(uint64_t id);
void fake_channel_state(uint64_t id, uint64_t *count, int32_t *closed);
void fake_channel_end(uint64_t request);

#endif
