/* Fills the extension's table of functions. The only file that sees cgo's header: the wrappers give the exported Go
 * functions the bridge's const types. */
#include "_cgo_export.h"

#include "table.h"

static int32_t b_open(fs_bytes name, int32_t autostart, uint64_t *control, fs_error *err)
{
	return fs_go_open(name, autostart, control, err);
}

static int32_t b_put(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, fs_receipt *out, fs_error *err)
{
	return fs_go_put(table, key, (fs_value *)value, ttl, out, err);
}

static int32_t b_add(uint32_t table, fs_bytes key, const fs_value *value, int64_t ttl, int32_t *done, fs_receipt *out,
                     fs_error *err)
{
	return fs_go_add(table, key, (fs_value *)value, ttl, done, out, err);
}

static int32_t b_compare_and_set(uint32_t table, fs_bytes key, const fs_value *old, const fs_value *value,
                                 int32_t *done, fs_receipt *out, fs_error *err)
{
	return fs_go_compare_and_set(table, key, (fs_value *)old, (fs_value *)value, done, out, err);
}

static int32_t b_touch(uint32_t table, fs_bytes key, int64_t ttl, fs_error *err)
{
	return fs_go_touch(table, key, ttl, err);
}

static int32_t b_erase(uint32_t table, fs_bytes key, fs_error *err) { return fs_go_erase(table, key, err); }

static int32_t b_get(uint32_t table, fs_bytes key, char *dst, size_t cap, fs_value *out, uint64_t *expiry,
                     fs_error *err)
{
	return fs_go_get(table, key, dst, cap, out, expiry, err);
}

static int32_t b_pull(uint32_t table, fs_bytes key, char *dst, size_t cap, fs_value *out, fs_error *err)
{
	return fs_go_pull(table, key, dst, cap, out, err);
}

static int32_t b_increment(uint32_t table, fs_bytes key, uint8_t by_kind, uint64_t by, int32_t subtract, int64_t ttl,
                           fs_value *out, fs_receipt *receipt, fs_error *err)
{
	return fs_go_increment(table, key, by_kind, by, subtract, ttl, out, receipt, err);
}

static int32_t b_merge(uint32_t table, const fs_entry *entries, size_t n, int64_t ttl, fs_error *err)
{
	return fs_go_merge(table, (fs_entry *)entries, n, ttl, err);
}

static int32_t b_replace(uint32_t table, const fs_entry *entries, size_t n, fs_buffer *old, fs_error *err)
{
	return fs_go_replace(table, (fs_entry *)entries, n, old, err);
}

static int32_t b_erase_many(uint32_t table, const fs_bytes *keys, size_t n, uint64_t *removed, fs_error *err)
{
	return fs_go_erase_many(table, (fs_bytes *)keys, n, removed, err);
}

static int32_t b_erase_prefix(uint32_t table, fs_bytes prefix, uint64_t *removed, fs_error *err)
{
	return fs_go_erase_prefix(table, prefix, removed, err);
}

static int32_t b_clear(uint32_t table, fs_error *err) { return fs_go_clear(table, err); }

static int32_t b_sweep(uint32_t table, uint64_t *rows, fs_error *err) { return fs_go_sweep(table, rows, err); }

static int32_t b_evict(uint32_t table, uint64_t *rows, fs_error *err) { return fs_go_evict(table, rows, err); }

static int32_t b_snapshot(uint32_t table, uint64_t *generation, uint64_t *versions, uint8_t *changed, fs_buffer *rows,
                          fs_error *err)
{
	return fs_go_snapshot(table, generation, versions, changed, rows, err);
}

static int32_t b_scan(uint32_t table, fs_bytes prefix, uint64_t limit, int32_t keys_only, fs_buffer *rows,
                      fs_error *err)
{
	return fs_go_scan(table, prefix, limit, keys_only, rows, err);
}

static int32_t b_count(uint32_t table, uint64_t *out, fs_error *err) { return fs_go_count(table, out, err); }

static int32_t b_version(uint32_t table, uint64_t *out, fs_error *err) { return fs_go_version(table, out, err); }

static int32_t b_stats(uint32_t table, fs_table_stats *out, fs_error *err) { return fs_go_stats(table, out, err); }

static int32_t b_tables(fs_buffer *rows, fs_error *err) { return fs_go_tables(rows, err); }

static int32_t b_lease(uint32_t table, fs_bytes key, int32_t kind, uint64_t request, uint32_t wait_ms, uint64_t *since,
                       int32_t *answer, fs_error *err)
{
	return fs_go_lease(table, key, kind, request, wait_ms, since, answer, err);
}

