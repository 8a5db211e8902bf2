/* Readers with gates against writers through the twin, over few chains and few cells. Every answer is judged on the spot.
 *
 * usage: stress SECONDS. The first wrong answer ends the program with status 1. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../ext/number.h"
#include "witness.h"

enum {
	READERS = 4,
	WRITERS = 3,
	WORKERS = READERS + WRITERS,
	STRANGERS = 6,
	MAX_STRIPES = 4,
};

typedef struct gate {
	fs_bucket *home; /* NULL for none */
	uint64_t version, generation, expiry, state;
	int present;
} gate;

typedef struct worker {
	pthread_t thread;
	int writes;
	uint64_t random;
	fs_thread *record;
	gate gate[MAX_KEYS];
	char buffer[VALUE_MAX];
	uint64_t done[KINDS], full, absent, churn, cuts, in_place;
} worker;

static const fs_bridge *bridge;
static worker workers[WORKERS];
static atomic_int stopping;
_Thread_local uint64_t points_random;

int fs_buffer_reserve(fs_buffer *buf, size_t cap)
{
	if (cap > buf->cap) {
		size_t size = cap * 2;
		char *data = realloc(buf->data, size);
		if (data == NULL) {
			return 0;
		}
		buf->data = data;
		buf->cap = size;
	}
	return 1;
}

/* One read as the extension makes it: the gate, then the lock-free reader, then the bridge. */
static void look(worker *w, unsigned k)
{
	family *f = keys[k].family;
	fs_control *c = fs_fake_control(f->table);
	gate *g = &w->gate[k];
	uint64_t began = fs_load(&f->state), lowest = fs_load(&f->seen);
	if (points_next() % 8 == 0) {
		g->home = NULL; /* a full gate drops entries, so that reads go to the table at any time */
	}
	if (g->home != NULL && fs_gate_valid(c, g->home, g->version, g->generation, g->expiry)) {
		fs_bump(&w->record->hits);
		judge(k, g->present, g->state, lowest, began);
		return;
	}
	g->home = NULL;
	fs_found found;
	fs_read(fs_fake_threads(), w->record, c, keys[k].name, keys[k].len, w->buffer, sizeof w->buffer, &found);
	if (found.status == FS_STATUS_LOCKED) {
		fs_value value;
		fs_error err;
		uint64_t expiry;
		int32_t status = bridge->get(f->table, name_of(k), w->buffer, sizeof w->buffer, &value, &expiry, &err);
		int present = status == FS_STATUS_OK;
		if (!present && status != FS_STATUS_ABSENT) {
			wrong("key %u: status %d on the locked path", k, status);
		}
		uint64_t state = present ? state_of(k, value.kind, value.number, value.data, value.len) : 0;
		judge(k, present, state, lowest, began);
		return;
	}
	if (found.status != FS_STATUS_OK && found.status != FS_STATUS_ABSENT) {
		wrong("key %u: status %d", k, found.status);
	}
	int present = found.status == FS_STATUS_OK;
	uint64_t state = present ? state_of(k, found.kind, found.number, w->buffer, found.len) : 0;
#ifdef FS_BREAK_FILL_AFTER
	found.version = fs_load(&found.home->word[FS_BUCKET_VERSION]);
	found.cacheable = (found.version & 1) == 0;
#endif
#ifdef FS_BREAK_FILL_ODD
	found.cacheable = 1;
#endif
	if (found.cacheable) {
		*g = (gate){found.home, found.version, found.generation, found.expiry, state, present};
	}
	w->absent += !present;
	judge(k, present, state, lowest, began);
}

static void pause_until(uint64_t moment)
{
	while (fs_now() < moment) {
		FS_POINT(pause);
	}
}

static void cut(worker *w, family *f)
{
	uint64_t generation = 0, versions[MAX_STRIPES];
	uint8_t changed[MAX_STRIPES];
	fs_buffer rows = {0};
	fs_error err;
	memset(versions, 0xFF, sizeof versions);
	bridge->snapshot(f->table, &generation, versions, changed, &rows, &err);
	check_cut(&rows, f);
	free(rows.data);
	w->cuts++;
}

static fs_value text(char *data, unsigned k, uint64_t state)
{
	size_t len = make_value(data, k, state, VALUE_MIN + points_next() % (VALUE_MAX - VALUE_MIN));
	return (fs_value){.kind = FS_KIND_STRING, .data = data, .len = len};
}

static void finished(worker *w, family *f, uint64_t state, int32_t status)
{
	if (status == FS_STATUS_OK) {
		raise_to(&f->seen, state);
		w->done[f->kind]++;
	} else if (status == FS_STATUS_FULL) {
		w->full++;
	} else {
		wrong("a write of family %d: status %d", f->kind, status);
	}
}

