/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection.h"

#include <apr_strings.h>
#include <string.h>

#include "db/connection_state.h"
#include "db/source.h"
#include "db/sqlite.h"
#include "http/answer.h"

#define COLUMNS_MAX 16

/* How often a statement that was found dead is run: the schema may change again meanwhile. */
#define DEAD_TRIES 5

const cat_dialect_t *cat_connection_dialect(const cat_connection_t *conn)
{
    return conn->dialect;
}

const char *cat_connection_file(const cat_connection_t *conn)
{
    return conn->file;
}

void cat_connection_log_fault(const cat_connection_t *conn, const cat_log_t *log, cat_log_level_t level)
{
    cat_log(log, level, 0, "CAT003: %s: %s", conn->name, conn->fault);
}

/* SQLite goes on reading and writing a file that was deleted or replaced, and makes an empty one for who comes new: what is
 * acknowledged then is lost. */
apr_status_t cat_connection_file_is_gone(const cat_connection_t *conn, const cat_log_t *log, const char *path)
{
    cat_log(log, CAT_LOG_ERROR, 0, "CAT006: %s: %s was removed or replaced; restart the server", conn->name, path);
    return CAT_EDOWN;
}

/* The driver's result. Fails on SQLite where no transaction is open; elsewhere only where there is no server, or it is not
 * ready. */
static int send_rollback(cat_connection_t *conn)
{
    int changed = 0;
    return apr_dbd_query(conn->handle.driver, conn->handle.dbd, &changed, "ROLLBACK");
}

apr_status_t cat_connection_judge(cat_connection_t *conn, int result, const char *what)
{
    const char *text;
    apr_status_t rv;

    if (result == 0) {
        return APR_SUCCESS;
    }
    text = apr_dbd_error(conn->handle.driver, conn->handle.dbd, result);
    rv = conn->dialect->judge(result, text ? text : "");
    apr_snprintf(conn->fault, sizeof(conn->fault), "%s failed with %d: %s", what, result,
                 text && *text ? text : "no reason given");
    if (conn->dialect->no_error_codes && send_rollback(conn) != 0) {
        rv = CAT_ELOST;
    }
    if (rv == CAT_ELOST) {
        conn->is_lost = 1;
        cat_source_note_loss(conn->source);
    } else if (rv == CAT_ENOTREADY) {
        cat_source_note_refusal(conn->source);
    }
    return rv;
}

