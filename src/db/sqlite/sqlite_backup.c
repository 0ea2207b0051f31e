/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite's backup functions copy a database some pages at a time, and begin again whenever another connection has committed meanwhile:
 * beside steady writers they never end. Here the connection that is copied holds a read transaction from the first page to the last. It
 * sees one state, so the copy never begins again, and in WAL mode no writer waits for it. Until the copy is complete, the WAL cannot be
 * reset, and grows by what is written.
 *
 *     source:  BEGIN, SELECT --- sqlite3_backup_step, step, step ... --- close
 *     target:                    page 1 ...                page n, sync, integrity_check, close
 */
#include "db/sqlite/sqlite_backup.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <sqlite3.h>
#include <string.h>

/* 8 MiB with SQLite's usual pages: the progress moves, and a signal is noticed. */
#define PAGES_AT_ONCE 2048

/* Steps of SQLite's virtual machine between two calls of progress while the copy is checked. */
#define CHECK_STEPS 100000

#define LOCK_MSEC 5000
#define TRY_INTERVAL apr_time_from_msec(50)

static apr_status_t close_database(void *sqlite)
{
    sqlite3_close(sqlite);
    return APR_SUCCESS;
}

static const char *open_database(apr_pool_t *pool, const char *path, sqlite3 **sqlite)
{
    int result = sqlite3_open_v2(path, sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL);

    apr_pool_cleanup_register(pool, *sqlite, close_database, apr_pool_cleanup_null);
    sqlite3_busy_timeout(*sqlite, LOCK_MSEC);
    return result == SQLITE_OK ? NULL : apr_psprintf(pool, "%s: %s", path, sqlite3_errmsg(*sqlite));
}

static const char *run_text(apr_pool_t *pool, sqlite3 *sqlite, const char *path, const char *text)
{
    return sqlite3_exec(sqlite, text, NULL, NULL, NULL) == SQLITE_OK
               ? NULL
               : apr_psprintf(pool, "%s: %s", path, sqlite3_errmsg(sqlite));
}

typedef struct copy_t {
    apr_pool_t *pool;
    const char *from, *to;
    sqlite3 *source, *target;
    cat_sqlite_backup_progress_t *progress;
    void *baton;
    apr_int64_t octets; /* of the copy */
} copy_t;

static apr_int64_t page_size(sqlite3 *sqlite)
{
    sqlite3_stmt *statement;
    apr_int64_t size = 0;

    if (sqlite3_prepare_v2(sqlite, "PRAGMA page_size", -1, &statement, NULL) == SQLITE_OK) {
        size = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
        sqlite3_finalize(statement);
    }
    return size;
}

/* The source holds its transaction, so it is never locked; another process could only lock the target by its name. */
static int copy_pages(copy_t *copy, sqlite3_backup *backup, int *is_stopped)
{
    apr_int64_t size = page_size(copy->source);
    int result = SQLITE_OK;

    while ((result == SQLITE_OK || result == SQLITE_BUSY || result == SQLITE_LOCKED) && !*is_stopped) {
        if (result != SQLITE_OK) {
            apr_sleep(TRY_INTERVAL);
        }
        result = sqlite3_backup_step(backup, PAGES_AT_ONCE);
        copy->octets = size * sqlite3_backup_pagecount(backup);
        *is_stopped = copy->progress(copy->baton, copy->octets - size * sqlite3_backup_remaining(backup), copy->octets);
    }
    return result;
}

static const char *copy_database(copy_t *copy)
{
    sqlite3_backup *backup = sqlite3_backup_init(copy->target, "main", copy->source, "main");
    int is_stopped = 0, result = backup ? copy_pages(copy, backup, &is_stopped) : SQLITE_ERROR;

    if (backup) {
        sqlite3_backup_finish(backup);
    }
    if (is_stopped) {
        return "interrupted";
    }
    return result == SQLITE_DONE ? NULL
                                 : apr_psprintf(copy->pool, "%s: %s", copy->to,
                                                backup ? sqlite3_errstr(result) : sqlite3_errmsg(copy->target));
}

static int go_on(void *baton)
{
    const copy_t *copy = baton;

    return copy->progress(copy->baton, copy->octets, copy->octets);
}

/* The first row is "ok", or the first fault. */
static const char *check_copy(copy_t *copy)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(copy->target, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    const char *found = NULL;

    sqlite3_progress_handler(copy->target, CHECK_STEPS, go_on, copy);
    result = result == SQLITE_OK ? sqlite3_step(statement) : result;
    if (result == SQLITE_ROW) {
        found = apr_pstrdup(copy->pool, (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    sqlite3_progress_handler(copy->target, 0, NULL, NULL);
    if (result == SQLITE_INTERRUPT) {
        return "interrupted";
    }
    if (found && !strcmp(found, "ok")) {
        return NULL;
    }
    return found ? apr_psprintf(copy->pool, "%s is damaged, and so is its copy: %s", copy->from, found)
                 : apr_psprintf(copy->pool, "%s: cannot be checked: %s", copy->to, sqlite3_errmsg(copy->target));
}

/* locking_mode: the copy is in WAL mode like its original, and needs no index in shared memory then. */
const char *cat_sqlite_backup_make(apr_pool_t *pool, const char *from, const char *to,
                                   cat_sqlite_backup_progress_t *progress, void *baton)
{
    copy_t copy = {.from = from, .to = to, .progress = progress, .baton = baton};
    const char *fault;

    apr_pool_create(&copy.pool, pool);
    fault = open_database(copy.pool, from, &copy.source);
    fault = fault ? fault : open_database(copy.pool, to, &copy.target);
    fault = fault ? fault : run_text(copy.pool, copy.source, from, "BEGIN; SELECT COUNT(*) FROM sqlite_master");
    fault = fault ? fault : run_text(copy.pool, copy.target, to, "PRAGMA locking_mode=EXCLUSIVE");
    fault = fault ? fault : copy_database(&copy);
    fault = apr_pstrdup(pool, fault ? fault : check_copy(&copy));
    apr_pool_destroy(copy.pool); /* closes both */
    return fault;
}
