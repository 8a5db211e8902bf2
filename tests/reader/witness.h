/* The judge: keys in families, values that say whose and how new they are, and what may be answered when.
 *
 * The changes of a family's keys are put in one order (a mutex), so that each makes a numbered state: a value carries its
 * state's number, and a removal is a state too. `seen` is the newest state that any finished call has shown; whoever
 * begins a call after that must not be shown an older one. The keys of one family change together, so a merge that is
 * seen in part shows as one key's old state after another's new one. */
#ifndef FRANKENSHARE_WITNESS_H
#define FRANKENSHARE_WITNESS_H

#include <pthread.h>

#include "../../ext/testing/fake.h"

enum {
	MAX_KEYS = 64,
	VALUE_MIN = 24,
	VALUE_MAX = 420,
	NUMBER_STEP = 256, /* a number is its state times this, plus its key */
};

typedef enum family_kind { TEXT, LONG_KEY, NUMBER, LAPSE, GROUP, WHOLE, KINDS } family_kind;

typedef struct family {
	family_kind kind;
	uint32_t table;
	unsigned first, keys;
	pthread_mutex_t order;
	fs_word state;  /* newest begun */
	fs_word seen;   /* newest that a finished call has shown */
	fs_word absent; /* newest in which the keys may be absent */
	fs_word lapsed; /* newest in which a reader, all within it, was told that the key has expired */
	uint64_t alive; /* the last state that a touch found alive; guarded by order */
} family;

typedef struct key {
	char name[320];
	size_t len;
	family *family;
} key;

extern key keys[MAX_KEYS];
extern family families[MAX_KEYS];
extern unsigned key_count, family_count;

/* Ends the program: an answer was wrong. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void add_family(family_kind kind, uint32_t table, unsigned n);
fs_bytes name_of(unsigned k);
void raise_to(fs_word *word, uint64_t value);

/* Begins the family's next state, whose order the caller holds. absent: its keys may be absent from now on. */
uint64_t begin_state(family *f, int absent);
size_t make_value(char *data, unsigned k, uint64_t state, size_t len);
/* The state that a value shows. */
uint64_t state_of(unsigned k, uint8_t kind, uint64_t number, const char *data, size_t len);
/* Judges an answer. lowest and began are the family's seen and state from before the call. */
void judge(unsigned k, int present, uint64_t state, uint64_t lowest, uint64_t began);
/* Checks that the rows of a cut show one state for all keys of family f, and every key or none. */
void check_cut(const fs_buffer *rows, family *f);

#endif
