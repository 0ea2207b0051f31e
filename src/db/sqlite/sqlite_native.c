/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SQLite does by functions of its own, where the other databases are sent a text: it begins and ends transactions,
 * and runs selects. apr_dbd opens the connection, and does the rest: writes, the schema, whatever the reader cannot do.
 *
 *     connection.c  cat_connection_begin   --> dialect->native->begin   --> SQLite
 *     statement.c   cat_statement_select   --> dialect->native->select  --> SQLite
 *                   cat_statement_query    --> executor->query          --> apr_dbd --> SQLite
 *
 * Around each transaction the commit tracker watches the state of the file, so that the response cache learns of the
 * commits of other programs.
 */
#include "db/sqlite/sqlite_native.h"

#include <apr_strings.h>
#include <sys/stat.h>

#include "db/connection/connection.h"
#include "db/connection/executor.h"
#include "db/dialects/status.h"
#include "db/sqlite/sqlite.h"

cat_sqlite_connection_t *cat_sqlite_native_make(const cat_db_handle_t *handle)
{
    return cat_sqlite_file(handle) ? apr_pcalloc(handle->pool, sizeof(cat_sqlite_connection_t)) : NULL;
}

/* ---- transactions ---- */

static apr_status_t begin_write(cat_connection_t *conn, apr_time_t until)
{
    cat_fault_t fault;
    apr_status_t rv = cat_sqlite_begin(&conn->handle, conn->sqlite->reader, until, &fault);

    if (rv == APR_SUCCESS) {
        cat_commit_tracker_begin(&conn->sqlite->tracker);
    } else {
        cat_connection_note_fault(conn, &fault, "BEGIN IMMEDIATE", rv);
        conn->is_lost |= rv == CAT_ELOST;
    }
    return rv;
}

static apr_status_t run_control(cat_connection_t *conn, cat_sqlite_control_t control, const char *text)
{
    int result = cat_sqlite_reader_control(conn->sqlite->reader, control);
    const cat_fault_t fault = {.result = result, .text = cat_sqlite_reader_error(conn->sqlite->reader)};

    return result ? cat_connection_judge(conn, &fault, text) : APR_SUCCESS;
}

static apr_status_t begin_view(cat_connection_t *conn)
{
    return run_control(conn, CAT_SQLITE_BEGIN_VIEW, "BEGIN");
}

/* SQLite changes the number with each commit of another connection. NULL: the query failed. */
static const char *ask_data_version(cat_connection_t *conn, apr_pool_t *pool)
{
    const char *version = NULL;

    cat_connection_ask(conn, pool, "PRAGMA data_version", &version);
    return version;
}

/* In WAL mode no lock of another program keeps SQLite from committing, so there is nothing to wait for. */
static apr_status_t commit_write(cat_connection_t *conn, apr_pool_t *pool)
{
    cat_commit_tracker_t *tracker = &conn->sqlite->tracker;
    apr_status_t rv;

    cat_commit_tracker_commit(tracker, cat_commit_tracker_is_unsure(tracker) ? ask_data_version(conn, pool) : NULL);
    rv = run_control(conn, CAT_SQLITE_COMMIT, "COMMIT");
    if (rv != APR_SUCCESS) {
        cat_commit_tracker_fail(tracker);
    }
    return rv;
}

static void size_cache(const cat_connection_t *conn, int is_wide)
{
    if (conn->sqlite->is_wide != is_wide) {
        cat_sqlite_size_cache(&conn->handle, is_wide);
        conn->sqlite->is_wide = is_wide;
    }
}

static void finish_commit(cat_connection_t *conn, apr_pool_t *pool)
{
    cat_commit_tracker_t *tracker = &conn->sqlite->tracker;
    int is_unsure = cat_commit_tracker_look(tracker);

    cat_commit_tracker_end(tracker, is_unsure ? ask_data_version(conn, pool) : NULL);
    size_cache(conn, 0);
}

static apr_status_t roll_back(cat_connection_t *conn)
{
    size_cache(conn, 0);
    return run_control(conn, CAT_SQLITE_ROLL_BACK, "ROLLBACK");
}

/* ---- statements ---- */

/* The driver may not prepare texts that are made at run time, because it keeps each statement until it closes the
 * connection. */
static int select_directly(cat_connection_t *conn, const cat_select_t *select, apr_status_t *rv)
{
    const char *text = select->text ? select->text : cat_dialect_sql(conn->dialect, select->sql);
    int rows, result = cat_sqlite_reader_select(conn->sqlite->reader, text, select, rv, &rows);
    int is_final = !result || rows || select->text;

    if (result && is_final) {
        const char *words = apr_dbd_error(conn->handle.driver, conn->handle.dbd, result);
        *rv = cat_connection_judge(conn, &(cat_fault_t){.result = result, .text = words},
                                   select->text ? CAT_DIALECT_GENERATED : cat_dialect_sql_name(select->sql));
    }
    return is_final;
}

static int select_rows(cat_connection_t *conn, const cat_select_t *select, apr_status_t *rv)
{
    int is_final = conn->sqlite->reader && select_directly(conn, select, rv);

    conn->sqlite->has_read |= is_final && (*rv == APR_SUCCESS || *rv == CAT_ENOUGH);
    return is_final;
}

static void note_write(cat_connection_t *conn, cat_sql_t sql)
{
    cat_commit_tracker_note(&conn->sqlite->tracker, sql);
}

const cat_native_t cat_native_sqlite = {
    .begin = begin_write,
    .begin_view = begin_view,
    .commit = commit_write,
    .finish_commit = finish_commit,
    .roll_back = roll_back,
    .select = select_rows,
    .note_write = note_write,
};

/* ---- the file ---- */

int cat_sqlite_native_takes_writes(const cat_connection_t *conn, const cat_log_t *log)
{
    const char *obstacle = conn->file ? cat_sqlite_find_obstacle(&conn->handle, &conn->sqlite->files) : NULL;

    if (obstacle) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT058: %s: no writes are possible: %s", conn->name, obstacle);
    }
    return !obstacle;
}

apr_off_t cat_sqlite_native_wal_size(const cat_connection_t *conn)
{
    struct stat info;

    return conn->file && stat(conn->sqlite->files.paths[CAT_FILE_WAL], &info) == 0 ? info.st_size : 0;
}

void cat_sqlite_native_widen_cache(const cat_connection_t *conn)
{
    size_cache(conn, 1);
}

apr_status_t cat_sqlite_native_commit_only(cat_connection_t *conn, apr_pool_t *pool, int *is_wal_long)
{
    int frames;
    apr_status_t rv;

    *is_wal_long = 0;
    if (!conn->file) {
        return cat_connection_commit(conn, pool);
    }
    cat_sqlite_hold_checkpoint(&conn->handle, &frames);
    rv = cat_connection_commit(conn, pool);
    *is_wal_long = cat_sqlite_unhold_checkpoint(&conn->handle, frames);
    return rv;
}

void cat_sqlite_native_checkpoint(const cat_connection_t *conn)
{
    if (conn->file) {
        cat_sqlite_checkpoint(&conn->handle);
    }
}
