/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_LIMIT_H
#define CAT_SHM_LIMIT_H

#include <apr.h>
#include <apr_time.h>

/*
 * How often somebody may do something, counted in memory that all children of a server share: GCRA, so that a burst of
 * count is allowed and then one every seconds/count. No lock; a table of fixed size, in which the one who would be free
 * of it the soonest makes room.
 */
typedef struct cat_limit_t cat_limit_t;

typedef struct cat_rate_t {
    int count;   /* at least 1 */
    int seconds; /* 0: no limit */
} cat_rate_t;

typedef struct cat_verdict_t {
    int allowed;
    int remaining;   /* how many more would be allowed now */
    int reset;       /* seconds until all count are allowed again, rounded up */
    int retry_after; /* seconds until the next one is allowed, rounded up; 0 when allowed */
} cat_verdict_t;

/* Octets of shared memory that it needs; zeroed, then started once by the parent: seed is random, so that nobody can
 * choose keys that push out others. */
apr_size_t cat_limit_size(void);
void cat_limit_start(cat_limit_t *limit, apr_uint64_t seed);

/*
 * Takes one for (what, who) at this rate; at another rate the same two are counted on their own. rate.seconds 0: always
 * allowed, nothing is counted. now: the clock when it is called; where that is set back, who was counted before may be
 * refused for a minute longer. Time is counted in milliseconds, so that no rate goes beyond 1,000 a second.
 */
cat_verdict_t cat_limit_take(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now);

#endif
