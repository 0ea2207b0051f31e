/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WORK_READ_BATCH_H
#define CAT_DB_WORK_READ_BATCH_H

#include "db/connection/select.h"
#include "db/pool/use.h"

/* A row that is wanted: sql is the statement for one key, which is its first column; db/dialects/sql.def has it for 2, 4, 8 and 16 keys as
 * well, in the lines below it. All that have `of`, or all that have none, pass the same statement. */
typedef struct cat_row_key_t {
    cat_sql_t sql;
    const char *of; /* the value of the statement before the keys; NULL: it has none */
    const char *key;
} cat_row_key_t;

/*
 * Reads the row, together with the rows that other threads of this child want. The threads join one of
 * CAT_SOURCE_READERS groups, in turn: those that arrive while a thread of their group reads wait, and then one of them,
 * the leader, reads the rows of all with one statement. That is sent after each of them has come, so none gets an older row
 * than it would have read alone. The threads that are in batches at a time are at most conf->max_connections, and as
 * many again in those with `of`, which have groups of their own. A thread that no leader has served in CAT_SOURCE_LEADER_PATIENCE
 * reads alone, and so does one with another `of` than its leader.
 *
 * Calls row as cat_db_each does, in the calling thread; never, if there is no such row. Statuses of cat_db_each: threads fail with
 * their leader, which has logged why. Not for the work of a transaction: it gives the connection back.
 */
apr_status_t cat_read_batch_one(cat_db_t *db, const cat_row_key_t *wanted, cat_row_t *row, void *baton);

#endif
