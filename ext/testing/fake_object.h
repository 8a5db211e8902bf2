/* What the twin's shared objects have in common; fake_word.c has the list of them. */
#ifndef FRANKENSHARE_FAKE_OBJECT_H
#define FRANKENSHARE_FAKE_OBJECT_H

#include <stdbool.h>

#include "fake.h"

typedef struct fake_object {
	fs_cell cell; /* of a counter or flag */
	uint64_t id;
	int32_t kind;
	int opens;
	bool named;
	bool made; /* its kind has filled it */
	char *name;
	size_t len;
	void *data; /* of other kinds, and what frees it */
	void (*free)(void *data);
	struct fake_object *next;
} fake_object;

/* Opens the object of that name, or a new one when the name is empty. */
fake_object *fake_object_open(int32_t kind, fs_bytes name);
fake_object *fake_object_find(uint64_t id);

#endif
