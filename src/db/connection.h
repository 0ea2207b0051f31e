/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_H
#define CAT_DB_CONNECTION_H

#include "db/dialect.h"
#include "db/handle.h"
#include "lib/log.h"

/*
 * What is kept with a pooled connection for as long as it is open: its dialect and its prepared statements. The pool's
 * own prepared statements are not used: after a restart of the database or a change of schema they stay dead for ever.
 * Used by the one thread that has the connection out of the pool.
 */
typedef struct cat_connection_t cat_connection_t;

/*
 * Each runs one prepared statement with count values (NULL: SQL's NULL), preparing it when it is not, and again when it is
 * found dead. Results: APR_SUCCESS, APR_EEXIST, CAT_EVALUE, CAT_EDOWN, CAT_ENOTREADY, CAT_ELOST, CAT_ECONFLICT. None is logged,
 * because the caller may try again: cat_connection_log_fault does.
 */
apr_status_t cat_connection_select(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                   int count, cat_row_t *row, void *baton);
apr_status_t cat_connection_query(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                  int count, int *changed);

/* Sends plain text. Rows that come back are drained; the first value of the first row is *value (on the pool) when value is
 * not NULL. Results as above. */
apr_status_t cat_connection_send(cat_connection_t *conn, const char *text);
apr_status_t cat_connection_ask(cat_connection_t *conn, apr_pool_t *pool, const char *text, const char **value);

/* Starts a transaction that is going to write, and ends it. When the second fails it may still be open. Results as above. Where one
 * transaction at a time can write, the first waits until then for another program's. */
apr_status_t cat_connection_begin(cat_connection_t *conn, apr_time_t until);
apr_status_t cat_connection_commit(cat_connection_t *conn, apr_pool_t *pool);

/* Tells the source's generations that what was committed last is marked there. */
void cat_connection_settle(cat_connection_t *conn, apr_pool_t *pool);

/* Starts a transaction that reads the same state from beginning to end; cat_connection_roll_back ends it. Results as above. */
apr_status_t cat_connection_begin_view(cat_connection_t *conn);

/* Logs what failed last on the connection. */
void cat_connection_log_fault(const cat_connection_t *conn, const cat_log_t *log, cat_log_level_t level);

/* The file that an embedded database lives in; NULL: it lives in none. */
const char *cat_connection_file(const cat_connection_t *conn);

/* Logs that the file of this path, the database's or one beside it, was removed or replaced, and gives CAT_EDOWN. */
apr_status_t cat_connection_file_is_gone(const cat_connection_t *conn, const cat_log_t *log, const char *path);

/* Would a write to the file be taken, as far as can be told without one? If not, that is logged. 1 where the database is no file. */
int cat_connection_takes_writes(const cat_connection_t *conn, const cat_log_t *log);

/* Leaves no transaction open, whether there is one or not: a connection never goes back to its pool inside one. Where the database
 * refuses that too, it ends the connection after a second, or cat_pooled_connection_get ends the transaction before. */
void cat_connection_roll_back(cat_connection_t *conn);

const cat_dialect_t *cat_connection_dialect(const cat_connection_t *conn);

#endif
