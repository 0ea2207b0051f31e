/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds the number of threads of several processes, with a queue that is fair to parties.
 *
 * Each thread that is inside or waits owns a place in shared memory and holds the place's mutex. The mutexes are
 * robust: if another thread can lock the mutex of an occupied place, the owner has died and the place is freed. Numbers
 * are not stored but counted from the places each time, so a process that is killed leaves nothing to repair.
 *
 *      slots 3, queue 4        place  0       1       2       3       4       5       6
 *                                     inside  inside  inside  waits   waits   free    free
 *                                     A       A       B       A  r.2  C  r.1
 *
 * A thread that enters or leaves lets in the next thread. Each waiting thread has a round (start-time fair queueing;
 * Goyal, Vin and Cheng, 1996): one more than the last round of its party or the round of the thread let in last,
 * whichever is greater. The lowest round is next, so parties take turns however many threads of one party wait. In the
 * example, C enters before A.
 *
 * A semaphore with one slot and no such queue is just a mutex.
 */
#include "shm/semaphore.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include <apr_shm.h>

#include "lib/hash.h"
#include "lib/process.h"

/* Interval at which a waiting thread checks whether a thread inside has died. */
#define CHECK_INTERVAL apr_time_from_msec(100)

typedef enum { FREE, WAITING, INSIDE } state_t;

typedef struct place_t {
    pthread_mutex_t owner; /* held by the thread that owns the place */
    sem_t let_in;
    /* ---- guarded by the semaphore's mutex ---- */
    state_t state;
    apr_uint64_t party; /* hash of the party; 0 for none */
    apr_uint64_t round, ticket;
} place_t;

/* In memory that the children share. */
struct cat_semaphore_t {
    cat_semaphore_size_t size; /* constant */
    int count;                 /* number of places, constant; 0 if the semaphore is just the mutex */
    cat_repeats_t refusals;
    pthread_mutex_t mutex;
    /* ---- guarded by the mutex ---- */
    apr_uint64_t tickets; /* number of tickets issued */
    apr_uint64_t round;   /* round of the thread that was let in last */
    int used;             /* places from this index on are free */
    place_t places[];
};

/* ---- mutexes ---- */

/* Marks the mutex as usable if its holder has died. A holder leaves nothing to repair. */
static apr_status_t recover_mutex(pthread_mutex_t *mutex, int rv)
{
    return rv == EOWNERDEAD ? pthread_mutex_consistent(mutex) : rv;
}

static apr_status_t lock_mutex(pthread_mutex_t *mutex)
{
    return recover_mutex(mutex, pthread_mutex_lock(mutex));
}

static apr_status_t try_mutex(pthread_mutex_t *mutex)
{
    return recover_mutex(mutex, pthread_mutex_trylock(mutex));
}

static apr_status_t enter_mutex(cat_semaphore_t *s, apr_interval_time_t patience)
{
    apr_status_t rv = try_mutex(&s->mutex);

    if (rv == EBUSY && s->size.queue == CAT_SEMAPHORE_ANY) {
        apr_time_t end = apr_time_now() + patience;
        const struct timespec until = {apr_time_sec(end), apr_time_usec(end) * 1000};
        rv = recover_mutex(&s->mutex, pthread_mutex_timedlock(&s->mutex, &until));
    }
    return rv == EBUSY || rv == ETIMEDOUT ? APR_EAGAIN : rv;
}

/* ---- creation ---- */

static apr_status_t create_places(cat_semaphore_t *s, const pthread_mutexattr_t *attributes)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < s->count && rv == APR_SUCCESS; i++) {
        rv = pthread_mutex_init(&s->places[i].owner, attributes);
        if (rv == APR_SUCCESS && sem_init(&s->places[i].let_in, 1, 0)) {
            rv = errno;
        }
    }
    return rv;
}

/*
 * Does not use apr_proc_mutex_t. At a restart the parent destroys such a mutex if no child has reported yet that it
 * uses it, so children forked just before would be left without a mutex. The mutexes here are never destroyed; they
 * consist only of their memory. They are robust, so a thread can lock a mutex whose holder has died. With priority
 * inheritance, the kernel hands a mutex to the thread that has waited longest.
 */
