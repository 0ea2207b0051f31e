/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CONNECTION_EXECUTOR_H
#define CAT_DB_CONNECTION_EXECUTOR_H

#include "db/connection/handle.h"
#include "db/connection/select.h"
#include "db/dialects/dialect.h"

typedef struct cat_connection_t cat_connection_t;

#define CAT_HOST_PATIENCE 3 /* seconds */

/*
 * How statements reach the database, on a connection that apr_dbd has opened. Each dialect names its executor. Only
 * connection.c, statement.c, and pooled_connection.c and timeline.c of pool/ call one; used by the one thread that has the
 * connection out of the pool. Statuses as in connection.h. A failure is judged by the dialect and kept in the connection's `fault`.
 */
typedef struct cat_executor_t {
    /* What it keeps with the connection, on the connection's pool; called once for each connection. */
    void *(*make)(const cat_db_handle_t *handle);

    /* Sends plain text. CAT_EDEAD: it has not run, and would if sent again. */
    apr_status_t (*send)(cat_connection_t *conn, const char *text);

    /* The same for text that may return rows, each of which is passed to row. Uses the pool until it returns. */
    apr_status_t (*ask)(cat_connection_t *conn, apr_pool_t *pool, const char *text, cat_row_t *row, void *baton);

    /* Run prepared statements, which they prepare on first use, and again when the database has dropped them; contract of
     * db/connection/statement.h. CAT_EDEAD: the statement has not run, and with it the transaction that it was in is of no use; on
     * the same connection the transaction would go through. */
    apr_status_t (*select)(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select);
    apr_status_t (*query)(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                          int *changed);

    /* Call it when the connection leaves the pool. Has the driver opened it anew since the last call? Then session
     * settings and prepared statements are gone. */
    int (*is_new)(cat_connection_t *conn);

    /* Has the database closed the connection, as far as can be known without sending anything? */
    int (*is_cut)(cat_connection_t *conn);

    /* Ends the connection, so that the driver opens it anew. NULL where the dialect has no `timeline`, as the next one. */
    void (*cut)(cat_connection_t *conn);

    /* Returns parameters for each host that those of the connection name, in their order, on the pool; the list ends with NULL. Returns
     * NULL if they name only one host. The parameters may contain a password. */
    const char *const *(*list_hosts)(const cat_connection_t *conn, apr_pool_t *pool);

    /* Sends `text` to all hosts of such a list at the same time, each on a new connection. Calls `answer` once per host, in the order of
     * their answers, with the first value, or NULL if the host cannot be reached or has not answered within CAT_HOST_PATIENCE seconds. */
    void (*ask_hosts)(const char *const *hosts, const char *text,
                      void (*answer)(void *baton, int host, const char *text), void *baton);

    /* Prepared statements are gone: another connection has been opened in place of this one. */
    void (*forget)(cat_connection_t *conn);
} cat_executor_t;

/*
 * What a database does by functions of its own library, where others are sent a text. A dialect without them has NULL.
 * Statuses as in connection.h; a failure is noted as an executor's is.
 */
typedef struct cat_native_t {
    apr_status_t (*begin)(cat_connection_t *conn, apr_time_t until);
    apr_status_t (*begin_view)(cat_connection_t *conn);
    apr_status_t (*commit)(cat_connection_t *conn);
    apr_status_t (*roll_back)(cat_connection_t *conn);

    /* Runs a select, with its status in *rv. 0: it cannot, and has given no row, so the executor does. */
    int (*select)(cat_connection_t *conn, const cat_select_t *select, apr_status_t *rv);

    /* Returns the cause of the last failure and what to do, on the pool. Returns NULL if the driver's words suffice. */
    const char *(*explain)(const cat_connection_t *conn, apr_pool_t *pool);

    /* Returns true if the last call of the library failed because the disk or the database is full. */
    int (*lacks_room)(const cat_connection_t *conn);
} cat_native_t;

#endif
