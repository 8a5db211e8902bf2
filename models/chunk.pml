/* A value in a head row and a chunk: which of the two must be protected while the chunk is copied?
 *
 * Two heads and three chunks. As designed the first hazard stays on the head, the second is set on the chunk, and the
 * slot word is looked at again before the chunk is copied.
 *   MOVE_HAZARD one hazard that moves on to the chunk: the word can come back with a new row in the same head
 *   NO_RECHECK the word is not looked at again             SCAN_HEADS the scan looks at the first hazard alone */
#define POISON 99

byte slot, headHazard, chunkHazard;
byte state[3], link[3], bytes[4]; /* of heads 1 and 2; of chunks 1 to 3 */
byte headUse[3], chunkUse[4];     /* 0 free, 1 in use, 2 retired */

active proctype Writer() {
	byte n, i, h, c, old, seenHead, seenChunk;
	do
	:: n == 4 -> break
	:: else ->
		n++;
		seenHead = headHazard;
#ifndef SCAN_HEADS
		seenChunk = chunkHazard;
#endif
		d_step {
			i = 1;
			do
			:: i == 4 -> break
			:: else ->
				if
				:: i < 3 && headUse[i] == 2 && seenHead != i -> headUse[i] = 0; state[i] = POISON
				:: else
				fi;
				if
				:: chunkUse[i] == 2 && seenChunk != i -> chunkUse[i] = 0; bytes[i] = POISON
				:: else
				fi;
				i++
			od;
			h = (headUse[1] == 0 -> 1 : (headUse[2] == 0 -> 2 : 0));
			c = (chunkUse[1] == 0 -> 1 : (chunkUse[2] == 0 -> 2 : (chunkUse[3] == 0 -> 3 : 0)))
		}
		if
		:: h == 0 || c == 0 -> skip /* full */
		:: else ->
			headUse[h] = 1; state[h] = n; link[h] = c;
			chunkUse[c] = 1; bytes[c] = n;
			old = slot;
			slot = h;
			if
			:: old != 0 -> headUse[old] = 2; chunkUse[link[old]] = 2
			:: else
			fi
		fi
	od
}

active proctype Reader() {
	byte n, h, c, want;
	do
	:: n == 3 -> break
	:: else ->
		n++;
		h = slot;
		if :: h == 0 -> goto next :: else fi;
		headHazard = h;
		if :: slot != h -> goto next :: else fi;
		want = state[h];
		c = link[h];
		assert(headUse[h] != 0);
		chunkHazard = c;
#ifdef MOVE_HAZARD
		headHazard = 0;
#endif
#ifndef NO_RECHECK
		if :: slot != h -> goto next :: else fi;
#endif
		assert(bytes[c] == want && chunkUse[c] != 0);
next:
		headHazard = 0;
		chunkHazard = 0
	od
}
