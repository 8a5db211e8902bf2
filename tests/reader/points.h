/* Put in front of every file of the harness: at a point of the protocol the thread now and then gives its core away, so
 * that the others meet it in the middle of a step. */
#ifndef FRANKENSHARE_POINTS_H
#define FRANKENSHARE_POINTS_H

#include <sched.h>
#include <stdint.h>

extern _Thread_local uint64_t points_random;

static inline uint64_t points_next(void)
{
	points_random ^= points_random << 13;
	points_random ^= points_random >> 7;
	points_random ^= points_random << 17;
	return points_random;
}

#define FS_POINT(name) ((points_next() & POINTS_MASK) == 0 ? (void)sched_yield() : (void)0)

#ifndef POINTS_MASK
#define POINTS_MASK 63
#endif

#endif
