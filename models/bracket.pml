/* A write that needs room removes another row of its own chain: may it do so between its own odd and even step?
 *
 * Brackets are v|1 and (v|1)+1, so an inner one makes the version even while the outer change is still to come. As
 * designed the victim goes first, in a bracket of its own. INSIDE does it inside. */
byte version, slot = 1, victim = 1, seen;

inline odd()  { version = version | 1 }
inline even() { version = (version | 1) + 1 }

active proctype Writer() {
#ifdef INSIDE
	odd();
	odd(); victim = 0; even();
	slot = 2;
	even()
#else
	odd(); victim = 0; even();
	odd(); slot = 2; even()
#endif
}

proctype Reader() {
	byte n, lowest, v, state, kept, keptVersion;
	bool has;
	do
	:: n == 3 -> break
	:: else ->
		n++;
		lowest = seen;
		v = version;
		if
		:: has && v == keptVersion -> state = kept
		:: else ->
			state = slot;
			has = (v & 1) == 0;
			kept = state;
			keptVersion = v
		fi;
		d_step {
			assert(state >= lowest);
			if :: state > seen -> seen = state :: else fi
		}
	od
}

init { atomic { run Reader(); run Reader() } }