static apr_status_t drain_rows(cat_connection_t *conn, apr_pool_t *pool, apr_dbd_results_t *results, cat_row_t *row,
                               void *baton)
{
    apr_dbd_row_t *r = NULL;
    const char *values[COLUMNS_MAX];
    apr_status_t rv = APR_SUCCESS;
    int columns = apr_dbd_num_cols(conn->handle.driver, results);

    if (columns > COLUMNS_MAX) {
        return APR_ENOSPC;
    }
    for (int n = 1; apr_dbd_get_row(conn->handle.driver, pool, results, &r, n) == 0; n++) {
        for (int i = 0; i < columns; i++) {
            if (apr_dbd_datum_get(conn->handle.driver, r, i, APR_DBD_TYPE_STRING, &values[i]) != APR_SUCCESS) {
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

/* One execution of a prepared statement. */
typedef struct execution_t {
    apr_pool_t *pool;
    cat_sql_t sql;
    const char *const *values;
    int count;
    int *changed; /* NULL: a select */
    apr_dbd_results_t *results;
} execution_t;

/* The driver's result. */
static inline int call_driver(cat_connection_t *conn, execution_t *e, apr_dbd_prepared_t *prepared)
{
    const cat_db_handle_t *handle = &conn->handle;
    const char **values = (const char **)e->values; /* apr_dbd only reads them */

    return e->changed
               ? apr_dbd_pquery(handle->driver, e->pool, handle->dbd, e->changed, prepared, e->count, values)
               : apr_dbd_pselect(handle->driver, e->pool, handle->dbd, &e->results, prepared, 1, e->count, values);
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

/* A node of a Galera cluster rolls a transaction back when another node's committed first. The next statement fails for it, unless it
 * prepares one: then what follows would run outside of a transaction, and stay. A plain text cannot ask: the driver crashes on
 * that error. */
static apr_status_t prepare_and_look(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, prepared_t *st)
{
    first_value_t open = {.pool = pool};
    apr_status_t rv = prepare_statement(conn, sql, st);

    if (rv != APR_SUCCESS || sql == SQL_STILL_OPEN || !conn->in_transaction || !conn->dialect->rolls_back_silently) {
        return rv;
    }
    rv = cat_connection_select(conn, pool, SQL_STILL_OPEN, NULL, 0, keep_first_value, &open);
    if (rv == APR_SUCCESS && (!open.value || strcmp(open.value, "1") != 0)) {
        apr_cpystrn(conn->fault, "the transaction was taken back", sizeof(conn->fault));
        rv = CAT_ECONFLICT;
    }
    return rv;
}

/* A statement that is dead has not run, so running it again is safe, within a transaction too. */
static apr_status_t execute_statement(cat_connection_t *conn, execution_t *e)
{
    prepared_t *st = &conn->statements[e->sql];
    const char *name = cat_dialect_sql_name(e->sql);
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < DEAD_TRIES; tries++) {
        if (!st->handle && (rv = prepare_and_look(conn, e->pool, e->sql, st)) != APR_SUCCESS) {
            continue;
        }
        if (st->placeholders != e->count) {
            apr_snprintf(conn->fault, sizeof(conn->fault), "%s takes %d values, not %d", name, st->placeholders,
                         e->count);
            return CAT_EDOWN;
        }
        rv = cat_connection_judge(conn, call_driver(conn, e, st->handle), name);
        if (rv == CAT_EDEAD) {
            st->handle = NULL;
        }
    }
    if (rv == APR_SUCCESS) {
        cat_source_note_taken(conn->source);
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

/* Has it been done? If not, no row was given, and apr_dbd is to be asked. */
static int select_directly(cat_connection_t *conn, cat_sql_t sql, const char *const *values, int count, cat_row_t *row,
                           void *baton, apr_status_t *rv)
{
    int rows, result;

    if (!conn->reader) {
        return 0;
    }
    result = cat_sqlite_reader_select(conn->reader, sql, cat_dialect_sql(conn->dialect, sql), values, count, row, baton,
                                      rv, &rows);
    if (result && rows) {
        *rv = cat_connection_judge(conn, result, cat_dialect_sql_name(sql));
    }
    return !result || rows;
}

apr_status_t cat_connection_select(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                   int count, cat_row_t *row, void *baton)
{
    execution_t e = {.pool = pool, .sql = sql, .values = values, .count = count};
    apr_status_t rv;

    if (!select_directly(conn, sql, values, count, row, baton, &rv)) {
        rv = execute_statement(conn, &e);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        rv = drain_rows(conn, pool, e.results, row, baton);
    }
    conn->has_read = 1;
    return rv == APR_EOF ? APR_SUCCESS : rv;
}

apr_status_t cat_connection_query(cat_connection_t *conn, apr_pool_t *pool, cat_sql_t sql, const char *const *values,
                                  int count, int *changed)
{
    execution_t e = {.pool = pool, .sql = sql, .values = values, .count = count, .changed = changed};
    apr_status_t rv = execute_statement(conn, &e);

    if (rv == APR_SUCCESS && *changed > 0) {
        cat_commit_tracker_note(&conn->tracker, sql);
    }
    return rv;
}

/* As in execute_statement: a statement that the change of a schema kept from running is sent once more. */
apr_status_t cat_connection_send(cat_connection_t *conn, const char *text)
{
    apr_status_t rv = CAT_EDEAD;
    int changed = 0;

    for (int tries = 0; rv == CAT_EDEAD && tries < DEAD_TRIES; tries++) {
        rv = cat_connection_judge(conn, apr_dbd_query(conn->handle.driver, conn->handle.dbd, &changed, text), text);
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

int cat_connection_takes_writes(const cat_connection_t *conn, const cat_log_t *log)
{
    const char *obstacle = conn->file ? cat_sqlite_find_obstacle(&conn->handle, &conn->files) : NULL;

    if (obstacle) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT058: %s: no writes are possible: %s", conn->name, obstacle);
    }
    return !obstacle;
}

static apr_status_t begin_on_file(cat_connection_t *conn, apr_time_t until)
{
    apr_status_t rv = cat_sqlite_begin(&conn->handle, until, conn->fault, sizeof(conn->fault));

    conn->is_lost = rv == CAT_ELOST;
    return rv;
}

apr_status_t cat_connection_begin(cat_connection_t *conn, apr_time_t until)
{
    apr_status_t rv = conn->file ? begin_on_file(conn, until) : cat_connection_send(conn, conn->dialect->begin);

    conn->in_transaction = rv == APR_SUCCESS;
    if (conn->in_transaction) {
        cat_commit_tracker_begin(&conn->tracker);
    }
    return rv;
}

/* SQLite's number for others' commits; NULL: it cannot be told. */
static const char *ask_data_version(cat_connection_t *conn, apr_pool_t *pool)
{
    const char *version = NULL;

    cat_connection_ask(conn, pool, "PRAGMA data_version", &version);
    return version;
}

apr_status_t cat_connection_commit(cat_connection_t *conn, apr_pool_t *pool)
{
    apr_status_t rv;

    cat_commit_tracker_commit(&conn->tracker,
                              cat_commit_tracker_is_unsure(&conn->tracker) ? ask_data_version(conn, pool) : NULL);
    rv = cat_connection_send(conn, "COMMIT");
    conn->in_transaction = rv != APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        cat_commit_tracker_fail(&conn->tracker);
    }
    return rv;
}

void cat_connection_settle(cat_connection_t *conn, apr_pool_t *pool)
{
    int is_unsure = cat_commit_tracker_look(&conn->tracker);

    cat_commit_tracker_end(&conn->tracker, is_unsure ? ask_data_version(conn, pool) : NULL);
}

apr_status_t cat_connection_begin_view(cat_connection_t *conn)
{
    apr_status_t rv = APR_SUCCESS;

    for (const char *const *text = conn->dialect->snapshot; *text && rv == APR_SUCCESS; text++) {
        rv = cat_connection_send(conn, *text);
    }
    return rv;
}

/* A transaction that stays open keeps its locks, and the next one would commit it. */
static void abandon(cat_connection_t *conn)
{
    int changed = 0;

    conn->is_abandoned = 1;
    apr_dbd_query(conn->handle.driver, conn->handle.dbd, &changed, conn->dialect->abandon);
}

void cat_connection_roll_back(cat_connection_t *conn)
{
    int result = send_rollback(conn);

    conn->in_transaction = 0;
    if (result != 0) {
        conn->is_lost |= conn->dialect->no_error_codes;
        if (conn->dialect->judge(result, "") == CAT_ENOTREADY) {
            abandon(conn);
        }
    }
}

apr_status_t cat_connection_ask(cat_connection_t *conn, apr_pool_t *pool, const char *text, const char **value)
{
    first_value_t first = {.pool = pool};
    apr_dbd_results_t *results;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < DEAD_TRIES; tries++) {
        results = NULL;
        rv = cat_connection_judge(conn, apr_dbd_select(conn->handle.driver, pool, conn->handle.dbd, &results, text, 1),
                                  text);
    }
    if (rv == APR_SUCCESS && results) { /* MySQL's driver has none for a statement that returns no rows */
        rv = drain_rows(conn, pool, results, keep_first_value, &first);
    }
    if (value) {
        *value = first.value;
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}
