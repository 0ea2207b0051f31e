/* SPDX-License-Identifier: Apache-2.0 */
#include "db/statement.h"

#include <apr_strings.h>
#include <string.h>

#include "db/connection_state.h"
#include "db/status.h"

static int count_placeholders(const char *text)
{
    int n = 0;

    for (const char *p = text; (p = strstr(p, "%s")); p += 2) {
        n++;
    }
    return n;
}

static apr_status_t prepare_statement(cat_connection_t *conn, cat_sql_t sql, prepared_t *st)
{
    const char *text = cat_dialect_sql(conn->dialect, sql);
    int result = apr_dbd_prepare(conn->handle.driver, conn->handle.pool, conn->handle.dbd, text, NULL, &st->handle);

    if (result != 0) {
        st->handle = NULL;
        return cat_connection_judge(conn, result, cat_dialect_sql_name(sql));
    }
    st->placeholders = count_placeholders(text);
    return APR_SUCCESS;
}

static apr_status_t note_if_open(void *is_open, const char *const *values, int count)
{
    *(int *)is_open = count > 0 && values[0] && !strcmp(values[0], "1");
    return CAT_ENOUGH;
}

/* Not by plain text: the driver crashes on the error that a lost transaction makes of it. */
static apr_status_t check_still_open(cat_connection_t *conn, apr_pool_t *pool)
{
    int is_open = 0;
    const cat_select_t select = {.sql = SQL_STILL_OPEN, .row = note_if_open, .baton = &is_open};
    apr_status_t rv = cat_statement_select(conn, pool, &select);

    if (rv == APR_SUCCESS && !is_open) {
        apr_cpystrn(conn->fault, "the database has rolled back the transaction", sizeof(conn->fault));
        return CAT_ECONFLICT;
    }
    return rv;
}

/* A node of a Galera cluster rolls a transaction back when another node's commit conflicts with it. The next statement
 * fails for it, but to prepare one succeeds: what follows would run outside of a transaction, and stay. */
static apr_status_t prepare_in_transaction(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, prepared_t *st)
{
    apr_status_t rv = prepare_statement(conn, sql, st);
    int may_be_lost = sql != SQL_STILL_OPEN && conn->in_transaction && conn->dialect->rolls_back_silently;

    return rv == APR_SUCCESS && may_be_lost ? check_still_open(conn, pool) : rv;
}

static apr_status_t find_prepared(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, int count,
                                  apr_dbd_prepared_t **prepared)
{
    prepared_t *st = &conn->statements[sql];
    apr_status_t rv = st->handle ? APR_SUCCESS : prepare_in_transaction(conn, pool, sql, st);

    if (rv == APR_SUCCESS && st->placeholders != count) {
        apr_snprintf(conn->fault, sizeof(conn->fault), "%s takes %d values, not %d", cat_dialect_sql_name(sql),
                     st->placeholders, count);
        rv = CAT_EDOWN;
    }
    *prepared = st->handle;
    return rv;
}

/* A statement that is dead has not run, so it is safe to prepare and run it again, within a transaction too. */
static apr_status_t judge_execution(cat_connection_t *conn, cat_sql_t sql, int result)
{
    apr_status_t rv = cat_connection_judge(conn, result, cat_dialect_sql_name(sql));

    if (rv == CAT_EDEAD) {
        conn->statements[sql].handle = NULL;
    } else if (rv == APR_SUCCESS) {
        cat_source_note_taken(conn->source);
    }
    return rv;
}

static apr_status_t select_through_driver(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select)
{
    const cat_db_handle_t *handle = &conn->handle;
    const char **values = (const char **)select->values; /* apr_dbd only reads them */
    apr_dbd_results_t *results = NULL;
    apr_dbd_prepared_t *prepared;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < CAT_CONNECTION_TRIES; tries++) {
        rv = find_prepared(conn, pool, select->sql, select->count, &prepared);
        if (rv == APR_SUCCESS) {
            rv = judge_execution(
                conn, select->sql,
                apr_dbd_pselect(handle->driver, pool, handle->dbd, &results, prepared, 1, select->count, values));
        }
    }
    if (rv != APR_SUCCESS) {
        return rv == CAT_EDEAD ? CAT_EDOWN : rv;
    }
    rv = cat_connection_drain_rows(conn, pool, results, select->row, select->baton);
    conn->has_read = 1;
    return rv;
}

/* 0: SQLite's own functions cannot do it, and have given no row, so the driver may. */
static int select_directly(cat_connection_t *conn, const cat_select_t *select, apr_status_t *rv)
{
    const char *text = cat_dialect_sql(conn->dialect, select->sql);
    int rows, result = cat_sqlite_reader_select(conn->reader, text, select, rv, &rows);

    if (result && rows) {
        *rv = cat_connection_judge(conn, result, cat_dialect_sql_name(select->sql));
    }
    conn->has_read |= !result || rows;
    return !result || rows;
}

apr_status_t cat_statement_select(cat_connection_t *conn, apr_pool_t *pool, const cat_select_t *select)
{
    apr_status_t rv;

    if (!conn->reader || !select_directly(conn, select, &rv)) {
        rv = select_through_driver(conn, pool, select);
    }
    return rv == CAT_ENOUGH ? APR_SUCCESS : rv;
}

apr_status_t cat_statement_query(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                 int count, int *changed)
{
    const cat_db_handle_t *handle = &conn->handle;
    apr_dbd_prepared_t *prepared;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < CAT_CONNECTION_TRIES; tries++) {
        rv = find_prepared(conn, pool, sql, count, &prepared);
        if (rv == APR_SUCCESS) {
            rv = judge_execution(
                conn, sql,
                apr_dbd_pquery(handle->driver, pool, handle->dbd, changed, prepared, count, (const char **)values));
        }
    }
    if (rv == APR_SUCCESS && *changed > 0) {
        cat_commit_tracker_note(&conn->tracker, sql);
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}
