/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/semaphore.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <apr_shm.h>

#include "lib/hash.h"
#include "shm/shared.h"

#define REPORT_INTERVAL apr_time_from_sec(10)

/* A slot, or a position of the queue. Its holder in the queue waits on behalf of a party, and by its ticket: a process that dies leaves
 * both behind, so they count only while the mutex is held. */
typedef struct slot_t {
    pthread_mutex_t mutex;
    cat_shared_word_t party; /* hash; 0: none. Written by the holder of the mutex, as is the ticket */
    cat_shared_word_t ticket;
} slot_t;

/* In memory that the children share. */
struct cat_semaphore_t {
    int slot_count, queue_length; /* constant */
    atomic_uint unreported;       /* refusals */
    cat_shared_time_t reported;   /* when a thread last logged one; 0: none did */
    cat_shared_word_t tickets;    /* given out so far */
    slot_t slots[];               /* the slots, then the queue */
};

/* Robust: a slot whose holder died is free. With priority inheritance the kernel hands it to the thread that has waited the longest. */
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
apr_status_t cat_semaphore_create(cat_semaphore_t **semaphore, apr_pool_t *pool, int slots, int queue)
{
    int count = slots + (queue == CAT_SEMAPHORE_ANY ? 0 : queue);
    pthread_mutexattr_t attributes;
    apr_shm_t *shared;
    cat_semaphore_t *s;
    apr_status_t rv = apr_shm_create(&shared, sizeof(*s) + (apr_size_t)count * sizeof(*s->slots), NULL, pool);

    if (rv == APR_SUCCESS) {
        rv = make_attributes(&attributes);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    s = apr_shm_baseaddr_get(shared); /* new pages: zeroed */
    s->slot_count = slots;
    s->queue_length = queue;
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        rv = pthread_mutex_init(&s->slots[i].mutex, &attributes);
    }
    *semaphore = s;
    return rv;
}

/* A holder that died leaves nothing to repair. */
static apr_status_t settle_mutex(pthread_mutex_t *mutex, int rv)
{
    return rv == EOWNERDEAD ? pthread_mutex_consistent(mutex) : rv;
}

static apr_status_t try_mutex(pthread_mutex_t *mutex)
{
    return settle_mutex(mutex, pthread_mutex_trylock(mutex));
}

/* EBUSY: none of count slots is free. */
static apr_status_t take_any_slot(slot_t *slots, int count, int *taken)
{
    for (*taken = 0; *taken < count; ++*taken) {
        apr_status_t rv = try_mutex(&slots[*taken].mutex);
        if (rv != EBUSY) {
            return rv;
        }
    }
    return EBUSY;
}

static apr_status_t wait_for_mutex(pthread_mutex_t *mutex, apr_time_t end)
{
    const struct timespec until = {apr_time_sec(end), apr_time_usec(end) * 1000};
    apr_status_t rv = settle_mutex(mutex, pthread_mutex_timedlock(mutex, &until));

    return rv == ETIMEDOUT ? APR_EAGAIN : rv;
}

static apr_uint64_t load_word(const cat_shared_word_t *word)
{
    return atomic_load_explicit(word, memory_order_seq_cst);
}

static void store_word(cat_shared_word_t *word, apr_uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_seq_cst);
}

static void leave_queue(slot_t *slot)
{
    store_word(&slot->party, 0);
    pthread_mutex_unlock(&slot->mutex);
}

static int is_free(slot_t *slot)
{
    if (!load_word(&slot->party)) {
        return 1;
    }
    if (try_mutex(&slot->mutex) != APR_SUCCESS) {
        return 0;
    }
    leave_queue(slot); /* its holder died */
    return 1;
}

/* Dynamic thresholds (Choudhury and Hahne, 1998): a party that already waits may take one more position of the queue while at least as
 * many are free as it has. One party alone gets half of the queue, two a third each; a party that has none gets the last one. */
static int is_fair(slot_t *queue, int count, apr_uint64_t party)
{
    int of_party = 0, free = 0;

    for (int i = 0; i < count; i++) {
        if (is_free(&queue[i])) {
            free++;
        } else if (load_word(&queue[i].party) == party) {
            of_party++;
        }
    }
    return of_party <= free + 1; /* of_party counts the position that it has just taken */
}

/* A thread takes its position before it judges whether that is fair, so that of racing threads none overlooks another. EBUSY: no
 * position is free, or none for this party. */