static void put(worker *w, family *f)
{
	unsigned k = f->first;
	char data[VALUE_MAX];
	fs_receipt receipt;
	fs_error err;
	uint64_t state = begin_state(f, 0);
	fs_value value =
		f->kind == NUMBER ? (fs_value){.kind = FS_KIND_INT, .number = state * NUMBER_STEP + k} : text(data, k, state);
	int32_t status = bridge->put(f->table, name_of(k), &value, FS_FOREVER, &receipt, &err);
	finished(w, f, state, status);
	if (status == FS_STATUS_OK) {
		w->gate[k] = (gate){(fs_bucket *)receipt.home, receipt.version, receipt.generation, 0, state, 1};
	}
}

static void erase(worker *w, family *f)
{
	fs_error err;
	uint64_t state = begin_state(f, 1);
	int32_t status = bridge->erase(f->table, name_of(f->first), &err);
	finished(w, f, state, status == FS_STATUS_ABSENT ? FS_STATUS_OK : status);
}

/* Adds a step, or takes a negative one away. */
static void increment(worker *w, family *f)
{
	unsigned k = f->first;
	int subtract = points_next() % 2 == 0;
	uint64_t by = subtract ? (uint64_t)-NUMBER_STEP : NUMBER_STEP;
	fs_value sum;
	fs_receipt receipt;
	fs_error err;
	uint64_t state = begin_state(f, 0);
	int32_t status = FS_STATUS_OK;
	fs_number n = {.op = FS_NUMBER_ADD, .kind = FS_KIND_INT, .subtract = (uint8_t)subtract, .number = by};
	fs_bytes name = name_of(k);
	if (points_next() % 2 == 0 && w->record != NULL &&
	    fs_change_number(fs_fake_threads(), w->record, fs_fake_control(f->table), name.data, name.len, &n)) {
		sum.number = n.result;
		receipt = (fs_receipt){.home = n.home, .version = n.version, .generation = n.generation};
		w->in_place++;
	} else {
		status = bridge->increment(f->table, name, FS_KIND_INT, by, subtract, FS_FOREVER, &sum, &receipt, &err);
	}
	if (status == FS_STATUS_OK && sum.number != state * NUMBER_STEP + k) {
		wrong("key %u: increment to state %llu gave %llu", k, (unsigned long long)state,
		      (unsigned long long)sum.number);
	}
	finished(w, f, state, status);
	if (status == FS_STATUS_OK) {
		w->gate[k] = (gate){(fs_bucket *)receipt.home, receipt.version, receipt.generation, 0, state, 1};
	}
}

/* A number grows by steps of one state, so it must be there and up to date: a put does that first. */
static void count_up(worker *w, family *f)
{
	uint64_t full = w->full;
	put(w, f);
	for (int i = 0; i < 8 && w->full == full; i++) {
		increment(w, f);
	}
}

static void check_alive(family *f)
{
	if (f->alive != 0 && fs_load(&f->lapsed) >= f->alive) {
		wrong("key %u: expired for a reader, alive for a touch that came later", f->first);
	}
}

/* Gives the key a few microseconds to live and extends that at the last moment. When the extension finds it alive, nobody
 * may have been told that it had expired. */
static void lapse(worker *w, family *f)
{
	fs_bytes name = name_of(f->first);
	check_alive(f);
	put(w, f);
	uint64_t state = begin_state(f, 1), expiry = fs_now() + 2000 + points_next() % 30000;
	f->alive = 0;
	if (fs_fake_touch(f->table, name, expiry) != FS_STATUS_OK) {
		return; /* the put before found no room, and the key had expired earlier */
	}
	pause_until(expiry - points_next() % 2000);
	if (fs_fake_touch(f->table, name, fs_now() + 3600000000000u) == FS_STATUS_OK) {
		f->alive = state;
		check_alive(f);
	} else {
		raise_to(&f->seen, state);
	}
}

static void together(worker *w, family *f)
{
	static _Thread_local char data[MAX_KEYS][VALUE_MAX];
	static const char names[] = "abcdefghijlmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	fs_entry entries[STRANGERS + MAX_KEYS];
	fs_error err;
	int clear = f->kind == WHOLE && points_next() % 8 == 0;
	uint64_t state = begin_state(f, clear);
	if (clear) {
		finished(w, f, state, bridge->clear(f->table, &err));
		return;
	}
	/* A replace has keys besides that come and go, and want slots before the family's keys have found theirs. */
	unsigned n = 0, first = STRANGERS;
	int merge = f->kind == GROUP || points_next() % 2 == 0;
	for (; !merge && n < STRANGERS; n++) {
		const char *name = &names[n * 8 + points_next() % 8];
		entries[--first] = (fs_entry){{name, 1}, {.kind = FS_KIND_TRUE}};
	}
	for (unsigned i = 0; i < f->keys; i++) {
		entries[STRANGERS + i] = (fs_entry){name_of(f->first + i), text(data[i], f->first + i, state)};
	}
	n = STRANGERS - first + f->keys;
	if (merge) {
		finished(w, f, state, bridge->merge(f->table, entries + first, n, FS_FOREVER, &err));
		return;
	}
	fs_buffer old = {0};
	finished(w, f, state, bridge->replace(f->table, entries + first, n, &old, &err));
	check_cut(&old, f);
	free(old.data);
}

