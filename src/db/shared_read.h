/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SHARED_READ_H
#define CAT_DB_SHARED_READ_H

#include "db/db.h"
#include "shm/response_cache.h"

/*
 * Reads the text of item->key, together with the other threads of this child that want the text of this key: those that
 * arrive while one of them reads wait, and then one of them, the leader, reads it for all. It begins after each of them
 * has come, so none gets an older text than it would have read alone. Threads that want different texts do not wait for
 * each other. A thread that no leader has served in CAT_SOURCE_LEADER_PATIENCE reads alone, and so do those that would be more than
 * conf->max_connections threads which wait for leaders that read.
 *
 * read: begins to read when it is called, with this db, and sets the item's body, length and hash, the body on the
 * pool of db. Threads that pass the same key would read the same. The others get a copy each, on their own pools;
 * threads fail with their leader, which has logged why. Not for the work of a transaction: it gives the connection back.
 */
apr_status_t cat_shared_read(cat_db_t *db, cat_item_t *item, cat_work_t *read, void *baton);

#endif
