/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_PERMITS_H
#define CAT_DB_PERMITS_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/*
 * How many threads of a process may have a connection at once. First come, first served: a thread that comes while others wait
 * waits behind them, so under load none of them starves. Used by all threads.
 */
typedef struct cat_permits_t cat_permits_t;

apr_status_t cat_permits_create(cat_permits_t **permits, apr_pool_t *pool);

/* Takes a permit when fewer than max are taken, and no thread waits that came before. APR_TIMEUP: that was not so by the time until. */
apr_status_t cat_permits_take(cat_permits_t *permits, int max, apr_time_t until);

/* Gives one back; it goes to the thread that has waited for longest. */
void cat_permits_give_back(cat_permits_t *permits);

/* How many threads wait at this moment. */
int cat_permits_count_waiting(cat_permits_t *permits);

#endif
