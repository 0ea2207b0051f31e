/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection/statement.h"

#include <apr_strings.h>

#include "db/connection/connection_state.h"
#include "db/connection/executor.h"
#include "db/connection/sql_text.h"
#include "db/dialects/status.h"

/* The time is that of all selects of a search; a database that limits each by itself may take twice as long. */
static apr_status_t limit_search(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select,
                                 cat_select_t *limited)
{
    if (apr_time_now() > conn->deadline) {
        return CAT_ESLOW;
    }
    *limited = *select;
    limited->deadline = conn->deadline;
    if (conn->dialect->limit) {
        limited->text =
            apr_pstrcat(pool, apr_psprintf(pool, conn->dialect->limit, conn->time_limit), select->text, NULL);
    }
    return APR_SUCCESS;
}

apr_status_t cat_statement_select(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select)
{
    const cat_native_t *native = conn->dialect->native;
    cat_select_t limited;
    apr_status_t rv = APR_SUCCESS;

    cat_connection_count(conn, CAT_STATEMENT_SELECT);
    if (select->text) { /* SQLite would not name the statement */
        rv = cat_connection_check_count(conn, CAT_DIALECT_GENERATED, cat_sql_text_count(select->text), select->count);
    }
    if (rv == APR_SUCCESS && select->text && conn->time_limit) {
        rv = limit_search(conn, pool, select, &limited);
        select = &limited;
    }
    if (rv == APR_SUCCESS && (!native || !native->select(conn, select, &rv))) {
        rv = conn->dialect->executor->select(conn, pool, select);
    }
    if (rv == APR_SUCCESS || rv == CAT_ENOUGH) {
        cat_database_note_taken(conn->database);
    }
    return rv == CAT_ENOUGH ? APR_SUCCESS : rv;
}

apr_status_t cat_statement_query(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                 int count, int *changed)
{
    apr_status_t rv = conn->dialect->executor->query(conn, pool, sql, values, count, changed);

    cat_connection_count(conn, CAT_STATEMENT_WRITE);
    if (rv == APR_SUCCESS) {
        cat_database_note_taken(conn->database);
    }
    return rv;
}
