/* Writes of one key. Memory first, then the stripe, then only words; what was unlinked is retired last. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_table.h"

uint64_t fake_build_or_sweep(fake_table *t, fs_bytes key, const fs_value *value, uint64_t expiry)
{
	uint64_t row = fake_build(t, key, value, expiry);
	if (row == 0) {
		fake_sweep(t);
		row = fake_build(t, key, value, expiry);
	}
	return row;
}

static void receipt_locked(fake_table *t, const fake_key *k, uint64_t expiry, fs_receipt *out)
{
	if (out != NULL) {
		*out = (fs_receipt){(uint64_t)k->home, fs_load(&k->home->word[FS_BUCKET_VERSION]),
		                    fs_load(&t->control->generation), expiry};
	}
}

uint64_t fake_expiry(int64_t ttl) { return ttl == FS_FOREVER ? 0 : fs_now() + (uint64_t)ttl; }

bool fake_value_is_locked(const fake_table *t, uint64_t row, const fs_value *value)
{
	fs_value is;
	fake_value_of(t, row, &is);
	if (is.kind != value->kind) {
		return false;
	}
	if (fake_is_number(is.kind)) {
		return is.number == value->number;
	}
	char piece[64];
	bool same = is.len == value->len;
	for (size_t at = 0; same && at < is.len; at += sizeof piece) {
		size_t n = is.len - at < sizeof piece ? is.len - at : sizeof piece;
		fake_copy(t, row, fake_row(t, row)->key_len + at, piece, n);
		same = memcmp(piece, value->data + at, n) == 0;
	}
	return same;
}

/* Puts an unpublished row into its place and gives what was there before, 0 for nothing. */
static uint64_t swap_locked(fake_table *t, const fake_key *k, const fake_place *p, uint64_t row)
{
	fake_row(t, row)->generation = fs_load(&t->control->generation);
	fake_publish_locked(k, p->slot, row);
	return p->row;
}

static fake_place place_locked(fake_table *t, const fake_key *k)
{
	fake_place p = fake_find_locked(t, k);
	if (p.slot == NULL && fake_room_locked(t, k, 1)) {
		p = fake_find_locked(t, k);
	}
	return p;
}

static bool holds_locked(const fake_table *t, const fake_place *p, fake_condition when, const fs_value *old)
{
	bool live = p->mine && fake_alive_locked(t, p->row, fs_now());
	return when == FAKE_ALWAYS || (when == FAKE_IF_ABSENT && !live) ||
	       (when == FAKE_IF_SAME && live && fake_value_is_locked(t, p->row, old));
}

int32_t fake_put(fake_table *t, fs_bytes key, const fs_value *value, int64_t ttl, fake_condition when,
                 const fs_value *old, int32_t *done, fs_receipt *out)
{
	uint64_t expiry = fake_expiry(ttl);
	uint64_t row = fake_build_or_sweep(t, key, value, expiry), gone = 0;
	if (row == 0) {
		return FS_STATUS_FULL;
	}
	fake_key k = fake_locate(t, key);
	fake_lock(t, k.stripe);
	fake_place p = place_locked(t, &k);
	if (p.slot == NULL) {
		fake_unlock(t, k.stripe);
		fake_discard(t, row);
		return FS_STATUS_FULL;
	}
	fake_open_locked(t, k.stripe, k.home);
	*done = holds_locked(t, &p, when, old);
	if (*done) {
		if (when == FAKE_IF_SAME) {
			expiry = fs_load(&fake_row(t, p.row)->expiry);
			fs_store(&fake_row(t, row)->expiry, expiry);
		}
		gone = swap_locked(t, &k, &p, row);
		row = 0;
	}
	fake_close_locked(t, k.stripe, k.home);
	receipt_locked(t, &k, expiry, *done ? out : NULL);
	fake_unlock(t, k.stripe);
	fake_retire(t, gone);
	fake_discard(t, row);
	atomic_fetch_add(&t->writes, (uint64_t)*done);
	return FS_STATUS_OK;
}

int32_t fake_pull(fake_table *t, fs_bytes key, char *dst, size_t cap, fs_value *out)
{
	fake_key k = fake_locate(t, key);
	fake_lock(t, k.stripe);
	fake_place p = fake_find_locked(t, &k);
	int32_t status = p.mine && fake_alive_locked(t, p.row, fs_now()) ? FS_STATUS_OK : FS_STATUS_ABSENT;
	if (status == FS_STATUS_OK) {
		fake_value_of(t, p.row, out);
		out->data = dst;
		status = out->len > cap ? FS_STATUS_GROW : FS_STATUS_OK;
	}
	if (status == FS_STATUS_OK) {
		fake_copy(t, p.row, fake_row(t, p.row)->key_len, dst, out->len);
		fake_open_locked(t, k.stripe, k.home);
		fs_store(p.slot, 0);
		fake_close_locked(t, k.stripe, k.home);
	}
	fake_unlock(t, k.stripe);
	if (status == FS_STATUS_OK) {
		fake_retire(t, p.row);
		atomic_fetch_add(&t->deletes, 1);
	}
	return status;
}

int32_t fake_erase(fake_table *t, fs_bytes key)
{
	fake_key k = fake_locate(t, key);
	fake_lock(t, k.stripe);
	fake_place p = fake_find_locked(t, &k);
	bool was = false;
	if (p.mine) {
		fake_open_locked(t, k.stripe, k.home);
		was = fake_alive_locked(t, p.row, fs_now());
		fs_store(p.slot, 0);
		FS_POINT(slot);
		fake_close_locked(t, k.stripe, k.home);
	}
	fake_unlock(t, k.stripe);
	if (!p.mine) {
		return FS_STATUS_ABSENT;
	}
	fake_retire(t, p.row);
	atomic_fetch_add(&t->deletes, 1);
	return was ? FS_STATUS_OK : FS_STATUS_ABSENT;
}

