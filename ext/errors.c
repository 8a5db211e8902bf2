#include <php.h>
#include <zend_exceptions.h>

#include "classes.h"
#include "errors.h"

static zend_class_entry *class_of(int status)
{
	switch (status) {
	case FS_STATUS_FULL:
	case FS_STATUS_SHARED_FULL:
	case FS_STATUS_LOCKS_FULL:
		return fs_class.table_full;
	case FS_STATUS_VALUE_SIZE:
		return fs_class.value_too_large;
	case FS_STATUS_KEY_SIZE:
		return fs_class.invalid_key;
	case FS_STATUS_VALUE:
	case FS_STATUS_NOT_NUMBER:
	case FS_STATUS_OVERFLOW:
		return fs_class.invalid_value;
	case FS_STATUS_UNKNOWN_TABLE:
		return fs_class.unknown_table;
	case FS_STATUS_UNAVAILABLE:
	case FS_STATUS_DAMAGED:
		return fs_class.unavailable;
	case FS_STATUS_STALE_HANDLE:
		return fs_class.stale_handle;
	case FS_STATUS_DEADLOCK:
		return fs_class.deadlock;
	case FS_STATUS_WAIT_ENDED:
		return fs_class.wait_cancelled;
	case FS_STATUS_CONTENTION:
		return fs_class.contention;
	case FS_STATUS_OPERATION_TIMEOUT:
		return fs_class.operation_timeout;
	case FS_STATUS_CORRUPTED:
		return fs_class.corrupted_mutex;
	case FS_STATUS_LOCK_TIMEOUT:
		return fs_class.lock_timeout;
	default:
		return fs_class.shared_state;
	}
}

void fs_throw(int status, const char *message) { zend_throw_exception(class_of(status), message, 0); }

void fs_throw_format(int status, const char *format, ...)
{
	fs_error err;
	va_list args;
	va_start(args, format);
	vsnprintf(err.message, sizeof(err.message), format, args);
	va_end(args);
	fs_throw(status, err.message);
}

#define SHOWN_KEY 64

/* A key as a message can show it: cut, and without bytes that would end or garble it. */
static void show_key(char *dst, fs_bytes key)
{
	for (size_t i = 0; i < MIN(key.len, SHOWN_KEY); i++) {
		unsigned char c = (unsigned char)key.data[i];
		if (c < 0x20 || c == 0x7f) {
			dst += sprintf(dst, "\\x%02x", c);
		} else {
			*dst++ = (char)c;
		}
	}
	strcpy(dst, key.len > SHOWN_KEY ? "..." : "");
}

/* Names the key and the table as well as the value. */
static void throw_about(int status, const char *before, fs_bytes key, const fs_control *c, const fs_error *err)
{
	char shown[SHOWN_KEY * 4 + 4];
	if (status != -1) {
		show_key(shown, key);
		zend_throw_exception_ex(class_of(status), 0, "%s key \"%s\" of table \"%.*s\": %s", before, shown,
		                        (int)c->name_len, c->name, err->message);
	}
}

void fs_throw_encode(int status, const fs_control *c, fs_bytes key, const fs_error *err)
{
	throw_about(status, "Cannot store under", key, c, err);
}

void fs_throw_decode(int status, const fs_control *c, fs_bytes key, const fs_error *err)
{
	throw_about(status, "Cannot read", key, c, err);
}

void fs_throw_contention(const fs_control *c, fs_bytes key, int rounds)
{
	char shown[SHOWN_KEY * 4 + 4];
	show_key(shown, key);
	zend_throw_exception_ex(
		fs_class.contention, 0,
		"Cannot update key \"%s\" of table \"%.*s\": the callable ran %d times, and each time another "
		"writer, or the callable itself, had changed the value meanwhile",
		shown, (int)c->name_len, c->name, rounds);
}

void fs_throw_lock_timeout(const fs_control *c, fs_bytes name, double seconds)
{
	char shown[SHOWN_KEY * 4 + 4];
	show_key(shown, name);
	zend_throw_exception_ex(fs_class.lock_timeout, 0,
	                        "The lock \"%s\" of table \"%.*s\" was not free within %g seconds", shown, (int)c->name_len,
	                        c->name, seconds);
}

void fs_throw_uninitialized(void)
{
	zend_throw_exception(fs_class.uninitialized,
	                     "This FrankenPHP\\SharedArray belongs to no table: its constructor did not run, or it was "
	                     "unserialized from a string that names no table of this server",
	                     0);
}
