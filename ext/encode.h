/* What the files of the encoder share. */
#ifndef FRANKENSHARE_ENCODE_H
#define FRANKENSHARE_ENCODE_H

#include "codec.h"

/* Takes s over, which lives until fs_encoder_free(). */
void fs_encoder_hold(fs_encoder *enc, zend_string *s);

/* May an object of the class be stored? FS_STATUS_OK, or FS_STATUS_VALUE with err->message. */
int fs_permit_class(const char *classes, const char *name, size_t len, fs_error *err);

/* Lets PHP serialize in, which the caller holds. Runs code of the user's. Answers as fs_encode() does, but for the message of
 * FS_STATUS_VALUE_SIZE. */
int fs_serialize(zval *in, uint64_t max_value, const char *classes, fs_encoder *enc, fs_value *out, fs_error *err);

/* What there is in the bytes that PHP's serializer wrote. */
typedef struct fs_serialized {
	const char *p; /* a NUL is behind the end */
	const char *end;
	size_t depth; /* of the arrays and objects around p */
} fs_serialized;

/* Goes on to the next array or object, which depth then counts; false at the end. *class_name is an object's class, without data
 * for an array. */
bool fs_serialized_next(fs_serialized *s, fs_bytes *class_name);

#endif
