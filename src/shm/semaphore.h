/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_SEMAPHORE_H
#define CAT_SHM_SEMAPHORE_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/*
 * Bounds how many threads may do a costly thing at once, over all children of a server. A holder that dies gives its slot back: slots
 * are robust process mutexes, not counters.
 */
typedef struct cat_semaphore_t cat_semaphore_t;

/* Before the children are forked. slots: how many threads at once; queue: how many more may wait, or CAT_SEMAPHORE_ANY, which goes with
 * one slot only. Lives on the pool; children keep what they have of it when the parent's pool is cleared. */
#define CAT_SEMAPHORE_ANY (-1)
apr_status_t cat_semaphore_create(cat_semaphore_t **semaphore, apr_pool_t *pool, int slots, int queue);

/*
 * Waits at most patience. party: the client on whose behalf, any text that tells clients apart. Parties take turns, and one may have as
 * much of the queue as it leaves free to others, so that it cannot keep them out. NULL, or CAT_SEMAPHORE_ANY: first come, first served.
 * APR_SUCCESS: the same thread leaves with *slot. APR_EAGAIN: the queue is full, for this party, or patience ran out. Anything else:
 * the system refuses the mutex.
 */
apr_status_t cat_semaphore_enter(cat_semaphore_t *semaphore, const char *party, apr_interval_time_t patience,
                                 int *slot);
void cat_semaphore_leave(cat_semaphore_t *semaphore, int slot);

/*
 * Is this refusal to be logged? One in ten seconds is, over all children; *others: how many were not in the *seconds since the last
 * one that was. now: cat_time_monotonic().
 */
int cat_semaphore_report(cat_semaphore_t *semaphore, apr_time_t now, int *others, int *seconds);

#endif
