/* The twin's memory: cells of one size, rows as chains of them, and the hazard scan before a cell is used again. */
#include <stdlib.h>

#include "fake_table.h"

enum { POISON = 0xDD, RETIRE_BATCH = 4 };

bool fake_cells_init(fake_table *t)
{
	uint64_t homes = (uint64_t)t->shape.stripes * t->shape.homes;
	uint64_t first_overflow = homes * FS_BUCKET_SIZE / FS_UNIT;
	t->next_overflow = first_overflow;
	t->end_overflow = first_overflow + (uint64_t)t->shape.overflow * FS_BUCKET_SIZE / FS_UNIT;
	t->first_cell = t->end_overflow;
	uint64_t cell_units = t->shape.cell_size / FS_UNIT;
	size_t bytes = (size_t)(t->first_cell + t->shape.cells * cell_units) * FS_UNIT;
	t->base = aligned_alloc(FS_LINE_SIZE, (bytes + FS_LINE_SIZE - 1) & ~(size_t)(FS_LINE_SIZE - 1));
	t->free = calloc(t->shape.cells, sizeof *t->free);
	t->retired = calloc(t->shape.cells, sizeof *t->retired);
	if (t->base == NULL || t->free == NULL || t->retired == NULL) {
		return false;
	}
	memset(t->base, 0, (size_t)t->first_cell * FS_UNIT);
	memset(fake_at(t, t->first_cell), POISON, bytes - (size_t)t->first_cell * FS_UNIT);
	for (uint64_t i = t->shape.cells; i-- > 0;) {
		t->free[t->free_count++] = t->first_cell + i * cell_units;
	}
	t->descriptor = (fs_descriptor){(uint64_t)t->base, t->shape.homes, 0};
	return pthread_mutex_init(&t->pool, NULL) == 0;
}

void fake_cells_free(fake_table *t)
{
	pthread_mutex_destroy(&t->pool);
	free(t->base);
	free(t->free);
	free(t->retired);
}

static void give_locked(fake_table *t, uint64_t cell)
{
	memset(fake_at(t, cell), POISON, t->shape.cell_size);
	t->free[t->free_count++] = cell;
}

/* Frees the retired cells that no thread protects. They were unlinked before they were retired, so in the one order of
 * all sequentially consistent accesses either these loads see a reader's hazard or it sees the changed word. */
static void reclaim_locked(fake_table *t)
{
	uint64_t hazard[2 * FS_THREAD_RECORDS];
	size_t hazards = 0, kept = 0;
	uint64_t high = fs_load(&t->threads->high);
	for (uint64_t i = 0; i < high; i++) {
		fs_thread *r = &t->threads->record[i];
		hazard[hazards++] = fs_load(&r->hazard);
		FS_POINT(scan);
#ifndef FS_BREAK_SCAN_HEADS
		hazard[hazards++] = fs_load(&r->chunk);
#endif
	}
	for (size_t i = 0; i < t->retired_count; i++) {
		bool is_read = false;
		for (size_t h = 0; h < hazards && !is_read; h++) {
			is_read = hazard[h] == (uint64_t)fake_at(t, t->retired[i]);
		}
		if (is_read) {
			t->retired[kept++] = t->retired[i];
		} else {
			give_locked(t, t->retired[i]);
		}
	}
	t->retired_count = kept;
}

bool fake_is_number(uint8_t kind) { return kind == FS_KIND_INT || kind == FS_KIND_FLOAT; }

/* Bytes [from, from + n) of the run that key and value are. */
static void run_bytes(unsigned char *dst, fs_bytes key, const char *data, size_t from, size_t n)
{
	size_t of_key = from < key.len ? key.len - from : 0;
	of_key = of_key < n ? of_key : n;
	if (of_key > 0) {
		memcpy(dst, key.data + from, of_key);
	}
	if (n > of_key) {
		memcpy(dst + of_key, data + (from + of_key - key.len), n - of_key);
	}
}

