/* The twin's reads of many rows: scans, snapshots, statistics. All look at the rows under the stripes' locks. */
#include "fake_table.h"

static bool has_prefix(fake_table *t, uint64_t row, fs_bytes prefix)
{
	char piece[64];
	bool same = fake_row(t, row)->key_len >= prefix.len;
	for (size_t at = 0; same && at < prefix.len; at += sizeof piece) {
		size_t n = prefix.len - at < sizeof piece ? prefix.len - at : sizeof piece;
		fake_copy(t, row, at, piece, n);
		same = memcmp(piece, prefix.data + at, n) == 0;
	}
	return same;
}

/* Appends a row. The buffer grows under the stripe's lock here, which only a fake may allow itself. */
bool fake_append(fake_table *t, uint32_t stripe, uint64_t row, void *context)
{
	fake_wanted *w = context;
	if (!has_prefix(t, row, w->prefix)) {
		return true;
	}
	if (w->limit == 0) {
		return false;
	}
	fs_value value;
	fake_value_of(t, row, &value);
	fs_row_header h = {.number = value.number,
	                   .expiry = fs_load(&fake_row(t, row)->expiry),
	                   .key_len = fake_row(t, row)->key_len,
	                   .value_len = w->keys_only ? 0 : (uint32_t)value.len,
	                   .kind = value.kind,
	                   .flags = value.flags,
	                   .stripe = stripe};
	size_t bytes = h.key_len + h.value_len, padded = (sizeof h + bytes + 7) & ~(size_t)7;
	if (!fs_buffer_reserve(w->rows, w->rows->len + padded)) {
		return false;
	}
	char *dst = w->rows->data + w->rows->len;
	memset(dst, 0, padded);
	memcpy(dst, &h, sizeof h);
	fake_copy(t, row, 0, dst + sizeof h, bytes);
	w->rows->len += padded;
	w->limit--;
	return true;
}

void fake_scan(fake_table *t, fake_wanted *some)
{
	bool more = true;
	for (uint32_t s = 0; s < t->shape.stripes && more; s++) {
		fake_lock(t, s);
		more = fake_visit_locked(t, s, fake_append, some);
		fake_unlock(t, s);
	}
}

/* Holds all stripes at once: the fake's tables are small. */
void fake_snapshot(fake_table *t, uint64_t *generation, uint64_t *versions, uint8_t *changed, fs_buffer *rows)
{
	fake_wanted all = {.limit = UINT64_MAX, .rows = rows};
	fake_lock_all(t);
	uint64_t now = fs_load(&t->control->generation);
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		uint64_t version = fs_load(&t->control->stripe[s].version);
		changed[s] = *generation != now || versions[s] != version;
		versions[s] = version;
		if (changed[s]) {
			fake_visit_locked(t, s, fake_append, &all);
		}
	}
	*generation = now;
	fake_unlock_all(t);
}

static bool sum_row(fake_table *t, uint32_t stripe, uint64_t row, void *context)
{
	fs_table_stats *sum = context;
	(void)stripe;
	fs_value value;
	fake_value_of(t, row, &value);
	sum->count++;
	sum->keys_bytes += fake_row(t, row)->key_len;
	sum->values_bytes += fake_is_number(value.kind) ? sizeof value.number : value.len;
	return true;
}

uint64_t fake_version(fake_table *t)
{
	uint64_t sum = atomic_load(&t->clears);
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		sum += fs_load(&t->control->stripe[s].version) / 2;
	}
	return sum;
}

void fake_stats(fake_table *t, fs_table_stats *out)
{
	*out = (fs_table_stats){
		.memory_limit = t->first_cell * FS_UNIT + (uint64_t)t->shape.cells * t->shape.cell_size,
		.stripes = t->shape.stripes,
		.homes = (uint64_t)t->shape.stripes * t->shape.homes,
		.writes = atomic_load(&t->writes),
		.deletes = atomic_load(&t->deletes),
		.expired = atomic_load(&t->expired),
		.refused = atomic_load(&t->refused),
		.generation = fs_load(&t->control->generation),
	};
	for (uint32_t s = 0; s < t->shape.stripes; s++) {
		fake_lock(t, s);
		fake_visit_locked(t, s, sum_row, out);
		fake_unlock(t, s);
	}
	pthread_mutex_lock(&t->pool);
	out->memory_used = out->memory_limit - t->free_count * t->shape.cell_size;
	out->memory_retired = t->retired_count * t->shape.cell_size;
	out->overflow_buckets = t->shape.overflow - (t->end_overflow - t->next_overflow) * FS_UNIT / FS_BUCKET_SIZE;
	pthread_mutex_unlock(&t->pool);
	uint64_t high = fs_load(&t->threads->high);
	for (uint64_t i = 0; i < high; i++) {
		fs_thread *r = &t->threads->record[i];
		out->threads += fs_load(&r->claim) != 0;
		out->hits += fs_load(&r->hits);
		out->reads += fs_load(&r->reads);
		out->locked += fs_load(&r->locked);
	}
	out->version = fake_version(t);
}
