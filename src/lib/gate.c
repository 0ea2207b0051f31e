/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gate.h"

#include <errno.h>
#include <pthread.h>

#include <apr_shm.h>

/* In memory that the children share. */
struct cat_gate_t {
    int places, queue;
    pthread_mutex_t mutexes[]; /* one for each place, then one for each in the queue */
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
    int count = places + (queue == CAT_GATE_ANY ? 0 : queue);
    pthread_mutexattr_t attributes;
    apr_shm_t *shared;
    cat_gate_t *g;
    apr_status_t rv = apr_shm_create(&shared, sizeof(*g) + (apr_size_t)count * sizeof(*g->mutexes), NULL, pool);

    if (rv == APR_SUCCESS) {
        rv = make_attributes(&attributes);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    g = apr_shm_baseaddr_get(shared);
    g->places = places;
    g->queue = queue;
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        rv = pthread_mutex_init(&g->mutexes[i], &attributes);
    }
    *gate = g;
    return rv;
}

/* What the last holder did ended with it: nothing is to be repaired. */
static apr_status_t settle(pthread_mutex_t *mutex, int rv)
{
    return rv == EOWNERDEAD ? pthread_mutex_consistent(mutex) : rv;
}

/* EBUSY: none of so many mutexes is free. */
static apr_status_t take_any(pthread_mutex_t *mutexes, int count, int *taken)
{
    for (*taken = 0; *taken < count; ++*taken) {
        apr_status_t rv = settle(&mutexes[*taken], pthread_mutex_trylock(&mutexes[*taken]));
        if (rv != EBUSY) {
            return rv;
        }
    }
    return EBUSY;
}

static apr_status_t wait_at(pthread_mutex_t *mutex, apr_interval_time_t patience)
{
    apr_time_t end = apr_time_now() + patience;
    const struct timespec until = {apr_time_sec(end), apr_time_usec(end) * 1000};
    apr_status_t rv = settle(mutex, pthread_mutex_timedlock(mutex, &until));

    return rv == ETIMEDOUT ? APR_EAGAIN : rv;
}

/* Whoever waits holds a mutex of the queue: its number tells at which place, so that they spread over all. */
static apr_status_t wait_in_queue(cat_gate_t *gate, apr_interval_time_t patience, int *place)
{
    pthread_mutex_t *queue = gate->mutexes + gate->places;
    int number;
    apr_status_t rv = take_any(queue, gate->queue, &number);

    if (rv != APR_SUCCESS) {
        return rv == EBUSY ? APR_EAGAIN : rv;
    }
    *place = number % gate->places;
    rv = wait_at(&gate->mutexes[*place], patience);
    pthread_mutex_unlock(&queue[number]);
    return rv;
}

apr_status_t cat_gate_enter(cat_gate_t *gate, apr_interval_time_t patience, int *place)
{
    apr_status_t rv = take_any(gate->mutexes, gate->places, place);

    if (rv != EBUSY) {
        return rv;
    }
    if (gate->queue == CAT_GATE_ANY) {
        *place = 0;
        return wait_at(&gate->mutexes[0], patience);
    }
    return wait_in_queue(gate, patience, place);
}

void cat_gate_leave(cat_gate_t *gate, int place)
{
    pthread_mutex_unlock(&gate->mutexes[place]);
}