/* A number is in its row's number word and has no bytes. */
uint64_t fake_build(fake_table *t, fs_bytes key, const fs_value *value, uint64_t expiry)
{
	size_t head_room = t->shape.cell_size - FS_ROW_HEADER, chunk_room = t->shape.cell_size - FS_CHUNK_HEADER;
	size_t len = fake_is_number(value->kind) ? 0 : value->len;
	size_t run = key.len + len;
	size_t chunks = run <= head_room ? 0 : (run - head_room + chunk_room - 1) / chunk_room;

	pthread_mutex_lock(&t->pool);
	if (t->free_count < chunks + 1 || t->retired_count >= RETIRE_BATCH) {
		reclaim_locked(t);
	}
	if (t->free_count < chunks + 1) {
		pthread_mutex_unlock(&t->pool);
		return 0;
	}
	/* Linked while the pool is held, filled after it. */
	uint64_t head = t->free[--t->free_count], first = 0;
	for (size_t i = 0; i < chunks; i++) {
		uint64_t cell = t->free[--t->free_count];
		((fs_chunk *)fake_at(t, cell))->next = (uint32_t)first;
		first = cell;
	}
	pthread_mutex_unlock(&t->pool);

	fs_row *row = fake_row(t, head);
	memset(row, 0, sizeof *row);
	fs_store(&row->expiry, expiry);
	fs_store(&row->number, value->number);
	row->chunk = (uint32_t)first;
	row->value_len = (uint32_t)len;
	row->key_len = (uint32_t)key.len;
	row->kind = value->kind;
	row->flags = value->flags;
	row->inline_len = (uint16_t)(run < head_room ? run : head_room);
	run_bytes(row->bytes, key, value->data, 0, row->inline_len);
	size_t done = row->inline_len;
	for (uint64_t cell = first; cell != 0;) {
		fs_chunk *chunk = fake_at(t, cell);
		chunk->len = (uint32_t)(run - done < chunk_room ? run - done : chunk_room);
		run_bytes(chunk->bytes, key, value->data, done, chunk->len);
		done += chunk->len;
		cell = chunk->next;
	}
	return head;
}

/* Calls use for each cell of a row; use may overwrite it. */
static void each_cell(fake_table *t, uint64_t head, void (*use)(fake_table *, uint64_t))
{
	uint64_t next = fake_row(t, head)->chunk;
	pthread_mutex_lock(&t->pool);
	use(t, head);
	while (next != 0) {
		uint64_t cell = next;
		next = ((fs_chunk *)fake_at(t, cell))->next;
		use(t, cell);
	}
	pthread_mutex_unlock(&t->pool);
}

static void retire_locked(fake_table *t, uint64_t cell) { t->retired[t->retired_count++] = cell; }

void fake_discard(fake_table *t, uint64_t row)
{
	if (row != 0) {
		each_cell(t, row, give_locked);
	}
}

void fake_retire(fake_table *t, uint64_t row)
{
	if (row != 0) {
		each_cell(t, row, retire_locked);
	}
}

void fake_copy(const fake_table *t, uint64_t units, size_t from, char *dst, size_t n)
{
	fs_row *row = fake_row(t, units);
	const unsigned char *piece = row->bytes;
	size_t len = row->inline_len;
	for (uint64_t next = row->chunk; n > 0;) {
		if (from < len) {
			size_t take = len - from < n ? len - from : n;
			memcpy(dst, piece + from, take);
			dst += take;
			n -= take;
			from += take;
			continue;
		}
		fs_chunk *chunk = fake_at(t, next);
		from -= len;
		piece = chunk->bytes;
		len = chunk->len;
		next = chunk->next;
	}
}

void fake_set_number(fake_table *t, uint64_t row, const fs_value *v)
{
	fake_row(t, row)->kind = v->kind;
	fs_store(&fake_row(t, row)->number, v->number);
}

bool fake_key_is(const fake_table *t, uint64_t units, fs_bytes key)
{
	fs_row *row = fake_row(t, units);
	if (row->key_len != key.len) {
		return false;
	}
	char piece[64];
	for (size_t at = 0; at < key.len; at += sizeof piece) {
		size_t n = key.len - at < sizeof piece ? key.len - at : sizeof piece;
		fake_copy(t, units, at, piece, n);
		if (memcmp(piece, key.data + at, n) != 0) {
			return false;
		}
	}
	return true;
}

void fake_value_of(const fake_table *t, uint64_t units, fs_value *out)
{
	fs_row *row = fake_row(t, units);
	*out = (fs_value){.kind = row->kind, .flags = row->flags, .number = fs_load(&row->number), .len = row->value_len};
}
