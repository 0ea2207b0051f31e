/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_GROUP_H
#define CAT_DB_POOL_GROUP_H

#include <semaphore.h>

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/*
 * Lets the threads of a process send what they want to the database together: writes in one commit, keys in one select.
 * A thread that joins while there is no leader becomes the leader. It collects the items that have joined meanwhile,
 * serves them with its own, and leaves; the first thread that has joined since becomes the next leader. The other
 * threads sleep, and each is woken once. A thread that is alone makes no system call.
 */
typedef struct cat_group_t cat_group_t;

typedef enum cat_group_state_t {
    CAT_GROUP_WAITING, /* no leader has collected the item */
    CAT_GROUP_LEADER,  /* the thread is the leader */
    CAT_GROUP_DONE     /* a leader collected the item, and has left since */
} cat_group_state_t;

/* What one thread wants: the first field of a larger struct on its stack; good for one join. */
typedef struct cat_group_item_t {
    struct cat_group_item_t *next;
    int more;                /* by how much it counts beyond one; the thread sets it before it joins */
    cat_group_state_t state; /* guarded by the group's mutex until the thread is woken */
    sem_t woken;
} cat_group_item_t;

apr_status_t cat_group_create(cat_group_t **group, apr_pool_t *pool);

/*
 * Returns CAT_GROUP_LEADER when the item's thread is the leader, which it is until it calls _leave;
 * CAT_GROUP_DONE when another leader has served it; or CAT_GROUP_WAITING when none has collected it by the time until:
 * then none will.
 */
cat_group_state_t cat_group_join(cat_group_t *group, cat_group_item_t *item, apr_time_t until);

/* Leader only, once: links waiting items behind its own in the order in which they joined, as long as these count at most
 * `count`. */
void cat_group_collect(cat_group_t *group, cat_group_item_t *own, int count);

/* Leader only: appoints the next leader, then wakes the threads of the items that it collected behind its own. */
void cat_group_leave(cat_group_t *group, cat_group_item_t *own);

/* How many threads wait for a leader at this moment. */
int cat_group_count_waiting(cat_group_t *group);

#endif
