/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "db/dialect.h"
#include "db/status.h"

static const char *const drivers[] = {"sqlite3", "mysql", "pgsql"};

static void test_dialects_are_found_by_their_drivers(void **state)
{
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(drivers); i++) {
        assert_string_equal(cat_dialect_find(drivers[i])->driver, drivers[i]);
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

static void test_each_statement_has_name_and_text(void **state)
{
    (void)state;
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

static void test_each_result_has_a_status(void **state)
{
    const struct {
        const char *driver;
        int result;
        const char *text;
        apr_status_t rv;
    } cases[] = {
        {"sqlite3", 19, "UNIQUE constraint failed: products.id", APR_EEXIST},
        {"sqlite3", 19, "NOT NULL constraint failed: products.name", CAT_EVALUE},
        {"sqlite3", 1, "database schema has changed", CAT_EDEAD},
        {"sqlite3", 13, "database or disk is full", CAT_EDOWN},
        {"sqlite3", 1, "not an error", CAT_EDEAD},
        {"sqlite3", 26, "not an error", CAT_EDOWN},
        {"mysql", 1062, "Duplicate entry", APR_EEXIST},
        {"mysql", 1366, "Incorrect value", CAT_EVALUE},
        {"mysql", 4025, "CONSTRAINT failed", CAT_EVALUE},
        {"mysql", 1615, "Prepared statement needs to be re-prepared", CAT_EDEAD},
        {"mysql", 1213, "Deadlock found", CAT_ECONFLICT},
        {"mysql", 2006, "MySQL server has gone away", CAT_ELOST},
        {"mysql", 1047, "WSREP has not yet prepared node", CAT_ENOTREADY},
        {"mysql", 1146, "Table doesn't exist", CAT_EDOWN},
        {"pgsql", 7, "duplicate key value violates unique constraint", CAT_EDOWN}, /* 7 for every error */
    };

    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_int_equal(cat_dialect_find(cases[i].driver)->judge(cases[i].result, cases[i].text), cases[i].rv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_dialects_are_found_by_their_drivers),
        UNIT_TEST(test_each_statement_has_name_and_text),
        UNIT_TEST(test_missing_parameters_are_named),
        UNIT_TEST(test_each_result_has_a_status),
    };
    return UNIT_RUN(tests);
}
