/* Expiry: a reader finds a row expired while a writer gives it a longer life. Who is believed?
 *
 * A key lives until moment 2. A writer that finds it alive extends it (touch, or any conditional write) or keeps its
 * expiry and changes its number. Nobody else writes, so once a call has shown the key expired no later call may show it
 * present, nor may a writer have found it alive after that. Readers have gates; a hit with an expiry looks at the
 * clock.
 *
 * As designed the writer reads the clock after it has made the version odd; a reader loads the version, the row's
 * expiry, then the clock, and believes "expired" only if the version was even and is unchanged; else it takes the
 * stripe.
 *   CLOCK_FIRST the reader reads the clock before everything else: as good
 *   EARLY_CLOCK the writer reads the clock before the odd step
 *   BELIEVED the reader does not look at the version again
 *   ODD_BELIEVED the reader believes under an odd version           FOREVER a hit does not look at the clock */
#define LONG 9

byte clock, version, expiry = 2;
bool shownGone, alive;
bit stripe;

inline lock() { atomic { stripe == 0 -> stripe = 1 } }

active proctype Clock() {
	do
	:: clock < 3 -> clock++
	:: clock == 3 -> break
	od
}

active proctype Writer() {
	byte now;
	bool mustBeGone;
	mustBeGone = shownGone;
	lock();
#ifdef EARLY_CLOCK
	now = clock;
	version++;
#else
	version++;
	now = clock;
#endif
	if
	:: now < expiry -> assert(!mustBeGone); expiry = LONG; alive = true
	:: else
	fi;
	version++;
	stripe = 0
}

proctype Reader() {
	byte n, now, e, v, keptVersion, keptExpiry;
	bool has, must, present;
	do
	:: n == 2 -> break
	:: else ->
		n++;
		must = shownGone;
		if :: !has -> goto cold :: else fi;
		if :: version != keptVersion -> goto cold :: else fi;
#ifndef FOREVER
		now = clock;
		if :: now >= keptExpiry -> goto cold :: else fi;
#endif
		present = true;
		goto answered;
cold:
		has = false;
#ifdef CLOCK_FIRST
		now = clock;
#endif
		v = version;
		e = expiry;
#ifndef CLOCK_FIRST
		now = clock;
#endif
		present = now < e;
		if
		:: present ->
			if :: (v & 1) == 0 -> has = true; keptVersion = v; keptExpiry = e :: else fi
		:: else ->
#ifndef ODD_BELIEVED
			if :: v & 1 -> goto locked :: else fi;
#endif
#ifndef BELIEVED
			if :: version != v -> goto locked :: else fi;
#endif
			goto answered;
locked:
			lock();
			now = clock;
			present = now < expiry;
			stripe = 0
		fi;
answered:
		skip;
		d_step {
			assert(!(must && present));
			assert(present || !alive); /* what a writer found alive lives on: it is LONG now */
			if :: !present -> shownGone = true :: else fi
		}
	od
}

init { atomic { run Reader(); run Reader() } }
