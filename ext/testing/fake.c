/* The twin's side of the bridge: the registry of tables, the checks of what comes in, rows into buffers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_table.h"

enum { MAX_TABLES = 16 };

static struct {
	fs_fake_options options;
	fs_threads *threads;
	pthread_mutex_t registry;
	fake_table *table[MAX_TABLES];
	_Atomic uint32_t count;
	fs_bridge bridge;
} store;

static int32_t fail(fs_error *err, int32_t status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return status;
}

static fake_table *table_of(uint32_t id) { return store.table[id]; }

static fake_table *new_table(fs_bytes name, uint32_t id)
{
	fake_table *t = calloc(1, sizeof *t);
	uint32_t stripes = store.options.stripes;
	size_t bytes = FS_CONTROL_STRIPE + (size_t)stripes * FS_STRIPE_SIZE;
	if (t == NULL) {
		return NULL;
	}
	t->shape = store.options;
	t->threads = store.threads;
	t->control = aligned_alloc(FS_LINE_SIZE, bytes);
	t->stripe = calloc(stripes, sizeof *t->stripe);
	if (t->control == NULL || t->stripe == NULL || !fake_cells_init(t)) {
		return NULL;
	}
	memset(t->control, 0, bytes);
	t->control->id = id;
	t->control->stripes = stripes;
	fs_store(&t->control->max_value, store.options.max_value);
	atomic_store(&t->control->eviction, FS_EVICT_NONE);
	atomic_store(&t->control->max_key, store.options.max_key);
	t->control->name_len = (uint8_t)name.len;
	memcpy(t->control->name, name.data, name.len);
	fs_store(&t->control->descriptor, (uint64_t)&t->descriptor);
	for (uint32_t s = 0; s < stripes; s++) {
		pthread_mutex_init(&t->stripe[s], NULL);
	}
	return t;
}

static int32_t bridge_open(fs_bytes name, int32_t autostart, uint64_t *control, fs_error *err)
{
	(void)autostart;
	if (name.len == 0 || name.len > sizeof store.table[0]->control->name) {
		return fail(err, FS_STATUS_UNKNOWN_TABLE, "table name of %zu bytes; the limit is 63", name.len);
	}
	fake_table *t = NULL;
	pthread_mutex_lock(&store.registry);
	uint32_t count = atomic_load(&store.count);
	for (uint32_t i = 0; i < count && t == NULL; i++) {
		fs_control *c = store.table[i]->control;
		if (c->name_len == name.len && memcmp(c->name, name.data, name.len) == 0) {
			t = store.table[i];
		}
	}
	if (t == NULL && count < MAX_TABLES && (t = new_table(name, count)) != NULL) {
		store.table[count] = t;
		atomic_store(&store.count, count + 1);
	}
	pthread_mutex_unlock(&store.registry);
	if (t == NULL) {
		return fail(err, FS_STATUS_UNKNOWN_TABLE, "table \"%.*s\": no room for more than %d tables", (int)name.len,
		            name.data, MAX_TABLES);
	}
	*control = (uint64_t)t->control;
	return FS_STATUS_OK;
}

/* What every writer checks first. A row that no empty table could hold is refused before anything is taken for it. */
static int32_t check(fake_table *t, fs_bytes key, const fs_value *value, fs_error *err)
{
	uint32_t max_key = atomic_load(&t->control->max_key);
	uint64_t max_value = fs_load(&t->control->max_value);
	uint64_t all = (uint64_t)t->shape.cells * (t->shape.cell_size - FS_ROW_HEADER);
	if (key.len > max_key) {
		return fail(err, FS_STATUS_KEY_SIZE, "key of %zu bytes; the limit is %u", key.len, max_key);
	}
	uint64_t limit = max_value < all ? max_value : all;
	if (value != NULL && value->len > limit) {
		return fail(err, FS_STATUS_VALUE_SIZE, "value of %zu bytes; the limit is %llu", value->len,
		            (unsigned long long)limit);
	}
	return FS_STATUS_OK;
}

static int32_t outcome(fake_table *t, int32_t status, fs_error *err)
{
	switch (status) {
	case FS_STATUS_FULL:
		atomic_fetch_add(&t->refused, 1);
		return fail(err, status, "table \"%.*s\" is full: %u cells of %u bytes", t->control->name_len, t->control->name,
		            t->shape.cells, t->shape.cell_size);
	case FS_STATUS_NOT_NUMBER:
		return fail(err, status, "the stored value is not a number");
	case FS_STATUS_OVERFLOW:
		return fail(err, status, "the sum does not fit 64 bits");
	default:
		return status;
	}
}

