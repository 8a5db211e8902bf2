/* Hazards: is a row that a reader copies ever freed under it?
 *
 * One slot, two cells, so that a cell is used again at once. The writer fills a free cell, publishes it, retires the
 * old one, and frees a retired cell when no record that may be claimed has it as its hazard. Records are looked at one
 * by one, up to `high`, which a claim raises before the thread's first hazard.
 *   NO_HAZARD, NO_RECHECK the reader leaves out a step
 *   SCAN_BEFORE_UNLINK the hazards are loaded before the slot store
 *   LATE_HIGH the claim raises `high` only after the first read has set its hazard */
#define POISON 99

byte slot, high;
byte first[3], second[3]; /* a row's halves; cell 0 is none */
bool used[3], retired[3];
byte hazard[2];

inline scan() {
	top = high;
	i = 0;
	found[0] = 0;
	found[1] = 0;
	do
	:: i < top -> found[i] = hazard[i]; i++
	:: else -> break
	od
}

inline free_unseen() {
	d_step {
		c = 1;
		do
		:: c == 3 -> break
		:: else ->
			if
			:: retired[c] && found[0] != c && found[1] != c ->
				retired[c] = false; used[c] = false; first[c] = POISON; second[c] = POISON
			:: else
			fi;
			c++
		od
	}
}

active proctype Writer() {
	byte n, c, i, top, old;
	byte found[2];
	do
	:: n == 4 -> break
	:: else ->
		n++;
#ifdef SCAN_BEFORE_UNLINK
		scan();
#else
		scan(); free_unseen();
#endif
		if
		:: !used[1] -> c = 1
		:: used[1] && !used[2] -> c = 2
		:: else -> c = 0
		fi;
		if
		:: c != 0 -> used[c] = true; first[c] = n; second[c] = n
		:: else
		fi;
		old = slot;
		slot = c; /* a put, or, with no free cell, an erase */
		if
		:: old != 0 -> retired[old] = true
		:: else
		fi;
#ifdef SCAN_BEFORE_UNLINK
		free_unseen()
#endif
	od
}

proctype Reader(byte me) {
	byte n, c, a, b;
#ifndef LATE_HIGH
	atomic { if :: high < me + 1 -> high = me + 1 :: else fi };
#endif
	do
	:: n == 3 -> break
	:: else ->
		n++;
		c = slot;
		if :: c == 0 -> goto next :: else fi;
#ifndef NO_HAZARD
		hazard[me] = c;
#endif
#ifndef NO_RECHECK
		if :: slot != c -> goto next :: else fi;
#endif
		a = first[c];
		b = second[c];
		assert(a == b && a != POISON && used[c]);
next:
		hazard[me] = 0;
#ifdef LATE_HIGH
		atomic { if :: high < me + 1 -> high = me + 1 :: else fi };
#endif
		skip
	od
}

init { atomic { run Reader(0); run Reader(1) } }
