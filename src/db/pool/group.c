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
#include <string.h>

#include <apr_thread_mutex.h>

struct cat_group_t {
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    cat_group_item_t *leaders;      /* one of each key that has items */
    cat_group_item_t *first, **end; /* the waiting items */
    int collected;                  /* what the items behind the leaders' own count */
};

apr_status_t cat_group_create(cat_group_t **group, apr_pool_t *pool)
{
    cat_group_t *created = apr_pcalloc(pool, sizeof(*created));

    created->end = &created->first;
    *group = created;
    return apr_thread_mutex_create(&created->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

/* ---- under the mutex ---- */

static int has_key(const cat_group_item_t *item, const char *key)
{
    return item->key == key || (item->key && key && !strcmp(item->key, key));
}

static int has_leader(const cat_group_t *group, const char *key)
{
    const cat_group_item_t *leader = group->leaders;

    while (leader && !has_key(leader, key)) {
        leader = leader->next_leader;
    }
    return leader != NULL;
}

static void add_leader(cat_group_t *group, cat_group_item_t *item)
{
    item->state = CAT_GROUP_LEADER;
    item->next_leader = group->leaders;
    group->leaders = item;
}

static void remove_leader(cat_group_t *group, const cat_group_item_t *item)
{
    cat_group_item_t **link = &group->leaders;

    while (*link != item) {
        link = &(*link)->next_leader;
    }
    *link = item->next_leader;
}

static void append_item(cat_group_t *group, cat_group_item_t *item)
{
    sem_init(&item->woken, 0, 0);
    item->state = CAT_GROUP_WAITING;
    *group->end = item;
    group->end = &item->next;
}

/* The link to the first waiting item of the key; to NULL: there is none. */
static cat_group_item_t **find_item(cat_group_t *group, const char *key)
{
    cat_group_item_t **link = &group->first;

    while (*link && !has_key(*link, key)) {
        link = &(*link)->next;
    }
    return link;
}

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
    must_wait = has_leader(group, item->key);
    if (must_wait) {
        append_item(group, item);
    } else {
        add_leader(group, item);
    }
    apr_thread_mutex_unlock(group->mutex);
    return must_wait ? await_leader(group, item, until) : CAT_GROUP_LEADER;
}

/* ---- leading ---- */

void cat_group_collect(cat_group_t *group, cat_group_item_t *own, int count)
{
    cat_group_item_t *last = own, **link;

    apr_thread_mutex_lock(group->mutex);
    link = find_item(group, own->key);
    while (*link && group->collected + (*link)->more < count) {
        last->next = remove_item(group, link);
        last = last->next;
        last->state = CAT_GROUP_DONE; /* its thread reads this once it is woken */
        group->collected += 1 + last->more;
        link = find_item(group, own->key);
    }
    apr_thread_mutex_unlock(group->mutex);
}

/* The first that waits. */
static cat_group_item_t *appoint_leader(cat_group_t *group, const char *key)
{
    cat_group_item_t **link = find_item(group, key), *leader = NULL;

    if (*link) {
        leader = remove_item(group, link);
        add_leader(group, leader);
    }
    return leader;
}

/* The next leader first: it can begin while this thread wakes the others. */
void cat_group_leave(cat_group_t *group, cat_group_item_t *own)
{
    cat_group_item_t *next, *leader;

    apr_thread_mutex_lock(group->mutex);
    for (const cat_group_item_t *item = own->next; item; item = item->next) {
        group->collected -= 1 + item->more;
    }
    remove_leader(group, own);
    leader = appoint_leader(group, own->key);
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