apr_status_t cat_semaphore_create(cat_semaphore_t **semaphore, apr_pool_t *pool, const cat_semaphore_size_t *size)
{
    int count = size->slots == 1 && size->queue <= 0 ? 0 : size->slots + size->queue;
    pthread_mutexattr_t attributes;
    apr_shm_t *shared;
    cat_semaphore_t *s;
    apr_status_t rv = apr_shm_create(&shared, sizeof(*s) + (apr_size_t)count * sizeof(*s->places), NULL, pool);

    rv = rv ? rv : pthread_mutexattr_init(&attributes);
    rv = rv ? rv : pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    rv = rv ? rv : pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    rv = rv ? rv : pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    s = apr_shm_baseaddr_get(shared); /* new pages are zeroed */
    s->size = *size;
    s->count = count;
    rv = pthread_mutex_init(&s->mutex, &attributes);
    *semaphore = s;
    return rv == APR_SUCCESS ? create_places(s, &attributes) : rv;
}

/* ---- places (the caller holds the mutex) ---- */

static void free_place(place_t *place)
{
    place->state = FREE;
    pthread_mutex_unlock(&place->owner);
}

/* Frees the place if its thread has died. Returns true if it did. */
static int free_if_dead(place_t *place)
{
    if (try_mutex(&place->owner) != APR_SUCCESS) {
        return 0;
    }
    free_place(place);
    return 1;
}

static int count_places(const cat_semaphore_t *s, state_t state)
{
    int count = 0;

    for (int i = 0; i < s->used; i++) {
        count += s->places[i].state == state;
    }
    return count;
}

static int count_of_party(const cat_semaphore_t *s, state_t state, apr_uint64_t party)
{
    int count = 0;

    for (int i = 0; i < s->used; i++) {
        count += s->places[i].state == state && s->places[i].party == party;
    }
    return count;
}

static void free_dead(cat_semaphore_t *s, state_t state)
{
    for (int i = 0; i < s->used; i++) {
        if (s->places[i].state == state) {
            free_if_dead(&s->places[i]);
        }
    }
}

/* ---- choosing the next thread (the caller holds the mutex) ---- */

static int is_before(const place_t *place, const place_t *other)
{
    return place->round != other->round ? place->round < other->round : place->ticket < other->ticket;
}

/* Returns true if the place may become one of those inside. The last `kept` slots are reserved for threads without a
 * party and for parties that have no thread inside. */
static int may_enter(const cat_semaphore_t *s, const place_t *place, int free)
{
    return free > s->size.kept || !place->party || !count_of_party(s, INSIDE, place->party);
}

static place_t *find_next(cat_semaphore_t *s, int free)
{
    place_t *next = NULL;

    for (int i = 0; i < s->used; i++) {
        place_t *place = &s->places[i];
        if (place->state == WAITING && (!next || is_before(place, next)) && may_enter(s, place, free)) {
            next = place;
        }
    }
    return next;
}

/* A thread that enters without waiting also gets in here, so all threads follow the same order. */
static void let_in_next(cat_semaphore_t *s)
{
    int free = s->size.slots - count_places(s, INSIDE);
    place_t *next;

    while (free > 0 && (next = find_next(s, free))) {
        if (!free_if_dead(next)) {
            next->state = INSIDE;
            s->round = next->round;
            sem_post(&next->let_in);
            free--;
        }
    }
}

/* ---- the queue (the caller holds the mutex) ---- */

static apr_uint64_t next_round(const cat_semaphore_t *s, apr_uint64_t party)
{
    apr_uint64_t last = s->round;

    for (int i = 0; i < s->used; i++) {
        const place_t *place = &s->places[i];
        if (place->state != FREE && place->party == party && place->round > last) {
            last = place->round;
        }
    }
    return last + 1;
}

static place_t *find_free(cat_semaphore_t *s)
{
    for (int i = 0; i < s->count; i++) {
        if (s->places[i].state == FREE) {
            return &s->places[i];
        }
    }
    return NULL;
}

/* Dynamic thresholds (Choudhury and Hahne, 1998): a party with waiting threads may add one while at least as many
 * positions of the queue are free as it has. One party alone gets half of the queue, two get a third each; the last
 * position is for a party that has none. */
