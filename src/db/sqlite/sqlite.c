/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of SQLite that apr_dbd does not pass on, on a connection that apr_dbd has opened: BEGIN with a time limit,
 * checkpoints, and the question whether the database would take a write.
 *
 * That question is answered without writing, by what is there: the header of the file, the permissions of the three
 * files, the room on the disk and in the database. A checkpoint that is under way writes the header before the pages that
 * it counts, so a file that looks too short is only believed if the index of the WAL says that none is:
 *
 *     index: backfilled N, attempted N     no checkpoint before ...
 *     file:  header says 100 pages, has 80
 *     index: backfilled N, attempted N     ... nor since: the file was cut
 */
#include "db/sqlite/sqlite.h"

#include <apr_strings.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "db/dialects/status.h"

/* Enough for some commits, and the growth of the WAL. */
#define ROOM_OCTETS (256 * 1024)
#define ROOM_PAGES 4

#define WAL_PAGES 16384

/* Of https://www.sqlite.org/fileformat.html, 1.3: octets in the header, whose numbers are big-endian. */
enum { PAGE_SIZE = 16, WRITE_VERSION = 18, CHANGE_COUNTER = 24, PAGE_COUNT = 28, VALID_FOR = 92, HEADER = 100 };
#define WRITES_WAL 2

/* Of https://www.sqlite.org/walformat.html, 2.1.1: 32-bit words in the index, whose numbers are the machine's. */
enum { BACKFILLED = 24, BACKFILL_ATTEMPTED = 32 };
#define INDEX_REGION 32768

static sqlite3 *sqlite_of(const cat_db_handle_t *handle)
{
    return apr_dbd_native_handle(handle->driver, handle->dbd);
}

const char *cat_sqlite_file(const cat_db_handle_t *handle)
{
    return strcmp(apr_dbd_name(handle->driver), "sqlite3") ? NULL : sqlite3_db_filename(sqlite_of(handle), "main");
}

void cat_sqlite_set_up(const cat_db_handle_t *handle)
{
    sqlite3_wal_autocheckpoint(sqlite_of(handle), WAL_PAGES);
    sqlite3_exec(sqlite_of(handle), "PRAGMA journal_size_limit=100663296", NULL, NULL, NULL);
}

/* On a read-only connection BEGIN IMMEDIATE silently begins a transaction that can only read. */
apr_status_t cat_sqlite_begin(const cat_db_handle_t *handle, cat_sqlite_reader_t *reader, apr_time_t until,
                              cat_fault_t *fault)
{
    sqlite3 *sqlite = sqlite_of(handle);
    apr_time_t now = apr_time_now();
    int result = SQLITE_READONLY;

    if (!sqlite3_db_readonly(sqlite, "main")) {
        sqlite3_busy_timeout(sqlite, until > now ? (int)apr_time_as_msec(until - now) : 0);
        result = cat_sqlite_reader_control(reader, CAT_SQLITE_BEGIN_WRITE);
        /* apr_dbd waits by itself; both waits would multiply, while it holds a mutex of the process. */
        sqlite3_busy_timeout(sqlite, 0);
    }
    if (result == SQLITE_OK) {
        return APR_SUCCESS;
    }
    *fault = (cat_fault_t){.result = result, .text = sqlite3_errstr(result)};
    return result == SQLITE_READONLY ? CAT_ELOST : CAT_EDOWN;
}

/* Returns false for a sync that failed for lack of room: the commit is in the file by then, and may be found there after a crash. */
int cat_sqlite_lacks_room(const cat_db_handle_t *handle)
{
    sqlite3 *sqlite = sqlite_of(handle);
    int code = sqlite3_extended_errcode(sqlite), reason = sqlite3_system_errno(sqlite);

    if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC) {
        return 0;
    }
    code &= 0xff;
    return code == SQLITE_FULL ||
           ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && (reason == ENOSPC || reason == EDQUOT));
}

static int note_frames(void *frames, sqlite3 *, const char *, int count)
{
    *(int *)frames = count;
    return SQLITE_OK;
}

/* SQLite calls one function after a commit: this one, or its own, which copies. */
void cat_sqlite_hold_checkpoint(const cat_db_handle_t *handle, int *frames)
{
    *frames = 0;
    sqlite3_wal_hook(sqlite_of(handle), note_frames, frames);
}

void cat_sqlite_size_cache(const cat_db_handle_t *handle, int is_wide)
{
    sqlite3_exec(sqlite_of(handle), is_wide ? "PRAGMA cache_size=-16000" : "PRAGMA cache_size=-2000", NULL, NULL, NULL);
}

int cat_sqlite_unhold_checkpoint(const cat_db_handle_t *handle, int frames)
{
    sqlite3_wal_autocheckpoint(sqlite_of(handle), WAL_PAGES);
    return frames >= WAL_PAGES;
}

