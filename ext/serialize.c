/* The encoder's part for objects: PHP's serializer writes the whole value, and what it wrote is looked through for the classes,
 * since only it knows what an object's code and its private properties hold. */
#include <php.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/php_var.h>
#include <zend_builtin_functions.h>
#include <zend_exceptions.h>
#include <zend_smart_str.h>

#include "encode.h"

void fs_encoder_hold(fs_encoder *enc, zend_string *s)
{
	if (enc->held_len == enc->held_cap) {
		enc->held_cap = enc->held_cap != 0 ? enc->held_cap * 2 : 4;
		enc->held = safe_erealloc(enc->held, enc->held_cap, sizeof(*enc->held), 0);
	}
	enc->held[enc->held_len++] = s;
}

void fs_encoder_free(fs_encoder *enc)
{
	for (uint32_t i = 0; i < enc->held_len; i++) {
		zend_string_release(enc->held[i]);
	}
	if (enc->held != NULL) {
		efree(enc->held);
	}
	enc->held = NULL;
	enc->held_len = enc->held_cap = 0;
}

/* Handles lead into the store and hold nothing themselves, so that every table takes them. */
static const char *const handles[] = {"FrankenPHP\\SharedArray"};

static bool same_class(const char *a, const char *name, size_t len)
{
	return zend_binary_strcasecmp(a, strlen(a), name, len) == 0;
}

int fs_permit_class(const char *classes, const char *name, size_t len, fs_error *err)
{
	if (classes == NULL) {
		return FS_STATUS_OK;
	}
	for (size_t i = 0; i < sizeof(handles) / sizeof(*handles); i++) {
		if (same_class(handles[i], name, len)) {
			return FS_STATUS_OK;
		}
	}
	smart_str list = {0};
	for (const char *c = classes; *c != 0; c += strlen(c) + 1) {
		if (same_class(c, name, len)) {
			smart_str_free(&list);
			return FS_STATUS_OK;
		}
		smart_str_appendc(&list, ' ');
		smart_str_appends(&list, c);
	}
	smart_str_0(&list);
	snprintf(err->message, sizeof(err->message), "an object of class %.*s (the table has objects %s%.200s%s)",
	         (int)MIN(len, 200), name, list.s != NULL ? "serialize" : "deny", list.s != NULL ? ZSTR_VAL(list.s) : "",
	         list.s != NULL && ZSTR_LEN(list.s) > 200 ? "..." : "");
	smart_str_free(&list);
	return FS_STATUS_VALUE;
}

/* Did the serializer itself throw this, and not code that it called? Then no call is between it and us. */
static bool thrown_here(zend_object *thrown)
{
	zval here, rv;
	zval *there = zend_read_property_ex(zend_ce_exception, thrown, ZSTR_KNOWN(ZEND_STR_TRACE), 1, &rv);
	zend_fetch_debug_backtrace(&here, 0, DEBUG_BACKTRACE_IGNORE_ARGS, 0);
	bool same = Z_TYPE_P(there) == IS_ARRAY &&
	            zend_hash_num_elements(Z_ARRVAL_P(there)) == zend_hash_num_elements(Z_ARRVAL(here));
	zval_ptr_dtor(&here);
	return same && GC_REFCOUNT(thrown) == 1; /* what the user made before and throws now, the user holds */
}

/* Sorts out what was thrown: the serializer's refusal of a class is ours too, all else belongs to the caller. */
static int take_exception(fs_error *err)
{
	static const char before[] = "Serialization of '", after[] = "' is not allowed";
	zend_object *thrown = EG(exception);
	if (zend_is_unwind_exit(thrown) || zend_is_graceful_exit(thrown) || thrown->ce != zend_ce_exception ||
	    !thrown_here(thrown)) {
		return -1;
	}
	zval rv;
	zval *message = zend_read_property_ex(zend_ce_exception, thrown, ZSTR_KNOWN(ZEND_STR_MESSAGE), 1, &rv);
	if (Z_TYPE_P(message) != IS_STRING || strncmp(Z_STRVAL_P(message), before, sizeof(before) - 1) != 0) {
		return -1;
	}
	const char *name = Z_STRVAL_P(message) + sizeof(before) - 1;
	const char *end = strstr(name, after);
	if (end == NULL) {
		return -1;
	}
	snprintf(err->message, sizeof(err->message), "an object of class %.*s, which PHP does not serialize",
	         (int)MIN(end - name, 256), name);
	zend_clear_exception();
	return FS_STATUS_VALUE;
}

/* Is all that was written within the limits? */
static int check(const char *bytes, size_t len, const char *classes, fs_error *err)
{
	fs_serialized s = {.p = bytes, .end = bytes + len};
	fs_bytes class_name;
	while (fs_serialized_next(&s, &class_name)) {
		if (s.depth > FS_MAX_OBJECT_DEPTH) {
			snprintf(err->message, sizeof(err->message), "objects and arrays nested deeper than %d",
			         FS_MAX_OBJECT_DEPTH);
			return FS_STATUS_VALUE;
		}
		if (class_name.data != NULL) {
			int status = fs_permit_class(classes, class_name.data, class_name.len, err);
			if (status != FS_STATUS_OK) {
				return status;
			}
		}
	}
	return FS_STATUS_OK;
}

int fs_serialize(zval *in, uint64_t max_value, const char *classes, fs_encoder *enc, fs_value *out, fs_error *err)
{
	php_serialize_data_t data;
	smart_str s = {0};

	smart_str_appendc(&s, FS_FORMAT_VERSION);
	/* A serialize() that is under way on this thread (we may be called from its error handler) lends its table of objects to
	 * a nested one unless that is locked: the bytes would refer to objects outside them. */
	BG(serialize_lock)++;
	PHP_VAR_SERIALIZE_INIT(data);
	php_var_serialize(&s, in, &data);
	PHP_VAR_SERIALIZE_DESTROY(data);
	BG(serialize_lock)--;
	if (EG(exception)) {
		smart_str_free(&s);
		return take_exception(err);
	}
	zend_string *bytes = smart_str_extract(&s);
	fs_encoder_hold(enc, bytes);
	if (ZSTR_LEN(bytes) > max_value) {
		return FS_STATUS_VALUE_SIZE;
	}
	out->kind = FS_KIND_OBJECT;
	out->flags = FS_FLAG_FRESH | FS_FLAG_RUNS_CODE;
	out->data = ZSTR_VAL(bytes);
	out->len = ZSTR_LEN(bytes);
	return check(ZSTR_VAL(bytes) + 1, ZSTR_LEN(bytes) - 1, classes, err);
}
