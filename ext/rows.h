/* The rows of a buffer that the bridge filled. */
#ifndef FRANKENSHARE_ROWS_H
#define FRANKENSHARE_ROWS_H

#include <php.h>

#include "bridge.h"
#include "key.h"
#include "reader.h"

typedef struct fs_rows {
	const char *at;
	const char *end;
	char *own; /* the copy that it walks over; NULL for none */
	uint32_t count;
	bool fresh; /* a row holds an object */
} fs_rows;

/* Starts a walk. When decoding a row may run PHP code, which may use the buffer again or never come back, the walk goes over
 * its own copy in request memory. */
void fs_rows_open(fs_rows *rows, const fs_buffer *buf);
/* The next row; NULL at the end. */
const fs_row_header *fs_rows_next(fs_rows *rows, fs_bytes *key, fs_bytes *value);
void fs_rows_close(fs_rows *rows);

/* All rows as an array in *out. False with an exception pending. */
bool fs_rows_to_array(const fs_control *c, const fs_buffer *buf, zval *out);

/* All keys as a list. expiry, if not NULL, is set to the soonest of the rows', 0 for none. */
zend_array *fs_rows_to_keys(const fs_buffer *buf, uint64_t *expiry);

/* The sooner of two expiries, of which 0 is never. */
static inline uint64_t fs_sooner(uint64_t a, uint64_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* Adds value to ht, and gives up the key's string. */
void fs_array_add(zend_array *ht, fs_key key, zval *value);

#endif
