/* SPDX-License-Identifier: Apache-2.0 */
#include "db/connection.h"

#include <apr_strings.h>
#include <string.h>

#include "db/connection_state.h"
#include "db/sqlite.h"
#include "db/status.h"

#define COLUMNS_MAX 16

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

/* SQLite would go on reading and writing the deleted file, and a new connection would create an empty one: acknowledged
 * writes would be lost. */
apr_status_t cat_connection_file_is_gone(const cat_connection_t *conn, const cat_log_t *log, const char *path)
{
    cat_log(log, CAT_LOG_ERROR, 0, "CAT006: %s: %s was removed or replaced; restart the server", conn->name, path);
    return CAT_EDOWN;
}

/* Returns the driver's result. On SQLite it fails if no transaction is open; elsewhere only if the server is gone or
 * not ready. */
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

apr_status_t cat_connection_drain_rows(cat_connection_t *conn, apr_pool_t *pool, apr_dbd_results_t *results,
                                       cat_row_t *row, void *baton)
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

apr_status_t cat_connection_send(cat_connection_t *conn, const char *text)
{
    apr_status_t rv = CAT_EDEAD;
    int changed = 0;

    for (int tries = 0; rv == CAT_EDEAD && tries < CAT_CONNECTION_TRIES; tries++) {
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

/* SQLite changes the number with each commit of another connection. NULL: the query failed. */
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

/* A transaction that stays open would keep its locks, and be committed with the next one. */
static void abandon_transaction(cat_connection_t *conn)
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
            abandon_transaction(conn);
        }
    }
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

/* The same driver crashes on a prepared statement that returns no rows. */
static int select_text(const cat_connection_t *conn, apr_pool_t *pool, const char *text, apr_dbd_results_t **results)
{
    const cat_db_handle_t *handle = &conn->handle;
    apr_dbd_prepared_t *prepared = NULL;
    int result;

    *results = NULL;
    if (!conn->dialect->crashes_on_late_errors || strncmp(text, "SELECT", strlen("SELECT")) != 0) {
        return apr_dbd_select(handle->driver, pool, handle->dbd, results, text, 1);
    }
    result = apr_dbd_prepare(handle->driver, pool, handle->dbd, text, NULL, &prepared);
    return result ? result : apr_dbd_pselect(handle->driver, pool, handle->dbd, results, prepared, 1, 0, NULL);
}

static apr_status_t ask_on_pool(cat_connection_t *conn, apr_pool_t *pool, const char *text, first_value_t *first)
{
    apr_dbd_results_t *results = NULL;
    apr_status_t rv = CAT_EDEAD;

    for (int tries = 0; rv == CAT_EDEAD && tries < CAT_CONNECTION_TRIES; tries++) {
        rv = cat_connection_judge(conn, select_text(conn, pool, text, &results), text);
    }
    if (rv == APR_SUCCESS && results) { /* MySQL's driver sets none for a statement without rows */
        rv = cat_connection_drain_rows(conn, pool, results, keep_first_value, first);
    }
    return rv == CAT_EDEAD ? CAT_EDOWN : rv;
}

/* What the driver prepares is closed while this thread still has the connection. */
apr_status_t cat_connection_ask(cat_connection_t *conn, apr_pool_t *pool, const char *text, const char **value)
{
    first_value_t first = {.pool = pool};
    apr_pool_t *own;
    apr_status_t rv = apr_pool_create(&own, pool);

    if (rv == APR_SUCCESS) {
        rv = ask_on_pool(conn, own, text, &first);
        apr_pool_destroy(own);
    }
    if (value) {
        *value = first.value;
    }
    return rv;
}
