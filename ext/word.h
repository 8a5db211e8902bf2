/* Counters and flags: handles on one atomic cell each, which is changed here without Go. Go's half is sharedstate/word.go. */
#ifndef FRANKENSHARE_WORD_H
#define FRANKENSHARE_WORD_H

#include <php.h>

#include "reader.h"

/* A cell. Both are sequentially consistent: who sets a flag stores value, then loads waiters; who waits does it the other way
 * round. */
typedef struct fs_cell {
	fs_word value; /* an int64 */
	fs_word waiters;
} fs_cell;

FS_AT(fs_cell, value, FS_CELL_VALUE);
FS_AT(fs_cell, waiters, FS_CELL_WAITERS);

void fs_words_init(zend_class_entry *counter, zend_class_entry *flag);

#endif
