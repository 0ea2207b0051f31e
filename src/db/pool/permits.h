/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_PERMITS_H
#define CAT_DB_POOL_PERMITS_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/*
 * Limits how many threads of a process have a connection at once. A thread that comes while others wait queues behind them, so none
 * starves under load; but before those with a lower max, from which a permit is kept for it. Used by all threads.
 */
typedef struct cat_permits_t cat_permits_t;

apr_status_t cat_permits_create(cat_permits_t **permits, apr_pool_t *pool);

/* Takes a permit if fewer than max are taken and no thread with the same max or a higher one waits. 1: it did. */
int cat_permits_try(cat_permits_t *permits, int max);

/* The same when that is so, and for no earlier thread. APR_TIMEUP: it was not so by the time until. */
apr_status_t cat_permits_take(cat_permits_t *permits, int max, apr_time_t until);

/* Gives a permit back; the next thread gets it. */
void cat_permits_give_back(cat_permits_t *permits);

#endif