static int32_t put(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, fake_condition when,
                   const fs_value *old, int32_t *done, fs_receipt *out, fs_error *err)
{
	fake_table *t = table_of(table);
	int32_t status = check(t, key, value, err);
	return status != FS_STATUS_OK ? status : outcome(t, fake_put(t, key, value, ttl, when, old, done, out), err);
}

static bool has(fake_table *t, fs_bytes key)
{
	fake_key k = fake_locate(t, key);
	fake_lock(t, k.stripe);
	fake_place p = fake_find_locked(t, &k);
	bool live = p.mine && fake_alive_locked(t, p.row, fs_now());
	fake_unlock(t, k.stripe);
	return live;
}

static int32_t bridge_put(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, fs_receipt *out,
                          fs_error *err)
{
	int32_t done, status = check(table_of(table), key, value, err);
	if (ttl > 0 || status != FS_STATUS_OK) {
		return status != FS_STATUS_OK ? status : put(table, key, value, ttl, FAKE_ALWAYS, NULL, &done, out, err);
	}
	fake_erase(table_of(table), key);
	return FS_STATUS_OK;
}

static int32_t bridge_add(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, int32_t *done,
                          fs_receipt *out, fs_error *err)
{
	if (ttl <= 0) {
		*done = !has(table_of(table), key);
		return FS_STATUS_OK;
	}
	return put(table, key, value, ttl, FAKE_IF_ABSENT, NULL, done, out, err);
}

static int32_t bridge_compare_and_set(uint32_t table, fs_bytes key, const fs_value *old, const fs_value *value,
                                      int32_t *done, fs_receipt *out, fs_error *err)
{
	return put(table, key, value, FS_FOREVER, FAKE_IF_SAME, old, done, out, err);
}

static int32_t bridge_touch(uint32_t table, fs_bytes key, int64_t ttl, fs_error *err)
{
	(void)err;
	fake_table *t = table_of(table);
	return ttl > 0 ? fake_touch(t, key, fake_expiry(ttl)) : fake_erase(t, key);
}

static int32_t bridge_pull(uint32_t table, fs_bytes key, char *dst, size_t cap, fs_value *out, fs_error *err)
{
	(void)err;
	return fake_pull(table_of(table), key, dst, cap, out);
}

static int32_t bridge_erase(uint32_t table, fs_bytes key, fs_error *err)
{
	(void)err;
	return fake_erase(table_of(table), key);
}

static int32_t bridge_get(uint32_t table, fs_bytes key, char *dst, size_t cap, fs_value *out, uint64_t *expiry,
                          fs_error *err)
{
	(void)err;
	fake_table *t = table_of(table);
	fake_key k = fake_locate(t, key);
	int32_t status = FS_STATUS_ABSENT;
	fake_lock(t, k.stripe);
	fake_place p = fake_find_locked(t, &k);
	if (p.mine && fake_alive_locked(t, p.row, fs_now())) {
		fake_value_of(t, p.row, out);
		*expiry = fs_load(&fake_row(t, p.row)->expiry);
		out->data = dst;
		status = dst != NULL && out->len > cap ? FS_STATUS_GROW : FS_STATUS_OK;
		if (status == FS_STATUS_OK && dst != NULL) {
			fake_copy(t, p.row, fake_row(t, p.row)->key_len, dst, out->len);
		}
	}
	fake_unlock(t, k.stripe);
	return status;
}

static int32_t bridge_increment(uint32_t table, fs_bytes key, uint8_t by_kind, uint64_t by, int32_t subtract,
                                int64_t ttl, fs_value *out, fs_receipt *receipt, fs_error *err)
{
	fake_table *t = table_of(table);
	fs_value step = {.kind = by_kind, .number = by};
	int32_t status = check(t, key, NULL, err);
	return status != FS_STATUS_OK ? status
	                              : outcome(t, fake_increment(t, key, &step, subtract != 0, ttl, out, receipt), err);
}

static int32_t check_all(fake_table *t, const fs_entry *entries, size_t n, fs_error *err)
{
	int32_t status = FS_STATUS_OK;
	for (size_t i = 0; i < n && status == FS_STATUS_OK; i++) {
		status = check(t, entries[i].key, &entries[i].value, err);
	}
	return status;
}

