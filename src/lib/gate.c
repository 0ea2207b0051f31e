/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gate.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <apr_atomic.h>
#include <apr_shm.h>

struct cat_gate_t {
    int places;
    pthread_mutex_t *mutexes; /* of all children */
    apr_uint32_t queue;
    apr_uint32_t waiting; /* of this child: the struct is the parent's, copied by fork */
    apr_uint32_t turn;    /* where the next one waits, modulo places */
};

/* Robust: a place whose holder died is free. With priority inheritance the kernel hands it to who has waited the longest. */
static apr_status_t make_attributes(pthread_mutexattr_t *attributes)
{
    int rv = pthread_mutexattr_init(attributes);
    rv = rv ? rv : pthread_mutexattr_setpshared(attributes, PTHREAD_PROCESS_SHARED);
    rv = rv ? rv : pthread_mutexattr_setrobust(attributes, PTHREAD_MUTEX_ROBUST);
    return rv ? rv : pthread_mutexattr_setprotocol(attributes, PTHREAD_PRIO_INHERIT);
}

/*
 * Not of apr_proc_mutex_t, which the parent destroys at a restart when no child has said yet that it uses it: children that
 * were forked just before would be left with a dead one. These are never destroyed: they are nothing but their memory.
 */
apr_status_t cat_gate_create(cat_gate_t **gate, apr_pool_t *pool, int places, int queue)
{
    cat_gate_t *g = apr_pcalloc(pool, sizeof(*g));
    pthread_mutexattr_t attributes;
    apr_shm_t *shared;
    apr_status_t rv = apr_shm_create(&shared, (apr_size_t)places * sizeof(*g->mutexes), NULL, pool);

    if (rv == APR_SUCCESS) {
        rv = make_attributes(&attributes);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    g->places = places;
    g->queue = queue;
    g->mutexes = apr_shm_baseaddr_get(shared);
    for (int i = 0; i < places && rv == APR_SUCCESS; i++) {
        rv = pthread_mutex_init(&g->mutexes[i], &attributes);
    }
    *gate = g;
    return rv;
}

/* The place of a holder that died needs no repair. */
static apr_status_t settle(pthread_mutex_t *mutex, int rv)
{
    return rv == EOWNERDEAD ? pthread_mutex_consistent(mutex) : rv;
}

static apr_status_t wait_in_turn(cat_gate_t *gate, apr_interval_time_t patience, int *place)
{
    apr_time_t end = apr_time_now() + patience;
    const struct timespec until = {apr_time_sec(end), apr_time_usec(end) * 1000};
    apr_status_t rv;

    /* With the process's id, or the first one of each child would wait at the same place. */
    *place = (apr_atomic_inc32(&gate->turn) + getpid()) % gate->places;
    rv = settle(&gate->mutexes[*place], pthread_mutex_timedlock(&gate->mutexes[*place], &until));
    return rv == ETIMEDOUT ? APR_EAGAIN : rv;
}

apr_status_t cat_gate_enter(cat_gate_t *gate, apr_interval_time_t patience, int *place)
{
    apr_status_t rv;

    for (*place = 0; *place < gate->places; ++*place) {
        rv = settle(&gate->mutexes[*place], pthread_mutex_trylock(&gate->mutexes[*place]));
        if (rv != EBUSY) {
            return rv;
        }
    }
    rv = apr_atomic_inc32(&gate->waiting) < gate->queue ? wait_in_turn(gate, patience, place) : APR_EAGAIN;
    apr_atomic_dec32(&gate->waiting);
    return rv;
}

void cat_gate_leave(cat_gate_t *gate, int place)
{
    pthread_mutex_unlock(&gate->mutexes[place]);
}
