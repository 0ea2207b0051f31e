/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_SEMAPHORE_H
#define CAT_SHM_SEMAPHORE_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "shm/repeats.h"

/*
 * Limits how many threads do something expensive at the same time, over all children of a server, with fairness between
 * the clients they work for. A thread that dies gives up its slot.
 */
typedef struct cat_semaphore_t cat_semaphore_t;

typedef struct cat_semaphore_size_t {
    int slots; /* maximum number of threads inside */
    int queue; /* maximum number of waiting threads; CAT_SEMAPHORE_ANY, for one slot only, means no maximum */
    int kept;  /* number of slots reserved for parties that have no thread inside */
} cat_semaphore_size_t;

/* Creates a semaphore on the pool. Must be called before the children are forked. Children keep access to its memory
 * when the parent's pool is cleared. */
#define CAT_SEMAPHORE_ANY (-1)
apr_status_t cat_semaphore_create(cat_semaphore_t **semaphore, apr_pool_t *pool, const cat_semaphore_size_t *size);

/*
 * Waits up to `patience` for a slot. `party` names the client that the thread works for, as any text; parties take
 * turns, and a party may use only as much of the queue as it leaves free for others. If `party` is NULL or the queue is
 * CAT_SEMAPHORE_ANY, threads enter in order of arrival.
 *
 * Returns APR_SUCCESS if the thread is inside; the same thread must call cat_semaphore_leave with *place. Returns
 * APR_EAGAIN if the queue is full for this party, patience ran out, or the process must stop (lib/process.h). Any other
 * status is an error of the mutex.
 */
apr_status_t cat_semaphore_enter(cat_semaphore_t *semaphore, const char *party, apr_interval_time_t patience,
                                 int *place);
void cat_semaphore_leave(cat_semaphore_t *semaphore, int place);

/* Returns the state that limits log lines about refusals, shared by all children. */
cat_repeats_t *cat_semaphore_refusals(cat_semaphore_t *semaphore);

#endif
