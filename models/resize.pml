/* A table's arena is swapped under living readers: do they ever follow an address that is gone, or keep what is in the
 * old one?
 *
 * Arenas 0 and 1. With the stripe held the row is copied and stamped with the coming generation, then the descriptor is
 * stored, then the generation raised. The old arena is unmapped once the readers that were there before have gone.
 *   GENERATION_FIRST the generation is raised before the descriptor is stored
 *   OLD_STAMP the copy keeps its old generation            NO_RELOAD a writer does not look at the descriptor again
 *   EARLY_UNMAP nobody is waited for */
byte descriptor, generation, state[2] = 1, stamp[2], version[2];
bool unmapped, gone[2];
bit stripe;
byte seen;

inline lock() { atomic { stripe == 0 -> stripe = 1 } }
inline mapped(a) { assert(!(unmapped && a == 0)) }

active proctype Resize() {
	lock();
	state[1] = state[0];
#ifdef OLD_STAMP
	stamp[1] = stamp[0];
#else
	stamp[1] = generation + 1;
#endif
#ifdef GENERATION_FIRST
	generation++;
	descriptor = 1;
#else
	descriptor = 1;
	generation++;
#endif
	stripe = 0;
#ifndef EARLY_UNMAP
	gone[0] && gone[1];
#endif
	unmapped = true
}

active proctype Writer() {
	byte d;
	d = descriptor;
	lock();
#ifndef NO_RELOAD
	do
	:: d == descriptor -> break
	:: else -> stripe = 0; d = descriptor; lock()
	od;
#endif
	mapped(d);
	version[d]++;
	atomic { state[d] = 2; stamp[d] = generation };
	version[d]++;
	stripe = 0;
	seen = 2
}

proctype Reader(byte me) {
	byte n, lowest, g, d, v, answer, keptArena, keptVersion, keptGeneration, kept;
	bool has;
	do
	:: n == 3 -> break
	:: else ->
		n++;
		lowest = seen;
		if :: !has -> goto cold :: else fi;
		if :: generation != keptGeneration -> goto cold :: else fi;
		mapped(keptArena);
		if :: version[keptArena] != keptVersion -> goto cold :: else fi;
		answer = kept;
		goto answered;
cold:
		has = false;
		g = generation;
		d = descriptor;
		mapped(d);
		v = version[d];
		mapped(d);
		atomic { answer = (stamp[d] >= g -> state[d] : 0) };
		if
		:: (v & 1) == 0 -> keptArena = d; keptVersion = v; keptGeneration = g; kept = answer; has = true
		:: else
		fi;
answered:
		skip;
		d_step {
			assert(answer != 0);
			assert(answer >= lowest);
			if :: answer > seen -> seen = answer :: else fi
		}
	od;
	gone[me] = true
}

init { atomic { run Reader(0); run Reader(1) } }
