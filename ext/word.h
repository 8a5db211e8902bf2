/* Counters and flags: handles on one atomic cell each, which is changed here without Go. Go's half is sharedstate/word.go. */
#ifndef FRANKENSHARE_WORD_H
#define FRANKENSHARE_WORD_H

#include <php.h>

void fs_words_init(zend_class_entry *counter, zend_class_entry *flag);

#endif