static int may_wait(const cat_semaphore_t *s, const place_t *place)
{
    int free = s->size.queue - count_places(s, WAITING);

    return free >= 0 && (!place->party || count_of_party(s, WAITING, place->party) <= free + 1);
}

/* Takes a place for this thread, which then waits or is inside. Returns NULL if no place is free. */
static place_t *take_place(cat_semaphore_t *s, apr_uint64_t party)
{
    place_t *place = find_free(s);

    if (!place || try_mutex(&place->owner) != APR_SUCCESS) {
        return NULL;
    }
    while (!sem_trywait(&place->let_in)) { /* discards the signal for the last owner, who did not wait for it */
    }
    place->party = party;
    place->round = next_round(s, party);
    place->ticket = ++s->tickets;
    s->used = place - s->places < s->used ? s->used : (int)(place - s->places) + 1;
    place->state = WAITING;
    let_in_next(s);
    return place;
}

/* Checks for dead threads only if they may be the reason for a refusal. */
static place_t *join_queue(cat_semaphore_t *s, apr_uint64_t party)
{
    place_t *place = take_place(s, party);

    if (!place || place->state == WAITING) {
        free_dead(s, INSIDE);
        let_in_next(s);
    }
    if (!place || (place->state == WAITING && !may_wait(s, place))) {
        free_dead(s, WAITING);
    }
    place = place ? place : take_place(s, party);
    if (place && place->state == WAITING && !may_wait(s, place)) {
        free_place(place);
        return NULL;
    }
    return place;
}

/* ---- waiting ---- */

/* Returns true if the wait is over: the thread is inside, or its place was freed because it waited too long. */
static int check_wait(cat_semaphore_t *s, place_t *place, apr_time_t end)
{
    int is_late = apr_time_now() >= end || cat_process_must_stop();

    if (place->state == WAITING) {
        free_dead(s, INSIDE);
        let_in_next(s);
    }
    if (place->state == WAITING && is_late) {
        free_place(place);
    }
    return place->state != WAITING;
}

static apr_status_t wait_in_queue(cat_semaphore_t *s, place_t *place, apr_time_t end)
{
    apr_status_t rv = APR_SUCCESS;
    int is_over = 0, is_inside = 0;

    while (!is_over && rv == APR_SUCCESS) {
        apr_time_t check = apr_time_now() + CHECK_INTERVAL, wake = check < end ? check : end;
        const struct timespec until = {apr_time_sec(wake), apr_time_usec(wake) * 1000};
        while (sem_timedwait(&place->let_in, &until) && errno == EINTR) {
        }
        rv = lock_mutex(&s->mutex);
        if (rv == APR_SUCCESS) {
            is_over = check_wait(s, place, end);
            is_inside = place->state == INSIDE;
            pthread_mutex_unlock(&s->mutex);
        }
    }
    return rv == APR_SUCCESS && !is_inside ? APR_EAGAIN : rv;
}

/* ---- the semaphore ---- */

apr_status_t cat_semaphore_enter(cat_semaphore_t *s, const char *party, apr_interval_time_t patience, int *place)
{
    apr_time_t end;
    place_t *own;
    int must_wait;
    apr_status_t rv;

    *place = 0;
    if (!s->count) {
        return enter_mutex(s, patience);
    }
    rv = lock_mutex(&s->mutex);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    end = apr_time_now() + patience;
    own = join_queue(s, party ? cat_hash(party, strlen(party)) : 0);
    must_wait = own && own->state == WAITING;
    pthread_mutex_unlock(&s->mutex);
    if (!own) {
        return APR_EAGAIN;
    }
    *place = (int)(own - s->places);
    return must_wait ? wait_in_queue(s, own, end) : APR_SUCCESS;
}

void cat_semaphore_leave(cat_semaphore_t *s, int place)
{
    if (s->count && lock_mutex(&s->mutex) == APR_SUCCESS) {
        free_place(&s->places[place]);
        while (s->used > 0 && s->places[s->used - 1].state == FREE) {
            s->used--;
        }
        let_in_next(s);
    }
    pthread_mutex_unlock(&s->mutex);
}

cat_repeats_t *cat_semaphore_refusals(cat_semaphore_t *s)
{
    return &s->refusals;
}
