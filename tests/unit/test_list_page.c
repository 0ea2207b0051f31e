/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of all products, wherever they begin: their products, the total, and how many rows the database reads for them.
 * test_list_page [DRIVER PARAMS]: the last of these on another database, which must be empty.
 */
#include "unit_products.h"
#include "unit_transactions.h"

#include <apr_dbd.h>

#include "catalogue/list/list_page.h"

static const char *driver = "sqlite3", *params;

#define PRODUCTS 2600

typedef struct rows_t {
    int next; /* the number that the next row must have */
    int count;
} rows_t;

static apr_status_t expect_row(void *baton, const char *const *values, int count)
{
    rows_t *rows = baton;

    assert_int_equal(count, CAT_PRODUCT_COLUMNS);
    assert_int_equal(atoi(values[CAT_PRODUCT_NAME]), rows->next);
    rows->next--;
    rows->count++;
    return APR_SUCCESS;
}

/* Reads the page, checks each row and returns the number of rows. */
static int read_page(unit_database_t *database, apr_int64_t page, apr_int64_t limit, apr_int64_t total)
{
    cat_list_query_t query = {.page = page, .limit = limit};
    rows_t rows = {.next = page <= total / limit + 1 ? (int)(total - 1 - (page - 1) * limit) : -1};
    apr_int64_t read_total = -1;
    apr_pool_t *pool;

    apr_pool_create(&pool, database->pool);
    assert_int_equal(cat_list_page_read(unit_database_use(pool, database), &query, expect_row, &rows, &read_total),
                     APR_SUCCESS);
    apr_pool_destroy(pool);
    assert_int_equal(read_total, total);
    return rows.count;
}

static void test_pages_of_an_empty_catalogue_are_empty(void **state)
{
    unit_database_t *database = unit_database(*state);

    assert_int_equal(read_page(database, 1, 10, 0), 0);
    assert_int_equal(read_page(database, 2, 10, 0), 0);
    assert_int_equal(read_page(database, APR_INT64_MAX, 10, 0), 0);
}

static void read_all_pages(unit_database_t *database, int limit)
{
    int pages = (PRODUCTS + limit - 1) / limit, last = PRODUCTS - (pages - 1) * limit;

    for (int page = 1; page <= pages; page++) {
        assert_int_equal(read_page(database, page, limit, PRODUCTS), page < pages ? limit : last);
    }
    assert_int_equal(read_page(database, pages + 1, limit, PRODUCTS), 0);
    assert_int_equal(read_page(database, APR_INT64_MAX, limit, PRODUCTS), 0);
}

static void test_reads_pages_of_few_products(void **state)
{
    unit_database_t *database = unit_database(*state);

    unit_products_insert(database, 0, PRODUCTS);
    read_all_pages(database, 17);
    read_all_pages(database, 100);
}

/* Stops the reading. Its status is the result. */
static apr_status_t refuse_row(void *baton, const char *const *, int)
{
    ++*(int *)baton;
    return CAT_EBUSY;
}

static void test_row_function_may_stop_the_reading(void **state)
{
    unit_database_t *database = unit_database(*state);
    int rows = 0;
    apr_int64_t total;

    unit_products_insert(database, 0, 100);
    assert_int_equal(cat_list_page_read(unit_database_use(*state, database), &(cat_list_query_t){.page = 1, .limit = 9},
                                        refuse_row, &rows, &total),
                     CAT_EBUSY);
    assert_int_equal(rows, 1);
}

/* ---- what a page costs ---- */

#define MANY 9000     /* products */
#define NEAR_END 2000 /* so far from an end, the rows before a page are read in the index */

/* Rows that the database reads beside those between the page and the nearer end of the list: several times those of the page. */
#define NEAR_ROWS 100

/* Of SQLite's virtual machine, which does not count rows. A row in an index takes six or fewer. */
#define STEPS_PER_ROW 8

typedef struct engine_t {
    apr_pool_t *pool;
    unit_database_t *database;
    apr_int64_t steps; /* SQLite's, of statements that have ended */
} engine_t;

