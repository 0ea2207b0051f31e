/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_GATE_H
#define CAT_LIB_GATE_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/*
 * How many may do a costly thing at once, over all children of a server. A holder that dies gives its place back:
 * places are robust process mutexes, not counters.
 */
typedef struct cat_gate_t cat_gate_t;

/* Before the children are forked. places: at once; queue: how many more may wait, or CAT_GATE_ANY, which goes with one place
 * only. Lives on the pool; children keep what they have of it when the parent's pool is cleared. */
#define CAT_GATE_ANY (-1)
apr_status_t cat_gate_create(cat_gate_t **gate, apr_pool_t *pool, int places, int queue);

/* Waits at most patience. APR_SUCCESS: *place is to be left with, by the same thread. APR_EAGAIN: the queue is full or
 * patience ran out. Anything else: the system refuses the mutex. */
apr_status_t cat_gate_enter(cat_gate_t *gate, apr_interval_time_t patience, int *place);
void cat_gate_leave(cat_gate_t *gate, int place);

#endif