static void change(worker *w, family *f)
{
	pthread_mutex_lock(&f->order);
	switch (f->kind) {
	case NUMBER:
		count_up(w, f);
		break;
	case LAPSE:
		lapse(w, f);
		break;
	case GROUP:
	case WHOLE:
		together(w, f);
		break;
	default:
		points_next() % 4 == 0 ? erase(w, f) : put(w, f);
	}
	pthread_mutex_unlock(&f->order);
}

static void *work(void *argument)
{
	worker *w = argument;
	points_random = w->random;
	w->record = fs_thread_claim(fs_fake_threads());
	while (!atomic_load(&stopping)) {
		if (w->writes) {
			change(w, &families[points_next() % family_count]);
		}
		family *f = &families[points_next() % family_count];
		for (int i = 0; i < 12; i++) {
			look(w, f->first + points_next() % f->keys);
		}
		if (points_next() % 512 == 0 && (f->kind == GROUP || f->kind == WHOLE)) {
			cut(w, f);
		}
		if (points_next() % 2048 == 0) {
			fs_thread_release(w->record);
			w->record = fs_thread_claim(fs_fake_threads());
			w->churn++;
		}
	}
	fs_thread_release(w->record);
	return NULL;
}

static void report(int seconds)
{
	uint64_t total[KINDS] = {0}, full = 0, absent = 0, cuts = 0, churn = 0, in_place = 0;
	fs_table_stats stats;
	fs_error err;
	for (int i = 0; i < WORKERS; i++) {
		for (int k = 0; k < KINDS; k++) {
			total[k] += workers[i].done[k];
		}
		full += workers[i].full;
		absent += workers[i].absent;
		cuts += workers[i].cuts;
		in_place += workers[i].in_place;
		churn += workers[i].churn;
	}
	bridge->stats(0, &stats, &err);
	printf("%d s: %llu hits, %llu reads (%llu locked, %llu absent), %llu cuts, %llu claims; writes", seconds,
	       (unsigned long long)stats.hits, (unsigned long long)stats.reads, (unsigned long long)stats.locked,
	       (unsigned long long)absent, (unsigned long long)cuts, (unsigned long long)churn);
	for (int k = 0; k < KINDS; k++) {
		printf(" %llu", (unsigned long long)total[k]);
		if (total[k] == 0) {
			wrong("no write of family %d was tried", k);
		}
	}
	printf(", %llu full\n", (unsigned long long)full);
	if (stats.hits == 0 || stats.reads == 0 || stats.locked == 0 || absent == 0 || cuts == 0 || in_place == 0) {
		wrong("a path was never taken");
	}
	for (int i = 0; i < WORKERS; i++) {
		if (fs_load(&fs_fake_threads()->record[i].hazard) != 0 || fs_load(&fs_fake_threads()->record[i].chunk) != 0) {
			wrong("a hazard is left in record %d", i);
		}
	}
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 3;
	fs_fake_options options = {.stripes = MAX_STRIPES,
	                           .homes = 1,
	                           .overflow = 32,
	                           .cells = 84,
	                           .cell_size = 128,
	                           .max_value = VALUE_MAX,
	                           .max_key = 1024};
	bridge = fs_fake_start(&options);
	points_random = fs_now() | 1;
	const char *names[] = {"first", "second"};
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t control;
		fs_error err;
		if (bridge->open((fs_bytes){names[i], strlen(names[i])}, 1, &control, &err) != FS_STATUS_OK) {
			wrong("table %s: %s", names[i], err.message);
		}
	}
	for (int i = 0; i < 8; i++) {
		add_family(TEXT, 0, 1);
	}
	add_family(LONG_KEY, 0, 1);
	for (int i = 0; i < 4; i++) {
		add_family(NUMBER, 0, 1);
		add_family(LAPSE, 0, 1);
	}
	add_family(GROUP, 0, 4);
	add_family(GROUP, 0, 4);
	add_family(WHOLE, 1, 6); /* alone in its table: clear and replace change all keys there */
	for (int i = 0; i < WORKERS; i++) {
		workers[i].writes = i < WRITERS;
		workers[i].random = points_next() | 1;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	sleep((unsigned)seconds);
	atomic_store(&stopping, 1);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
	}
	report(seconds);
	fs_fake_stop();
	return 0;
}