static int count_steps(unsigned, void *baton, void *statement, void *)
{
    engine_t *e = baton;

    e->steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

/* The database has one connection, so what is set or counted for that is so for all reads. */
static engine_t *make_engine(apr_pool_t *pool)
{
    engine_t *e = apr_pcalloc(pool, sizeof(*e));
    const char *file = params ? params : apr_pstrcat(pool, unit_directory(pool), "/catalog.db", NULL);
    cat_db_t *db;
    cat_connection_t *conn;

    e->pool = pool;
    e->database = unit_database_make_for(pool, driver, file);
    e->database->conf.max_connections = 1;
    unit_database_migrate(e->database);
    e->database->logged[0] = '\0';
    unit_products_insert(e->database, 0, MANY);
    unit_products_maintain(e->database);
    db = unit_database_use(pool, e->database);
    conn = unit_connect(db, CAT_TO_READ);
    if (!strcmp(driver, "pgsql")) {
        assert_int_equal(cat_connection_send(conn, "ANALYZE products"), APR_SUCCESS);
    } else if (!strcmp(driver, "sqlite3")) {
        sqlite3 *sqlite = apr_dbd_native_handle(db->use->handle.driver, db->use->handle.dbd);
        assert_int_equal(sqlite3_trace_v2(sqlite, SQLITE_TRACE_PROFILE, count_steps, e), SQLITE_OK);
    }
    cat_db_release(db);
    return e;
}

static apr_int64_t ask_number(engine_t *e, const char *text)
{
    cat_db_t *db = unit_database_use(e->pool, e->database);
    const char *value;

    assert_int_equal(cat_connection_ask(unit_connect(db, CAT_TO_READ), e->pool, text, &value), APR_SUCCESS);
    cat_db_release(db);
    return value ? apr_atoi64(value) : 0;
}

/* How many rows the session has read so far. MariaDB counts those of this question, too. */
static apr_int64_t count_rows(engine_t *e)
{
    if (!strcmp(driver, "mysql")) {
        return ask_number(e, "SELECT CAST(SUM(variable_value) AS SIGNED) FROM information_schema.session_status"
                             " WHERE variable_name LIKE 'HANDLER_READ%'");
    }
    if (!strcmp(driver, "pgsql")) {
        ask_number(e, "SELECT CAST(pg_stat_force_next_flush() AS TEXT)");
        return ask_number(e, "SELECT (SELECT SUM(seq_tup_read) FROM pg_stat_user_tables)"
                             " + (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes)");
    }
    return e->steps / STEPS_PER_ROW;
}

static void check_cost(engine_t *e, apr_int64_t page, int limit, apr_int64_t most)
{
    apr_int64_t before = count_rows(e), own = count_rows(e) - before, rows;

    before = count_rows(e);
    read_page(e->database, page, limit, MANY);
    rows = count_rows(e) - before - own;
    if (rows <= 0 || rows > most) {
        fail_msg("page %" APR_INT64_T_FMT " of %d reads %" APR_INT64_T_FMT " rows, not %" APR_INT64_T_FMT, page, limit,
                 rows, most);
    }
}

static void test_reads_few_rows_wherever_the_page_is(void **state)
{
    engine_t *e = make_engine(*state);
    int last = MANY / 10;

    for (int page = 1; page < 200; page += page < 10 ? 1 : 21) {
        check_cost(e, page, 10, 10 * (page - 1) + NEAR_ROWS);
    }
    for (int page = NEAR_END / 10 + 2; page < last; page += 131) {
        int left = MANY - 10 * (page - 1);
        check_cost(e, page, 10, (left < MANY - left ? left : MANY - left) + NEAR_ROWS);
    }
    check_cost(e, last, 10, 10 + NEAR_ROWS);
    check_cost(e, last + 1, 10, NEAR_ROWS);
    assert_string_equal(e->database->logged, "");
}

static int run_on_server(void)
{
    const struct CMUnitTest tests[] = {UNIT_TEST(test_reads_few_rows_wherever_the_page_is)};

    return UNIT_RUN(tests);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_pages_of_an_empty_catalogue_are_empty),
        UNIT_TEST(test_reads_pages_of_few_products),
        UNIT_TEST(test_row_function_may_stop_the_reading),
        UNIT_TEST(test_reads_few_rows_wherever_the_page_is),
    };

    if (count == 3) {
        driver = words[1];
        params = words[2];
        return run_on_server();
    }
    return UNIT_RUN(tests);
}
