/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONN_H
#define CAT_DB_CONN_H

#include "db/source.h"

/*
 * What is kept with a pooled connection for as long as it is open: its dialect and its prepared statements. The pool's
 * own prepared statements are not used: after a restart of the database or a change of schema they stay dead for ever.
 * Used by the one thread that has the connection out of the pool.
 */
typedef struct cat_conn_t cat_conn_t;

/*
 * The conn of an open link, which is asked before it is used to_write; made, and the session set up, when the link is new.
 * APR_SUCCESS; CAT_ELOST: the database dropped the connection while it lay in the pool, another may do; or CAT_EDOWN, logged: no
 * dialect knows the driver, the session cannot be set up, or the database's file is gone or is another one than was opened.
 */
apr_status_t cat_conn_get(cat_source_t *source, const cat_link_t *link, int to_write, const cat_log_t *log,
                          cat_conn_t **conn);

/* One row's values in the statement's column order, NULL for SQL's NULL; good until the function returns, which asks the database
 * for nothing. Anything but APR_SUCCESS ends the calls; the remaining rows are still drained. APR_EOF: it has seen enough, and
 * nothing is wrong. */
typedef apr_status_t cat_row_t(void *baton, const char *const *values, int count);

/*
 * Each runs one prepared statement with count values (NULL: SQL's NULL), preparing it when it is not, and again when it is
 * found dead. Results: APR_SUCCESS, APR_EEXIST, CAT_EVALUE, CAT_EDOWN, CAT_ELOST, CAT_ECONFLICT. None is logged, because the
 * caller may try again: cat_conn_fault tells what it was.
 */
apr_status_t cat_conn_select(cat_conn_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                             cat_row_t *row, void *baton);
apr_status_t cat_conn_query(cat_conn_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                            int *changed);

/* Sends plain text. Rows that come back are drained; the first value of the first row is *value (on the pool) when value is
 * not NULL. Results as above. */
apr_status_t cat_conn_send(cat_conn_t *conn, const char *text);
apr_status_t cat_conn_ask(cat_conn_t *conn, apr_pool_t *pool, const char *text, const char **value);

/* Starts a transaction that is going to write, and ends it. When the second fails it may still be open. Results as above. */
apr_status_t cat_conn_begin(cat_conn_t *conn);
apr_status_t cat_conn_commit(cat_conn_t *conn, apr_pool_t *pool);

/* Tells the source's `fresh` that what was committed last is marked there. */
void cat_conn_settle(cat_conn_t *conn, apr_pool_t *pool);

/* Starts a transaction that reads the same state from beginning to end; cat_conn_roll_back ends it. Results as above. */
apr_status_t cat_conn_begin_view(cat_conn_t *conn);

/* Logs what failed last on the connection. */
void cat_conn_log_fault(const cat_conn_t *conn, const cat_log_t *log, cat_log_level_t level);

/* The file that an embedded database lives in; NULL: it lives in none. */
const char *cat_conn_file(const cat_conn_t *conn);

/* Logs that the file was removed or replaced, and gives CAT_EDOWN. rv: the system's reason, where there is one. */
apr_status_t cat_conn_file_is_gone(const cat_conn_t *conn, const cat_log_t *log, apr_status_t rv);

/* Leaves no transaction open, whether there is one or not: a connection never goes back to its pool inside one. */
void cat_conn_roll_back(cat_conn_t *conn);

const cat_dialect_t *cat_conn_dialect(const cat_conn_t *conn);

#endif
