/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counting semaphore with an order: waiting threads get permits in the order of arrival, but those with a higher limit
 * go first. With 8 connections, requests may have 7 of them; the health check, for which a busy server is not a dead one,
 * may have all 8:
 *
 *     taken 7 of 8     queue: health (8) | request (7), request (7)     the first is served now, the requests one after the
 *                                                                       other, whenever fewer than 7 are taken
 *
 * A permit that is given back goes to the first thread of the queue without becoming free in between, so a thread that
 * arrives later cannot take it.
 */
#include "db/pool/permits.h"

#include <errno.h>
#include <semaphore.h>

#include <apr_thread_mutex.h>

/* A waiting thread, on its own stack and in the queue until it has its permit or gives up. */
typedef struct waiter_t {
    struct waiter_t *next; /* guarded by the mutex, as is has_permit */
    int max;
    int has_permit;
    sem_t woken;
} waiter_t;

struct cat_permits_t {
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    int taken;
    waiter_t *first; /* those with the highest max, in the order of their arrival; then those with the next one */
};

apr_status_t cat_permits_create(cat_permits_t **permits, apr_pool_t *pool)
{
    cat_permits_t *p = apr_pcalloc(pool, sizeof(*p));

    *permits = p;
    return apr_thread_mutex_create(&p->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

static void enqueue_waiter(cat_permits_t *permits, waiter_t *waiter)
{
    waiter_t **link = &permits->first;

    sem_init(&waiter->woken, 0, 0);
    while (*link && (*link)->max >= waiter->max) {
        link = &(*link)->next;
    }
    waiter->next = *link;
    *link = waiter;
}

static apr_status_t wait_in_queue(cat_permits_t *permits, waiter_t *waiter, apr_time_t until)
{
    const struct timespec end = {.tv_sec = (time_t)apr_time_sec(until), .tv_nsec = (long)apr_time_usec(until) * 1000};
    waiter_t **link = &permits->first;
    int has_permit;

    while (sem_timedwait(&waiter->woken, &end) != 0 && errno == EINTR) {
    }
    apr_thread_mutex_lock(permits->mutex);
    has_permit = waiter->has_permit;
    if (!has_permit) {
        while (*link != waiter) {
            link = &(*link)->next;
        }
        *link = waiter->next;
    }
    apr_thread_mutex_unlock(permits->mutex);
    sem_destroy(&waiter->woken);
    return has_permit ? APR_SUCCESS : APR_TIMEUP;
}

/* Call it under the mutex. */
static int take_free(cat_permits_t *permits, int max)
{
    int is_free = (!permits->first || permits->first->max < max) && permits->taken < max;

    permits->taken += is_free;
    return is_free;
}

int cat_permits_try(cat_permits_t *permits, int max)
{
    int is_taken;

    apr_thread_mutex_lock(permits->mutex);
    is_taken = take_free(permits, max);
    apr_thread_mutex_unlock(permits->mutex);
    return is_taken;
}

apr_status_t cat_permits_take(cat_permits_t *permits, int max, apr_time_t until)
{
    waiter_t waiter = {.max = max};
    int is_taken;

    apr_thread_mutex_lock(permits->mutex);
    is_taken = take_free(permits, max);
    if (!is_taken) {
        enqueue_waiter(permits, &waiter);
    }
    apr_thread_mutex_unlock(permits->mutex);
    return is_taken ? APR_SUCCESS : wait_in_queue(permits, &waiter, until);
}

void cat_permits_give_back(cat_permits_t *permits)
{
    waiter_t *waiter;

    apr_thread_mutex_lock(permits->mutex);
    permits->taken--;
    while ((waiter = permits->first) && permits->taken < waiter->max) {
        permits->first = waiter->next;
        permits->taken++;
        waiter->has_permit = 1;
        sem_post(&waiter->woken);
    }
    apr_thread_mutex_unlock(permits->mutex);
}
