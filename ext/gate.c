#include <php.h>
#include <php_globals.h>

#include "frankenshare.h"
#include "gate.h"

#define FIRST_SLOTS 32
#define UNIT 16
/* No entry stands further from where its id points, so that keys made to collide cannot make lookups slow. */
#define MAX_DISTANCE 16

static fs_slot no_slots[2];

static void set_empty(fs_gate *gate)
{
	gate->slots = no_slots;
	gate->mask = 1;
	gate->shift = 63;
	gate->used = gate->hand = 0;
	gate->bytes = 0;
}

static size_t cost_of(const fs_slot *slot)
{
	return (size_t)((Z_EXTRA(slot->value) & ~FS_SLOT_USED) >> FS_SLOT_COST_SHIFT) * UNIT;
}

static uint32_t capacity(const fs_gate *gate) { return gate->mask + 1; }

/* Runs nothing of the user's: no object but enum cases is ever cached. */
static void release(fs_slot *slot)
{
	if ((slot->id >> 32 & 1) == 0) {
		zend_string_release_ex(slot->key.string, 0);
	}
	zval_ptr_dtor_nogc(&slot->value);
}

void fs_gate_open(fs_gate *gate, bool open)
{
	set_empty(gate);
	memset(gate->seen, 0, sizeof(gate->seen));
	gate->open = open;
}

void fs_gate_close(fs_gate *gate, bool forget)
{
	fs_slot *slots = gate->slots;
	uint32_t n = capacity(gate);
	set_empty(gate);
	gate->open = false;
	if (forget || slots == no_slots) {
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (slots[i].id != 0) {
			release(&slots[i]);
		}
	}
	efree(slots);
}

/* Takes slot i out and closes the gap: what stands behind it may be looked up through it. */
static void drop(fs_gate *gate, uint32_t i)
{
	fs_slot gone = gate->slots[i];
	uint32_t hole = i;
	for (uint32_t j = (i + 1) & gate->mask; gate->slots[j].id != 0; j = (j + 1) & gate->mask) {
		uint32_t distance = (j - fs_slot_index(gate, gate->slots[j].id)) & gate->mask;
		if (distance >= ((j - hole) & gate->mask)) {
			gate->slots[hole] = gate->slots[j];
			hole = j;
		}
	}
	gate->slots[hole].id = 0;
	gate->used--;
	gate->bytes -= cost_of(&gone);
	release(&gone);
}

/* The clock: what was not used since the hand last came by goes. */
static void make_room(fs_gate *gate, uint64_t max_entries, uint64_t max_bytes, size_t cost)
{
	while (gate->used > 0 && (gate->used >= max_entries || gate->bytes + cost > max_bytes)) {
		gate->hand &= gate->mask;
		fs_slot *slot = &gate->slots[gate->hand];
		if (slot->id == 0) {
			gate->hand++;
		} else if (Z_EXTRA(slot->value) & FS_SLOT_USED) {
			Z_EXTRA(slot->value) &= ~FS_SLOT_USED;
			gate->hand++;
		} else {
			drop(gate, gate->hand);
		}
	}
}

/* The slot for a new id: an empty one, or one that its entry has to leave. */
static fs_slot *place(fs_gate *gate, uint64_t id)
{
	uint32_t start = fs_slot_index(gate, id), i = start;
	while (gate->slots[i].id != 0) {
		i = (i + 1) & gate->mask;
		if (((i - start) & gate->mask) == MAX_DISTANCE) {
			fs_slot *slot = &gate->slots[(start + gate->hand++ % MAX_DISTANCE) & gate->mask];
			fs_slot gone = *slot;
			slot->id = 0;
			gate->used--;
			gate->bytes -= cost_of(&gone);
			release(&gone);
			return slot;
		}
	}
	return &gate->slots[i];
}

static void grow(fs_gate *gate)
{
	fs_gate old = *gate;
	uint32_t n = old.slots == no_slots ? FIRST_SLOTS : capacity(&old) * 2;
	fs_slot *slots = safe_emalloc(n, sizeof(fs_slot), 0);
	memset(slots, 0, n * sizeof(fs_slot));
	gate->slots = slots;
	gate->mask = n - 1;
	gate->shift = 64 - (uint32_t)__builtin_ctz(n);
	gate->used = 0;
	gate->bytes = 0;
	if (old.slots == no_slots) {
		return;
	}
	for (uint32_t i = 0; i < capacity(&old); i++) {
		if (old.slots[i].id != 0) {
			*place(gate, old.slots[i].id) = old.slots[i];
			gate->used++;
			gate->bytes += cost_of(&old.slots[i]);
		}
	}
	efree(old.slots);
}

