#include <php.h>

#include "codec.h"
#include "errors.h"
#include "key.h"
#include "rows.h"

static size_t row_size(const fs_row_header *h)
{
	return (sizeof(*h) + (size_t)h->key_len + h->value_len + 7) & ~(size_t)7;
}

void fs_rows_open(fs_rows *rows, const fs_buffer *buf)
{
	bool runs_code = false;
	*rows = (fs_rows){.at = buf->data, .end = buf->data + buf->len};
	for (const char *p = rows->at; p < rows->end; p += row_size((const fs_row_header *)p)) {
		uint8_t flags = ((const fs_row_header *)p)->flags;
		rows->count++;
		rows->fresh |= (flags & FS_FLAG_FRESH) != 0;
		runs_code |= (flags & FS_FLAG_RUNS_CODE) != 0;
	}
	if (runs_code) {
		rows->own = emalloc(buf->len);
		memcpy(rows->own, buf->data, buf->len);
		rows->at = rows->own;
		rows->end = rows->own + buf->len;
	}
}

const fs_row_header *fs_rows_next(fs_rows *rows, fs_bytes *key, fs_bytes *value)
{
	if (rows->at == rows->end) {
		return NULL;
	}
	const fs_row_header *h = (const fs_row_header *)rows->at;
	key->data = rows->at + sizeof(*h);
	key->len = h->key_len;
	value->data = key->data + key->len;
	value->len = h->value_len;
	rows->at += row_size(h);
	return h;
}

void fs_rows_close(fs_rows *rows)
{
	if (rows->own != NULL) {
		efree(rows->own);
	}
}

void fs_array_add(zend_array *ht, fs_key key, zval *value)
{
	if (key.string == NULL) {
		zend_hash_index_update(ht, key.hash, value);
	} else {
		zend_hash_update(ht, key.string, value);
		zend_string_release(key.string);
	}
}

bool fs_rows_to_array(const fs_control *c, const fs_buffer *buf, zval *out)
{
	fs_rows rows;
	fs_bytes key, data;
	const fs_row_header *h;

	fs_rows_open(&rows, buf);
	array_init_size(out, rows.count);
	while ((h = fs_rows_next(&rows, &key, &data)) != NULL) {
		zval value;
		fs_error err;
		int status = fs_decode(h->kind, h->flags, h->number, data.data, data.len, &value, &err);
		if (status != FS_STATUS_OK) {
			fs_throw_decode(status, c, key, &err);
			zval_ptr_dtor(out);
			ZVAL_UNDEF(out);
			break;
		}
		fs_array_add(Z_ARRVAL_P(out), fs_key_of_bytes(key.data, key.len), &value);
	}
	fs_rows_close(&rows);
	return h == NULL;
}

zend_array *fs_rows_to_keys(const fs_buffer *buf, uint64_t *expiry)
{
	fs_rows rows;
	fs_bytes key, value;
	const fs_row_header *h;
	uint64_t soonest = 0;

	fs_rows_open(&rows, buf);
	zend_array *keys = zend_new_array(rows.count);
	while ((h = fs_rows_next(&rows, &key, &value)) != NULL) {
		fs_key k = fs_key_of_bytes(key.data, key.len);
		zval name;
		if (k.string != NULL) {
			ZVAL_STR(&name, k.string);
		} else {
			ZVAL_LONG(&name, (zend_long)k.hash);
		}
		zend_hash_next_index_insert(keys, &name);
		soonest = fs_sooner(soonest, h->expiry);
	}
	fs_rows_close(&rows);
	if (expiry != NULL) {
		*expiry = soonest;
	}
	return keys;
}
