#include <php.h>
#include <SAPI.h>
#include <ext/standard/info.h>

#include "errors.h"
#include "frankenshare.h"
#include "info.h"
#include "rows.h"

/* A command-line process has a store of its own. */
static const char *store_kind(void) { return strcmp(sapi_module.name, "cli") == 0 ? "private" : "server"; }

/* The eviction policy, by the name that it has in the configuration. */
static const char *policy(fs_control *c)
{
	static const char *const names[] = {
		[FS_EVICT_LRU] = "lru", [FS_EVICT_LFU] = "lfu", [FS_EVICT_TTL] = "ttl", [FS_EVICT_NONE] = "noeviction"};
	return names[atomic_load_explicit(&c->eviction, memory_order_relaxed)];
}

static uint64_t figure(fs_word *word) { return atomic_load_explicit(word, memory_order_relaxed); }

static void add(zval *to, const char *name, uint64_t n) { add_assoc_long(to, name, (zend_long)n); }

static void add_thread(zval *to)
{
	zval thread;
	array_init(&thread);
	add(&thread, "request", fs_g->request);
	add(&thread, "entries", fs_g->gate.used);
	add(&thread, "bytes", fs_g->gate.bytes);
	add(&thread, "hits", fs_g->thread != NULL ? figure(&fs_g->thread->hits) : 0);
	add(&thread, "reads", fs_g->thread != NULL ? figure(&fs_g->thread->reads) : 0);
	add(&thread, "locked", fs_g->thread != NULL ? figure(&fs_g->thread->locked) : 0);
	add_assoc_zval(to, "thread", &thread);
}

void fs_stats(fs_control *c, zval *out)
{
	fs_table_stats s;
	fs_error err;
	int status = fs_go.stats(c->id, &s, &err);
	if (status != FS_STATUS_OK) {
		fs_throw(status, err.message);
		return;
	}
	array_init(out);
	add_assoc_stringl(out, "table", c->name, c->name_len);
	add_assoc_string(out, "store", store_kind());
	add_assoc_string(out, "eviction", policy(c));
	add(out, "count", s.count);
	add(out, "keys_bytes", s.keys_bytes);
	add(out, "values_bytes", s.values_bytes);
	add(out, "memory_limit", s.memory_limit);
	add(out, "memory_used", s.memory_used);
	add(out, "memory_retired", s.memory_retired);
	add(out, "stripes", s.stripes);
	add(out, "homes", s.homes);
	add(out, "overflow_buckets", s.overflow_buckets);
	add(out, "writes", s.writes);
	add(out, "deletes", s.deletes);
	add(out, "expired", s.expired);
	add(out, "evicted", s.evicted);
	add(out, "refused", s.refused);
	add(out, "generation", s.generation);
	add(out, "version", s.version);
	add(out, "hits", s.hits);
	add(out, "reads", s.reads);
	add(out, "locked", s.locked);
	add(out, "threads", s.threads);
	add_thread(out);
}

static void print_number(const char *name, uint64_t n)
{
	char text[24];
	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	php_info_print_table_row(2, name, text);
}

static void print_table(zend_string *name)
{
	uint64_t control = 0;
	fs_table_stats s;
	fs_error err;
	char text[160];
	if (fs_go.open((fs_bytes){.data = ZSTR_VAL(name), .len = ZSTR_LEN(name)}, 0, &control, &err) != FS_STATUS_OK ||
	    fs_go.stats(((fs_control *)(uintptr_t)control)->id, &s, &err) != FS_STATUS_OK) {
		return; /* dropped since it was listed */
	}
	snprintf(text, sizeof(text), "%llu keys, %llu of %llu bytes used, %llu writes, %llu refused",
	         (unsigned long long)s.count, (unsigned long long)s.memory_used, (unsigned long long)s.memory_limit,
	         (unsigned long long)s.writes, (unsigned long long)s.refused);
	php_info_print_table_row(2, ZSTR_VAL(name), text);
}

static void print_tables(void)
{
	fs_error err;
	fs_g->rows.len = 0;
	if (fs_go.tables(&fs_g->rows, &err) != FS_STATUS_OK) {
		return;
	}
	/* Printing may run an output handler of the user's: the names leave the buffer first. */
	zend_array *names = fs_rows_to_keys(&fs_g->rows, NULL);
	zval *name;
	php_info_print_table_start();
	php_info_print_table_header(2, "Table", "Figures");
	ZEND_HASH_FOREACH_VAL(names, name)
	{
		zend_string *s = zval_get_string(name);
		print_table(s);
		zend_string_release(s);
	}
	ZEND_HASH_FOREACH_END();
	php_info_print_table_end();
	zend_array_release(names);
}

void fs_info(void)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "FrankenShare", "enabled");
	php_info_print_table_row(2, "Version", FRANKENSHARE_VERSION);
	php_info_print_table_row(2, "Store", store_kind());
	if (fs_g != NULL && fs_g->thread != NULL) {
		print_number("This request", fs_g->request);
		print_number("This thread: cached values", fs_g->gate.used);
		print_number("This thread: bytes of cached values", fs_g->gate.bytes);
		print_number("This thread: reads from its cache", figure(&fs_g->thread->hits));
		print_number("This thread: reads from tables", figure(&fs_g->thread->reads));
	}
	php_info_print_table_end();
	if (fs_g != NULL && !fs_forked) {
		print_tables();
	}
}