void cat_sqlite_checkpoint(const cat_db_handle_t *handle)
{
    sqlite3_wal_checkpoint_v2(sqlite_of(handle), "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* ---- obstacles to writes ---- */

static sqlite3_file *file_of(sqlite3 *sqlite)
{
    sqlite3_file *file = NULL;

    sqlite3_file_control(sqlite, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : NULL;
}

static apr_uint32_t read_number(const unsigned char *at)
{
    return (apr_uint32_t)at[0] << 24 | (apr_uint32_t)at[1] << 16 | (apr_uint32_t)at[2] << 8 | at[3];
}

/* Through SQLite's own descriptor: closing another one would release the locks that SQLite has on the file. */
static int read_header(sqlite3_file *file, unsigned char header[HEADER])
{
    return file->pMethods->xRead(file, header, HEADER, 0) == SQLITE_OK;
}

/* Other connections write these words concurrently. */
typedef _Atomic apr_uint32_t index_word_t;

/* NULL where there is none. The connection has read, so SQLite has mapped it. */
static const index_word_t *find_index(sqlite3_file *file, int *result)
{
    volatile void *region = NULL; /* as SQLite declares it */
    unsigned char header[HEADER];

    *result = SQLITE_OK;
    if (file->pMethods->iVersion >= 2 && read_header(file, header) && header[WRITE_VERSION] == WRITES_WAL) {
        *result = file->pMethods->xShmMap(file, 0, INDEX_REGION, 0, &region);
    }
    return (const index_word_t *)region;
}

int cat_sqlite_has_readonly_index(const cat_db_handle_t *handle)
{
    sqlite3_file *file = file_of(sqlite_of(handle));
    int result = SQLITE_OK;

    if (file) {
        find_index(file, &result);
    }
    return result == SQLITE_READONLY;
}

/* How many frames of the WAL are in the file. -1: a checkpoint is running, or was interrupted and will be repeated. */
static apr_int64_t count_backfilled(sqlite3_file *file)
{
    int result;
    const index_word_t *index = find_index(file, &result);
    apr_uint32_t backfilled;

    if (!index) {
        return 0;
    }
    backfilled = atomic_load_explicit(&index[BACKFILLED], memory_order_acquire);
    return atomic_load_explicit(&index[BACKFILL_ATTEMPTED], memory_order_acquire) > backfilled
               ? -1
               : (apr_int64_t)backfilled;
}

static int is_shorter_than_header_says(sqlite3_file *file)
{
    unsigned char header[HEADER];
    sqlite3_int64 size = 0, page;

    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) {
        return 0;
    }
    if (size < HEADER) {
        return 1; /* a database with a schema has a first page */
    }
    if (!read_header(file, header) || memcmp(header + CHANGE_COUNTER, header + VALID_FOR, 4) != 0) {
        return 0;
    }
    page = header[PAGE_SIZE] << 8 | header[PAGE_SIZE + 1];
    return size < read_number(header + PAGE_COUNT) * (page == 1 ? 65536 : page);
}

/* A checkpoint writes the first page before those behind the old end of the file, so the header may be ahead while it
 * runs. */
static int is_truncated(sqlite3_file *file)
{
    apr_int64_t before = count_backfilled(file);
    return before >= 0 && is_shorter_than_header_says(file) && count_backfilled(file) == before;
}

static int can_write_files(const cat_files_t *files)
{
    for (int i = 0; i < CAT_FILES; i++) {
        if (access(files->paths[i], W_OK) != 0 && (i == CAT_FILE_DATABASE || errno != ENOENT)) {
            return 0;
        }
    }
    return 1;
}

static int has_room_on_disk(const cat_files_t *files)
{
    struct statvfs disk;
    return statvfs(files->paths[CAT_FILE_DATABASE], &disk) != 0 ||
           (apr_uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_OCTETS;
}

static apr_int64_t ask_number(sqlite3 *sqlite, const char *text)
{
    sqlite3_stmt *statement = NULL;
    apr_int64_t number = 0;

    if (sqlite3_prepare_v2(sqlite, text, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        number = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return number;
}

static int has_room_in_database(sqlite3 *sqlite)
{
    return ask_number(sqlite, "PRAGMA max_page_count") - ask_number(sqlite, "PRAGMA page_count") +
               ask_number(sqlite, "PRAGMA freelist_count") >=
           ROOM_PAGES;
}

const char *cat_sqlite_find_obstacle(const cat_db_handle_t *handle, const cat_files_t *files)
{
    sqlite3 *sqlite = sqlite_of(handle);
    sqlite3_file *file = file_of(sqlite);

    if (file && is_truncated(file)) {
        return "the database file is shorter than its header says";
    }
    if (!can_write_files(files)) {
        return "the database file, or its -wal or -shm file, is read-only";
    }
    if (!has_room_on_disk(files)) {
        return "the disk is full";
    }
    return has_room_in_database(sqlite) ? NULL : "max_page_count is reached";
}