static int32_t bridge_merge(uint32_t table, const fs_entry *entries, size_t n, int64_t ttl, fs_error *err)
{
	fake_table *t = table_of(table);
	int32_t status = check_all(t, entries, n, err);
	if (ttl > 0 || status != FS_STATUS_OK) {
		return status != FS_STATUS_OK ? status : outcome(t, fake_merge(t, entries, n, fake_expiry(ttl)), err);
	}
	for (size_t i = 0; i < n; i++) {
		fake_erase(t, entries[i].key);
	}
	return FS_STATUS_OK;
}

static int32_t bridge_replace(uint32_t table, const fs_entry *entries, size_t n, fs_buffer *old, fs_error *err)
{
	fake_table *t = table_of(table);
	fake_wanted all = {.limit = UINT64_MAX, .rows = old};
	int32_t status = check_all(t, entries, n, err);
	return status != FS_STATUS_OK ? status : outcome(t, fake_replace(t, entries, n, fake_append, &all), err);
}

static int32_t bridge_erase_many(uint32_t table, const fs_bytes *keys, size_t n, uint64_t *removed, fs_error *err)
{
	(void)err;
	*removed = fake_erase_many(table_of(table), keys, n);
	return FS_STATUS_OK;
}

static int32_t bridge_clear(uint32_t table, fs_error *err)
{
	(void)err;
	fake_clear(table_of(table));
	return FS_STATUS_OK;
}

/* Nothing is evicted here, so that both do the same. */
static int32_t bridge_sweep(uint32_t table, uint64_t *rows, fs_error *err)
{
	(void)err;
	*rows = fake_sweep(table_of(table));
	return FS_STATUS_OK;
}

static int32_t bridge_scan(uint32_t table, fs_bytes prefix, uint64_t limit, int32_t keys_only, fs_buffer *rows,
                           fs_error *err)
{
	(void)err;
	fake_wanted some = {prefix, limit, keys_only != 0, rows};
	fake_scan(table_of(table), &some);
	return FS_STATUS_OK;
}

static int32_t bridge_erase_prefix(uint32_t table, fs_bytes prefix, uint64_t *removed, fs_error *err)
{
	fs_buffer rows = {0};
	int32_t status = bridge_scan(table, prefix, UINT64_MAX, 1, &rows, err);
	*removed = 0;
	for (size_t at = 0; at < rows.len;) {
		const fs_row_header *h = (const fs_row_header *)(rows.data + at);
		fs_bytes key = {rows.data + at + sizeof *h, h->key_len};
		*removed += bridge_erase(table, key, err) == FS_STATUS_OK;
		at += (sizeof *h + h->key_len + 7) & ~(size_t)7;
	}
	free(rows.data);
	return status;
}

static int32_t bridge_snapshot(uint32_t table, uint64_t *generation, uint64_t *versions, uint8_t *changed,
                               fs_buffer *rows, fs_error *err)
{
	(void)err;
	fake_snapshot(table_of(table), generation, versions, changed, rows);
	return FS_STATUS_OK;
}

static int32_t bridge_version(uint32_t table, uint64_t *out, fs_error *err)
{
	(void)err;
	*out = fake_version(table_of(table));
	return FS_STATUS_OK;
}

static int32_t bridge_stats(uint32_t table, fs_table_stats *out, fs_error *err)
{
	(void)err;
	fake_stats(table_of(table), out);
	return FS_STATUS_OK;
}

static int32_t bridge_count(uint32_t table, uint64_t *out, fs_error *err)
{
	fs_table_stats stats;
	int32_t status = bridge_stats(table, &stats, err);
	*out = stats.count;
	return status;
}

static int32_t bridge_tables(fs_buffer *rows, fs_error *err)
{
	(void)err;
	uint32_t count = atomic_load(&store.count);
	for (uint32_t i = 0; i < count; i++) {
		fs_control *c = store.table[i]->control;
		fs_row_header h = {.key_len = c->name_len};
		size_t padded = (sizeof h + h.key_len + 7) & ~(size_t)7;
		if (!fs_buffer_reserve(rows, rows->len + padded)) {
			return fail(err, FS_STATUS_UNAVAILABLE, "no memory for the names of %u tables", count);
		}
		memset(rows->data + rows->len, 0, padded);
		memcpy(rows->data + rows->len, &h, sizeof h);
		memcpy(rows->data + rows->len + sizeof h, c->name, h.key_len);
		rows->len += padded;
	}
	return FS_STATUS_OK;
}

/* There is one request, which always gets its lease. */
static int32_t bridge_lease(uint32_t id, fs_bytes key, int32_t kind, uint64_t request, uint32_t wait_ms,
                            uint64_t *since, int32_t *answer, fs_error *err)
{
	(void)id, (void)key, (void)kind, (void)request, (void)wait_ms, (void)since, (void)err;
	*answer = FS_LEASE_HELD;
	return FS_STATUS_OK;
}

