/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What SQLite does by functions of its own, where the other databases are sent a text: it begins and ends transactions,
 * and runs selects. apr_dbd opens the connection, and does the rest: writes, the schema, whatever the reader cannot do.
 *
 *     connection.c  cat_connection_begin   --> dialect->native->begin   --> SQLite
 *     statement.c   cat_statement_select   --> dialect->native->select  --> SQLite
 *                   cat_statement_query    --> executor->query          --> apr_dbd --> SQLite
 *
 * A connection that has read holds the WAL index until it is closed. The state of the index tells the response cache whether any process has
 * committed.
 */
#include "db/sqlite/sqlite_native.h"

#include <apr_strings.h>
#include <sys/stat.h>

#include "db/connection/connection.h"
#include "db/connection/executor.h"
#include "db/dialects/status.h"
#include "db/sqlite/database_file.h"
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
        return rv;
    }
    if (rv == CAT_EDOWN) {
        return cat_connection_judge(conn, &fault, "BEGIN IMMEDIATE");
    }
    cat_connection_note_fault(conn, &fault, "BEGIN IMMEDIATE", rv);
    conn->is_lost = 1;
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

static void size_cache(const cat_connection_t *conn, int is_wide)
{
    if (conn->sqlite->is_wide != is_wide) {
        cat_sqlite_size_cache(&conn->handle, is_wide);
        conn->sqlite->is_wide = is_wide;
    }
}

/* In WAL mode no lock of another program keeps SQLite from committing, so there is nothing to wait for. */
static apr_status_t commit_write(cat_connection_t *conn)
{
    apr_status_t rv = run_control(conn, CAT_SQLITE_COMMIT, "COMMIT");

    size_cache(conn, 0);
    return rv;
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

/* Returns which file this process may not use, and why, because SQLite's message does not say it. Returns NULL for other failures. */
static const char *explain_fault(const cat_connection_t *conn, apr_pool_t *pool)
{
    int is_denied = conn->result == 8 || conn->result == 14; /* SQLITE_READONLY, SQLITE_CANTOPEN */

    return conn->file && is_denied ? cat_database_file_explain(pool, conn->file) : NULL;
}

static int lacks_room(const cat_connection_t *conn)
{
    return cat_sqlite_lacks_room(&conn->handle);
}

const cat_native_t cat_native_sqlite = {
    .begin = begin_write,
    .begin_view = begin_view,
    .commit = commit_write,
    .roll_back = roll_back,
    .select = select_rows,
    .explain = explain_fault,
    .lacks_room = lacks_room,
};

/* ---- the file ---- */

static apr_status_t release_index(void *sqlite)
{
    cat_sqlite_connection_t *s = sqlite;

    cat_wal_index_release(s->wal_index);
    s->wal_index = NULL;
    return APR_SUCCESS;
}

void cat_sqlite_native_hold_index(cat_connection_t *conn, cat_wal_index_t *wal_index, cat_generations_t *generations,
                                  const cat_log_t *log)
{
    cat_sqlite_connection_t *sqlite = conn->sqlite;

    if (!conn->file || !wal_index || !sqlite->has_read || sqlite->has_tried_index) {
        return;
    }
    sqlite->has_tried_index = 1;
    if (cat_wal_index_hold(wal_index, generations, conn->file, log)) {
        sqlite->wal_index = wal_index;
        apr_pool_pre_cleanup_register(conn->handle.pool, sqlite, release_index);
    }
}

void cat_sqlite_native_release_index(cat_connection_t *conn)
{
    if (conn->sqlite->wal_index) {
        apr_pool_cleanup_run(conn->handle.pool, conn->sqlite, release_index);
    }
    conn->sqlite->has_tried_index = 0;
}

int cat_sqlite_native_takes_writes(const cat_connection_t *conn, const cat_log_t *log)
{
    const char *obstacle = conn->file ? cat_sqlite_find_obstacle(&conn->handle, &conn->sqlite->files) : NULL;

    apr_pool_t *pool;
    const char *why;

    if (obstacle) {
        apr_pool_create(&pool, conn->handle.pool);
        why = cat_database_file_explain(pool, conn->file);
        cat_log(log, CAT_LOG_ERROR, 0, "CAT058: %s: no writes are possible: %s%s%s", conn->name, obstacle,
                why ? "; " : "", why ? why : "");
        apr_pool_destroy(pool);
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

apr_status_t cat_sqlite_native_commit_only(cat_connection_t *conn, int *is_wal_long)
{
    int frames;
    apr_status_t rv;

    *is_wal_long = 0;
    if (!conn->file) {
        return cat_connection_commit(conn);
    }
    cat_sqlite_hold_checkpoint(&conn->handle, &frames);
    rv = cat_connection_commit(conn);
    *is_wal_long = cat_sqlite_unhold_checkpoint(&conn->handle, frames);
    return rv;
}

void cat_sqlite_native_checkpoint(const cat_connection_t *conn)
{
    if (conn->file) {
        cat_sqlite_checkpoint(&conn->handle);
    }
}
