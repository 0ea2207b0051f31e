/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bound on threads of several processes, with a queue that is fair to parties.
 *
 * Each thread that is inside or waits has a place in shared memory, and holds the place's mutex for as long as it has it. The mutexes are
 * robust: one that can be taken although its place is in use tells that the thread has died, so a place outlives its thread only until
 * another thread looks. Numbers are counted from the places each time instead of being kept: a process that is killed anywhere leaves
 * nothing to repair.
 *
 *      slots 3, queue 4        place  0       1       2       3       4       5       6
 *                                     inside  inside  inside  waits   waits   free    free
 *                                     A       A       B       A  r.2  C  r.1
 *
 * A thread that enters or leaves lets in the next one. Each waiting thread has a round (start-time fair queueing; Goyal, Vin and Cheng, 1996):
 * the one after its party's last, or after that in which a thread was let in last. The lowest round is next, so parties take turns
 * however many threads of one wait: above, C goes before A.
 *
 * One slot without such a queue is a mutex, and nothing else.
 */
#include "shm/semaphore.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include <apr_shm.h>

#include "lib/hash.h"
#include "lib/process.h"

/* How often a waiting thread looks whether one inside has died. */
#define LOOK_INTERVAL apr_time_from_msec(100)

typedef enum { FREE, WAITING, INSIDE } state_t;

typedef struct place_t {
    pthread_mutex_t owner; /* held by the thread that has the place */
    sem_t let_in;
    /* ---- guarded by the semaphore's mutex ---- */
    state_t state;
    apr_uint64_t party; /* hash; 0: none */
    apr_uint64_t round, ticket;
} place_t;

/* In memory that the children share. */
struct cat_semaphore_t {
    cat_semaphore_size_t size; /* constant */
    int count;                 /* constant: of places; 0: there is only the mutex */
    cat_repeats_t refusals;
    pthread_mutex_t mutex;
    /* ---- guarded by the mutex ---- */
    apr_uint64_t tickets; /* given out so far */
    apr_uint64_t round;   /* of the thread that was let in last */
    int used;             /* no place from here on is in use */
    place_t places[];
};

/* ---- mutexes ---- */

/* A holder that died leaves nothing to repair. */
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
 * Not of apr_proc_mutex_t, which the parent destroys at a restart when no child has said yet that it uses it: children that
 * were forked just before would be left with a dead one. These are never destroyed: they are nothing but their memory.
 * Robust: one whose holder died is free. With priority inheritance the kernel hands it to the thread that has waited the longest.
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
    s = apr_shm_baseaddr_get(shared); /* new pages: zeroed */
    s->size = *size;
    s->count = count;
    rv = pthread_mutex_init(&s->mutex, &attributes);
    *semaphore = s;
    return rv == APR_SUCCESS ? create_places(s, &attributes) : rv;
}

/* ---- places, under the mutex ---- */

static void free_place(place_t *place)
{
    place->state = FREE;
    pthread_mutex_unlock(&place->owner);
}

/* Flag: the thread has died, and the place is free. */
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

/* ---- who is next, under the mutex ---- */

static int is_before(const place_t *place, const place_t *other)
{
    return place->round != other->round ? place->round < other->round : place->ticket < other->ticket;
}

/* The last slots are for parties that have none. */
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

/* Also a thread that looks for itself gets a place from here: so the order is the same for all. */
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

/* ---- the queue, under the mutex ---- */

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

/* Dynamic thresholds (Choudhury and Hahne, 1998): a party that already waits may take one more position of the queue while at least as
 * many are free as it has. One party alone gets half of the queue, two a third each; a party that has none gets the last one. */
static int may_wait(const cat_semaphore_t *s, const place_t *place)
{
    int free = s->size.queue - count_places(s, WAITING);

    return free >= 0 && (!place->party || count_of_party(s, WAITING, place->party) <= free + 1);
}

/* A place for this thread, which waits, or is inside. NULL: there is none. */
static place_t *take_place(cat_semaphore_t *s, apr_uint64_t party)
{
    place_t *place = find_free(s);

    if (!place || try_mutex(&place->owner) != APR_SUCCESS) {
        return NULL;
    }
    while (!sem_trywait(&place->let_in)) { /* its last owner did not wait for it */
    }
    place->party = party;
    place->round = next_round(s, party);
    place->ticket = ++s->tickets;
    s->used = place - s->places < s->used ? s->used : (int)(place - s->places) + 1;
    place->state = WAITING;
    let_in_next(s);
    return place;
}

/* Threads that have died are looked for only where they may be the reason for a refusal. */
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

/* 1: the wait is over; the place is this thread's if it is inside, or was given back. */
static int look_again(cat_semaphore_t *s, place_t *place, apr_time_t end)
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
        apr_time_t look = apr_time_now() + LOOK_INTERVAL, wake = look < end ? look : end;
        const struct timespec until = {apr_time_sec(wake), apr_time_usec(wake) * 1000};
        while (sem_timedwait(&place->let_in, &until) && errno == EINTR) {
        }
        rv = lock_mutex(&s->mutex);
        if (rv == APR_SUCCESS) {
            is_over = look_again(s, place, end);
            is_inside = place->state == INSIDE;
            pthread_mutex_unlock(&s->mutex);
        }
    }
    return rv == APR_SUCCESS && !is_inside ? APR_EAGAIN : rv;
}

/* ---- all of it ---- */

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
