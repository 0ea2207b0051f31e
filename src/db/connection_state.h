/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_STATE_H
#define CAT_DB_CONNECTION_STATE_H

#include "db/commit_tracker.h"
#include "db/select.h"
#include "db/source.h"
#include "db/sqlite_reader.h"

/* What is kept with a connection. Only connection.c, statement.c and pooled_connection.c see it. Used by the one thread
 * that has the connection out of the pool. */

typedef struct cat_connection_t cat_connection_t;

#define FAULT_MAX 512 /* octets of a driver's words that are kept */

/* How often a statement is run that was found dead: the schema may change again meanwhile. */
#define CAT_CONNECTION_TRIES 5

typedef struct prepared_t {
    apr_dbd_prepared_t *handle; /* NULL: not prepared on this connection */
    int placeholders;
} prepared_t;

struct cat_connection_t {
    cat_db_handle_t handle;
    cat_source_t *source; /* the one that uses it now: several may share a pool */
    const cat_dialect_t *dialect;
    const char *name;  /* the source's, for logs */
    const char *file;  /* NULL: the database is no file */
    cat_files_t files; /* where it is one: as this connection has them open */
    int knows_wal;     /* flag: files has the WAL and its index */
    apr_time_t looked; /* when files was last compared with what is there */
    apr_time_t used;   /* when it was last taken out of the pool */
    int in_transaction;
    int is_abandoned; /* flag: its ROLLBACK was refused, so a transaction is still open */
    int has_read;
    cat_sqlite_reader_t *reader; /* NULL: selects go through apr_dbd */
    cat_commit_tracker_t tracker;
    int is_tracked; /* flag: the tracker was asked to follow this connection, whether it could or not */
    int is_lost;    /* flag: its pool reconnects or closes it; one to a file is opened anew */
    int has_readonly_index;
    char fault[FAULT_MAX]; /* the last failure */
    prepared_t statements[SQL_COUNT];
};

/* Turns a driver's result into a status, and notes the driver's words in fault. what: the statement's name or text. */
apr_status_t cat_connection_judge(cat_connection_t *conn, int result, const char *what);

/* Passes each row of the results to row. Returns row's last status, CAT_ENOUGH too; APR_ENOSPC: there are too many
 * columns. */
apr_status_t cat_connection_drain_rows(cat_connection_t *conn, apr_pool_t *pool, apr_dbd_results_t *results,
                                       cat_row_t *row, void *baton);

#endif
