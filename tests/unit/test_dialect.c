/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "db/dialects/dialect.h"
#include "db/dialects/status.h"

static const char *const drivers[] = {"sqlite3", "mysql", "pgsql"};

static void test_dialects_are_found_by_their_drivers(void **)
{
    for (size_t i = 0; i < UNIT_COUNT(drivers); i++) {
        const cat_dialect_t *dialect = cat_dialect_find(drivers[i]);
        assert_string_equal(dialect->driver, drivers[i]);
        assert_int_equal(cat_metrics_find(CAT_LABEL_ENGINE, drivers[i]), dialect->engine);
    }
    assert_null(cat_dialect_find("oracle"));
}

/* A placeholder is a %s; any other % is doubled. */
static void assert_placeholders(const char *name, const char *text)
{
    for (const char *p = text; (p = strchr(p, '%')); p += 2) {
        if (p[1] != 's' && p[1] != '%') {
            fail_msg("%s: %s", name, p);
        }
    }
}

static void test_each_statement_has_name_and_text(void **)
{
    for (size_t i = 0; i < UNIT_COUNT(drivers); i++) {
        for (int sql = 0; sql < SQL_COUNT; sql++) {
            const char *name = cat_dialect_sql_name(sql), *text = cat_dialect_sql(cat_dialect_find(drivers[i]), sql);
            assert_int_equal(strncmp(name, "SQL_", 4), 0);
            assert_non_null(text);
            assert_placeholders(name, text);
        }
    }
}

static void test_missing_parameters_are_named(void **state)
{
    const cat_dialect_t *mysql = cat_dialect_find("mysql");

    assert_null(cat_dialect_lacks(cat_dialect_find("sqlite3"), *state, "/a.db"));
    assert_null(cat_dialect_lacks(mysql, *state, "host=localhost,flags=CLIENT_FOUND_ROWS,reconnect=0"));
    assert_string_equal(cat_dialect_lacks(mysql, *state, "host=localhost,reconnect=0"), ",flags=CLIENT_FOUND_ROWS");
    assert_string_equal(cat_dialect_lacks(mysql, *state, ""), ",reconnect=0,flags=CLIENT_FOUND_ROWS");
}

static void test_each_result_has_a_status(void **)
{
    const struct {
        const char *driver;
        cat_fault_t fault;
        apr_status_t rv;
    } cases[] = {
        {"sqlite3", {.result = 19, .text = "UNIQUE constraint failed: products.id"}, APR_EEXIST},
        {"sqlite3", {.result = 19, .text = "NOT NULL constraint failed: products.name"}, CAT_EVALUE},
        {"sqlite3", {.result = 1, .text = "database schema has changed"}, CAT_EDEAD},
        {"sqlite3", {.result = 13, .text = "database or disk is full"}, CAT_EDOWN},
        {"sqlite3", {.result = 1, .text = "not an error"}, CAT_EDEAD},
        {"sqlite3", {.result = 26, .text = "not an error"}, CAT_EDOWN},
        {"mysql", {.result = 1062, .text = "Duplicate entry"}, APR_EEXIST},
        {"mysql", {.result = 1366, .text = "Incorrect value"}, CAT_EVALUE},
        {"mysql", {.result = 4025, .text = "CONSTRAINT failed"}, CAT_EVALUE},
        {"mysql", {.result = 1615, .text = "Prepared statement needs to be re-prepared"}, CAT_EDEAD},
        {"mysql", {.result = 1213, .text = "Deadlock found"}, CAT_ECONFLICT},
        {"mysql", {.result = 2006, .text = "MySQL server has gone away"}, CAT_ELOST},
        {"mysql", {.result = 1047, .text = "WSREP has not yet prepared node"}, CAT_ENOTREADY},
        {"mysql", {.result = 1969, .text = "Query execution was interrupted (max_statement_time exceeded)"}, CAT_ESLOW},
        {"sqlite3", {.result = 9, .text = "interrupted"}, CAT_ESLOW},
        {"mysql", {.result = 1021, .text = "Disk full"}, CAT_EFULL},
        {"mysql", {.result = 1114, .text = "The table 'products' is full"}, CAT_EFULL},
        {"mysql", {.result = 3, .text = "Error writing file (Errcode: 28 \"No space left on device\")"}, CAT_EFULL},
        {"mysql", {.result = 1180, .text = "Got error 6 during COMMIT"}, CAT_EUNSURE},
        {"mysql", {.result = 1146, .text = "Table doesn't exist"}, CAT_EDOWN},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_int_equal(cat_dialect_find(cases[i].driver)->judge(&cases[i].fault), cases[i].rv);
    }
}

/* All results of its driver are 7, and its texts are in the server's language. */
static void test_each_sqlstate_has_a_status(void **)
{
    const struct {
        const char *state;
        apr_status_t rv;
    } cases[] = {
        {"23505", APR_EEXIST},    /* unique_violation */
        {"23503", CAT_EVALUE},    /* foreign_key_violation */
        {"23514", CAT_EVALUE},    /* check_violation */
        {"22001", CAT_EVALUE},    /* string_data_right_truncation */
        {"22P05", CAT_EVALUE},    /* untranslatable_character */
        {"40001", CAT_ECONFLICT}, /* serialization_failure */
        {"40P01", CAT_ECONFLICT}, /* deadlock_detected */
        {"55P03", CAT_ECONFLICT}, /* lock_not_available */
        {"26000", CAT_EDEAD},     /* invalid_sql_statement_name */
        {"0A000", CAT_EDEAD},     /* feature_not_supported */
        {"42P05", CAT_EDEAD},     /* duplicate_prepared_statement */
        {"08006", CAT_ELOST},     /* connection_failure */
        {"57P01", CAT_ELOST},     /* admin_shutdown */
        {"57P03", CAT_ELOST},     /* cannot_connect_now */
        {"57014", CAT_ESLOW},     /* query_canceled */
        {"25006", CAT_EREADONLY}, /* read_only_sql_transaction */
        {"25P02", CAT_EDOWN},     /* in_failed_sql_transaction */
        {"42P01", CAT_EDOWN},     /* undefined_table */
        {"53100", CAT_EFULL},     /* disk_full */
        {"22", CAT_EVALUE},       {"2", CAT_EDOWN}, {"", CAT_EDOWN}, {NULL, CAT_EDOWN},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const cat_fault_t fault = {.result = 7, .state = cases[i].state, .text = ""};
        assert_int_equal(cat_dialect_find("pgsql")->judge(&fault), cases[i].rv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_dialects_are_found_by_their_drivers), UNIT_TEST(test_each_statement_has_name_and_text),
        UNIT_TEST(test_missing_parameters_are_named),        UNIT_TEST(test_each_result_has_a_status),
        UNIT_TEST(test_each_sqlstate_has_a_status),
    };
    return UNIT_RUN(tests);
}
