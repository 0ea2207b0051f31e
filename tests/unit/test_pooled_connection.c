/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include <apr_file_io.h>

#include "db/pool/pooled_connection.h"
#include "db/sqlite/sqlite_native.h"

static void test_state_is_kept_with_the_connection(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_connection_t *conn = unit_connect(db, CAT_TO_READ);
    const char *synchronous = NULL;

    cat_checkout_release(db);
    assert_ptr_equal(unit_connect(db, CAT_TO_WRITE), conn);
    assert_int_equal(cat_connection_ask(conn, *state, "PRAGMA synchronous", &synchronous), APR_SUCCESS);
    assert_string_equal(synchronous, "2"); /* set when the connection was opened */
}

static void test_new_file_is_closed_to_others(void **state)
{
    unit_database_t *database = unit_database(*state);
    struct stat info;

    assert_int_equal(stat(database->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

/* Releases the connection, which stays open so that SQLite keeps the WAL, and reads with it again. */
static apr_status_t read_after(unit_database_t *database, cat_db_t *db)
{
    cat_connection_t *conn = unit_connect(db, CAT_TO_READ);
    const char *const *row;

    conn->sqlite->looked = 0; /* the next use looks at the files */
    cat_checkout_release(db);
    database->logged[0] = '\0';
    return cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row);
}

static void test_removed_files_are_noticed(void **state)
{
    const char *const endings[] = {"", "-wal", "-shm"};

    for (size_t i = 0; i < UNIT_COUNT(endings); i++) {
        unit_database_t *database = unit_database(*state);
        cat_db_t *db = unit_database_use(*state, database);
        const char *path = apr_pstrcat(*state, database->path, endings[i], NULL);

        assert_int_equal(read_after(database, db), APR_SUCCESS);
        assert_int_equal(rename(path, apr_pstrcat(*state, path, ".moved", NULL)), 0);
        assert_int_equal(read_after(database, db), CAT_EDOWN);
        unit_says(database->logged, "CAT006");
        unit_says(database->logged, path);
        assert_int_equal(rename(apr_pstrcat(*state, path, ".moved", NULL), path), 0);
        assert_int_equal(read_after(database, db), APR_SUCCESS);
    }
}

/* Does the database's file, without its WAL, have the table? */
static int has_table(apr_pool_t *pool, const char *path, const char *table)
{
    unit_database_t copy = {.pool = pool, .path = apr_pstrcat(pool, path, ".copy", NULL)};

    assert_int_equal(apr_file_copy(path, copy.path, APR_FILE_SOURCE_PERMS, pool), APR_SUCCESS);
    return unit_database_sql(&copy, apr_psprintf(pool, "SELECT 1 FROM sqlite_master WHERE name = '%s'", table)) != NULL;
}

/* Another connection stays open, so it is not SQLite that copies the WAL. */
static void test_deleted_wal_is_saved(void **state)
{
    const char *path = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    unit_database_t *database;
    apr_pool_t *child;
    sqlite3 *other;

    apr_pool_create(&child, *state);
    database = unit_database_make(child, path);
    unit_database_migrate(database);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "CREATE TABLE saved (n)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(apr_file_remove(apr_pstrcat(*state, path, "-wal", NULL), *state), APR_SUCCESS);
    assert_false(has_table(*state, path, "saved"));
    apr_pool_destroy(child);
    assert_true(has_table(*state, path, "saved"));
    sqlite3_close(other);
}

/* Opening the path would create an empty file. */
static void test_new_connection_notices_a_removed_file(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *first = unit_database_use(*state, database), *second = unit_database_use(*state, database);
    cat_connection_t *conn;

    unit_connect(first, CAT_TO_READ);
    assert_int_equal(rename(database->path, apr_pstrcat(*state, database->path, ".moved", NULL)), 0);
    assert_int_equal(cat_checkout_connect_bare(second, CAT_TO_READ, &conn), CAT_EDOWN);
    unit_says(database->logged, "CAT070");
}

/* As after a failure that may have left the connection unusable. */
static void test_lost_connection_is_opened_anew(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_connection_t *conn = unit_connect(db, CAT_TO_READ);
    const char *const *row;
    const char *value = NULL;

    assert_int_equal(cat_connection_send(conn, "CREATE TEMP TABLE mine (id TEXT)"), APR_SUCCESS);
    conn->is_lost = 1;
    cat_checkout_release(db);
    assert_int_equal(cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row), APR_SUCCESS);
    assert_ptr_equal(unit_connect(db, CAT_TO_READ), conn);
    assert_false(conn->is_lost);
    assert_int_equal(cat_connection_ask(conn, *state, "SELECT COUNT(*) FROM sqlite_temp_master", &value), APR_SUCCESS);
    assert_string_equal(value, "0");
    assert_int_equal(cat_connection_ask(conn, *state, "PRAGMA foreign_keys", &value), APR_SUCCESS);
    assert_string_equal(value, "1");
}

/* As after a ROLLBACK that the database refused. */
static void test_abandoned_transaction_is_ended(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_connection_t *conn = unit_connect(db, CAT_TO_READ);

    assert_int_equal(cat_connection_send(conn, "BEGIN IMMEDIATE"), APR_SUCCESS);
    assert_int_equal(cat_connection_send(conn, "DELETE FROM schema_version"), APR_SUCCESS);
    conn->is_abandoned = 1;
    cat_checkout_release(db);
    assert_ptr_equal(unit_connect(db, CAT_TO_READ), conn);
    assert_false(conn->is_abandoned);
    assert_string_not_equal(unit_database_sql(database, "SELECT COUNT(*) FROM schema_version"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_state_is_kept_with_the_connection),
        UNIT_TEST(test_new_file_is_closed_to_others),
        UNIT_TEST(test_removed_files_are_noticed),
        UNIT_TEST(test_new_connection_notices_a_removed_file),
        UNIT_TEST(test_lost_connection_is_opened_anew),
        UNIT_TEST(test_abandoned_transaction_is_ended),
        UNIT_TEST(test_deleted_wal_is_saved),
    };
    return UNIT_RUN(tests);
}
