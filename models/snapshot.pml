/* Snapshots without holding all stripes: is what was copied stripe by stripe one moment of the table?
 *
 * Two stripes; every merge writes both. The snapshot copies each under its own mutex with the stripe's version, then
 * looks at all versions again and copies anew what has changed; the last attempt holds both. Then it is kept, and gated
 * by the raw versions: a hit must not be older than what a finished call has shown.
 *   ONE_LOOK no second look      NOT_TOGETHER the last attempt copies one by one and is believed
 *   HALVED the gate compares the number of finished writes instead of the raw versions */
#define MERGES 2

byte version[2], state[2], seen;
bit stripe[2];

inline lock(s) { atomic { stripe[s] == 0 -> stripe[s] = 1 } }
inline finished(n) { d_step { if :: n > seen -> seen = n :: else fi } }

active proctype Writer() {
	byte n;
	do
	:: n == MERGES -> break
	:: else ->
		n++;
		lock(0); lock(1);
		version[0]++; version[1]++;
		state[0] = n; state[1] = n;
		version[0]++; version[1]++;
		stripe[0] = 0; stripe[1] = 0;
		finished(n)
	od
}

/* A single read in a changed stripe; it takes the mutex-free path when no merge is seen. */
active proctype Reader() {
	byte n;
	n = state[0];
	finished(n)
}

inline copy(s) { got[s] = state[s]; at[s] = version[s] }

#ifdef HALVED
#define SAME(x, y) ((x) / 2 == (y) / 2)
#else
#define SAME(x, y) ((x) == (y))
#endif

active proctype Snapshot() {
	byte round, hits, lowest, got[2], at[2];
	bool fresh0, fresh1;
	lock(0); copy(0); stripe[0] = 0;
	lock(1); copy(1); stripe[1] = 0;
#ifndef ONE_LOOK
	do
	:: round == 2 -> break
	:: else ->
		fresh0 = version[0] == at[0];
		fresh1 = version[1] == at[1];
		if
		:: fresh0 && fresh1 -> break
		:: else
		fi;
		round++;
		if
		:: round < 2 ->
			if :: !fresh0 -> lock(0); copy(0); stripe[0] = 0 :: else fi;
			if :: !fresh1 -> lock(1); copy(1); stripe[1] = 0 :: else fi
		:: else ->
#ifdef NOT_TOGETHER
			lock(0); copy(0); stripe[0] = 0;
			lock(1); copy(1); stripe[1] = 0
#else
			lock(0); lock(1);
			copy(0); copy(1);
			stripe[0] = 0; stripe[1] = 0
#endif
		fi
	od;
#endif
	assert(got[0] == got[1]);
	finished(got[0]);
	do
	:: hits == 2 -> break
	:: else ->
		hits++;
		lowest = seen;
		if
		:: SAME(version[0], at[0]) ->
			if
			:: SAME(version[1], at[1]) -> assert(got[0] >= lowest)
			:: else
			fi
		:: else
		fi
	od
}
