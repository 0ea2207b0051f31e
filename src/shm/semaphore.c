/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/semaphore.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <apr_shm.h>

#include "lib/hash.h"

#define REPORT_INTERVAL apr_time_from_sec(10)

/* A place, or one in the queue: there the holder waits for a party (0: for none) and has drawn a ticket. Both are atomic. A process
 * that dies leaves them behind, so they count only while the mutex is held. */
typedef struct slot_t {
    pthread_mutex_t mutex;
    apr_uint64_t waits_for;
    apr_uint64_t ticket;
} slot_t;

/* In memory that the children share. */
struct cat_semaphore_t {
    int places, queue;
    apr_uint32_t unreported; /* refusals; atomic */
    apr_time_t reported;     /* when the last one was; atomic */
    apr_uint64_t tickets;    /* drawn so far; atomic */
    slot_t slots[];          /* the places, then the queue */
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
apr_status_t cat_semaphore_create(cat_semaphore_t **gate, apr_pool_t *pool, int places, int queue)
{
    int count = places + (queue == CAT_SEMAPHORE_ANY ? 0 : queue);
    pthread_mutexattr_t attributes;
    apr_shm_t *shared;
    cat_semaphore_t *g;
    apr_status_t rv = apr_shm_create(&shared, sizeof(*g) + (apr_size_t)count * sizeof(*g->slots), NULL, pool);

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
        rv = pthread_mutex_init(&g->slots[i].mutex, &attributes);
    }
    *gate = g;
    return rv;
}

/* What the last holder did ended with it: nothing is to be repaired. */
static apr_status_t settle(pthread_mutex_t *mutex, int rv)
{
    return rv == EOWNERDEAD ? pthread_mutex_consistent(mutex) : rv;
}

static apr_status_t try_lock(pthread_mutex_t *mutex)
{
    return settle(mutex, pthread_mutex_trylock(mutex));
}

/* EBUSY: none of so many is free. */
static apr_status_t take_any(slot_t *slots, int count, int *taken)
{
    for (*taken = 0; *taken < count; ++*taken) {
        apr_status_t rv = try_lock(&slots[*taken].mutex);
        if (rv != EBUSY) {
            return rv;
        }
    }
    return EBUSY;
}

static apr_status_t wait_for(pthread_mutex_t *mutex, apr_time_t end)
{
    const struct timespec until = {apr_time_sec(end), apr_time_usec(end) * 1000};
    apr_status_t rv = settle(mutex, pthread_mutex_timedlock(mutex, &until));

    return rv == ETIMEDOUT ? APR_EAGAIN : rv;
}

static apr_uint64_t load(const apr_uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(apr_uint64_t *word, apr_uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void leave_slot(slot_t *slot)
{
    store(&slot->waits_for, 0);
    pthread_mutex_unlock(&slot->mutex);
}

static int is_free(slot_t *slot)
{
    if (!load(&slot->waits_for)) {
        return 1;
    }
    if (try_lock(&slot->mutex) != APR_SUCCESS) {
        return 0;
    }
    leave_slot(slot); /* its holder died */
    return 1;
}

/* Dynamic thresholds (Choudhury and Hahne, 1998): a party that already waits may take one more slot while at least as many are free
 * as it has. One party alone gets half of the queue, two a third each; a party that has none gets the last one. */
static int is_fair(slot_t *queue, int count, apr_uint64_t party)
{
    int of_party = 0, free = 0;

    for (int i = 0; i < count; i++) {
        if (is_free(&queue[i])) {
            free++;
        } else if (load(&queue[i].waits_for) == party) {
            of_party++;
        }
    }
    return of_party <= free + 1; /* the one that it has just taken is among them */
}

/* Taken before it is judged, so that of racing threads none overlooks another. EBUSY: none is free, or none for this party. */
static apr_status_t take_slot(cat_semaphore_t *gate, const char *party, int *number)
{
    slot_t *queue = gate->slots + gate->places;
    apr_uint64_t hash = party ? cat_hash(party, strlen(party)) : 0;
    apr_status_t rv = take_any(queue, gate->queue, number);

    if (rv != APR_SUCCESS || !party) {
        return rv;
    }
    store(&queue[*number].ticket, __atomic_add_fetch(&gate->tickets, 1, __ATOMIC_SEQ_CST));
    store(&queue[*number].waits_for, hash);
    if (!is_fair(queue, gate->queue, hash)) {
        leave_slot(&queue[*number]);
        return EBUSY;
    }
    return APR_SUCCESS;
}

/* Of those who wait for the same party and place, the one who came last before the holder of slot number. */
static slot_t *find_predecessor(cat_semaphore_t *gate, int number)
{
    slot_t *queue = gate->slots + gate->places, *own = &queue[number], *last = NULL;

    for (int i = number % gate->places; i < gate->queue; i += gate->places) {
        slot_t *other = &queue[i];
        if (load(&other->waits_for) == own->waits_for && load(&other->ticket) < own->ticket &&
            (!last || load(&other->ticket) > load(&last->ticket)) && !is_free(other)) {
            last = other;
        }
    }
    return last;
}

/*
 * The number of the slot tells at which place to wait, so that they spread over all. There the kernel lets in whoever has waited the
 * longest; only one of each party stands there, the others behind each other at their slots. So parties take turns, however many of
 * one wait. Everyone waits for a lower ticket: there are no cycles.
 */
static apr_status_t wait_in_turn(cat_semaphore_t *gate, int number, apr_time_t end)
{
    slot_t *before;

    while ((before = find_predecessor(gate, number))) {
        apr_status_t rv = wait_for(&before->mutex, end);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        leave_slot(before);
    }
    return wait_for(&gate->slots[number % gate->places].mutex, end);
}

static apr_status_t wait_in_queue(cat_semaphore_t *gate, const char *party, apr_time_t end, int *place)
{
    int number;
    apr_status_t rv = take_slot(gate, party, &number);

    if (rv != APR_SUCCESS) {
        return rv == EBUSY ? APR_EAGAIN : rv;
    }
    *place = number % gate->places;
    rv = wait_in_turn(gate, number, end);
    leave_slot(&gate->slots[gate->places + number]);
    return rv;
}

apr_status_t cat_semaphore_enter(cat_semaphore_t *gate, const char *party, apr_interval_time_t patience, int *place)
{
    apr_status_t rv = take_any(gate->slots, gate->places, place);
    apr_time_t end;

    if (rv != EBUSY) {
        return rv;
    }
    end = apr_time_now() + patience;
    if (gate->queue == CAT_SEMAPHORE_ANY) {
        *place = 0;
        return wait_for(&gate->slots[0].mutex, end);
    }
    return wait_in_queue(gate, party, end, place);
}

void cat_semaphore_leave(cat_semaphore_t *gate, int place)
{
    pthread_mutex_unlock(&gate->slots[place].mutex);
}

int cat_semaphore_report(cat_semaphore_t *gate, apr_time_t now, int *others, int *seconds)
{
    apr_time_t last = __atomic_load_n(&gate->reported, __ATOMIC_SEQ_CST);

    if ((last && now - last < REPORT_INTERVAL) ||
        !__atomic_compare_exchange_n(&gate->reported, &last, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        __atomic_add_fetch(&gate->unreported, 1, __ATOMIC_SEQ_CST);
        return 0;
    }
    *others = (int)__atomic_exchange_n(&gate->unreported, 0, __ATOMIC_SEQ_CST);
    *seconds = last ? (int)apr_time_sec(now - last) : 0;
    return 1;
}
