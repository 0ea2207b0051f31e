/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that arrive while another one works for the database form a queue, and one of them works for all.
 *
 *     A joins  --> LEADER       collects nothing: it is alone          leaves: wakes B, the next leader
 *     B joins       waits ....................................... --> LEADER   collects C and D     leaves
 *     C joins              waits ................................................................ --> DONE
 *     D joins                  waits ............................................................ --> DONE
 *
 * The longer the leader takes, the more threads arrive and the more its successor carries: under load the number of
 * commits falls while the number of writes rises. A thread that is alone is its own leader and makes no system call.
 *
 * Items are on the stacks of their threads, so joining allocates nothing. A thread sleeps on a semaphore of its own and is
 * woken once; after its time it withdraws its item under the mutex, unless a leader has collected it, which will wake it.
 */
#include "db/pool/group.h"

#include <errno.h>

#include <apr_thread_mutex.h>

struct cat_group_t {
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    int has_leader;                 /* flag */
    cat_group_item_t *first, **end; /* the waiting items */
};

apr_status_t cat_group_create(cat_group_t **group, apr_pool_t *pool)
{
    cat_group_t *created = apr_pcalloc(pool, sizeof(*created));

    created->end = &created->first;
    *group = created;
    return apr_thread_mutex_create(&created->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* ---- under the mutex ---- */

static cat_group_item_t *remove_item(cat_group_t *group, cat_group_item_t **link)
{
    cat_group_item_t *item = *link;

    *link = item->next;
    if (!item->next) {
        group->end = link;
    }
    item->next = NULL;
    return item;
}

/* 0: a leader has collected the item, or its thread is the leader now, so it will be woken. */
static int withdraw_item(cat_group_t *group, const cat_group_item_t *item)
{
    cat_group_item_t **link = &group->first;

    if (item->state != CAT_GROUP_WAITING) {
        return 0;
    }
    while (*link != item) {
        link = &(*link)->next;
    }
    remove_item(group, link);
    return 1;
}

/* ---- waiting ---- */

static cat_group_state_t await_leader(cat_group_t *group, cat_group_item_t *item, apr_time_t until)
{
    const struct timespec end = {apr_time_sec(until), apr_time_usec(until) * 1000};
    int rv, is_withdrawn = 0;

    do {
        rv = sem_timedwait(&item->woken, &end);
    } while (rv && errno == EINTR);
    if (rv) {
        apr_thread_mutex_lock(group->mutex);
        is_withdrawn = withdraw_item(group, item);
        apr_thread_mutex_unlock(group->mutex);
    }
    while (rv && !is_withdrawn && sem_wait(&item->woken)) {
        /* interrupted by a signal */
    }
    sem_destroy(&item->woken);
    return item->state;
}

cat_group_state_t cat_group_join(cat_group_t *group, cat_group_item_t *item, apr_time_t until)
{
    int must_wait;

    item->next = NULL;
    apr_thread_mutex_lock(group->mutex);
    must_wait = group->has_leader;
    if (must_wait) {
        sem_init(&item->woken, 0, 0);
        item->state = CAT_GROUP_WAITING;
        *group->end = item;
        group->end = &item->next;
    } else {
        group->has_leader = 1;
        item->state = CAT_GROUP_LEADER;
    }
    apr_thread_mutex_unlock(group->mutex);
    return must_wait ? await_leader(group, item, until) : CAT_GROUP_LEADER;
}

/* ---- leading ---- */

void cat_group_collect(cat_group_t *group, cat_group_item_t *own, int count)
{
    cat_group_item_t *last = own;

    apr_thread_mutex_lock(group->mutex);
    while (group->first && group->first->more < count) {
        last->next = remove_item(group, &group->first);
        last = last->next;
        last->state = CAT_GROUP_DONE; /* its thread reads this once it is woken */
        count -= 1 + last->more;
    }
    apr_thread_mutex_unlock(group->mutex);
}

/* The next leader first: it can begin while this thread wakes the others. */
void cat_group_leave(cat_group_t *group, cat_group_item_t *own)
{
    cat_group_item_t *next, *leader = NULL;

    apr_thread_mutex_lock(group->mutex);
    group->has_leader = group->first != NULL;
    if (group->first) {
        leader = remove_item(group, &group->first);
        leader->state = CAT_GROUP_LEADER;
    }
    apr_thread_mutex_unlock(group->mutex);
    if (leader) {
        sem_post(&leader->woken);
    }
    for (cat_group_item_t *item = own->next; item; item = next) {
        next = item->next; /* a thread that is woken returns, and its item with its stack */
        sem_post(&item->woken);
    }
}

int cat_group_count_waiting(cat_group_t *group)
{
    int count = 0;

    apr_thread_mutex_lock(group->mutex);
    for (const cat_group_item_t *item = group->first; item; item = item->next) {
        count++;
    }
    apr_thread_mutex_unlock(group->mutex);
    return count;
}
