/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_CONNECTION_H
#define CAT_DB_CONNECTION_CONNECTION_H

#include <apr_time.h>

#include "db/connection/select.h"
#include "db/dialects/dialect.h"
#include "lib/log.h"

/*
 * A pooled connection: its session, its transactions, and what the module keeps with it for as long as it is open. Used
 * by the one thread that has it out of the pool. db/connection/statement.h runs the prepared statements.
 *
 * Unless a function says otherwise it returns APR_SUCCESS, APR_EEXIST, CAT_EVALUE, CAT_EDOWN, CAT_EFULL, CAT_EUNSURE,
 * CAT_ENOTREADY, CAT_ELOST or CAT_ECONFLICT. No failure is logged, because the caller may retry: cat_connection_log_fault logs it.
 */
typedef struct cat_connection_t cat_connection_t;

/* Sends plain text, and again when a change of the schema kept it from running. */
apr_status_t cat_connection_send(cat_connection_t *conn, const char *text);

/* Keeps the first row that it is given, on the pool: a cat_row_t, whose baton is a cat_first_row_t. */
typedef struct cat_first_row_t {
    apr_pool_t *pool;
    const char **values; /* NULL: there was no row */
} cat_first_row_t;

cat_row_t cat_connection_keep_first;

/* The same for text that may return rows, which are drained. *value, on the pool: the first value of the first row;
 * NULL where there is none. value may be NULL. */
apr_status_t cat_connection_ask(cat_connection_t *conn, apr_pool_t *pool, const char *text, const char **value);

/* The same for each text of a list that ends with NULL. CAT_ECONFLICT: one selected 0, because another process has a lock;
 * the texts behind it were not sent. */
apr_status_t cat_connection_ask_all(cat_connection_t *conn, apr_pool_t *pool, const char *const *texts);

/* Sends each text of a list that ends with NULL, even if those before it fail. These failures do not replace the failure that
 * cat_connection_log_fault logs. */
void cat_connection_clean_up(cat_connection_t *conn, apr_pool_t *pool, const char *const *texts);

/* Begins a transaction that is going to write. Where one transaction at a time can write, waits until the time until
 * for that of another program. */
apr_status_t cat_connection_begin(cat_connection_t *conn, apr_time_t until);

/* Commits the transaction. After a failure it may still be open. Returns CAT_EUNSURE if the database may have committed it, or not. */
apr_status_t cat_connection_commit(cat_connection_t *conn);

/* Begins a transaction that reads one state from beginning to end; cat_connection_roll_back ends it. */
apr_status_t cat_connection_begin_view(cat_connection_t *conn);

/* Begins a transaction like that of a view, for selects whose texts are made at run time. The database plans them as
 * their texts say, and ends each of them after some seconds, and then returns CAT_ESLOW. is_unbound: the selects may see several states;
 * then there is none, if the database does not need it for the rest. */
apr_status_t cat_connection_begin_search(cat_connection_t *conn, int seconds, int is_unbound);

/* If a search is open: from now on it has as many seconds again. */
void cat_connection_continue_search(cat_connection_t *conn);

/* Leaves no transaction open, whether there was one or not: a connection never goes back to its pool inside a
 * transaction. Where the database refuses ROLLBACK too, either it ends the connection after a second, or
 * cat_pooled_connection_get ends the transaction. */
void cat_connection_roll_back(cat_connection_t *conn);

/* rv: of the last statement. Did it fail because others have locked the whole database? */
int cat_connection_is_locked(const cat_connection_t *conn, apr_status_t rv);

/* Marks the session as read-only, so that it is replaced before its next use. */
void cat_connection_mark_read_only(cat_connection_t *conn);

/* Logs the last failure on the connection. */
void cat_connection_log_fault(const cat_connection_t *conn, const cat_log_t *log, cat_log_level_t level);

/* The database's file; NULL: it is none. */
const char *cat_connection_file(const cat_connection_t *conn);

/* Logs that the file of this path, the database's or one beside it, was removed or replaced, and returns CAT_EDOWN. */
apr_status_t cat_connection_file_is_gone(const cat_connection_t *conn, const cat_log_t *log, const char *path);

const cat_dialect_t *cat_connection_dialect(const cat_connection_t *conn);

#endif
