/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_database.h"

static void test_pool_returns_its_settings(void **state)
{
    const cat_connector_t other = {0};
    const char *driver, *params;

    assert_true(cat_pool_settings(cat_pool_create(*state, "sqlite3", "/a.db"), &driver, &params));
    assert_string_equal(driver, "sqlite3");
    assert_string_equal(params, "/a.db");
    assert_false(cat_pool_settings(cat_source_create(*state, "other", &other, NULL), &driver, &params));
}

static void test_idle_connection_is_used_again(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_handle_t first, second, third;

    assert_int_equal(cat_source_open(database->source, *state, 2, &database->log, &first), APR_SUCCESS);
    assert_int_equal(cat_source_open(database->source, *state, 2, &database->log, &second), APR_SUCCESS);
    assert_ptr_not_equal(first.dbd, second.dbd);
    cat_source_close(database->source, &first);
    assert_int_equal(cat_source_open(database->source, *state, 2, &database->log, &third), APR_SUCCESS);
    assert_ptr_equal(third.pool, first.pool);
    cat_source_close(database->source, &second);
    cat_source_close(database->source, &third);
}

/* Without a schema, because statements prepared on a connection would keep SQLite from closing it. */
static void test_reopened_connection_is_another_one(void **state)
{
    const char *path = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    unit_database_t *database = unit_database_make(*state, path);
    cat_db_handle_t handle;
    apr_dbd_results_t *results = NULL;
    int changed;

    assert_int_equal(cat_source_open(database->source, *state, 1, &database->log, &handle), APR_SUCCESS);
    assert_int_equal(apr_dbd_query(handle.driver, handle.dbd, &changed, "CREATE TEMP TABLE mine (id TEXT)"), 0);
    assert_int_equal(cat_source_reopen(database->source, &handle, NULL), APR_SUCCESS);
    assert_int_not_equal(apr_dbd_select(handle.driver, *state, handle.dbd, &results, "SELECT * FROM mine", 1), 0);
    cat_source_close(database->source, &handle);
    assert_int_equal(cat_source_open(database->source, *state, 1, &database->log, &handle), APR_SUCCESS);
    cat_source_close(database->source, &handle);
}

static void test_cause_of_a_failure_is_logged(void **state)
{
    const char *path = apr_pstrcat(*state, unit_directory(*state), "/none/catalog.db", NULL);
    unit_database_t *database = unit_database_make(*state, path);
    cat_db_handle_t handle;

    assert_int_equal(cat_source_open(database->source, *state, 1, &database->log, &handle), CAT_EDOWN);
    unit_says(database->logged, "CAT002");
    unit_says(database->logged, "there is no directory");
    assert_int_equal(cat_source_open(database->source, *state, 1, &database->log, &handle),
                     CAT_EDOWN); /* no permit is lost */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pool_returns_its_settings),
        UNIT_TEST(test_idle_connection_is_used_again),
        UNIT_TEST(test_reopened_connection_is_another_one),
        UNIT_TEST(test_cause_of_a_failure_is_logged),
    };
    return UNIT_RUN(tests);
}
