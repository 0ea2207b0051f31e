/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_WRITE_LOCK_H
#define CAT_DB_POOL_WRITE_LOCK_H

#include <apr_pools.h>

#include "shm/semaphore.h"

/*
 * The write locks of databases that are files, which have one writer at a time. A writer takes the lock before it opens
 * its transaction, so it waits without a connection and without polling, in order of arrival, over all children of the
 * server.
 */
typedef struct cat_write_locks_t cat_write_locks_t;

/*
 * Before the children are forked. *locks is on the pool; the semaphores are on `process`, which outlives restarts, and
 * are found there again: children from before a graceful restart exclude those from after it.
 */
apr_status_t cat_write_lock_create(cat_write_locks_t **locks, apr_pool_t *pool, apr_pool_t *process);

/* The lock of a database file, never NULL. Two files share one if their hashes collide, which only makes their writers
 * wait. */
cat_semaphore_t *cat_write_lock_find(const cat_write_locks_t *locks, const char *file);

#endif
