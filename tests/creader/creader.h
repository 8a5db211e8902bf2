/* A reader as a PHP thread has one: a thread record, a gate of a few keys, and fs_read behind it. */
#ifndef CREADER_H
#define CREADER_H

#include <stdint.h>
#include <unistd.h>

/* Gives the processor away now and then where a protocol is most easily broken. */
extern _Thread_local uint64_t creader_dice;
extern int creader_pause; /* one point in so many; 0 for none */
extern int creader_sleep; /* microseconds */
static inline void creader_point(void)
{
	creader_dice = creader_dice * 6364136223846793005u + 1442695040888963407u;
	if (creader_pause && (creader_dice >> 33) % creader_pause == 0) {
		usleep((useconds_t)creader_sleep);
	}
}
#define FS_POINT(name) creader_point()

#include "number.h"

#define CREADER_KEYS 64

typedef struct creader_entry {
	int valid;
	fs_found found;
} creader_entry;

typedef struct creader {
	fs_threads *threads;
	fs_thread *self;
	fs_control *control;
	creader_entry gate[CREADER_KEYS];
} creader;

/* What a read answers. status is FS_STATUS_OK, ABSENT or LOCKED. */
typedef struct creader_answer {
	int32_t status;
	uint8_t kind;
	uint8_t hit; /* the gate answered */
	uint64_t number;
	uint64_t len;
} creader_answer;

creader *creader_new(uint64_t threads, uint64_t control);
void creader_free(creader *r);
void creader_quiet(creader *r);

/* Reads a key with a number below CREADER_KEYS that stands for it in the gate, -1 to read past the gate. Bytes are copied only when the gate does not
 * answer; a number is answered by both. */
creader_answer creader_read(creader *r, int slot, const char *key, size_t key_len, char *dst, size_t cap);

/* Changes a number in place; 0 when that is for Go. */
int creader_change(creader *r, const char *key, size_t key_len, fs_number *n);

/* What SharedCounter's methods do with the cell at an address. add answers the sum; compare whether the value was the expected one. */
int64_t creader_add(uint64_t cell, int64_t by);
int64_t creader_set(uint64_t cell, int64_t value);
int creader_compare(uint64_t cell, int64_t expected, int64_t value);
int64_t creader_value(uint64_t cell);

#endif
