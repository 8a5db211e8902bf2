#include "witness.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

key keys[MAX_KEYS];
family families[MAX_KEYS];
unsigned key_count, family_count;

void wrong(const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "wrong: %s\n", text);
	_exit(1);
}

void raise_to(fs_word *word, uint64_t value)
{
	uint64_t now = fs_load(word);
	while (now < value && !atomic_compare_exchange_weak(word, &now, value)) {
	}
}

fs_bytes name_of(unsigned k) { return (fs_bytes){keys[k].name, keys[k].len}; }

/* A value: its key, its length, its state, filler, and a sum over all bytes before it. */
typedef struct stamp {
	uint32_t key, len;
	uint64_t state;
} stamp;

static uint64_t sum_of(const char *data, size_t len)
{
	uint64_t sum = 1469598103934665603u;
	for (size_t i = 0; i < len; i++) {
		sum = (sum ^ (unsigned char)data[i]) * 1099511628211u;
	}
	return sum;
}

size_t make_value(char *data, unsigned k, uint64_t state, size_t len)
{
	stamp s = {k, (uint32_t)len, state};
	memset(data, (int)(state * 7 + k), len);
	memcpy(data, &s, sizeof s);
	uint64_t sum = sum_of(data, len - sizeof sum);
	memcpy(data + len - sizeof sum, &sum, sizeof sum);
	return len;
}

uint64_t state_of(unsigned k, uint8_t kind, uint64_t number, const char *data, size_t len)
{
	if ((kind == FS_KIND_INT) != (keys[k].family->kind == NUMBER)) {
		wrong("key %u: a value of kind %u", k, kind);
	}
	if (kind == FS_KIND_INT) {
		if (number % NUMBER_STEP != k) {
			wrong("key %u: the number %llu is another key's", k, (unsigned long long)number);
		}
		return number / NUMBER_STEP;
	}
	stamp s;
	uint64_t sum;
	if (len < VALUE_MIN || len > VALUE_MAX) {
		wrong("key %u: a value of %zu bytes", k, len);
	}
	memcpy(&s, data, sizeof s);
	memcpy(&sum, data + len - sizeof sum, sizeof sum);
	if (s.len != len || sum != sum_of(data, len - sizeof sum)) {
		wrong("key %u: torn value of %zu bytes, state %llu", k, len, (unsigned long long)s.state);
	}
	if (s.key != k) {
		wrong("key %u: the value of key %u", k, s.key);
	}
	return s.state;
}

void judge(unsigned k, int present, uint64_t state, uint64_t lowest, uint64_t began)
{
	family *f = keys[k].family;
	if (present) {
		if (state < lowest) {
			wrong("key %u: state %llu after state %llu had been seen", k, (unsigned long long)state,
			      (unsigned long long)lowest);
		}
		if (state > fs_load(&f->state)) {
			wrong("key %u: state %llu was never written", k, (unsigned long long)state);
		}
		raise_to(&f->seen, state);
		return;
	}
	if (fs_load(&f->absent) < lowest) {
		wrong("key %u: absent although state %llu had been seen", k, (unsigned long long)lowest);
	}
	if (f->kind == LAPSE && fs_load(&f->state) == began) {
		raise_to(&f->lapsed, began);
	}
}

void check_cut(const fs_buffer *rows, family *f)
{
	uint64_t state = 0;
	unsigned found = 0;
	for (size_t at = 0; at < rows->len;) {
		const fs_row_header *h = (const fs_row_header *)(rows->data + at);
		const char *name = rows->data + at + sizeof *h;
		for (unsigned k = f->first; k < f->first + f->keys; k++) {
			if (h->key_len != keys[k].len || memcmp(name, keys[k].name, h->key_len) != 0) {
				continue;
			}
			uint64_t its = state_of(k, h->kind, h->number, name + h->key_len, h->value_len);
			if (found++ > 0 && its != state) {
				wrong("a cut has states %llu and %llu of one merge", (unsigned long long)state,
				      (unsigned long long)its);
			}
			state = its;
		}
		at += (sizeof *h + h->key_len + h->value_len + 7) & ~(size_t)7;
	}
	if (found != 0 && found != f->keys) {
		wrong("a cut has %u of a merge's %u keys", found, f->keys);
	}
}

uint64_t begin_state(family *f, int absent)
{
	uint64_t state = fs_load(&f->state) + 1;
	if (absent) {
		raise_to(&f->absent, state);
	}
	fs_store(&f->state, state);
	return state;
}

void add_family(family_kind kind, uint32_t table, unsigned n)
{
	family *f = &families[family_count++];
	*f = (family){.kind = kind, .table = table, .first = key_count, .keys = n};
	pthread_mutex_init(&f->order, NULL);
	for (unsigned i = 0; i < n; i++) {
		key *k = &keys[key_count++];
		size_t fill = kind == LONG_KEY ? 200 : key_count % 7; /* more than a cell, or lengths that a row pads */
		memset(k->name, 'k', fill);
		k->len = fill + (size_t)snprintf(k->name + fill, 16, "%u", key_count);
		k->family = f;
	}
}
