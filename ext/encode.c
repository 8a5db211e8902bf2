/* The encoder. Arrays are walked once: while the bytes are written, the walk finds what cannot be stored, and once it meets
 * an object it only looks on, for PHP's serializer will take the whole value. */
#include <php.h>
#include <ext/standard/php_incomplete_class.h>
#include <zend_closures.h>
#include <zend_enum.h>

#include "encode.h"

#define MAX_VARINT 10

typedef struct level {
	HashTable *ht;
	struct level *up;
	uint32_t depth;
} level;

typedef struct walk {
	fs_buffer *buf;
	fs_error *err;
	uint64_t max_value;
	uint64_t elements;   /* seen since the first object; bounds a walk that keeps nothing */
	const char *classes; /* see fs_encode() */
	bool has_object;
	bool has_enum;
	bool has_handle;
	bool has_shared_reference;
	bool path_full;
	char path[160]; /* of the value that cannot be stored, grown from its end towards its start */
	size_t path_start;
} walk;

static int encode_array(walk *w, HashTable *ht, level *up);

static int refuse_size(walk *w)
{
	snprintf(w->err->message, sizeof(w->err->message), "a value of more than %llu bytes (max_value)",
	         (unsigned long long)w->max_value);
	return FS_STATUS_VALUE_SIZE;
}

/* Makes room for n more bytes. The limit is looked at when the buffer must grow, and at the end of each array. */
static zend_always_inline char *reserve(walk *w, size_t n)
{
	fs_buffer *b = w->buf;
	if (EXPECTED(b->cap - b->len >= n) || (b->len <= w->max_value && fs_buffer_reserve(b, b->len + n))) {
		return b->data + b->len;
	}
	return NULL;
}

static zend_always_inline char *put_varint(char *p, uint64_t n)
{
	while (n >= 0x80) {
		*p++ = (char)(n | 0x80);
		n >>= 7;
	}
	*p++ = (char)n;
	return p;
}

