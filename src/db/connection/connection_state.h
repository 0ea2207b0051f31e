/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_CONNECTION_STATE_H
#define CAT_DB_CONNECTION_CONNECTION_STATE_H

#include "db/connection/database.h"
#include "db/connection/handle.h"
#include "db/connection/select.h"

/* What is kept with a connection. Only connection.c, statement.c, the executors, sqlite/ and pool/ see it. Used by the one
 * thread that has the connection out of the pool. */

typedef struct cat_connection_t cat_connection_t;
typedef struct cat_sqlite_connection_t cat_sqlite_connection_t;

#define FAULT_MAX 512 /* octets of a driver's words that are kept */

struct cat_connection_t {
    cat_db_handle_t handle;
    cat_database_t *database; /* of the source that uses it now: several may share a pool */
    const cat_dialect_t *dialect;
    void *executor_data;             /* the executor's own */
    cat_sqlite_connection_t *sqlite; /* what is kept with one to SQLite (db/sqlite/sqlite_native.h); NULL: it is none */
    const char *name;                /* the source's, for logs */
    const char *file;                /* NULL: the database is no file */
    apr_time_t used;                 /* when it was last taken out of the pool */
    int in_transaction;
    int time_limit;        /* of the search that is open, in seconds; 0: none is */
    apr_time_t deadline;   /* when it ends */
    int is_unbound;        /* flag: it has no transaction */
    int is_abandoned;      /* flag: its ROLLBACK was refused, so a transaction is still open */
    apr_uint64_t timeline; /* of the primary that it leads to (db/pool/timeline.c); 0: not known, or there are none */
    /* Called about once a second while a statement waits. Returns true if another server was promoted, so that the answer of this one is of no
     * use. NULL: not called. */
    int (*is_overtaken)(cat_connection_t *conn);
    int is_fresh;     /* flag: its session was set up for the current use */
    int is_read_only; /* flag: its session accepts no writes, perhaps not even after the server accepts them again */
    int is_lost;      /* flag: its pool reconnects or closes it; one to a file is opened anew */
    char fault[FAULT_MAX]; /* the last failure */
    int result;            /* the driver's result code of it */
};

/* For executors. Turns a failure into a status, and notes the driver's words in the connection's fault. what: the
 * statement's name or text. */
apr_status_t cat_connection_judge(cat_connection_t *conn, const cat_fault_t *fault, const char *what);

/* Only that: keeps the words of a failure whose status is known, and counts it. */
void cat_connection_note_fault(cat_connection_t *conn, const cat_fault_t *fault, const char *what, apr_status_t rv);

/* Counts a statement. */
void cat_connection_count(const cat_connection_t *conn, cat_statement_kind_t kind);

/* For executors. CAT_EDOWN, noted: the statement, whose name is name, takes another number of values. */
apr_status_t cat_connection_check_count(cat_connection_t *conn, const char *name, int placeholders, int count);

#endif
