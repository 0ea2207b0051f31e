/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_GROUP_COMMIT_H
#define CAT_DB_GROUP_COMMIT_H

#include <semaphore.h>

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/*
 * What the threads of a process want done, where doing it together costs less than one by one. Who comes while nobody leads,
 * leads: it takes what has gathered, does all of it, and hands the lead to the first of those that came meanwhile. The others
 * sleep, and each is woken once. For one that is alone there is no system call.
 */
typedef struct cat_group_commit_t cat_group_commit_t;

typedef enum { CAT_GROUP_COMMIT_WAITS, CAT_GROUP_COMMIT_LEADS, CAT_GROUP_COMMIT_DONE } cat_group_commit_state_t;

/* What one thread wants done: the first member of something larger, on its stack, and good for one join. */
typedef struct cat_group_commit_item_t {
    struct cat_group_commit_item_t *next; /* guarded by the mutex while it waits; then the leader's, until `woken` */
    cat_group_commit_state_t state;       /* as well */
    sem_t woken;
} cat_group_commit_item_t;

apr_status_t cat_group_commit_create(cat_group_commit_t **batch, apr_pool_t *pool);

/* Returns when the item's thread leads (CAT_GROUP_COMMIT_LEADS), when another one has done it (CAT_GROUP_COMMIT_DONE), or when it still waits at the
 * time until (CAT_GROUP_COMMIT_WAITS), and then nobody will do it. Who leads does so until cat_group_commit_end. */
cat_group_commit_state_t cat_group_commit_join(cat_group_commit_t *batch, cat_group_commit_item_t *item,
                                               apr_time_t until);

/* For who leads: links at most count of those that wait behind its own item, those that came first before the others. */
void cat_group_commit_take(cat_group_commit_t *batch, cat_group_commit_item_t *own, int count);

/* Ends the lead of own: what is linked behind it is done. */
void cat_group_commit_end(cat_group_commit_t *batch, cat_group_commit_item_t *own);

#endif
