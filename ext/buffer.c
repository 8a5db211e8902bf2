#include <stdlib.h>

#include "bridge.h"

int fs_buffer_reserve(fs_buffer *buf, size_t cap)
{
	if (cap <= buf->cap) {
		return 1;
	}
	/* Doubling keeps appending linear; beyond half the address space the exact size must do. */
	size_t grown = buf->cap < SIZE_MAX / 4 ? buf->cap * 2 : 0;
	if (grown < 256) {
		grown = 256;
	}
	if (grown < cap) {
		grown = cap;
	}
	char *data = realloc(buf->data, grown);
	if (data == NULL) {
		return 0;
	}
	buf->data = data;
	buf->cap = grown;
	return 1;
}
