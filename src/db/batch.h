/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_BATCH_H
#define CAT_DB_BATCH_H

#include <apr_errno.h>

typedef struct cat_db_t cat_db_t;

/* Writes `count` items with few statements: those of several threads, whose memory stays valid until it returns. The
 * rules of cat_db_transact for its work. */
typedef apr_status_t cat_batch_work_t(cat_db_t *db, const void *const *items, int count);

/*
 * Runs work on the item in a transaction, as cat_db_transact does, together with the items of other threads of this
 * child: those that arrive while a thread writes wait for it, and then one of them, the leader, writes them all in one
 * transaction, while the others sleep. A batch is for writes that do not meet: each locks only rows that are its own.
 * When the database refuses a value, each thread runs work on its own item alone, so only the write that is to blame
 * fails. A thread that no leader has served in half a second does not wait any longer, but writes alone.
 *
 * A source has one batch, so all callers pass the same work.
 */
apr_status_t cat_batch_write(cat_db_t *db, cat_batch_work_t *work, const void *item);

#endif