/* The clock is read once the versions are odd: a reader that saw the row expired at an earlier time either finds the
 * version changed, or this finds the row expired too. */
int32_t fake_touch(fake_table *t, fs_bytes key, uint64_t expiry)
{
	fake_key k = fake_locate(t, key);
	fake_lock(t, k.stripe);
	fake_place p = fake_find_locked(t, &k);
	bool was = false;
	if (p.mine) {
#ifdef FS_BREAK_EARLY_CLOCK
		uint64_t now = fs_now();
		FS_POINT(clock);
#endif
		fake_open_locked(t, k.stripe, k.home);
#ifndef FS_BREAK_EARLY_CLOCK
		uint64_t now = fs_now();
#endif
		was = fake_alive_locked(t, p.row, now);
		if (was) {
			fs_store(&fake_row(t, p.row)->expiry, expiry);
		}
		fake_close_locked(t, k.stripe, k.home);
	}
	fake_unlock(t, k.stripe);
	return was ? FS_STATUS_OK : FS_STATUS_ABSENT;
}

static double as_float(const fs_value *v)
{
	double d;
	if (v->kind == FS_KIND_INT) {
		return (double)(int64_t)v->number;
	}
	memcpy(&d, &v->number, sizeof d);
	return d;
}

/* a + b or a - b as PHP has them, but an int's result must be an int and a finite number's finite. */
static int32_t add(const fs_value *a, const fs_value *b, bool subtract, fs_value *sum)
{
	*sum = (fs_value){.kind = FS_KIND_INT};
	if (a->kind == FS_KIND_INT && b->kind == FS_KIND_INT) {
		int64_t x = (int64_t)a->number, y = (int64_t)b->number, n;
		if (subtract ? __builtin_sub_overflow(x, y, &n) : __builtin_add_overflow(x, y, &n)) {
			return FS_STATUS_OVERFLOW;
		}
		sum->number = (uint64_t)n;
		return FS_STATUS_OK;
	}
	double x = as_float(a), y = as_float(b), d = subtract ? x - y : x + y;
	if (isinf(d) && isfinite(x) && isfinite(y)) {
		return FS_STATUS_OVERFLOW;
	}
	sum->kind = FS_KIND_FLOAT;
	memcpy(&sum->number, &d, sizeof d);
	return FS_STATUS_OK;
}

/* The number that a row counts as: a number itself, or a string that is an int's own decimal form. */
static bool number_locked(const fake_table *t, uint64_t row, fs_value *out)
{
	char digits[32], again[32];
	fake_value_of(t, row, out);
	if (fake_is_number(out->kind)) {
		return true;
	}
	if ((out->kind != FS_KIND_STRING && out->kind != FS_KIND_TEXT) || out->len == 0 || out->len >= sizeof digits) {
		return false;
	}
	fake_copy(t, row, fake_row(t, row)->key_len, digits, out->len);
	digits[out->len] = 0;
	errno = 0;
	int64_t n = strtoll(digits, NULL, 10);
	int len = snprintf(again, sizeof again, "%lld", (long long)n);
	if (errno != 0 || (size_t)len != out->len || memcmp(digits, again, out->len) != 0) {
		return false;
	}
	*out = (fs_value){.kind = FS_KIND_INT, .number = (uint64_t)n};
	return true;
}

/* In place when the row is a number of the kind that the sum has; else a new row with the old one's expiry. A row is
 * built before it is known whether one is needed, so that none is under the lock. */
int32_t fake_increment(fake_table *t, fs_bytes key, const fs_value *by, bool subtract, int64_t ttl, fs_value *out,
                       fs_receipt *receipt)
{
	uint64_t expiry = fake_expiry(ttl);
	uint64_t row = fake_build_or_sweep(t, key, by, expiry), old = 0;
	fake_key k = fake_locate(t, key);
	fs_value was = {.kind = FS_KIND_INT};
	int32_t status;
	fake_lock(t, k.stripe);
	fake_place p = place_locked(t, &k);
	fake_open_locked(t, k.stripe, k.home);
	bool alive = p.mine && fake_alive_locked(t, p.row, fs_now());
	if (alive && !number_locked(t, p.row, &was)) {
		status = FS_STATUS_NOT_NUMBER;
	} else {
		status = add(&was, by, subtract, out);
	}
	bool in_place = alive && fake_row(t, p.row)->kind == out->kind;
	if (alive) {
		expiry = fs_load(&fake_row(t, p.row)->expiry);
	}
	if (status == FS_STATUS_OK && in_place) {
		fs_store(&fake_row(t, p.row)->number, out->number);
		FS_POINT(number);
	} else if (status == FS_STATUS_OK && !alive && ttl <= 0) {
		receipt = NULL; /* it would have expired already */
	} else if (status == FS_STATUS_OK && (row == 0 || p.slot == NULL)) {
		status = FS_STATUS_FULL;
	} else if (status == FS_STATUS_OK) {
		fake_set_number(t, row, out);
		fs_store(&fake_row(t, row)->expiry, expiry);
		old = swap_locked(t, &k, &p, row);
		row = 0;
	}
	fake_close_locked(t, k.stripe, k.home);
	receipt_locked(t, &k, expiry, receipt);
	fake_unlock(t, k.stripe);
	fake_retire(t, old);
	fake_discard(t, row);
	atomic_fetch_add(&t->writes, status == FS_STATUS_OK);
	return status;
}
