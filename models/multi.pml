/* Writes of many keys: can a reader see some keys of a merge before the others, or miss a key in the middle of a
 * replace?
 *
 * Keys A and B in two chains of two stripes; A's chain has a second slot. A write moves both keys from state 0 to state
 * 1. Two readers with gates read either key, in calls of their own. Once anybody has been shown state 1 of any key, no
 * call that begins later may show state 0 of either; both keys are in both maps, so neither may ever be absent.
 *
 * As designed a merge raises `multi`, makes both versions odd, changes both, makes both even, lowers `multi`; a replace
 * raises the generation inside, before the new rows. A cold read loads generation, version and `multi`, in this order,
 * and waits for the stripe when `multi` is up.
 *   NO_MULTI no such word                    ONE_BY_ONE each chain's odd, change, even in turn
 *   REPLACE a replace, with a third key that is new in A's chain; there also
 *     MULTI_FIRST the reader loads `multi` first
 *     GENERATION_FIRST the generation is raised before `multi`
 *     STEAL the new key takes A's slot before A has a new row: a reader of the old generation finds A nowhere */
#ifndef READS
#define READS 3
#endif

byte version[2], state[3], stamp[3]; /* slots: 0 A's, 1 B's, 2 the second one in A's chain */
byte owner[3];                       /* 1 A, 2 B, 3 the new key, 0 nobody */
byte generation, multi;
bit stripe[2];
bool shown;

inline lock(s) { atomic { stripe[s] == 0 -> stripe[s] = 1 } }
inline store(i, who) { atomic { owner[i] = who; state[i] = 1; stamp[i] = generation } }
inline bump(c) { version[c] = version[c] + 1 }

inline rows_of_A() {
#if defined(REPLACE) && defined(STEAL)
	store(0, 3); store(2, 1)
#elif defined(REPLACE)
	store(2, 3); store(0, 1)
#else
	store(0, 1)
#endif
}

proctype Writer() {
	lock(0);
	lock(1);
#if defined(REPLACE) && defined(GENERATION_FIRST)
	generation++;
#endif
#ifndef NO_MULTI
	multi++;
#endif
#if defined(REPLACE) && !defined(GENERATION_FIRST)
	generation++;
#endif
#ifdef ONE_BY_ONE
	bump(0); rows_of_A(); bump(0);
	bump(1); store(1, 2); bump(1);
#else
	bump(0); bump(1);
	rows_of_A();
	store(1, 2);
	bump(0); bump(1);
#endif
#ifndef NO_MULTI
	multi--;
#endif
	stripe[0] = 0;
	stripe[1] = 0;
	shown = true
}

/* Slots 0 and 2 are A's chain, slot 1 is B's. */
inline look_at(i) {
	atomic {
		if
		:: answer == 9 && owner[i] == key + 1 -> answer = (stamp[i] >= g -> state[i] : 8)
		:: else
		fi
	}
}

proctype Reader() {
	byte n, key, g, v, answer, keptVersion[2], keptGeneration[2], kept[2];
	bool has[2], must;
	do
	:: n == READS -> break
	:: else ->
		n++;
		if :: key = 0 :: key = 1 fi;
		must = shown;
		if :: !has[key] -> goto cold :: else fi;
		if :: generation != keptGeneration[key] -> goto cold :: else fi;
		if :: version[key] != keptVersion[key] -> goto cold :: else fi;
		answer = kept[key];
		goto answered;
cold:
		has[key] = false;
#if defined(MULTI_FIRST) && !defined(NO_MULTI)
		if :: multi != 0 -> goto locked :: else fi;
#endif
		g = generation;
		v = version[key];
#if !defined(MULTI_FIRST) && !defined(NO_MULTI)
		if :: multi != 0 -> goto locked :: else fi;
#endif
		answer = 9;
		look_at(key);
		if :: key == 0 -> look_at(2) :: else fi;
		if
		:: (v & 1) == 0 -> keptVersion[key] = v; keptGeneration[key] = g; kept[key] = answer; has[key] = true
		:: else
		fi;
		goto answered;
locked:
		lock(key);
		g = generation;
		answer = 9;
		look_at(key);
		if :: key == 0 -> look_at(2) :: else fi;
		stripe[key] = 0;
answered:
		skip;
		d_step {
			assert(answer < 8);            /* never absent */
			assert(!(must && answer == 0)); /* never old after new */
			if :: answer == 1 -> shown = true :: else fi
		}
	od
}

init {
	atomic {
		owner[0] = 1; owner[1] = 2;
		run Writer(); run Reader(); run Reader()
	}
}
