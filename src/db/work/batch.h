/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WORK_BATCH_H
#define CAT_DB_WORK_BATCH_H

#include <apr_errno.h>

#include "db/pool/use.h"

/* Writes `count` items with few statements: those of several threads, whose memory stays valid until it returns. The
 * rules of cat_db_transact for its work. */
typedef apr_status_t cat_batch_work_t(cat_db_t *db, const void *const *items, int count);

typedef enum {
    CAT_BATCH_TRANSACTION, /* work runs in a transaction */
    CAT_BATCH_STATEMENT    /* the same, unless count is 1, 2, 4, 8 or 16: then work is one statement, which commits */
} cat_batch_kind_t;

/*
 * Runs work on the item together with the items of other threads of this child: those that arrive while a thread writes
 * wait for it, and then one of them, the leader, writes them all, while the others sleep. A batch is for writes that do
 * not meet: each locks only rows that are its own. When the database refuses a value, each thread runs work on its own
 * item alone, so only the write that is to blame fails. A thread that no leader has served in
 * CAT_SOURCE_LEADER_PATIENCE does not wait any longer, but writes alone; so does one whose db has a companion, always in a
 * transaction.
 *
 * A source has one batch, so all callers pass the same work. Statuses and repetitions are those of cat_db_transact, or
 * of cat_db_exec for one statement.
 */
apr_status_t cat_batch_write(cat_db_t *db, cat_batch_kind_t kind, cat_batch_work_t *work, const void *item);

#endif