static void b_end_lease(uint32_t table, fs_bytes key, int32_t kind, uint64_t request)
{
	fs_go_end_lease(table, key, kind, request);
}

static int32_t b_interval(uint32_t table, fs_bytes key, fs_bytes callable, uint8_t by, int64_t every, fs_error *err)
{
	return fs_go_interval(table, key, callable, by, every, err);
}

static int32_t b_interval_worker(fs_bytes script) { return fs_go_interval_worker(script); }

static int32_t b_interval_state(uint32_t table, fs_bytes key) { return fs_go_interval_state(table, key); }

static int32_t b_claim(uint32_t table, fs_bytes key, uint64_t request, int32_t early, fs_claim *out, fs_buffer *names,
                       fs_error *err)
{
	return fs_go_claim(table, key, request, early, out, names, err);
}

static int32_t b_claim_any(uint64_t request, fs_claim *out, fs_buffer *names, fs_error *err)
{
	return fs_go_claim_any(request, out, names, err);
}

static int32_t b_commit(uint32_t table, fs_bytes key, uint64_t claim, const fs_value *value, fs_error *err)
{
	return fs_go_commit(table, key, claim, (fs_value *)value, err);
}

static void b_give_up(uint32_t table, fs_bytes key, uint64_t claim) { fs_go_give_up(table, key, claim); }

static int32_t b_shared_open(int32_t kind, uint64_t id, uint64_t *cell, fs_error *err)
{
	return fs_go_shared_open(kind, id, cell, err);
}

static void b_shared_close(uint64_t id) { fs_go_shared_close(id); }

static int32_t b_shared_remove(int32_t kind, fs_bytes name) { return fs_go_shared_remove(kind, name); }

static int32_t b_word_open(int32_t kind, fs_bytes name, int64_t initial, uint64_t *id, uint64_t *cell, fs_error *err)
{
	return fs_go_word_open(kind, name, initial, id, cell, err);
}

static void b_word_wake(uint64_t id) { fs_go_word_wake(id); }

static int32_t b_word_wait(uint64_t id, uint32_t ms, uint64_t *since, fs_error *err)
{
	return fs_go_word_wait(id, ms, since, err);
}

static int32_t b_channel_open(fs_bytes name, int64_t capacity, uint64_t *id, fs_error *err)
{
	return fs_go_channel_open(name, capacity, id, err);
}

static int32_t b_channel_send(uint64_t id, const fs_value *value, int32_t wait, uint64_t *ticket, fs_error *err)
{
	return fs_go_channel_send(id, (fs_value *)value, wait, ticket, err);
}

static int32_t b_channel_receive(uint64_t id, uint64_t request, int32_t wait, uint64_t *ticket, fs_delivery *out,
                                 fs_buffer *buf, fs_error *err)
{
	return fs_go_channel_receive(id, request, wait, ticket, out, buf, err);
}

static int32_t b_channel_wait(uint64_t ticket, uint32_t ms, int32_t *over, fs_error *err)
{
	return fs_go_channel_wait(ticket, ms, over, err);
}

static int32_t b_channel_sent(uint64_t ticket, fs_error *err) { return fs_go_channel_sent(ticket, err); }

static int32_t b_channel_received(uint64_t ticket, fs_delivery *out, fs_buffer *buf, fs_error *err)
{
	return fs_go_channel_received(ticket, out, buf, err);
}

static int32_t b_channel_accept(uint64_t delivery) { return fs_go_channel_accept(delivery); }

static int32_t b_channel_close(uint64_t id) { return fs_go_channel_close(id); }

static void b_channel_state(uint64_t id, uint64_t *count, int32_t *closed) { fs_go_channel_state(id, count, closed); }

static int32_t b_lock(uint32_t table, const fs_lock_request *request, uint64_t *token, fs_error *err)
{
	return fs_go_lock(table, (fs_lock_request *)request, token, err);
}

static int32_t b_lock_enqueue(uint32_t table, const fs_lock_request *request, uint64_t *token, uint64_t *ticket,
                              fs_error *err)
{
	return fs_go_lock_enqueue(table, (fs_lock_request *)request, token, ticket, err);
}

static int32_t b_unlock(uint32_t table, fs_bytes name, fs_bytes owner, fs_error *err)
{
	return fs_go_unlock(table, name, owner, err);
}

static int32_t b_lock_force(uint32_t table, fs_bytes name, fs_error *err) { return fs_go_lock_force(table, name, err); }

static int32_t b_lock_refresh(uint32_t table, fs_bytes name, fs_bytes owner, int64_t ttl, fs_error *err)
{
	return fs_go_lock_refresh(table, name, owner, ttl, err);
}

