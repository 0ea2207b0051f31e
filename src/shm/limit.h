/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_LIMIT_H
#define CAT_SHM_LIMIT_H

#include <apr.h>
#include <apr_time.h>

#include "http/rate_limit.h"

/*
 * Limits how often a client does something, over all children of a server, in shared memory and without a lock. Uses
 * GCRA: allows a burst of `count` and then one every seconds / count. The table has a fixed size of 262,144 cells. In a
 * full bucket, a new client evicts the cell of a client that has something left, or of an exhausted client if there is
 * no such cell.
 */
typedef struct cat_limit_t cat_limit_t;

/* Returns the bytes of shared memory for the table. The parent zeroes the memory and calls cat_limit_start once. `seed`
 * must be random, so that no client can choose keys that evict others. */
apr_size_t cat_limit_size(void);
void cat_limit_start(cat_limit_t *limit, apr_uint64_t seed);

/*
 * Takes one for (what, who) at this rate. A different rate for the same pair is counted separately. Always allows it
 * and counts nothing if rate.seconds is 0. `now` is cat_time_monotonic() at the time of the call. Time is counted in
 * milliseconds, so no rate exceeds 1,000 per second.
 */
cat_verdict_t cat_limit_take(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now);

/* Gives back one take of the same arguments, because the action did not happen. */
void cat_limit_give_back(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now);

#endif
