/* SPDX-License-Identifier: Apache-2.0 */
#include "db/conn.h"

#include <apr_strings.h>
#include <string.h>

#include "db/open.h"
#include "lib/answer.h"

#define COLUMNS_MAX 16

/* How often a statement that was found dead is run: the schema may change again meanwhile. */
#define DEAD_TRIES 5

const cat_dialect_t *cat_conn_dialect(const cat_conn_t *conn)
{
    return conn->dialect;
}

const char *cat_conn_file(const cat_conn_t *conn)
{
    return conn->file;
}

void cat_conn_log_fault(const cat_conn_t *conn, const cat_log_t *log, cat_log_level_t level)
{
    cat_log(log, level, 0, "CAT003: %s: %s", conn->name, conn->fault);
}

/* Fails on SQLite where no transaction is open; elsewhere only where there is no server. */
static int send_rollback(cat_conn_t *conn)
{
    int changed = 0;
    return apr_dbd_query(conn->link.driver, conn->link.handle, &changed, "ROLLBACK") == 0;
}

apr_status_t cat_conn_judge(cat_conn_t *conn, int result, const char *what)
{
    const char *text;
    apr_status_t rv;

    if (result == 0) {
        return APR_SUCCESS;
    }
    text = apr_dbd_error(conn->link.driver, conn->link.handle, result);
    rv = conn->dialect->judge(result, text ? text : "");
    apr_snprintf(conn->fault, sizeof(conn->fault), "%s failed with %d: %s", what, result,
                 text && *text ? text : "no reason given");
    if (conn->dialect->vague && !send_rollback(conn)) {
        rv = CAT_ELOST;
    }
    if (rv == CAT_ELOST) {
        conn->is_lost = 1;
        cat_source_note_loss(conn->source);
    }
    return rv;
}

static apr_status_t drain(cat_conn_t *conn, apr_pool_t *pool, apr_dbd_results_t *results, cat_row_t *row, void *baton)
{
    apr_dbd_row_t *r = NULL;
    const char *values[COLUMNS_MAX];
    apr_status_t rv = APR_SUCCESS;
    int columns = apr_dbd_num_cols(conn->link.driver, results);

    if (columns > COLUMNS_MAX) {
        return APR_ENOSPC;
    }
    for (int n = 1; apr_dbd_get_row(conn->link.driver, pool, results, &r, n) == 0; n++) {
        for (int i = 0; i < columns; i++) {
            if (apr_dbd_datum_get(conn->link.driver, r, i, APR_DBD_TYPE_STRING, &values[i]) != APR_SUCCESS) {
                values[i] = NULL;
            }
        }
        if (rv == APR_SUCCESS) {
            rv = row(baton, values, columns);
        }
    }
    return rv;
}

static int count_placeholders(const char *text)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, "%s")); p += 2) {
        n++;
    }
    return n;
}

static apr_status_t prepare(cat_conn_t *conn, cat_sql_t sql, statement_t *st)
{
    const char *text = cat_dialect_sql(conn->dialect, sql);
    int result = apr_dbd_prepare(conn->link.driver, conn->link.pool, conn->link.handle, text, NULL, &st->prepared);
    if (result != 0) {
        st->prepared = NULL;
        return cat_conn_judge(conn, result, cat_dialect_sql_name(sql));
    }
    st->placeholders = count_placeholders(text);
    return APR_SUCCESS;
}

/* What is run with a prepared statement; the driver's result is given back. */
typedef struct run_t {
    apr_pool_t *pool;
    cat_sql_t sql;
    const char *const *values;
    int count;
    int *changed; /* NULL: a select */
    apr_dbd_results_t *results;
} run_t;

static int run_once(cat_conn_t *conn, run_t *run, apr_dbd_prepared_t *prepared)
{
    const char **values = (const char **)run->values; /* apr_dbd only reads them */
    if (run->changed) {
        return apr_dbd_pquery(conn->link.driver, run->pool, conn->link.handle, run->changed, prepared, run->count,
                              values);
    }
    return apr_dbd_pselect(conn->link.driver, run->pool, conn->link.handle, &run->results, prepared, 1, run->count,
                           values);
}

typedef struct first_value_t {
    apr_pool_t *pool;
    const char *value;
    int seen;
} first_value_t;

static apr_status_t keep_first_value(void *baton, const char *const *values, int count)
{
    first_value_t *first = baton;
    if (!first->seen && count > 0) {
        first->value = values[0] ? apr_pstrdup(first->pool, values[0]) : NULL;
        first->seen = 1;
    }
    return APR_SUCCESS;
}

/* A node of a Galera cluster takes a transaction back when another node's was first. The next statement tells, unless it prepares
 * one: then what follows would run outside of a transaction, and stay. A text is no way to ask, as the driver crashes when it is
 * told then. */
