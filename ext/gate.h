/* The version gate: a thread's cache of decoded values, which a read believes for as long as the home bucket's version and
 * the table's generation are those of the fill. It lives in request memory and is kept over the requests of a worker. */
#ifndef FRANKENSHARE_GATE_H
#define FRANKENSHARE_GATE_H

#include <php.h>

#include "key.h"
#include "reader.h"

/* One entry, in a cache line of its own size. id is 0 in an empty slot; else the top bit, 30 bits of the table's number, one
 * that says that the key is an int, and the key's hash. */
typedef struct fs_slot {
	uint64_t id;
	union {
		zend_string *string; /* the gate's own copy: the address of an interned one may come back as another string */
		zend_ulong index;
	} key;
	fs_bucket *home;
	uint64_t version;
	uint64_t generation;
	uint64_t expiry;
	zval value; /* UNDEF: absent. Its spare word: see FS_SLOT_USED */
} fs_slot;

_Static_assert(sizeof(fs_slot) == FS_LINE_SIZE, "slot");

/* How many keys a gate remembers to have seen once. */
#define FS_GATE_SEEN 2048

/* Linear probing; at most half of the slots are in use. */
typedef struct fs_gate {
	fs_slot *slots;
	uint32_t mask;
	uint32_t shift; /* 64 - log2(number of slots) */
	uint32_t used;
	uint32_t hand; /* of the clock that chooses what goes */
	size_t bytes;
	bool open; /* from RINIT to RSHUTDOWN; not in a thread without a record, nor in a forked child */
	/* Bits of the ids of keys that were read or written since the gate was opened, the last one in each place. */
	uint16_t seen[FS_GATE_SEEN];
} fs_gate;

/* A slot's spare word: whether it was read since the clock's hand last came by, its cost in units of 16 bytes, and the low byte
 * of the table's tick when the key's use was last written down for the eviction policies. */
#define FS_SLOT_USED ((uint32_t)1 << 31)
#define FS_SLOT_COST_SHIFT 8
#define FS_SLOT_COSTS ((uint32_t)1 << 23)

/* An open table. It is passed by value, for what it was taken from may go while code of the user's runs; the control block
 * is never unmapped. */
typedef struct fs_table {
	fs_control *control; /* NULL: no table */
	uint64_t bits;       /* the part of a slot's id that stands for the table */
} fs_table;

/* Matches no slot, so that the gate need not look whether there is a table. */
#define FS_NO_TABLE ((fs_table){.bits = (uint64_t)1 << 33})

static inline fs_table fs_table_of(fs_control *c)
{
	return (fs_table){.control = c, .bits = (uint64_t)1 << 63 | (uint64_t)(c->id & (((uint32_t)1 << 30) - 1)) << 33};
}

static zend_always_inline uint64_t fs_slot_id(fs_table t, const fs_key *key)
{
	return t.bits | (uint64_t)(key->string == NULL) << 32 | (uint32_t)key->hash;
}

static zend_always_inline uint32_t fs_slot_index(const fs_gate *gate, uint64_t id)
{
	return (uint32_t)(id * 0x9E3779B97F4A7C15u >> gate->shift);
}

static zend_always_inline fs_slot *fs_gate_find(const fs_gate *gate, fs_table t, const fs_key *key)
{
	uint64_t id = fs_slot_id(t, key);
	for (uint32_t i = fs_slot_index(gate, id);; i = (i + 1) & gate->mask) {
		fs_slot *slot = &gate->slots[i];
		if (EXPECTED(slot->id == id)) {
			if (key->string == NULL ? slot->key.index == key->hash
			                        : zend_string_equal_content(slot->key.string, key->string)) {
				return slot;
			}
		} else if (slot->id == 0) {
			return NULL;
		}
	}
}

static zend_always_inline uint8_t fs_tick_byte(fs_control *c)
{
	return (uint8_t)atomic_load_explicit(&c->tick, memory_order_relaxed);
}

/* Writes the use of a slot's key down, so that a key that is only read from gates does not look cold. */
void fs_gate_note_use(fs_thread *thread, fs_table t, fs_slot *slot);

/* What the gate has for a key, to be looked at before the next call that fills; NULL when it does not know. */
static zend_always_inline fs_slot *fs_gate_hit(fs_gate *gate, fs_thread *thread, fs_table t, const fs_key *key)
{
	fs_slot *slot = fs_gate_find(gate, t, key);
	if (UNEXPECTED(slot == NULL) ||
	    UNEXPECTED(!fs_gate_valid(t.control, slot->home, slot->version, slot->generation, slot->expiry))) {
		return NULL;
	}
	if (UNEXPECTED((uint8_t)Z_EXTRA(slot->value) != fs_tick_byte(t.control))) {
		fs_gate_note_use(thread, t, slot);
	}
	Z_EXTRA(slot->value) |= FS_SLOT_USED;
	fs_bump(&thread->hits);
	return slot;
}

/* The value that the gate has for a key, UNDEF for one that is absent; NULL when it does not know. Borrowed until the next
 * call that fills. */
static zend_always_inline zval *fs_gate_get(fs_gate *gate, fs_thread *thread, fs_table t, const fs_key *key)
{
	fs_slot *slot = fs_gate_hit(gate, thread, t, key);
	return EXPECTED(slot != NULL) ? &slot->value : NULL;
}

/* Opens it for a request, empty. */
void fs_gate_open(fs_gate *gate, bool open);
/* Empties and closes it; with forget, without a look at what it holds. */
void fs_gate_close(fs_gate *gate, bool forget);

/* Remembers value (UNDEF: absent) for a key of which `found` was read before; size is its encoded length. Takes the value
 * over and answers its address in the gate, or NULL, and the value stays the caller's. What costs little to read again is remembered
 * from the second time on: most keys that a request reads it reads once. */
zval *fs_gate_fill(fs_gate *gate, fs_table t, const fs_key *key, const fs_found *found, zval *value, size_t size);

/* Does the script use so much of its memory_limit that caches should not add to it? */
bool fs_memory_is_short(void);

#endif
