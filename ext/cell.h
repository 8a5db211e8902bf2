/* Changes to the cell of a counter or flag, each by one atomic operation. No Zend header: tests/creader has histories of them. Go's half
 * is sharedstate/word.go. */
#ifndef FRANKENSHARE_CELL_H
#define FRANKENSHARE_CELL_H

#include <stdbool.h>

#include "reader.h"

/* Adds, and answers the sum in *sum. False when it has no room: then *sum is the value, which stands. */
static inline bool fs_cell_add(fs_cell *cell, int64_t by, int64_t *sum)
{
	uint64_t old = fs_load(&cell->value);
	do {
		if (__builtin_expect(__builtin_add_overflow((int64_t)old, by, sum), 0)) {
			*sum = (int64_t)old;
			return false;
		}
	} while (!atomic_compare_exchange_weak(&cell->value, &old, (uint64_t)*sum));
	return true;
}

/* Sets the value, and answers the one before. */
static inline int64_t fs_cell_set(fs_cell *cell, int64_t value)
{
	return (int64_t)atomic_exchange(&cell->value, (uint64_t)value);
}

/* Sets the value if it is the expected one, and says whether it was. */
static inline bool fs_cell_compare_and_set(fs_cell *cell, int64_t expected, int64_t value)
{
	uint64_t old = (uint64_t)expected;
	return atomic_compare_exchange_strong(&cell->value, &old, (uint64_t)value);
}

#endif
