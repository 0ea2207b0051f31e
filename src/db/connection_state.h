/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_STATE_H
#define CAT_DB_CONNECTION_STATE_H

#include "db/commit_tracker.h"
#include "db/source.h"
#include "db/sqlite_reader.h"

/* What is kept with a connection, for the one thread that has it out of the pool. Only connection.c, which runs statements on it, and pooled_connection.c, which makes it ready for
 * them, see this. */

typedef struct cat_connection_t cat_connection_t;

#define FAULT_MAX 512 /* octets of a driver's words that are kept */

typedef struct prepared_t {
    apr_dbd_prepared_t *handle; /* NULL: not prepared on this connection */
    int placeholders;
} prepared_t;

struct cat_connection_t {
    cat_db_handle_t handle;
    cat_source_t *source; /* that uses it now: several may share a pool */
    const cat_dialect_t *dialect;
    const char *name;  /* the source's, for logs */
    const char *file;  /* NULL: the database is no file */
    cat_files_t files; /* where it is one: as this connection has them open, and */
    int knows_wal;     /* flag: the WAL and its index are among them */
    apr_time_t looked;
    apr_time_t used;
    int in_transaction;
    int is_abandoned; /* its ROLLBACK was refused, so a transaction is open still */
    int has_read;
    cat_sqlite_reader_t *reader; /* NULL: selects go through apr_dbd */
    cat_commit_tracker_t tracker;
    int is_tracked; /* the tracker was asked once to count this connection, whether it does or not */
    int is_lost;    /* its pool mends it, or closes it; one to a file is opened anew */
    int has_readonly_index;
    char fault[FAULT_MAX];
    prepared_t statements[SQL_COUNT];
};

/* Turns a driver's result into a status, and keeps its words: here the cause is known. */
apr_status_t cat_connection_judge(cat_connection_t *conn, int result, const char *what);

#endif
