/* Watchers: can one sleep on although what it knows is out of date?
 *
 * version() is half the stripe's raw version: finished writes. A watcher takes it, reads the value, registers, takes it
 * again, and sleeps only if it has not moved; a writer makes its version even, then looks for waiters. A watcher that
 * sleeps for ever with an old value is an invalid end state.
 *   NO_SECOND_LOOK it sleeps right after it has registered     LOOK_FIRST it looks again and then registers
 *   WAKE_FIRST the writer looks for waiters before it bumps    STARTED version() counts begun writes */
byte version, state;
bool registered, wake;

#ifdef STARTED
#define SUM ((version + 1) / 2)
#else
#define SUM (version / 2)
#endif

inline notify() {
	if
	:: registered -> wake = true
	:: else
	fi
}

active proctype Writer() {
	version++;
	state = 1;
#ifdef WAKE_FIRST
	notify();
	version++
#else
	version++;
	notify()
#endif
}

active proctype Watcher() {
	byte since, known;
	since = SUM;
	known = state;
	if
	:: known == 1 -> goto done /* nothing to wait for */
	:: else
	fi;
#ifdef LOOK_FIRST
	if :: SUM != since -> goto done :: else fi;
	registered = true;
#else
	registered = true;
#ifndef NO_SECOND_LOOK
	if :: SUM != since -> goto done :: else fi;
#endif
#endif
	wake;
done:
	skip
}