zend_never_inline void fs_gate_note_use(fs_thread *thread, fs_table t, fs_slot *slot)
{
	Z_EXTRA(slot->value) = (Z_EXTRA(slot->value) & ~(uint32_t)UINT8_MAX) | fs_tick_byte(t.control);
	if (Z_TYPE(slot->value) == IS_UNDEF) {
		return;
	}
	fs_key key = {.string = slot->id >> 32 & 1 ? NULL : slot->key.string, .hash = slot->key.index};
	fs_digits digits;
	fs_bytes bytes = fs_key_bytes(&key, digits);
	fs_found found;
	char none;
	fs_read(fs_all_threads(), thread, t.control, bytes.data, bytes.len, &none, 0, &found);
}

bool fs_memory_is_short(void)
{
	zend_long limit = PG(memory_limit);
	return limit > 0 && zend_memory_usage(0) > (size_t)limit / 2;
}

/* Was the key seen before? Another one with the same bits may answer for it, which costs a slot. */
static bool seen_before(fs_gate *gate, uint64_t id)
{
	uint64_t mixed = id * 0x9E3779B97F4A7C15u;
	uint16_t bits = (uint16_t)(mixed >> 16) | 1;
	uint16_t *place = &gate->seen[mixed >> 32 & (FS_GATE_SEEN - 1)];
	bool seen = *place == bits;
	*place = bits;
	return seen;
}

/* An empty slot for a key, which has its id last: all memory comes before the first change, so that a bailout leaves the gate as it is. */
static fs_slot *add(fs_gate *gate, uint64_t id, const fs_key *key)
{
	zend_string *copy = key->string != NULL ? zend_string_init(ZSTR_VAL(key->string), ZSTR_LEN(key->string), 0) : NULL;
	if ((gate->used + 1) * 2 > capacity(gate) || gate->slots == no_slots) {
		grow(gate);
	}
	fs_slot *slot = place(gate, id);
	if (copy != NULL) {
		slot->key.string = copy;
	} else {
		slot->key.index = key->hash;
	}
	slot->id = id;
	gate->used++;
	return slot;
}

zval *fs_gate_fill(fs_gate *gate, fs_table t, const fs_key *key, const fs_found *found, zval *value, size_t size)
{
	uint64_t id = fs_slot_id(t, key);
	fs_slot *slot = fs_gate_find(gate, t, key);
	if (slot == NULL && (!gate->open || (Z_TYPE_P(value) != IS_ARRAY && !seen_before(gate, id)))) {
		return NULL;
	}
	uint64_t max_entries = fs_load(&fs_all_threads()->entries);
	uint64_t max_bytes = fs_load(&fs_all_threads()->bytes);
	size_t cost = sizeof(fs_slot) + size + (key->string != NULL ? ZSTR_LEN(key->string) : 0);
	if (Z_TYPE_P(value) == IS_ARRAY) {
		cost += (size_t)Z_ARRVAL_P(value)->nNumUsed * sizeof(Bucket);
	}
	cost = (cost + UNIT - 1) / UNIT;
	bool fits = max_entries > 0 && cost < FS_SLOT_COSTS && cost * UNIT <= max_bytes / 2 && !fs_memory_is_short();

	if (slot != NULL && fits && gate->bytes - cost_of(slot) + cost * UNIT <= max_bytes) {
		gate->bytes -= cost_of(slot);
		zval_ptr_dtor_nogc(&slot->value);
	} else {
		if (slot != NULL) {
			drop(gate, (uint32_t)(slot - gate->slots));
		}
		if (!fits) {
			return NULL;
		}
		make_room(gate, max_entries, max_bytes, cost * UNIT);
		slot = add(gate, id, key);
	}
	slot->home = found->home;
	slot->version = found->version;
	slot->generation = found->generation;
	slot->expiry = found->expiry;
	ZVAL_COPY_VALUE(&slot->value, value);
	Z_EXTRA(slot->value) = FS_SLOT_USED | (uint32_t)cost << FS_SLOT_COST_SHIFT | fs_tick_byte(t.control);
	gate->bytes += cost * UNIT;
	return &slot->value;
}
