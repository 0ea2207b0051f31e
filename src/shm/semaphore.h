/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_SEMAPHORE_H
#define CAT_SHM_SEMAPHORE_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "shm/repeats.h"

/*
 * Bounds how many threads may do a costly thing at once, over all children of a server, and is fair to the clients on whose behalf they
 * do it. A thread that dies gives back what it had.
 */
typedef struct cat_semaphore_t cat_semaphore_t;

typedef struct cat_semaphore_size_t {
    int slots; /* how many threads at once */
    int queue; /* how many more may wait, or CAT_SEMAPHORE_ANY, which goes with one slot only */
    int kept;  /* of the slots: those that are left to parties that have none */
} cat_semaphore_size_t;

/* Before the children are forked. Lives on the pool; children keep what they have of it when the parent's pool is cleared. */
#define CAT_SEMAPHORE_ANY (-1)
apr_status_t cat_semaphore_create(cat_semaphore_t **semaphore, apr_pool_t *pool, const cat_semaphore_size_t *size);

/*
 * Waits at most patience. party: the client on whose behalf, any text that tells clients apart. Parties take turns, and one may have as
 * much of the queue as it leaves free to others, so that it cannot keep them out. NULL, or CAT_SEMAPHORE_ANY: first come, first served.
 * APR_SUCCESS: the same thread leaves with *place. APR_EAGAIN: the queue is full, for this party, or patience ran out, or the process must
 * stop (lib/process.h). Anything else: the system refuses the mutex.
 */
apr_status_t cat_semaphore_enter(cat_semaphore_t *semaphore, const char *party, apr_interval_time_t patience,
                                 int *place);
void cat_semaphore_leave(cat_semaphore_t *semaphore, int place);

/* What sums up the lines about refusals, over all children. */
cat_repeats_t *cat_semaphore_refusals(cat_semaphore_t *semaphore);

#endif
