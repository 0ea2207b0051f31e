/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "db/connection/statement.h"
#include "db/sqlite/sqlite_native.h"

static apr_status_t keep_name(void *name, const char *const *values, int count)
{
    assert_int_equal(count, 8);
    *(char **)name = strdup(values[1]);
    return CAT_ENOUGH;
}

/* NULL: there is no such product. */
static char *select_name(cat_connection_t *conn, apr_pool_t *pool, const char *id)
{
    char *name = NULL;
    const cat_select_t select = {.sql = SQL_PRODUCT_GET, .values = UNIT_IS(id), keep_name, &name};

    assert_int_equal(cat_statement_select(conn, pool, &select), APR_SUCCESS);
    return name;
}

static void assert_name(cat_connection_t *conn, apr_pool_t *pool, const char *id, const char *expected)
{
    char *name = select_name(conn, pool, id);

    assert_string_equal(name, expected);
    free(name);
}

/* In turn through SQLite's own functions and through the driver. */
static void test_schema_change_prepares_again(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    cat_sqlite_reader_t *reader = conn->sqlite->reader;
    int changed;

    for (int i = 0; i < 4; i++) {
        const char *id = apr_itoa(*state, i);
        conn->sqlite->reader = i % 2 ? NULL : reader;
        assert_int_equal(cat_statement_query(conn, *state, SQL_PRODUCT_INSERT, UNIT_PRODUCT(id), &changed),
                         APR_SUCCESS);
        assert_int_equal(changed, 1);
        assert_name(conn, *state, id, "Mug");
        unit_database_sql(database, apr_psprintf(*state, "CREATE TABLE other%d (id TEXT)", i));
    }
    assert_int_equal(unit_count_products(database), 4);
    assert_null(select_name(conn, *state, "none"));
}

static void test_wrong_number_of_values_is_refused(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    const cat_select_t select = {.sql = SQL_PRODUCT_GET, .values = CAT_VALUES("a"), keep_name, NULL};
    int changed;

    assert_int_equal(cat_statement_query(conn, *state, SQL_PRODUCT_DELETE, CAT_VALUES("a"), &changed), CAT_EDOWN);
    cat_connection_log_fault(conn, &database->log, CAT_LOG_ERROR);
    unit_says(database->logged, "SQL_PRODUCT_DELETE takes 2 values, not 1");
    assert_int_equal(cat_statement_select(conn, *state, &select), CAT_EDOWN);
}

static apr_status_t refuse_row(void *calls, const char *const *, int)
{
    ++*(int *)calls;
    return APR_ENOMEM;
}

/* The connection must not stay inside a read, so the remaining rows are drained. */
static void test_failure_of_the_row_function_is_returned(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    cat_sqlite_reader_t *reader = conn->sqlite->reader;

    unit_database_sql(database, "INSERT INTO products (id, name, price, category, in_stock, n) VALUES"
                                " ('a', 'x', 1, 'y', 1, 1), ('b', 'x', 1, 'y', 1, 2)");
    for (int i = 0; i < 2; i++) {
        int calls = 0;
        const cat_select_t select = {.sql = SQL_PRODUCT_LIST_AFTER, .values = CAT_VALUES("9", "9"), refuse_row, &calls};
        conn->sqlite->reader = i ? NULL : reader;
        assert_int_equal(cat_statement_select(conn, *state, &select), APR_ENOMEM);
        assert_int_equal(calls, 1);
        unit_database_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
        assert_int_equal(unit_count_products(database), 2);
    }
}

static void test_each_outcome_of_a_write_has_a_status(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_WRITE);
    int changed;

    assert_int_equal(cat_statement_query(conn, *state, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a"), &changed), APR_SUCCESS);
    assert_int_equal(cat_statement_query(conn, *state, SQL_SESSION_INSERT,
                                         CAT_VALUES("s", "nobody", "1", "1", "1", "", ""), &changed),
                     CAT_EVALUE);
    assert_int_equal(cat_statement_query(
                         conn, *state, SQL_PRODUCT_INSERT,
                         CAT_VALUES("b", NULL, "1", "x", "1", NULL, "1", NULL, NULL, NULL, NULL, NULL, NULL), &changed),
                     CAT_EVALUE);
    assert_int_equal(cat_statement_query(conn, *state, SQL_PRODUCT_DELETE, UNIT_IS("a"), &changed), APR_SUCCESS);
    assert_int_equal(changed, 1);
}

/* In shapes that differ, more of them than a connection keeps. */
static void test_texts_made_at_run_time_are_run(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    int changed;

    assert_int_equal(cat_statement_query(conn, *state, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a"), &changed), APR_SUCCESS);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 100; i++) {
            char *name = NULL;
            const cat_select_t select = {
                .text =
                    apr_psprintf(*state, "SELECT id, name, 3, 4, 5, 6, 7, %d %%%% 7 FROM products WHERE id = %%s", i),
                .values = CAT_VALUES("a"),
                keep_name,
                &name};
            assert_int_equal(cat_statement_select(conn, *state, &select), APR_SUCCESS);
            assert_string_equal(name, "Mug");
            free(name);
        }
        unit_database_sql(database, apr_psprintf(*state, "CREATE TABLE other%d (id TEXT)", round));
    }
}

static void test_faults_of_a_text_made_at_run_time_are_noted(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    const cat_select_t wrong = {.text = "SELECT id FROM nowhere", .row = refuse_row};
    const cat_select_t more = {.text = "SELECT %s", .values = CAT_VALUES("a", "b"), refuse_row, NULL};

    assert_int_equal(cat_statement_select(conn, *state, &wrong), CAT_EDOWN);
    cat_connection_log_fault(conn, &database->log, CAT_LOG_ERROR);
    unit_says(database->logged, "a statement made at run time failed with 1: no such table: nowhere");
    assert_int_equal(cat_statement_select(conn, *state, &more), CAT_EDOWN);
    cat_connection_log_fault(conn, &database->log, CAT_LOG_ERROR);
    unit_says(database->logged, "a statement made at run time takes 1 values, not 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_schema_change_prepares_again),
        UNIT_TEST(test_wrong_number_of_values_is_refused),
        UNIT_TEST(test_failure_of_the_row_function_is_returned),
        UNIT_TEST(test_each_outcome_of_a_write_has_a_status),
        UNIT_TEST(test_texts_made_at_run_time_are_run),
        UNIT_TEST(test_faults_of_a_text_made_at_run_time_are_noted),
    };
    return UNIT_RUN(tests);
}
