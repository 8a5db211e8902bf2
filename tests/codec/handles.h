/* What shared.c is to the codec, without a store: a handle is an object of the class Handle, and number 404 is gone. */
#ifndef CODEC_HANDLES_H
#define CODEC_HANDLES_H

#include "codec.h"

#define HANDLE_CLASS "final class Handle { public function __construct(public int $kind, public int $number) {} }\n"

static zend_class_entry *handle_class(void) { return zend_hash_str_find_ptr(EG(class_table), ZEND_STRL("handle")); }

bool fs_handle_parts(zend_object *obj, int32_t *kind, uint64_t *number)
{
	if (obj->ce != handle_class()) {
		return false;
	}
	*kind = (int32_t)Z_LVAL_P(OBJ_PROP_NUM(obj, 0));
	*number = (uint64_t)Z_LVAL_P(OBJ_PROP_NUM(obj, 1));
	return true;
}

int fs_handle_decode(int32_t kind, uint64_t number, zval *out, fs_error *err)
{
	if (number == 404) {
		snprintf(err->message, sizeof(err->message), "gone");
		return FS_STATUS_STALE_HANDLE;
	}
	object_init_ex(out, handle_class());
	ZVAL_LONG(OBJ_PROP_NUM(Z_OBJ_P(out), 0), kind);
	ZVAL_LONG(OBJ_PROP_NUM(Z_OBJ_P(out), 1), (zend_long)number);
	return FS_STATUS_OK;
}

#endif
