/* Intervals: keys whose value is computed anew from time to time. The store has the clock and the claims; a resolver is run by
 * the intervals worker, or else by the request that finds the value due. */
#ifndef FRANKENSHARE_INTERVAL_H
#define FRANKENSHARE_INTERVAL_H

#include <php.h>

#include "frankenshare.h"
#include "key.h"

/* Are keys of the table intervals? */
static zend_always_inline bool fs_has_intervals(fs_table t) { return fs_load(&t.control->intervals) != 0; }

/* What a read of the table found, UNDEF for nothing, may be an interval's value: has it computed, or refreshed, if that is this
 * request's part, and puts the value in *value, which is the caller's; *computed says whether it did. False with an exception
 * pending. */
bool fs_interval_read(fs_table t, const fs_key *key, zval *value, bool *computed);

/* The resolvers that this script has registered; dropped with it. */
void fs_resolvers_drop(fs_globals *g, bool forget);

#endif
