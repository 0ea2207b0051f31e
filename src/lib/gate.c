/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gate.h"

#include <unistd.h>

#include <apr_atomic.h>
#include <apr_proc_mutex.h>

struct cat_gate_t {
    int places;
    apr_proc_mutex_t **mutexes;
    apr_uint32_t queue;
    apr_uint32_t waiting; /* of this child: the struct is the parent's, copied by fork */
    apr_uint32_t turn;    /* where the next one waits, modulo places */
};

apr_status_t cat_gate_create(cat_gate_t **gate, apr_pool_t *pool, int places, int queue)
{
    cat_gate_t *g = apr_pcalloc(pool, sizeof(*g));
    g->places = places;
    g->queue = queue;
    g->mutexes = apr_pcalloc(pool, places * sizeof(*g->mutexes));
    for (int i = 0; i < places; i++) {
        /* On Linux a robust, process-shared pthread mutex: no file, no key, nothing left behind. */
        apr_status_t rv = apr_proc_mutex_create(&g->mutexes[i], NULL, APR_LOCK_DEFAULT_TIMED, pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    *gate = g;
    return APR_SUCCESS;
}

apr_status_t cat_gate_child_init(cat_gate_t *gate, apr_pool_t *pool)
{
    gate->turn = getpid(); /* or else the first one of each child would wait at the same place */
    for (int i = 0; i < gate->places; i++) {
        apr_status_t rv = apr_proc_mutex_child_init(&gate->mutexes[i], NULL, pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    return APR_SUCCESS;
}

static apr_status_t wait_in_turn(cat_gate_t *gate, apr_interval_time_t patience, int *place)
{
    apr_status_t rv;

    *place = apr_atomic_inc32(&gate->turn) % gate->places;
    rv = apr_proc_mutex_timedlock(gate->mutexes[*place], patience);
    return APR_STATUS_IS_TIMEUP(rv) ? APR_EAGAIN : rv;
}

apr_status_t cat_gate_enter(cat_gate_t *gate, apr_interval_time_t patience, int *place)
{
    apr_status_t rv;

    for (*place = 0; *place < gate->places; ++*place) {
        rv = apr_proc_mutex_trylock(gate->mutexes[*place]);
        if (!APR_STATUS_IS_EBUSY(rv)) {
            return rv;
        }
    }
    rv = apr_atomic_inc32(&gate->waiting) < gate->queue ? wait_in_turn(gate, patience, place) : APR_EAGAIN;
    apr_atomic_dec32(&gate->waiting);
    return rv;
}

void cat_gate_leave(cat_gate_t *gate, int place)
{
    apr_proc_mutex_unlock(gate->mutexes[place]);
}
