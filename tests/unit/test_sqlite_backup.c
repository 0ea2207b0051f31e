/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <sqlite3.h>

#include "db/sqlite/sqlite_backup.h"

/* A database of some MiB, in WAL mode. */
static const char *make_database(apr_pool_t *pool, const char *directory)
{
    const char *path = apr_pstrcat(pool, directory, "/catalog.db", NULL);
    sqlite3 *sqlite;

    assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(sqlite,
                     "PRAGMA journal_mode=WAL; CREATE TABLE t (x); WITH RECURSIVE n(i) AS (VALUES (1) UNION "
                     "ALL SELECT i + 1 FROM n WHERE i < 8000) INSERT INTO t SELECT randomblob(4000) FROM n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(sqlite);
    return path;
}

static int count_rows(const char *path)
{
    sqlite3 *sqlite;
    sqlite3_stmt *statement;
    int count;

    assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(sqlite, "SELECT COUNT(*) FROM t", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(sqlite);
    return count;
}

typedef struct writer_t {
    sqlite3 *sqlite;
    int calls;
    int stop_after; /* calls; 0: do not stop */
    apr_int64_t last;
} writer_t;

/* Another connection commits between any two portions. */
static int write_row(void *baton, apr_int64_t done, apr_int64_t total)
{
    writer_t *w = baton;

    assert_true(done >= w->last && done <= total);
    w->last = done;
    assert_int_equal(sqlite3_exec(w->sqlite, "INSERT INTO t VALUES (1)", NULL, NULL, NULL), SQLITE_OK);
    return ++w->calls == w->stop_after;
}

static const char *back_up(apr_pool_t *pool, const char *from, const char *to, writer_t *w)
{
    const char *fault;

    assert_int_equal(sqlite3_open(from, &w->sqlite), SQLITE_OK);
    fault = cat_sqlite_backup_make(pool, from, to, write_row, w);
    sqlite3_close(w->sqlite);
    return fault;
}

static void test_copy_ends_beside_a_writer(void **state)
{
    const char *directory = unit_directory(*state), *from = make_database(*state, directory);
    const char *to = unit_write(*state, directory, "copy.db", 0600, "", 0);
    writer_t w = {0};

    assert_null(back_up(*state, from, to, &w));
    assert_true(w.calls >= 4);
    assert_int_equal(count_rows(to), 8000); /* the state at the beginning */
    assert_int_equal(count_rows(from), 8000 + w.calls);
}

static void test_copy_can_be_stopped(void **state)
{
    const char *directory = unit_directory(*state), *from = make_database(*state, directory);
    const char *to = unit_write(*state, directory, "copy.db", 0600, "", 0);
    writer_t w = {.stop_after = 2};

    assert_string_equal(back_up(*state, from, to, &w), "interrupted");
    assert_int_equal(w.calls, 2);
}

static void test_faults_name_the_file(void **state)
{
    const char *directory = unit_directory(*state), *from = make_database(*state, directory);
    const char *to = unit_write(*state, directory, "copy.db", 0600, "", 0);
    writer_t w = {0};

    unit_says(cat_sqlite_backup_make(*state, apr_pstrcat(*state, directory, "/none.db", NULL), to, write_row, &w),
              "/none.db: unable to open");
    unit_says(
        cat_sqlite_backup_make(*state, from, apr_pstrcat(*state, directory, "/none/copy.db", NULL), write_row, &w),
        "/none/copy.db: unable to open");
    unit_says(cat_sqlite_backup_make(*state, unit_write(*state, directory, "text", 0600, "no database at all", 18), to,
                                     write_row, &w),
              "/text: file is not a database");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_copy_ends_beside_a_writer),
        UNIT_TEST(test_copy_can_be_stopped),
        UNIT_TEST(test_faults_name_the_file),
    };
    return UNIT_RUN(tests);
}
