/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "db/sqlite/sqlite_native.h"

/* The rows, columns joined with '|', each row ended by '\n'; NULL as "-". */
typedef struct rows_t {
    apr_pool_t *pool;
    const char *text;
    apr_status_t rv;
} rows_t;

static apr_status_t add_row(void *data, const char *const *values, int count)
{
    rows_t *r = data;

    for (int i = 0; i < count; i++) {
        r->text = apr_pstrcat(r->pool, r->text, values[i] ? values[i] : "-", i + 1 < count ? "|" : "\n", NULL);
    }
    return r->rv;
}

/* Makes a new reader each time, because a reader keeps the text of its statement. */
static int select_rows(cat_connection_t *conn, const char *text, const char *value, rows_t *r, int *rows)
{
    cat_sqlite_reader_t *reader = cat_sqlite_reader_make(&conn->handle);
    const cat_select_t select = {.sql = SQL_HEALTH, .values = &value, value != NULL, add_row, r};
    apr_status_t rv;
    int result = cat_sqlite_reader_select(reader, text, &select, &rv, rows);

    assert_int_equal(rv, *rows ? r->rv : APR_SUCCESS);
    return result;
}

static void test_values_are_texts(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_READ);
    const struct {
        const char *text, *value, *rows;
    } cases[] = {
        {"SELECT 0, -1, 9223372036854775807, -9223372036854775808", NULL,
         "0|-1|9223372036854775807|-9223372036854775808\n"},
        {"SELECT 1.5, NULL, '', 'text'", NULL, "1.5|-||text\n"},
        {"SELECT %s, %s IS NULL", "it''s", NULL},
        {"SELECT %s", "it's", "it's\n"},
        {"SELECT 7 %% 4, %s", "%", "3|%\n"},
        {"SELECT 1 UNION SELECT 2 ORDER BY 1", NULL, "1\n2\n"},
        {"SELECT 1 WHERE 0", NULL, ""},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        rows_t r = {.pool = *state, .text = ""};
        int rows, result = select_rows(conn, cases[i].text, cases[i].value, &r, &rows);

        assert_int_equal(result, cases[i].rows ? SQLITE_OK : SQLITE_RANGE);
        assert_string_equal(r.text, cases[i].rows ? cases[i].rows : "");
    }
}

static void test_failures_before_the_first_row_are_returned(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_READ);
    char *longer = apr_palloc(*state, 4000);
    const char *wide = "SELECT 1";
    rows_t r = {.pool = *state, .text = ""};
    int rows;

    memset(longer, ' ', 3999);
    longer[3999] = '\0';
    assert_int_equal(select_rows(conn, "SELECT nothing FROM nowhere", NULL, &r, &rows), SQLITE_ERROR);
    assert_int_equal(rows, 0);
    assert_int_equal(select_rows(conn, longer, NULL, &r, &rows), SQLITE_TOOBIG);
    for (int columns = 1; columns <= CAT_COLUMNS_MAX; columns++) {
        wide = apr_pstrcat(*state, wide, ",1", NULL);
    }
    assert_int_equal(select_rows(conn, wide, NULL, &r, &rows), SQLITE_RANGE);
    assert_string_equal(r.text, "");
}

/* SQLite cannot compute the second row, but the caller has already seen the first. */
static void test_failure_after_a_row_is_returned(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_READ);
    rows_t r = {.pool = *state, .text = ""};
    int rows;

    assert_int_not_equal(select_rows(conn, "SELECT 1 UNION ALL SELECT abs(-9223372036854775808)", NULL, &r, &rows),
                         SQLITE_OK);
    assert_int_equal(rows, 1);
    assert_string_equal(r.text, "1\n");
}

static void test_row_function_stops_the_select(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_connection_t *conn = unit_connect(unit_database_use(*state, database), CAT_TO_READ);
    rows_t r = {.pool = *state, .text = "", .rv = CAT_ENOUGH};
    int rows;

    assert_int_equal(select_rows(conn, "SELECT 1 UNION SELECT 2 ORDER BY 1", NULL, &r, &rows), SQLITE_OK);
    assert_int_equal(rows, 1);
    assert_string_equal(r.text, "1\n");
    unit_database_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)"); /* waits for readers */
}

static int count_statements(const cat_connection_t *conn)
{
    sqlite3 *sqlite = apr_dbd_native_handle(conn->handle.driver, conn->handle.dbd);
    int count = 0;

    for (sqlite3_stmt *statement = NULL; (statement = sqlite3_next_stmt(sqlite, statement));) {
        count++;
    }
    return count;
}

static void test_detached_reader_prepares_again(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_READ);
    cat_sqlite_reader_t *reader = cat_sqlite_reader_make(&conn->handle);
    rows_t r = {.pool = *state, .text = ""};
    const cat_select_t select = {.sql = SQL_HEALTH, .row = add_row, .baton = &r};
    int rows, others = count_statements(conn);
    apr_status_t rv;

    assert_int_equal(cat_sqlite_reader_select(reader, "SELECT 1", &select, &rv, &rows), SQLITE_OK);
    assert_int_equal(count_statements(conn), others + 1);
    cat_sqlite_reader_detach(reader);
    assert_int_equal(count_statements(conn), others);
    cat_sqlite_reader_attach(reader, &conn->handle);
    assert_int_equal(cat_sqlite_reader_select(reader, "SELECT 2", &select, &rv, &rows), SQLITE_OK);
    assert_string_equal(r.text, "1\n2\n");
    cat_sqlite_reader_detach(NULL);
    cat_sqlite_reader_attach(NULL, &conn->handle);
}

static void test_transactions_begin_and_end(void **state)
{
    cat_connection_t *conn = unit_connect(unit_database_use(*state, unit_database(*state)), CAT_TO_WRITE);
    sqlite3 *sqlite = apr_dbd_native_handle(conn->handle.driver, conn->handle.dbd);

    for (int i = 0; i < 2; i++) {
        assert_int_equal(cat_sqlite_reader_control(conn->sqlite->reader, CAT_SQLITE_BEGIN_WRITE), SQLITE_OK);
        assert_false(sqlite3_get_autocommit(sqlite));
        assert_int_equal(cat_sqlite_reader_control(conn->sqlite->reader, CAT_SQLITE_COMMIT), SQLITE_OK);
        assert_true(sqlite3_get_autocommit(sqlite));
        assert_int_equal(cat_sqlite_reader_control(conn->sqlite->reader, CAT_SQLITE_BEGIN_VIEW), SQLITE_OK);
        assert_false(sqlite3_get_autocommit(sqlite));
        assert_int_equal(cat_sqlite_reader_control(conn->sqlite->reader, CAT_SQLITE_ROLL_BACK), SQLITE_OK);
        assert_true(sqlite3_get_autocommit(sqlite));
    }
    assert_int_equal(cat_sqlite_reader_control(conn->sqlite->reader, CAT_SQLITE_COMMIT), SQLITE_ERROR);
    unit_says(cat_sqlite_reader_error(conn->sqlite->reader), "no transaction is active");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_values_are_texts),
        UNIT_TEST(test_failures_before_the_first_row_are_returned),
        UNIT_TEST(test_failure_after_a_row_is_returned),
        UNIT_TEST(test_row_function_stops_the_select),
        UNIT_TEST(test_detached_reader_prepares_again),
        UNIT_TEST(test_transactions_begin_and_end),
    };
    return UNIT_RUN(tests);
}