static int32_t b_lock_state(uint32_t table, fs_bytes name, fs_bytes owner, fs_lock_state *out, fs_error *err)
{
	return fs_go_lock_state(table, name, owner, out, err);
}

static int32_t b_lock_flush(uint32_t table, fs_error *err) { return fs_go_lock_flush(table, err); }

static int32_t b_mutex_open(fs_bytes name, const fs_value *initial, uint64_t *id, fs_error *err)
{
	return fs_go_mutex_open(name, (fs_value *)initial, id, err);
}

static int32_t b_mutex_try(uint64_t id, uint64_t request, uint64_t *token, fs_error *err)
{
	return fs_go_mutex_try(id, request, token, err);
}

static int32_t b_mutex_enqueue(uint64_t id, uint64_t request, uint64_t *token, uint64_t *ticket, fs_error *err)
{
	return fs_go_mutex_enqueue(id, request, token, ticket, err);
}

static int32_t b_mutex_value(uint64_t id, uint64_t token, char *dst, size_t cap, fs_value *out, fs_error *err)
{
	return fs_go_mutex_value(id, token, dst, cap, out, err);
}

static int32_t b_mutex_commit(uint64_t id, uint64_t token, const fs_value *value, fs_error *err)
{
	return fs_go_mutex_commit(id, token, (fs_value *)value, err);
}

static void b_mutex_unlock(uint64_t id, uint64_t token) { fs_go_mutex_unlock(id, token); }

static int32_t b_turn_wait(uint64_t ticket, uint32_t wait_ms, uint64_t *token, fs_error *err)
{
	return fs_go_turn_wait(ticket, wait_ms, token, err);
}

static uint64_t b_turn_leave(uint64_t ticket) { return fs_go_turn_leave(ticket); }

static void b_request_end(uint64_t request) { fs_go_request_end(request); }

static void b_wake_stripe(uint32_t table, uint64_t stripe) { fs_go_wake_stripe(table, stripe); }

static int32_t b_changed(uint32_t table, fs_bytes key, fs_error *err) { return fs_go_changed(table, key, err); }

static fs_bridge bridge = {
	.open = b_open,
	.put = b_put,
	.add = b_add,
	.compare_and_set = b_compare_and_set,
	.touch = b_touch,
	.erase = b_erase,
	.get = b_get,
	.pull = b_pull,
	.increment = b_increment,
	.merge = b_merge,
	.replace = b_replace,
	.erase_many = b_erase_many,
	.erase_prefix = b_erase_prefix,
	.clear = b_clear,
	.sweep = b_sweep,
	.evict = b_evict,
	.snapshot = b_snapshot,
	.scan = b_scan,
	.count = b_count,
	.version = b_version,
	.stats = b_stats,
	.tables = b_tables,
	.lease = b_lease,
	.end_lease = b_end_lease,
	.interval = b_interval,
	.interval_worker = b_interval_worker,
	.interval_state = b_interval_state,
	.claim = b_claim,
	.claim_any = b_claim_any,
	.commit = b_commit,
	.give_up = b_give_up,
	.shared_open = b_shared_open,
	.shared_close = b_shared_close,
	.shared_remove = b_shared_remove,
	.word_open = b_word_open,
	.word_wake = b_word_wake,
	.word_wait = b_word_wait,
	.channel_open = b_channel_open,
	.channel_send = b_channel_send,
	.channel_receive = b_channel_receive,
	.channel_wait = b_channel_wait,
	.channel_sent = b_channel_sent,
	.channel_received = b_channel_received,
	.channel_accept = b_channel_accept,
	.channel_close = b_channel_close,
	.channel_state = b_channel_state,
	.lock = b_lock,
	.lock_enqueue = b_lock_enqueue,
	.unlock = b_unlock,
	.lock_force = b_lock_force,
	.lock_refresh = b_lock_refresh,
	.lock_state = b_lock_state,
	.lock_flush = b_lock_flush,
	.mutex_open = b_mutex_open,
	.mutex_try = b_mutex_try,
	.mutex_enqueue = b_mutex_enqueue,
	.mutex_value = b_mutex_value,
	.mutex_commit = b_mutex_commit,
	.mutex_unlock = b_mutex_unlock,
	.turn_wait = b_turn_wait,
	.turn_leave = b_turn_leave,
	.request_end = b_request_end,
	.wake_stripe = b_wake_stripe,
	.changed = b_changed,
};

fs_bridge *fs_bridge_table(uint64_t threads)
{
	bridge.threads = threads;
	return &bridge;
}