static apr_status_t prepare_and_look(cat_conn_t *conn, apr_pool_t *pool, cat_sql_t sql, statement_t *st)
{
    first_value_t open = {.pool = pool};
    apr_status_t rv = prepare(conn, sql, st);

    if (rv != APR_SUCCESS || sql == SQL_STILL_OPEN || !conn->in_transaction || !conn->dialect->takes_back) {
        return rv;
    }
    rv = cat_conn_select(conn, pool, SQL_STILL_OPEN, NULL, 0, keep_first_value, &open);
    if (rv == APR_SUCCESS && (!open.value || strcmp(open.value, "1") != 0)) {
        apr_cpystrn(conn->fault, "the transaction was taken back", sizeof(conn->fault));
        rv = CAT_ECONFLICT;
    }
    return rv;
}

/* A statement that is dead has not run, so running it again is safe, within a transaction too. */
static apr_status_t run(cat_conn_t *conn, run_t *run)
{
    statement_t *st = &conn->statements[run->sql];
    const char *name = cat_dialect_sql_name(run->sql);
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < DEAD_TRIES; tries++) {
        if (!st->prepared && (rv = prepare_and_look(conn, run->pool, run->sql, st)) != APR_SUCCESS) {
            continue;
        }
        if (st->placeholders != run->count) {
            apr_snprintf(conn->fault, sizeof(conn->fault), "%s takes %d values, not %d", name, st->placeholders,
                         run->count);
            return CAT_EDOWN;
        }
        rv = cat_conn_judge(conn, run_once(conn, run, st->prepared), name);
        if (rv == CAT_EDEAD) {
            st->prepared = NULL;
        }
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

/* Has it been done? If not, no row was given, and apr_dbd is to be asked. */
static int select_directly(cat_conn_t *conn, cat_sql_t sql, const char *const *values, int count, cat_row_t *row,
                           void *baton, apr_status_t *rv)
{
    int rows, result;

    if (!conn->reader) {
        return 0;
    }
    result =
        cat_reader_select(conn->reader, sql, cat_dialect_sql(conn->dialect, sql), values, count, row, baton, rv, &rows);
    if (result && rows) {
        *rv = cat_conn_judge(conn, result, cat_dialect_sql_name(sql));
    }
    return !result || rows;
}

apr_status_t cat_conn_select(cat_conn_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                             cat_row_t *row, void *baton)
{
    run_t r = {.pool = pool, .sql = sql, .values = values, .count = count};
    apr_status_t rv;

    if (!select_directly(conn, sql, values, count, row, baton, &rv)) {
        rv = run(conn, &r);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        rv = drain(conn, pool, r.results, row, baton);
    }
    conn->has_read = 1;
    return rv == APR_EOF ? APR_SUCCESS : rv;
}

apr_status_t cat_conn_query(cat_conn_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values, int count,
                            int *changed)
{
    run_t r = {.pool = pool, .sql = sql, .values = values, .count = count, .changed = changed};
    apr_status_t rv = run(conn, &r);

    if (rv == APR_SUCCESS && *changed > 0) {
        cat_watch_note(&conn->watch, sql);
    }
    return rv;
}

/* As in run: a statement that the change of a schema kept from running is sent once more. */
apr_status_t cat_conn_send(cat_conn_t *conn, const char *text)
{
    apr_status_t rv = CAT_EDEAD;
    int changed = 0;

    for (int tries = 0; rv == CAT_EDEAD && tries < DEAD_TRIES; tries++) {
        rv = cat_conn_judge(conn, apr_dbd_query(conn->link.driver, conn->link.handle, &changed, text), text);
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

apr_status_t cat_conn_begin(cat_conn_t *conn)
{
    apr_status_t rv = cat_conn_send(conn, conn->dialect->begin);

    conn->in_transaction = rv == APR_SUCCESS;
    if (conn->in_transaction) {
        cat_watch_begin(&conn->watch);
    }
    return rv;
}

apr_status_t cat_conn_commit(cat_conn_t *conn, apr_pool_t *pool)
{
    apr_status_t rv;

    cat_watch_commit(&conn->watch, pool);
    rv = cat_conn_send(conn, "COMMIT");
    conn->in_transaction = rv != APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        cat_watch_fail(&conn->watch);
    }
    return rv;
}

void cat_conn_settle(cat_conn_t *conn, apr_pool_t *pool)
{
    cat_watch_end(&conn->watch, pool);
}

apr_status_t cat_conn_begin_view(cat_conn_t *conn)
{
    apr_status_t rv = APR_SUCCESS;

    for (const char *const *text = conn->dialect->snapshot; *text && rv == APR_SUCCESS; text++) {
        rv = cat_conn_send(conn, *text);
    }
    return rv;
}

void cat_conn_roll_back(cat_conn_t *conn)
{
    conn->in_transaction = 0;
    conn->is_lost |= !send_rollback(conn) && conn->dialect->vague;
}

apr_status_t cat_conn_ask(cat_conn_t *conn, apr_pool_t *pool, const char *text, const char **value)
{
    first_value_t first = {.pool = pool};
    apr_dbd_results_t *results;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < DEAD_TRIES; tries++) {
        results = NULL;
        rv = cat_conn_judge(conn, apr_dbd_select(conn->link.driver, pool, conn->link.handle, &results, text, 1), text);
    }
    if (rv == APR_SUCCESS && results) { /* MySQL's driver has none for a statement that returns no rows */
        rv = drain(conn, pool, results, keep_first_value, &first);
    }
    if (value) {
        *value = first.value;
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}
