/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "db/sqlite/sqlite.h"
#include "db/sqlite/sqlite_native.h"

static void test_file_is_the_path_or_empty(void **state)
{
    unit_database_t *database = unit_database(*state), *memory = unit_database_make(*state, ":memory:");
    cat_db_handle_t handle;

    assert_string_equal(cat_sqlite_file(&unit_connect(unit_database_use(*state, database), CAT_TO_READ)->handle),
                        database->path);
    assert_int_equal(cat_source_open(memory->source, *state, 1, &memory->log, &handle), APR_SUCCESS);
    assert_string_equal(cat_sqlite_file(&handle), "");
    cat_source_close(memory->source, &handle);
}

static void test_begin_says_why_it_failed(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    cat_fault_t fault;
    sqlite3 *other;

    assert_int_equal(cat_sqlite_begin(&conn->handle, conn->sqlite->reader, apr_time_now(), &fault), APR_SUCCESS);
    assert_int_equal(sqlite3_open(database->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_BUSY);
    sqlite3_close(other);
    assert_int_equal(cat_sqlite_begin(&conn->handle, conn->sqlite->reader, apr_time_now(), &fault), CAT_EDOWN);
    assert_int_equal(fault.result, SQLITE_ERROR);
    assert_string_equal(fault.text, sqlite3_errstr(SQLITE_ERROR));
    cat_connection_roll_back(conn);
}

static void test_wal_of_64_mib_is_copied(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_READ);
    const char *pages = NULL;

    assert_int_equal(cat_connection_ask(conn, *state, "PRAGMA wal_autocheckpoint", &pages), APR_SUCCESS);
    assert_int_equal(atoi(pages) * 4096, 64 * 1024 * 1024);
}

static int pages_in_memory(const cat_connection_t *conn)
{
    sqlite3 *sqlite = apr_dbd_native_handle(conn->handle.driver, conn->handle.dbd);
    int octets = 0, highest;

    assert_int_equal(sqlite3_db_status(sqlite, SQLITE_DBSTATUS_CACHE_USED, &octets, &highest, 0), SQLITE_OK);
    return octets / 4096;
}

/* By default a transaction writes to the WAL what exceeds the cache of 500 pages. */
static void test_transaction_keeps_up_to_32_mib_of_pages(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_WRITE);
    const char *fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                       " INSERT INTO filled SELECT zeroblob(4000) FROM n";

    assert_int_equal(cat_connection_send(conn, "BEGIN IMMEDIATE"), APR_SUCCESS);
    assert_int_equal(cat_connection_send(conn, "CREATE TABLE filled (page BLOB)"), APR_SUCCESS);
    assert_int_equal(cat_connection_send(conn, fill), APR_SUCCESS);
    assert_in_range(pages_in_memory(conn), 5000, 6000);
    assert_int_equal(cat_connection_send(conn, fill), APR_SUCCESS);
    assert_in_range(pages_in_memory(conn), 8000, 9000);
    cat_connection_roll_back(conn);
}

static void test_writable_database_has_no_obstacle(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    assert_null(cat_sqlite_find_obstacle(&conn->handle, &conn->sqlite->files));
    assert_false(cat_sqlite_has_readonly_index(&conn->handle));
}

static void test_truncated_file_is_an_obstacle(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    unit_database_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    assert_null(cat_sqlite_find_obstacle(&conn->handle, &conn->sqlite->files));
    assert_int_equal(truncate(database->path, 4096), 0);
    unit_says(cat_sqlite_find_obstacle(&conn->handle, &conn->sqlite->files), "shorter than its header says");
}

static void test_full_database_is_an_obstacle(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    assert_int_equal(cat_connection_ask(conn, *state, "PRAGMA max_page_count = 1", NULL), APR_SUCCESS);
    unit_says(cat_sqlite_find_obstacle(&conn->handle, &conn->sqlite->files), "max_page_count");
}

static void test_readonly_file_is_an_obstacle(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);
    cat_files_t missing = conn->sqlite->files;

    missing.paths[CAT_FILE_DATABASE] = "/nowhere/catalog.db"; /* chmod would not keep root from writing */
    unit_says(cat_sqlite_find_obstacle(&conn->handle, &missing), "read-only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_file_is_the_path_or_empty),         UNIT_TEST(test_begin_says_why_it_failed),
        UNIT_TEST(test_wal_of_64_mib_is_copied),           UNIT_TEST(test_transaction_keeps_up_to_32_mib_of_pages),
        UNIT_TEST(test_writable_database_has_no_obstacle), UNIT_TEST(test_truncated_file_is_an_obstacle),
        UNIT_TEST(test_full_database_is_an_obstacle),      UNIT_TEST(test_readonly_file_is_an_obstacle),
    };
    return UNIT_RUN(tests);
}