static apr_status_t join_queue(cat_semaphore_t *semaphore, const char *party, int *number)
{
    slot_t *queue = semaphore->slots + semaphore->slot_count;
    apr_uint64_t hash = party ? cat_hash(party, strlen(party)) : 0;
    apr_status_t rv = take_any_slot(queue, semaphore->queue_length, number);

    if (rv != APR_SUCCESS || !party) {
        return rv;
    }
    store_word(&queue[*number].ticket, atomic_fetch_add_explicit(&semaphore->tickets, 1, memory_order_seq_cst) + 1);
    store_word(&queue[*number].party, hash);
    if (!is_fair(queue, semaphore->queue_length, hash)) {
        leave_queue(&queue[*number]);
        return EBUSY;
    }
    return APR_SUCCESS;
}

/* Of the threads that wait on behalf of the same party and for the same slot, the last one before the holder of position number. */
static slot_t *find_predecessor(cat_semaphore_t *semaphore, int number)
{
    slot_t *queue = semaphore->slots + semaphore->slot_count, *last = NULL;
    apr_uint64_t party = load_word(&queue[number].party), ticket = load_word(&queue[number].ticket);

    for (int i = number % semaphore->slot_count; i < semaphore->queue_length; i += semaphore->slot_count) {
        slot_t *other = &queue[i];
        if (load_word(&other->party) == party && load_word(&other->ticket) < ticket &&
            (!last || load_word(&other->ticket) > load_word(&last->ticket)) && !is_free(other)) {
            last = other;
        }
    }
    return last;
}

/*
 * The number of its position tells for which slot a thread waits, so that threads spread over all slots. There the kernel lets in the
 * thread that has waited the longest. Only the first thread of each party waits for the slot; each other one waits for the position of
 * the thread before it. So parties take turns, however many threads of one wait. Each thread waits for a lower ticket: there are no
 * cycles.
 */
static apr_status_t wait_in_turn(cat_semaphore_t *semaphore, int number, apr_time_t end)
{
    slot_t *before;

    while ((before = find_predecessor(semaphore, number))) {
        apr_status_t rv = wait_for_mutex(&before->mutex, end);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        leave_queue(before);
    }
    return wait_for_mutex(&semaphore->slots[number % semaphore->slot_count].mutex, end);
}

static apr_status_t wait_in_queue(cat_semaphore_t *semaphore, const char *party, apr_time_t end, int *slot)
{
    int number;
    apr_status_t rv = join_queue(semaphore, party, &number);

    if (rv != APR_SUCCESS) {
        return rv == EBUSY ? APR_EAGAIN : rv;
    }
    *slot = number % semaphore->slot_count;
    rv = wait_in_turn(semaphore, number, end);
    leave_queue(&semaphore->slots[semaphore->slot_count + number]);
    return rv;
}

apr_status_t cat_semaphore_enter(cat_semaphore_t *semaphore, const char *party, apr_interval_time_t patience, int *slot)
{
    apr_status_t rv = take_any_slot(semaphore->slots, semaphore->slot_count, slot);
    apr_time_t end;

    if (rv != EBUSY) {
        return rv;
    }
    end = apr_time_now() + patience;
    if (semaphore->queue_length == CAT_SEMAPHORE_ANY) {
        *slot = 0;
        return wait_for_mutex(&semaphore->slots[0].mutex, end);
    }
    return wait_in_queue(semaphore, party, end, slot);
}

void cat_semaphore_leave(cat_semaphore_t *semaphore, int slot)
{
    pthread_mutex_unlock(&semaphore->slots[slot].mutex);
}

int cat_semaphore_report(cat_semaphore_t *semaphore, apr_time_t now, int *others, int *seconds)
{
    apr_time_t last = atomic_load_explicit(&semaphore->reported, memory_order_seq_cst);

    if ((last && now - last < REPORT_INTERVAL) ||
        !atomic_compare_exchange_strong_explicit(&semaphore->reported, &last, now, memory_order_seq_cst,
                                                 memory_order_seq_cst)) {
        atomic_fetch_add_explicit(&semaphore->unreported, 1, memory_order_seq_cst);
        return 0;
    }
    *others = (int)atomic_exchange_explicit(&semaphore->unreported, 0, memory_order_seq_cst);
    *seconds = last ? (int)apr_time_sec(now - last) : 0;
    return 1;
}
