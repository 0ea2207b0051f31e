/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

static apr_uint64_t read_state(cat_wal_index_t *index)
{
    apr_uint64_t state;

    assert_true(cat_wal_index_read(index, apr_time_now(), &state));
    return state;
}

static cat_wal_index_t *create_index(apr_pool_t *pool)
{
    cat_wal_index_t *index;

    assert_int_equal(cat_wal_index_create(&index, pool), APR_SUCCESS);
    return index;
}

static void test_each_commit_changes_the_state(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    apr_uint64_t first = read_state(database->source->wal_index), second, third;

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    second = read_state(database->source->wal_index);
    assert_true(first != second);
    unit_database_sql(database, "DELETE FROM products"); /* a foreign commit */
    third = read_state(database->source->wal_index);
    assert_true(second != third && first != third);
    unit_database_sql(database, "SELECT COUNT(*) FROM products");
    assert_true(read_state(database->source->wal_index) == third);
}

/* SQLite keeps the index only while a connection is open that has read. */
static void test_state_is_known_while_the_index_is_held(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_wal_index_t *index = create_index(*state);
    cat_generations_t *generations = database->source->generations;
    cat_stamp_t before = cat_generations_read(generations, NULL);
    apr_uint64_t ignored;

    assert_false(cat_wal_index_read(index, apr_time_now(), &ignored));
    assert_true(cat_wal_index_hold(index, generations, database->path, &database->log));
    assert_true(cat_generations_read(generations, NULL).epoch != before.epoch); /* earlier commits are unknown */
    assert_true(cat_wal_index_hold(index, generations, database->path, &database->log));
    assert_true(read_state(index) == read_state(database->source->wal_index));
    cat_wal_index_release(index);
    read_state(index);
    cat_wal_index_release(index);
    assert_false(cat_wal_index_read(index, apr_time_now(), &ignored));
}

static void test_unknown_index_is_not_used(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *directory = unit_directory(*state), *path;
    char zeros[32768] = {0};

    assert_false(cat_wal_index_hold(create_index(*state), database->source->generations,
                                    apr_pstrcat(*state, directory, "/none.db", NULL), &database->log));
    unit_says(database->logged, "CAT057");
    database->logged[0] = '\0';
    path = unit_write(*state, directory, "other.db", 0600, "", 0);
    unit_write(*state, directory, "other.db-shm", 0600, zeros, sizeof(zeros));
    assert_false(cat_wal_index_hold(create_index(*state), database->source->generations, path, &database->log));
    unit_says(database->logged, "CAT057");
}

static void test_replaced_files_are_noticed_within_a_second(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_wal_index_t *index = database->source->wal_index;
    const char *moved = apr_pstrcat(*state, database->path, ".moved", NULL);
    apr_uint64_t ignored;

    read_state(index);
    assert_int_equal(rename(database->path, moved), 0);
    assert_false(cat_wal_index_read(index, apr_time_now() + apr_time_from_sec(2), &ignored));
    assert_int_equal(rename(moved, database->path), 0);
    assert_true(cat_wal_index_read(index, apr_time_now() + apr_time_from_sec(2), &ignored));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_commit_changes_the_state),
        UNIT_TEST(test_state_is_known_while_the_index_is_held),
        UNIT_TEST(test_unknown_index_is_not_used),
        UNIT_TEST(test_replaced_files_are_noticed_within_a_second),
    };
    return UNIT_RUN(tests);
}
