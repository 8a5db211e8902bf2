/* The gate: may a thread keep what it read, and by which words does it know that this still stands?
 *
 * One key in a chain of two slots. Each change makes a numbered state; a slot shows the state that wrote it. `seen` is
 * the newest state that any finished call has shown, and a call that begins later must not show an older one. Rows are
 * one word here: their memory is hazard.pml's matter. The writer holds the stripe's mutex, and there is one writer.
 *
 * As designed: odd before the change, even after it; a reader loads generation, then version, then scans, and keeps
 * only what it read under an even version; a hit compares the generation, then the version; a writer keeps what it
 * wrote with the version that its own write left, read under the lock.
 *   NO_ODD one bump after the change        ONLY_ODD one bump before it
 *   PLAIN_NUMBER a number changed without bumps
 *   FILL_ODD odd versions kept too          FILL_AFTER version loaded after the scan
 *   GENERATION_AFTER generation loaded after the scan    NO_GENERATION a hit compares the version alone
 *   LATE_RECEIPT the writer loads the version after it has let the stripe go (a second writer is there then)
 *   BUCKET_VERSIONS each bucket has a version of its own and a gate entry that of the bucket with the row */
#ifndef WRITES
#define WRITES 2
#endif
#ifndef READS
#define READS 2
#endif
#ifndef READERS
#define READERS 2
#endif
#define STATES 8

byte version[2], generation, slot[2], stamp[2];
byte newest, seen;
bool gone[STATES];
bit stripe;

#ifdef BUCKET_VERSIONS
#define VERSION(s) version[s]
#else
#define VERSION(s) version[0]
#endif

inline odd(s) {
#if !defined(NO_ODD)
	VERSION(s) = VERSION(s) + 1
#else
	skip
#endif
}

inline even(s) {
#if defined(NO_ODD)
	VERSION(s) = VERSION(s) + 2
#else
	VERSION(s) = VERSION(s) + 1
#endif
}

/* The change itself is one store; the even step comes after it. */
inline change(s, absent) {
#ifdef ONLY_ODD
	even(s);
#endif
	atomic {
		newest++;
		gone[newest] = absent;
		slot[s] = (absent -> 0 : newest);
		stamp[s] = generation
	}
#ifndef ONLY_ODD
	;
	even(s)
#endif
}

inline finished(n) { d_step { if :: n > seen -> seen = n :: else fi } }

inline where(s) {
	if
	:: slot[0] != 0 -> s = 0
	:: slot[0] == 0 && slot[1] != 0 -> s = 1
	:: slot[0] == 0 && slot[1] == 0 -> s = 0
	:: slot[0] == 0 && slot[1] == 0 -> s = 1
	fi
}

inline judge(state, lowest) {
	d_step {
		if
		:: state != 0 ->
			assert(state >= lowest);
			if :: state > seen -> seen = state :: else fi
		:: else ->
			k = lowest;
			do
			:: k < newest && !gone[k] -> k++
			:: else -> break
			od;
			assert(gone[k]);
			k = 0
		fi
	}
}

proctype Writer(byte writes) {
	byte n, s, k, lowest, keptVersion, keptGeneration, kept;
	do
	:: n == writes -> break
	:: else ->
		n++;
		atomic { stripe == 0 -> stripe = 1 };
		where(s);
		if
		:: odd(s); change(s, false); kept = newest; /* put */
#ifndef LATE_RECEIPT
			keptVersion = VERSION(s); keptGeneration = generation
#endif
		:: slot[s] != 0 && stamp[s] >= generation -> odd(s); change(s, true); kept = 0 /* erase */
		:: slot[s] != 0 && stamp[s] >= generation -> /* a number in place */
#ifdef PLAIN_NUMBER
			atomic { newest++; slot[s] = newest };
#else
			odd(s); change(s, false);
#endif
			kept = 0
		:: atomic { generation++; newest++; gone[newest] = true }; kept = 0 /* clear */
		fi;
		k = newest;
		stripe = 0;
		finished(k);
#ifdef LATE_RECEIPT
		keptVersion = VERSION(s); keptGeneration = generation;
#endif
		if
		:: kept != 0 -> /* a read of one's own write */
			lowest = seen;
			if
			:: generation == keptGeneration ->
				if
				:: atomic { VERSION(s) == keptVersion -> judge(kept, lowest) }
				:: else
				fi
			:: else
			fi
		:: else
		fi
	od
}

proctype Reader() {
	byte n, k, s, lowest, v, g, state;
	byte keptVersion, keptGeneration, kept, keptSlot;
	bool has;
	do
	:: n == READS -> break
	:: else ->
		n++;
		lowest = seen;
		if
		:: !has -> goto cold
		:: else
		fi;
#ifndef NO_GENERATION
		if :: generation != keptGeneration -> goto cold :: else fi;
#endif
		if :: VERSION(keptSlot) != keptVersion -> goto cold :: else fi;
		judge(kept, lowest);
		goto next;
cold:
		has = false;
		g = generation;
		v = version[0];
		state = 0;
		s = 0;
		do
		:: s == 2 -> s = 0; break
		:: else ->
			atomic {
				if
				:: slot[s] != 0 -> state = (stamp[s] >= g -> slot[s] : 0); break
				:: else -> s++
				fi
			}
		od;
#if defined(FILL_AFTER) || defined(BUCKET_VERSIONS)
		v = VERSION(s);
#endif
#ifdef GENERATION_AFTER
		g = generation;
#endif
#ifndef FILL_ODD
		if :: v & 1 -> goto answer :: else fi;
#endif
		keptVersion = v; keptGeneration = g; kept = state; keptSlot = s; has = true;
answer:
		judge(state, lowest);
next:
		skip
	od
}

init {
	atomic {
		gone[0] = true;
#ifdef LATE_RECEIPT
		run Writer(1);
		run Writer(1);
#else
		run Writer(WRITES);
#endif
		run Reader();
#if READERS == 2
		run Reader()
#endif
	}
}
