/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "db/sqlite/sqlite_native.h"

static void test_ask_returns_the_first_value(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_READ);
    const char *value = "";

    assert_int_equal(cat_connection_ask(conn, *state, "SELECT 'a', 'b' UNION SELECT 'c', 'd'", &value), APR_SUCCESS);
    assert_string_equal(value, "a");
    assert_int_equal(cat_connection_ask(conn, *state, "SELECT 1 WHERE 0", &value), APR_SUCCESS);
    assert_null(value);
    assert_int_equal(cat_connection_ask(conn, *state, "SELECT 1", NULL), APR_SUCCESS);
}

static void test_failure_is_logged_on_request(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    assert_int_equal(cat_connection_send(conn, "DELETE FROM nowhere"), CAT_EDOWN);
    assert_string_equal(database->logged, "");
    cat_connection_log_fault(conn, &database->log, CAT_LOG_ERROR);
    unit_says(database->logged, "CAT003");
    unit_says(database->logged, "no such table: nowhere");
    assert_false(conn->is_lost);
}

static void test_connection_knows_its_transaction(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);

    assert_int_equal(cat_connection_begin(conn, apr_time_now()), APR_SUCCESS);
    assert_true(conn->in_transaction);
    assert_int_equal(cat_connection_send(conn, "DELETE FROM schema_version"), APR_SUCCESS);
    cat_connection_roll_back(conn);
    assert_false(conn->in_transaction);
    assert_string_not_equal(unit_database_sql(database, "SELECT COUNT(*) FROM schema_version"), "0");
    cat_connection_roll_back(conn); /* none is open */
    assert_false(conn->is_lost || conn->is_abandoned);
    assert_int_equal(cat_connection_begin(conn, apr_time_now()), APR_SUCCESS);
    assert_int_equal(cat_connection_commit(conn), APR_SUCCESS);
    assert_false(conn->in_transaction);
}

static void test_begin_waits_for_another_program(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    apr_time_t began;
    sqlite3 *other;

    assert_int_equal(sqlite3_open(database->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    began = apr_time_now();
    assert_int_equal(cat_connection_begin(conn, began + apr_time_from_msec(200)), CAT_EDOWN);
    assert_in_range(apr_time_as_msec(apr_time_now() - began), 150, 10000);
    assert_true(cat_connection_is_locked(conn, CAT_EDOWN));
    assert_false(conn->in_transaction);
    sqlite3_close(other);
    assert_int_equal(cat_connection_begin(conn, apr_time_now()), APR_SUCCESS);
    cat_connection_roll_back(conn);
}

static void test_connection_names_its_file(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    assert_string_equal(cat_connection_file(conn), database->path);
    assert_string_equal(cat_connection_dialect(conn)->driver, "sqlite3");
    assert_int_equal(cat_connection_file_is_gone(conn, &database->log, "/gone.db"), CAT_EDOWN);
    unit_says(database->logged, "CAT006");
    unit_says(database->logged, "/gone.db");
}

static void test_full_database_takes_no_writes(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    assert_true(cat_sqlite_native_takes_writes(conn, &database->log));
    assert_int_equal(cat_connection_ask(conn, *state, "PRAGMA max_page_count = 1", NULL), APR_SUCCESS);
    assert_false(cat_sqlite_native_takes_writes(conn, &database->log));
    unit_says(database->logged, "CAT058");
}

static apr_uint64_t count_pair(unit_database_t *database, cat_metric_t metric, int first, int second)
{
    const int values[] = {first, second, 0};
    const cat_metrics_t *metrics = database->source->database.metrics;

    return *cat_metrics_words(cat_metrics_read(metrics, database->pool), metric,
                              cat_metrics_number(metrics, metric, values));
}

static void test_faults_are_counted_by_their_status(void **state)
{
    static const struct {
        const char *text;
        int kind; /* -1: it is no fault */
    } faults[] = {
        {"no such table: nowhere", CAT_FAULT_FAILED},
        {"UNIQUE constraint failed: products.id", -1},
        {"CHECK constraint failed: rating", CAT_FAULT_VALUE},
        {"schema has changed", -1},
    };
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);

    for (size_t i = 0; i < UNIT_COUNT(faults); i++) {
        double before = unit_database_total(database, CAT_METRIC_FAULTS);
        int kind = faults[i].kind;
        apr_uint64_t own = count_pair(database, CAT_METRIC_FAULTS, CAT_ENGINE_SQLITE3, kind < 0 ? 0 : kind);
        cat_connection_judge(conn, &(cat_fault_t){.result = SQLITE_ERROR, .text = faults[i].text}, "x");
        assert_true(unit_database_total(database, CAT_METRIC_FAULTS) == before + (kind >= 0));
        assert_int_equal(count_pair(database, CAT_METRIC_FAULTS, CAT_ENGINE_SQLITE3, kind < 0 ? 0 : kind),
                         own + (kind >= 0));
    }
    conn->time_limit = 1;
    cat_connection_judge(conn, &(cat_fault_t){.result = SQLITE_INTERRUPT, .text = "interrupted"}, "x");
    assert_int_equal(count_pair(database, CAT_METRIC_FAULTS, CAT_ENGINE_SQLITE3, CAT_FAULT_SLOW), 1);
    cat_connection_judge(conn, &(cat_fault_t){.result = SQLITE_ERROR, .text = "x", .is_lost = 1}, "x");
    assert_int_equal(count_pair(database, CAT_METRIC_FAULTS, CAT_ENGINE_SQLITE3, CAT_FAULT_LOST), 1);
}

static void test_statements_are_counted(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_WRITE);
    apr_uint64_t commits = count_pair(database, CAT_METRIC_STATEMENTS, CAT_ENGINE_SQLITE3, CAT_STATEMENT_COMMIT);

    assert_int_equal(cat_connection_begin(conn, apr_time_now()), APR_SUCCESS);
    assert_int_equal(cat_connection_commit(conn), APR_SUCCESS);
    assert_int_equal(cat_connection_begin(conn, apr_time_now()), APR_SUCCESS);
    cat_connection_roll_back(conn);
    assert_int_equal(count_pair(database, CAT_METRIC_STATEMENTS, CAT_ENGINE_SQLITE3, CAT_STATEMENT_COMMIT),
                     commits + 1);
    assert_int_equal(count_pair(database, CAT_METRIC_STATEMENTS, CAT_ENGINE_SQLITE3, CAT_STATEMENT_ROLLBACK), 1);
    assert_true(unit_database_total(database, CAT_METRIC_CONNECTIONS) == 0); /* no child, no levels */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_faults_are_counted_by_their_status), UNIT_TEST(test_statements_are_counted),
        UNIT_TEST(test_ask_returns_the_first_value),        UNIT_TEST(test_failure_is_logged_on_request),
        UNIT_TEST(test_connection_knows_its_transaction),   UNIT_TEST(test_begin_waits_for_another_program),
        UNIT_TEST(test_connection_names_its_file),          UNIT_TEST(test_full_database_takes_no_writes),
    };
    return UNIT_RUN(tests);
}
