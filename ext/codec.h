/* PHP values to stored bytes and back. The format is described in sharedstate/codec.go, which has the other half;
 * sharedstate/testdata/values.txt holds both to it. */
#ifndef FRANKENSHARE_CODEC_H
#define FRANKENSHARE_CODEC_H

#include <php.h>

#include "bridge.h"

/* One call's encoding. Arrays are written to the thread's buffer, which is never in use while PHP code runs: an object's
 * __serialize may call the store again, suspend its fiber or never come back. All that outlives a value's own encoding is
 * Zend memory, which a bailout gives back. */
typedef struct fs_encoder {
	fs_buffer *buf;
	bool keep;          /* more values follow: what was encoded stays valid until fs_encoder_free() */
	zend_string **held; /* what the encoded values point to */
	uint32_t held_len;
	uint32_t held_cap;
} fs_encoder;

static inline void fs_encoder_init(fs_encoder *enc, fs_buffer *buf, bool keep)
{
	*enc = (fs_encoder){.buf = buf, .keep = keep};
}

/* Always call it after a return of fs_encode(), whatever that was; not needed after a bailout. */
void fs_encoder_free(fs_encoder *enc);

/* Encodes in without changing it. Strings are not copied: out->data points into them. Without keep, out is valid until PHP
 * code runs or the buffer is used again; with it, for as long as the caller holds in, until fs_encoder_free().
 *
 * classes are those whose objects may be stored, as a table's control block has them (fs_object_classes).
 *
 * FS_STATUS_OK; FS_STATUS_VALUE or FS_STATUS_VALUE_SIZE with err->message naming the thing ("a Closure at ['user'][3]");
 * -1 with PHP's exception pending when code of the user's threw or exited. The caller must hold a reference on an
 * array whose elements it encodes one after another: an object's code may change the variable it came from. */
int fs_encode(zval *in, uint64_t max_value, const char *classes, fs_encoder *enc, fs_value *out, fs_error *err);

/* Decodes a stored value; out is UNDEF unless the answer is FS_STATUS_OK. FS_STATUS_VALUE with err->message for damaged
 * bytes or an enum case that does not exist (any more); FS_STATUS_STALE_HANDLE for a handle of an object that is gone; -1 with PHP's exception pending. If flags have
 * FS_FLAG_RUNS_CODE, data must not be in the thread's buffer; without it, no PHP code is run. */
int fs_decode(uint8_t kind, uint8_t flags, uint64_t number, const char *data, size_t len, zval *out, fs_error *err);

/* What the codec asks of shared.c. Is an object a handle of a shared object? *number is 0 when its constructor did not run. */
bool fs_handle_parts(zend_object *obj, int32_t *kind, uint64_t *number);
/* Makes a handle. FS_STATUS_OK, or another status with err->message, as when the object is gone. */
int fs_handle_decode(int32_t kind, uint64_t number, zval *out, fs_error *err);

/* How deep objects may nest, PHP's own default for unserialize(). */
#define FS_MAX_OBJECT_DEPTH 4096

#endif
