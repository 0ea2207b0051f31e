/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "db/sqlite/sqlite_native.h"

/* Returns whether the generations have seen the last commit. If not, another program may have made it. */
static int is_seen(unit_database_t *database)
{
    apr_uint64_t state;

    assert_true(cat_wal_index_read(database->source->wal_index, apr_time_now(), &state));
    return cat_generations_seen(database->source->generations) == state;
}

/* Does what a reader does when it notices a foreign commit. */
static void detect_foreign_commit(unit_database_t *database)
{
    cat_generations_t *generations = database->source->generations;
    apr_uint64_t state;

    assert_true(cat_wal_index_read(database->source->wal_index, apr_time_now(), &state));
    assert_true(cat_generations_detect_foreign(generations, cat_generations_seen(generations), state));
    assert_true(is_seen(database));
}

/* Inserts the product "a", then begins a transaction on a connection of db. */
static cat_connection_t *begin_write(cat_db_t *db)
{
    cat_connection_t *conn;

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    conn = unit_connect(db, CAT_TO_WRITE);
    assert_int_equal(cat_connection_begin(conn, apr_time_now()), APR_SUCCESS);
    return conn;
}

static void test_own_writes_differ_from_foreign_ones(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    assert_true(is_seen(database));
    unit_database_sql(database, "UPDATE products SET name = 'Cup'");
    assert_false(is_seen(database));
    detect_foreign_commit(database);
    assert_int_equal(cat_db_exec(db, SQL_PRODUCT_DELETE, CAT_VALUES("a"), NULL), APR_SUCCESS);
    assert_true(is_seen(database));
}

/* SQLite does not write an update that leaves the row unchanged, so the next commit may be a foreign one. */
static void test_foreign_commit_after_an_update_without_effect_is_noticed(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_connection_t *conn = begin_write(db);

    cat_commit_tracker_note(&conn->sqlite->tracker, SQL_PRODUCT_UPDATE);
    assert_int_equal(cat_connection_commit(conn, *state), APR_SUCCESS);
    unit_database_sql(database, "UPDATE products SET name = 'Cup'");
    cat_connection_finish_commit(conn, *state);
    cat_checkout_release(db);
    assert_false(is_seen(database));
    detect_foreign_commit(database);
}

static void test_write_that_matches_nothing_is_seen(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    int matched;

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cat_db_exec(db, SQL_SESSION_DELETE, CAT_VALUES("none", NULL), &matched), APR_SUCCESS);
        assert_int_equal(matched, 0);
        assert_true(is_seen(database));
    }
}

/* No other program can commit between the writer's BEGIN and COMMIT, but it can right after COMMIT. */
static void test_foreign_commit_after_an_own_one_is_noticed(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_connection_t *conn = begin_write(db);

    assert_int_equal(cat_connection_send(conn, "UPDATE products SET name = 'Cup'"), APR_SUCCESS);
    assert_int_equal(cat_connection_commit(conn, *state), APR_SUCCESS);
    unit_database_sql(database, "UPDATE products SET name = 'Bowl'");
    cat_connection_finish_commit(conn, *state);
    assert_false(is_seen(database));
    cat_checkout_release(db);
    detect_foreign_commit(database);
}

static void test_rolled_back_write_is_no_foreign_commit(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    cat_connection_t *conn = begin_write(db);

    assert_int_equal(cat_connection_send(conn, "UPDATE products SET name = 'Cup'"), APR_SUCCESS);
    cat_connection_roll_back(conn);
    cat_checkout_release(db);
    assert_true(is_seen(database));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_own_writes_differ_from_foreign_ones),
        UNIT_TEST(test_foreign_commit_after_an_update_without_effect_is_noticed),
        UNIT_TEST(test_write_that_matches_nothing_is_seen),
        UNIT_TEST(test_foreign_commit_after_an_own_one_is_noticed),
        UNIT_TEST(test_rolled_back_write_is_no_foreign_commit),
    };
    return UNIT_RUN(tests);
}