static zend_always_inline char *put_int(char *p, zend_long n)
{
	return put_varint(p, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

static int append_number(walk *w, uint8_t tag, zval *v)
{
	char *p = reserve(w, 1 + MAX_VARINT);
	if (p == NULL) {
		return refuse_size(w);
	}
	*p++ = (char)tag;
	if (tag == FS_KIND_INT) {
		p = put_int(p, Z_LVAL_P(v));
	} else if (tag == FS_KIND_FLOAT) {
		uint64_t bits;
		memcpy(&bits, &Z_DVAL_P(v), sizeof(bits));
		for (int i = 0; i < 8; i++) {
			*p++ = (char)(bits >> 8 * i);
		}
	}
	w->buf->len = (size_t)(p - w->buf->data);
	return FS_STATUS_OK;
}

static int append_string(walk *w, const zend_string *s)
{
	if (ZSTR_LEN(s) > w->max_value || w->buf->len > w->max_value - ZSTR_LEN(s)) {
		return refuse_size(w);
	}
	char *p = reserve(w, MAX_VARINT + ZSTR_LEN(s));
	if (p == NULL) {
		return refuse_size(w);
	}
	p = put_varint(p, ZSTR_LEN(s));
	memcpy(p, ZSTR_VAL(s), ZSTR_LEN(s));
	w->buf->len = (size_t)(p - w->buf->data) + ZSTR_LEN(s);
	return FS_STATUS_OK;
}

static int append_byte(walk *w, uint8_t byte)
{
	char *p = reserve(w, 1);
	if (p == NULL) {
		return refuse_size(w);
	}
	*p = (char)byte;
	w->buf->len++;
	return FS_STATUS_OK;
}

static int encode_enum(walk *w, zend_object *obj)
{
	int status = append_byte(w, FS_FORMAT_VERSION);
	w->has_enum = true;
	if (status == FS_STATUS_OK) {
		status = append_string(w, obj->ce->name);
	}
	if (status == FS_STATUS_OK) {
		status = append_string(w, Z_STR_P(zend_enum_fetch_case_name(obj)));
	}
	return status;
}

/* Is it a handle, which *status tells the outcome of? With tag the element's tag comes before it. */
static bool encode_handle(walk *w, zend_object *obj, bool tag, int *status)
{
	int32_t kind;
	uint64_t number;
	if (!fs_handle_parts(obj, &kind, &number)) {
		return false;
	}
	char *p = reserve(w, 3 + MAX_VARINT);
	w->has_handle = true;
	if (number == 0) {
		snprintf(w->err->message, sizeof(w->err->message), "a %s whose constructor did not run",
		         ZSTR_VAL(obj->ce->name));
		*status = FS_STATUS_VALUE;
	} else if (p == NULL) {
		*status = refuse_size(w);
	} else {
		if (tag) {
			*p++ = FS_KIND_HANDLE;
		}
		*p++ = FS_FORMAT_VERSION;
		*p++ = (char)kind;
		w->buf->len = (size_t)(put_varint(p, number) - w->buf->data);
		*status = FS_STATUS_OK;
	}
	return true;
}

/* May an object that is neither be stored, as far as can be seen without running its code? */
static int check_object(walk *w, zend_object *obj)
{
	char *message = w->err->message;
	size_t size = sizeof(w->err->message);
	w->has_object = true;
	if (obj->ce == zend_ce_closure) {
		snprintf(message, size, "a Closure");
	} else if (obj->ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) {
		snprintf(message, size, "an object of class %s, which PHP does not serialize", ZSTR_VAL(obj->ce->name));
	} else if (obj->ce == php_ce_incomplete_class) { /* is stored by the name of the class that it stands for */
		return FS_STATUS_OK;
	} else {
		return fs_permit_class(w->classes, ZSTR_VAL(obj->ce->name), ZSTR_LEN(obj->ce->name), w->err);
	}
	return FS_STATUS_VALUE;
}

static int refuse_type(walk *w, zval *v)
{
	if (Z_TYPE_P(v) == IS_RESOURCE) {
		const char *type = zend_rsrc_list_get_rsrc_type(Z_RES_P(v));
		snprintf(w->err->message, sizeof(w->err->message), "a resource (%s)", type != NULL ? type : "closed");
	} else {
		snprintf(w->err->message, sizeof(w->err->message), "a value of the internal type %d", Z_TYPE_P(v));
	}
	return FS_STATUS_VALUE;
}

/* Writes key, except that of a list, which has none. */
static int encode_key(walk *w, HashTable *ht, zend_string *key, zend_ulong index)
{
	if (key != NULL && ZEND_HANDLE_NUMERIC(key, index)) {
		/* ArrayObject::getArrayCopy() can leave "1" as a string; reading makes an int of it, as PHP's serializer does. */
		if (zend_hash_index_exists(ht, index)) {
			snprintf(w->err->message, sizeof(w->err->message), "an array with the key %s as an int and as a string",
			         ZSTR_VAL(key));
			return FS_STATUS_VALUE;
		}
		key = NULL;
	}
	if (key == NULL) {
		zval n;
		ZVAL_LONG(&n, (zend_long)index);
		return append_number(w, FS_KIND_INT, &n);
	}
	int status = append_byte(w, FS_KIND_STRING);
	return status != FS_STATUS_OK ? status : append_string(w, key);
}

static int encode_element(walk *w, zval *v, level *up)
{
	int status;
	bool referenced = Z_ISREF_P(v);
	if (UNEXPECTED(referenced)) {
		w->has_shared_reference |= Z_REFCOUNT_P(v) > 1;
		v = Z_REFVAL_P(v);
	}
	switch (Z_TYPE_P(v)) {
	case IS_NULL:
		return append_number(w, FS_KIND_NULL, v);
	case IS_FALSE:
		return append_number(w, FS_KIND_FALSE, v);
	case IS_TRUE:
		return append_number(w, FS_KIND_TRUE, v);
	case IS_LONG:
		return append_number(w, FS_KIND_INT, v);
	case IS_DOUBLE:
		return append_number(w, FS_KIND_FLOAT, v);
	case IS_STRING:
		status = append_byte(w, FS_KIND_STRING);
		return status != FS_STATUS_OK ? status : append_string(w, Z_STR_P(v));
	case IS_ARRAY:
		/* Only by way of a reference can an array hold itself. No protection bit is set on it: whoever called us may have
		 * set that (json_encode, var_dump), and nothing is to be undone. */
		for (level *l = referenced ? up : NULL; l != NULL; l = l->up) {
			if (l->ht == Z_ARRVAL_P(v)) {
				snprintf(w->err->message, sizeof(w->err->message), "an array that contains itself");
				return FS_STATUS_VALUE;
			}
		}
		status = append_byte(w, FS_KIND_ARRAY);
		return status != FS_STATUS_OK ? status : encode_array(w, Z_ARRVAL_P(v), up);
	case IS_OBJECT:
		if ((Z_OBJCE_P(v)->ce_flags & ZEND_ACC_ENUM) == 0) {
			return encode_handle(w, Z_OBJ_P(v), true, &status) ? status : check_object(w, Z_OBJ_P(v));
		}
		status = append_byte(w, FS_KIND_ENUM);
		return status != FS_STATUS_OK ? status : encode_enum(w, Z_OBJ_P(v));
	default:
		return refuse_type(w, v);
	}
}

/* Puts the key before the path of what was refused; what does not fit becomes "...". */
static void add_to_path(walk *w, zend_string *key, zend_ulong index)
{
	char part[64];
	int n = key != NULL ? snprintf(part, sizeof(part), "['%.40s%s']", ZSTR_VAL(key), ZSTR_LEN(key) > 40 ? "..." : "")
	                    : snprintf(part, sizeof(part), "[" ZEND_LONG_FMT "]", (zend_long)index);
	if (w->path_full) {
		return;
	}
	w->path_full = w->path_start < (size_t)n + 3;
	const char *piece = w->path_full ? "..." : part;
	size_t len = w->path_full ? 3 : (size_t)n;
	w->path_start -= len;
	memcpy(w->path + w->path_start, piece, len);
}

static int encode_array(walk *w, HashTable *ht, level *up)
{
	level here = {.ht = ht, .up = up, .depth = up != NULL ? up->depth + 1 : 1};
	uint32_t count = zend_hash_num_elements(ht);
	bool is_list = zend_array_is_list(ht);
	int status;

	if (here.depth > FS_MAX_DEPTH) {
		snprintf(w->err->message, sizeof(w->err->message), "an array nested deeper than %d", FS_MAX_DEPTH);
		w->path_full = true; /* 512 keys tell nothing */
		return FS_STATUS_VALUE;
	}
	char *p = reserve(w, 1 + MAX_VARINT);
	if (p == NULL || count > w->max_value) {
		return refuse_size(w);
	}
	*p++ = FS_FORMAT_VERSION;
	p = put_varint(p, (uint64_t)count << 1 | !is_list);
	w->buf->len = (size_t)(p - w->buf->data);

	zend_ulong index;
	zend_string *key;
	zval *v;
	ZEND_HASH_FOREACH_KEY_VAL(ht, index, key, v)
	{
		status = is_list ? FS_STATUS_OK : encode_key(w, ht, key, index);
		if (EXPECTED(status == FS_STATUS_OK)) {
			status = encode_element(w, v, &here);
		}
		if (UNEXPECTED(status != FS_STATUS_OK)) {
			if (status == FS_STATUS_VALUE) {
				add_to_path(w, key, index);
			}
			return status;
		}
		if (UNEXPECTED(w->has_object)) {
			w->buf->len = 0;
			if (++w->elements > w->max_value) { /* each takes more than a byte in what PHP will write */
				return refuse_size(w);
			}
		}
	}
	ZEND_HASH_FOREACH_END();
	return w->buf->len > w->max_value ? refuse_size(w) : FS_STATUS_OK;
}

/* Copies arrays so that two references to one variable become two values; the walk has bounded depth and size. */
static void dereference(zval *to, zval *from)
{
	zend_ulong index;
	zend_string *key;
	zval *v, copy;

	ZVAL_DEREF(from);
	if (Z_TYPE_P(from) != IS_ARRAY) {
		ZVAL_COPY(to, from);
		return;
	}
	array_init_size(to, zend_hash_num_elements(Z_ARRVAL_P(from)));
	ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(from), index, key, v)
	{
		dereference(&copy, v);
		if (key != NULL) {
			zend_hash_add_new(Z_ARRVAL_P(to), key, &copy);
		} else {
			zend_hash_index_add_new(Z_ARRVAL_P(to), index, &copy);
		}
	}
	ZEND_HASH_FOREACH_END();
}

/* Arrays and objects. */
static int encode_composite(walk *w, zval *in, fs_encoder *enc, fs_value *out)
{
	int status;
	w->path_start = sizeof(w->path) - 1;
	w->path[w->path_start] = 0;
	w->buf->len = 0;
	if (Z_TYPE_P(in) == IS_ARRAY) {
		out->kind = FS_KIND_ARRAY;
		status = encode_array(w, Z_ARRVAL_P(in), NULL);
	} else if (Z_OBJCE_P(in)->ce_flags & ZEND_ACC_ENUM) {
		out->kind = FS_KIND_ENUM;
		status = encode_enum(w, Z_OBJ_P(in));
	} else if (encode_handle(w, Z_OBJ_P(in), false, &status)) {
		out->kind = FS_KIND_HANDLE;
	} else {
		status = check_object(w, Z_OBJ_P(in));
	}
	if (status == FS_STATUS_OK && w->has_object && w->has_handle) {
		snprintf(w->err->message, sizeof(w->err->message),
		         "an array that holds a handle of a shared object and another object");
		status = FS_STATUS_VALUE;
	}
	if (status == FS_STATUS_OK && w->has_object) {
		zval value;
		if (w->has_shared_reference) {
			dereference(&value, in);
		} else {
			ZVAL_COPY(&value, in);
		}
		status = fs_serialize(&value, w->max_value, w->classes, enc, out, w->err);
		zval_ptr_dtor(&value);
		return status == FS_STATUS_VALUE_SIZE ? refuse_size(w) : status;
	}
	if (status != FS_STATUS_OK) {
		size_t used = strlen(w->err->message);
		if (w->path[w->path_start] != 0) {
			snprintf(w->err->message + used, sizeof(w->err->message) - used, " at %s", w->path + w->path_start);
		}
		return status;
	}
	out->flags = (w->has_enum ? FS_FLAG_RUNS_CODE : 0) | (w->has_handle ? FS_FLAG_FRESH | FS_FLAG_HANDLES : 0);
	out->data = w->buf->data;
	out->len = w->buf->len;
	if (enc->keep) {
		zend_string *copy = zend_string_init(out->data, out->len, 0);
		fs_encoder_hold(enc, copy);
		out->data = ZSTR_VAL(copy);
	}
	return FS_STATUS_OK;
}

int fs_encode(zval *in, uint64_t max_value, const char *classes, fs_encoder *enc, fs_value *out, fs_error *err)
{
	bool referenced = Z_ISREF_P(in);
	*out = (fs_value){0};
	ZVAL_DEREF(in);
	switch (Z_TYPE_P(in)) {
	case IS_NULL:
		out->kind = FS_KIND_NULL;
		return FS_STATUS_OK;
	case IS_FALSE:
		out->kind = FS_KIND_FALSE;
		return FS_STATUS_OK;
	case IS_TRUE:
		out->kind = FS_KIND_TRUE;
		return FS_STATUS_OK;
	case IS_LONG:
		out->kind = FS_KIND_INT;
		out->number = (uint64_t)Z_LVAL_P(in);
		return FS_STATUS_OK;
	case IS_DOUBLE:
		out->kind = FS_KIND_FLOAT;
		memcpy(&out->number, &Z_DVAL_P(in), sizeof(out->number));
		return FS_STATUS_OK;
	case IS_STRING:
		if (Z_STRLEN_P(in) > max_value) {
			snprintf(err->message, sizeof(err->message), "a string of %zu bytes (max_value is %llu)", Z_STRLEN_P(in),
			         (unsigned long long)max_value);
			return FS_STATUS_VALUE_SIZE;
		}
		if (referenced && enc->keep) { /* an object's code may change the variable before the call ends */
			fs_encoder_hold(enc, zend_string_copy(Z_STR_P(in)));
		}
		out->kind = FS_KIND_STRING;
		out->data = Z_STRVAL_P(in);
		out->len = Z_STRLEN_P(in);
		return FS_STATUS_OK;
	}
	walk w = {.buf = enc->buf, .err = err, .max_value = max_value, .classes = classes};
	if (Z_TYPE_P(in) != IS_ARRAY && Z_TYPE_P(in) != IS_OBJECT) {
		return refuse_type(&w, in);
	}
	return encode_composite(&w, in, enc, out);
}
