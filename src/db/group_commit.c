/* SPDX-License-Identifier: Apache-2.0 */
#include "db/group_commit.h"

#include <errno.h>

#include <apr_thread_mutex.h>

struct cat_group_commit_t {
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    int is_led;
    cat_group_commit_item_t *first, **end; /* those that wait */
};

apr_status_t cat_group_commit_create(cat_group_commit_t **batch, apr_pool_t *pool)
{
    cat_group_commit_t *b = apr_pcalloc(pool, sizeof(*b));
    b->end = &b->first;
    *batch = b;
    return apr_thread_mutex_create(&b->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

static void add(cat_group_commit_t *batch, cat_group_commit_item_t *item)
{
    sem_init(&item->woken, 0, 0);
    item->state = CAT_GROUP_COMMIT_WAITS;
    *batch->end = item;
    batch->end = &item->next;
}

static cat_group_commit_item_t *remove_first(cat_group_commit_t *batch)
{
    cat_group_commit_item_t *item = batch->first;

    batch->first = item->next;
    if (!batch->first) {
        batch->end = &batch->first;
    }
    item->next = NULL;
    return item;
}

static void remove_one(cat_group_commit_t *batch, const cat_group_commit_item_t *item)
{
    cat_group_commit_item_t **link = &batch->first;

    while (*link != item) {
        link = &(*link)->next;
    }
    *link = item->next;
    if (!item->next) {
        batch->end = link;
    }
}

/* Has it left the line? If not, it does so now. */
static int give_up(cat_group_commit_t *batch, const cat_group_commit_item_t *item)
{
    int waits;

    apr_thread_mutex_lock(batch->mutex);
    waits = item->state == CAT_GROUP_COMMIT_WAITS;
    if (waits) {
        remove_one(batch, item);
    }
    apr_thread_mutex_unlock(batch->mutex);
    return waits;
}

static cat_group_commit_state_t wait_for(cat_group_commit_t *batch, cat_group_commit_item_t *item, apr_time_t until)
{
    const struct timespec end = {apr_time_sec(until), apr_time_usec(until) * 1000};
    int rv;

    do {
        rv = sem_timedwait(&item->woken, &end);
    } while (rv && errno == EINTR);
    if (rv && !give_up(batch, item)) {
        while (sem_wait(&item->woken)) {
            /* a signal */
        }
    }
    sem_destroy(&item->woken);
    return item->state;
}

cat_group_commit_state_t cat_group_commit_join(cat_group_commit_t *batch, cat_group_commit_item_t *item,
                                               apr_time_t until)
{
    int leads;

    item->next = NULL;
    apr_thread_mutex_lock(batch->mutex);
    leads = !batch->is_led;
    batch->is_led = 1;
    if (!leads) {
        add(batch, item);
    }
    apr_thread_mutex_unlock(batch->mutex);
    return leads ? CAT_GROUP_COMMIT_LEADS : wait_for(batch, item, until);
}

void cat_group_commit_take(cat_group_commit_t *batch, cat_group_commit_item_t *own, int count)
{
    cat_group_commit_item_t *last = own;

    apr_thread_mutex_lock(batch->mutex);
    for (; batch->first && count > 0; count--) {
        last->next = remove_first(batch);
        last = last->next;
        last->state = CAT_GROUP_COMMIT_DONE; /* when it is woken */
    }
    apr_thread_mutex_unlock(batch->mutex);
}

void cat_group_commit_end(cat_group_commit_t *batch, cat_group_commit_item_t *own)
{
    cat_group_commit_item_t *next, *leader = NULL;

    apr_thread_mutex_lock(batch->mutex);
    if (batch->first) {
        leader = remove_first(batch);
        leader->state = CAT_GROUP_COMMIT_LEADS;
    }
    batch->is_led = leader != NULL;
    apr_thread_mutex_unlock(batch->mutex);
    if (leader) {
        sem_post(&leader->woken);
    }
    for (cat_group_commit_item_t *item = own->next; item; item = next) {
        next = item->next; /* once woken, its thread takes the item away */
        sem_post(&item->woken);
    }
}
