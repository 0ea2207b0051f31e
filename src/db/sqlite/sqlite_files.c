/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SQLite file may be removed or replaced under the server's feet. SQLite would go on with the deleted file, or create an
 * empty one. So the identities of the file, its WAL and its index are compared with those that the server first saw, before
 * a connection reads, and with those that the connection has open about once a second after that.
 *
 *     opened    file: as any child first saw it?    WAL and index: do they belong together?
 *     has read  WAL and index are noted, for this connection and for all children (file_registry.h)
 *     in use    file, WAL, index: as noted?
 */
#include "db/sqlite/sqlite_files.h"

#include <apr_file_io.h>
#include <apr_strings.h>

#include "db/connection/connection.h"
#include "db/dialects/status.h"
#include "db/sqlite/database_file.h"
#include "db/sqlite/file_registry.h"
#include "db/sqlite/sqlite.h"
#include "db/sqlite/sqlite_native.h"

/* How often a connection compares its files with what is there. */
#define INTERVAL apr_time_from_sec(1)

/* How often a new connection looks, a millisecond apart, before it believes that one of the two files is missing. */
#define LOOKS 50

/* Logs that the files cannot be examined, with the cause. They may be the right ones, but SQLite could not open them either. */
static apr_status_t log_unseen(const cat_connection_t *conn, const cat_log_t *log, const cat_files_t *files)
{
    char more[CAT_REPEATS_TEXT], reason[120];
    apr_pool_t *pool;
    const char *why;

    if (cat_database_sums_up(log, &conn->database->gone_files, more)) {
        apr_pool_create(&pool, conn->handle.pool);
        why = cat_database_file_explain(pool, conn->file);
        why =
            why ? why : apr_psprintf(pool, "%s: %s", files->unseen, apr_strerror(files->error, reason, sizeof(reason)));
        cat_log(log, CAT_LOG_ERROR, 0, "CAT069: %s: the database file cannot be examined: %s%s", conn->name, why, more);
        apr_pool_destroy(pool);
    }
    return CAT_EDOWN;
}

/* Refuses a database that cannot be examined, or whose file is missing or empty although its WAL has commits: SQLite would delete the WAL. mod_dbd
 * has perhaps just created the empty file in place of one that was removed. */
static apr_status_t check_presence(const cat_connection_t *conn, const cat_log_t *log, const cat_files_t *files)
{
    const char *fault = files->error ? NULL : cat_database_file_find_orphan(conn->handle.pool, conn->file);
    char more[CAT_REPEATS_TEXT];

    if (files->error) {
        return log_unseen(conn, log, files);
    }
    if (fault && cat_database_sums_up(log, &conn->database->gone_files, more)) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT070: %s: %s%s", conn->name, fault, more);
    }
    return fault ? CAT_EDOWN : APR_SUCCESS;
}

/* A new file is still empty. It will hold hashes of passwords, so not everyone may read it. SQLite gives its side files
 * the same mode. */
static apr_status_t protect_new_file(const char *path, apr_pool_t *pool)
{
    apr_finfo_t info;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_SIZE, pool);

    if (rv == APR_SUCCESS && info.size == 0) {
        rv = apr_file_perms_set(path, APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_GREAD);
    }
    return rv;
}

/* CAT_FILE_WAL or CAT_FILE_INDEX, if somebody removed it, else CAT_FILES. Another process may be creating the two, or deleting them, one
 * after the other: so a difference counts once it has lasted. */
static int find_removed(const cat_file_registry_t *registry, cat_files_t *files)
{
    int removed = cat_file_registry_find_removed(registry, files);

    for (int looks = 1; removed != CAT_FILES && looks < LOOKS; looks++) {
        apr_sleep(apr_time_from_msec(1));
        cat_files_look(files);
        removed = cat_file_registry_find_removed(registry, files);
    }
    return removed;
}

/* Before the connection reads, because SQLite would create a new WAL or index in place of one that was removed: two connections with
 * different indexes do not see each other's locks, and overwrite each other's commits. */
apr_status_t cat_sqlite_files_check(cat_connection_t *conn, const cat_log_t *log)
{
    cat_files_t *files = &conn->sqlite->files;
    const char *file = cat_sqlite_file(&conn->handle);
    apr_status_t rv;
    int removed;

    conn->file = *file ? apr_pstrdup(conn->handle.pool, file) : NULL;
    if (!conn->file) {
        return APR_SUCCESS;
    }
    conn->sqlite->knows_wal = 0;
    cat_files_find(files, conn->handle.pool, conn->file);
    rv = check_presence(conn, log, files);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (!cat_file_registry_is_same_file(conn->database->registry, files)) {
        return cat_connection_file_is_gone(conn, log, files->paths[CAT_FILE_DATABASE]);
    }
    removed = find_removed(conn->database->registry, files);
    if (removed != CAT_FILES) {
        return files->error ? log_unseen(conn, log, files)
                            : cat_connection_file_is_gone(conn, log, files->paths[removed]);
    }
    cat_files_mend(files);
    return protect_new_file(conn->file, conn->handle.pool);
}

void cat_sqlite_files_note_wal(cat_connection_t *conn)
{
    cat_files_t *files = &conn->sqlite->files;

    cat_files_look(files);
    if (files->identities[CAT_FILE_WAL] && files->identities[CAT_FILE_INDEX]) {
        cat_file_registry_note_wal(conn->database->registry, files);
        conn->sqlite->has_readonly_index = cat_sqlite_has_readonly_index(&conn->handle);
        conn->sqlite->knows_wal = 1;
    }
}

/* While a connection is open, SQLite neither deletes the files nor creates others: somebody else has. */
apr_status_t cat_sqlite_files_compare(cat_connection_t *conn, const cat_log_t *log)
{
    cat_sqlite_connection_t *sqlite = conn->sqlite;
    cat_files_t files = sqlite->files;
    apr_time_t now = apr_time_now();

    if (!conn->file || (now >= sqlite->looked && now - sqlite->looked < INTERVAL)) {
        return APR_SUCCESS;
    }
    cat_files_look(&files);
    if (files.error) {
        return log_unseen(conn, log, &files);
    }
    for (int i = 0; i < (sqlite->knows_wal ? CAT_FILES : CAT_FILE_WAL); i++) {
        if (sqlite->files.identities[i] != files.identities[i]) {
            return cat_connection_file_is_gone(conn, log, files.paths[i]);
        }
    }
    if (!cat_file_registry_is_same_file(conn->database->registry, &files)) {
        return cat_connection_file_is_gone(conn, log, files.paths[CAT_FILE_DATABASE]);
    }
    sqlite->looked = now;
    return APR_SUCCESS;
}

/* SQLite copies the WAL to the database when the last connection is closed. Of processes that close theirs at the same time none may
 * be the last one; then the WAL stays, and nothing is lost unless somebody has deleted it. */
apr_status_t cat_sqlite_files_save_wal(void *connection)
{
    cat_connection_t *conn = connection;

    if (conn->sqlite->knows_wal) {
        cat_files_look(&conn->sqlite->files);
        if (!conn->sqlite->files.identities[CAT_FILE_WAL] && !conn->sqlite->files.error) {
            cat_sqlite_checkpoint(&conn->handle);
        }
    }
    return APR_SUCCESS;
}