static void bridge_end_lease(uint32_t id, fs_bytes key, int32_t kind, uint64_t request)
{
	(void)id, (void)key, (void)kind, (void)request;
}

/* Nobody sleeps here, and nobody listens. */
static void bridge_wake_stripe(uint32_t table, uint64_t stripe) {}
static int32_t bridge_changed(uint32_t table, fs_bytes key, fs_error *err) { return FS_STATUS_OK; }

static void request_end(uint64_t request)
{
	fake_lock_end(request);
	fake_mutex_end(request);
	fake_channel_end(request);
}

const fs_bridge *fs_fake_start(const fs_fake_options *options)
{
	store.options = *options;
	store.threads = aligned_alloc(FS_LINE_SIZE, sizeof *store.threads);
	if (store.threads == NULL) {
		return NULL;
	}
	memset(store.threads, 0, sizeof *store.threads);
	store.threads->seed = 0x9E3779B97F4A7C15u ^ fs_now();
	fs_store(&store.threads->entries, 4096);
	fs_store(&store.threads->bytes, 4 << 20);
	pthread_mutex_init(&store.registry, NULL);
	store.bridge = (fs_bridge){
		.open = bridge_open,
		.put = bridge_put,
		.add = bridge_add,
		.compare_and_set = bridge_compare_and_set,
		.touch = bridge_touch,
		.pull = bridge_pull,
		.erase = bridge_erase,
		.get = bridge_get,
		.increment = bridge_increment,
		.merge = bridge_merge,
		.replace = bridge_replace,
		.erase_many = bridge_erase_many,
		.erase_prefix = bridge_erase_prefix,
		.clear = bridge_clear,
		.sweep = bridge_sweep,
		.evict = bridge_sweep,
		.snapshot = bridge_snapshot,
		.scan = bridge_scan,
		.count = bridge_count,
		.version = bridge_version,
		.stats = bridge_stats,
		.tables = bridge_tables,
		.lease = bridge_lease,
		.end_lease = bridge_end_lease,
		.shared_open = fake_shared_open,
		.shared_close = fake_shared_close,
		.shared_remove = fake_shared_remove,
		.word_open = fake_word_open,
		.word_wake = fake_word_wake,
		.word_wait = fake_word_wait,
		.channel_open = fake_channel_open,
		.channel_send = fake_channel_send,
		.channel_receive = fake_channel_receive,
		.channel_wait = fake_channel_wait,
		.channel_sent = fake_channel_sent,
		.channel_received = fake_channel_received,
		.channel_accept = fake_channel_accept,
		.channel_close = fake_channel_close,
		.channel_state = fake_channel_state,
		.lock = fake_lock_take,
		.lock_enqueue = fake_lock_enqueue,
		.unlock = fake_lock_release,
		.lock_force = fake_lock_force,
		.lock_refresh = fake_lock_refresh,
		.lock_state = fake_lock_state,
		.lock_flush = fake_lock_flush,
		.wake_stripe = bridge_wake_stripe,
		.changed = bridge_changed,
		.turn_wait = fake_lock_wait,
		.turn_leave = fake_lock_leave,
		.mutex_open = fake_mutex_open,
		.mutex_try = fake_mutex_try,
		.mutex_enqueue = fake_mutex_enqueue,
		.mutex_value = fake_mutex_value,
		.mutex_commit = fake_mutex_commit,
		.mutex_unlock = fake_mutex_unlock,
		.request_end = request_end,
		.threads = (uint64_t)store.threads,
	};
	return &store.bridge;
}

void fs_fake_stop(void)
{
	for (uint32_t i = 0; i < atomic_load(&store.count); i++) {
		fake_table *t = store.table[i];
		for (uint32_t s = 0; s < t->shape.stripes; s++) {
			pthread_mutex_destroy(&t->stripe[s]);
		}
		fake_cells_free(t);
		free(t->stripe);
		free(t->control);
		free(t);
	}
	pthread_mutex_destroy(&store.registry);
	free(store.threads);
	memset(&store, 0, sizeof store);
}

fs_threads *fs_fake_threads(void) { return store.threads; }

fs_control *fs_fake_control(uint32_t table) { return table_of(table)->control; }

int32_t fs_fake_touch(uint32_t table, fs_bytes key, uint64_t expiry)
{
	return fake_touch(table_of(table), key, expiry);
}
