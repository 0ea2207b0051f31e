/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_LIMIT_H
#define CAT_SHM_LIMIT_H

#include <apr.h>
#include <apr_time.h>

#include "http/rate_limit.h"

/*
 * Counts how often each client does something, in memory that all children of a server share, without a lock: GCRA, so that a burst
 * of count is allowed and then one every seconds/count. The table has a fixed size, 262,144 cells. In a full bucket a new client
 * evicts one that has something left, and an exhausted one only where there are no others.
 */
typedef struct cat_limit_t cat_limit_t;

/* Octets of shared memory that it needs; zeroed, then started once by the parent. seed: random, so that no client can choose keys
 * that evict others. */
apr_size_t cat_limit_size(void);
void cat_limit_start(cat_limit_t *limit, apr_uint64_t seed);

/*
 * Takes one for (what, who) at this rate; at another rate the same two are counted on their own. rate.seconds 0: always
 * allowed, nothing is counted. now: cat_time_monotonic() at the call. Time is counted in milliseconds, so that no rate goes beyond
 * 1,000 a second.
 */
cat_verdict_t cat_limit_take(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now);

/* Gives back one that the caller took with the same arguments: what it took it for did not happen. */
void cat_limit_give_back(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now);

#endif
