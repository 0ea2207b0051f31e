/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

static void test_one_row_is_copied(void **state)
{
    cat_db_t *db = unit_database_use(*state, unit_database(*state));
    const char *const *row;

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    assert_int_equal(cat_db_one(db, SQL_PRODUCT_GET, UNIT_IS("a"), &row), APR_SUCCESS);
    cat_db_release(db);
    assert_string_equal(row[1], "Mug");
    assert_null(row[5]);
    assert_int_equal(cat_db_one(db, SQL_PRODUCT_GET, UNIT_IS("b"), &row), APR_NOTFOUND);
    assert_null(row);
}

/* Stops after `most` rows. */
typedef struct reader_t {
    int seen, most;
    apr_status_t stop;
} reader_t;

static apr_status_t count_row(void *data, const char *const *, int)
{
    reader_t *r = data;

    return ++r->seen == r->most ? r->stop : APR_SUCCESS;
}

static void test_row_function_stops_the_rows(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    const struct {
        int most, seen;
        apr_status_t stop, rv;
    } cases[] = {{0, 3, APR_SUCCESS, APR_SUCCESS}, {2, 2, CAT_ENOUGH, APR_SUCCESS}, {1, 1, APR_ENOMEM, APR_ENOMEM}};

    unit_database_sql(database, "INSERT INTO products (id, name, price, category, in_stock, n) VALUES"
                                " ('a', 'x', 1, 'y', 1, 1), ('b', 'x', 1, 'y', 1, 2), ('c', 'x', 1, 'y', 1, 3)");
    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        reader_t r = {.most = cases[i].most, .stop = cases[i].stop};
        assert_int_equal(cat_db_each(db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES("9", "9"), count_row, &r), cases[i].rv);
        assert_int_equal(r.seen, cases[i].seen);
    }
}

static void test_exec_counts_matched_rows(void **state)
{
    cat_db_t *db = unit_database_use(*state, unit_database(*state));
    int changed;

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_EEXIST);
    assert_int_equal(cat_db_exec(db, SQL_PRODUCT_DELETE, UNIT_IS("a"), &changed), APR_SUCCESS);
    assert_int_equal(changed, 1);
    assert_int_equal(cat_db_exec(db, SQL_PRODUCT_DELETE, UNIT_IS("a"), &changed), APR_SUCCESS);
    assert_int_equal(changed, 0);
    assert_int_equal(cat_db_exec(db, SQL_PRODUCT_DELETE, UNIT_IS("a"), NULL), APR_SUCCESS);
}

/* ---- transactions ---- */

typedef struct work_t {
    cat_db_t *db;
    apr_status_t outcome, after_failure;
} work_t;

static apr_status_t insert_two(void *data)
{
    work_t *w = data;

    assert_int_equal(cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
    assert_int_equal(cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("b")), APR_SUCCESS);
    return w->outcome;
}

static void test_transaction_is_all_or_nothing(void **state)
{
    unit_database_t *database = unit_database(*state);
    work_t w = {.db = unit_database_use(*state, database), .outcome = APR_NOTFOUND};

    assert_int_equal(cat_db_transact(w.db, insert_two, &w), APR_NOTFOUND);
    assert_int_equal(unit_count_products(database), 0);
    w.outcome = APR_SUCCESS;
    assert_int_equal(cat_db_transact(w.db, insert_two, &w), APR_SUCCESS);
    assert_int_equal(unit_count_products(database), 2);
}

/* This work ignores the status of its statements. */
static apr_status_t ignore_failure(void *data)
{
    work_t *w = data;
    const char *const *row;

    cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a"));
    cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a"));
    w->after_failure = cat_db_one(w->db, SQL_PRODUCT_GET, UNIT_IS("a"), &row);
    assert_int_equal(cat_db_exec(w->db, SQL_PRODUCT_DELETE, UNIT_IS("a"), NULL), APR_EEXIST);
    return APR_SUCCESS;
}

static void test_first_failure_decides(void **state)
{
    unit_database_t *database = unit_database(*state);
    work_t w = {.db = unit_database_use(*state, database)};

    assert_int_equal(cat_db_transact(w.db, ignore_failure, &w), APR_EEXIST);
    assert_int_equal(w.after_failure, APR_EEXIST);
    assert_int_equal(unit_count_products(database), 0);
}

static apr_status_t insert_without_name(void *data)
{
    const work_t *w = data;

    cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("c"));
    return cat_db_insert(w->db, SQL_PRODUCT_INSERT,
                         CAT_VALUES("d", NULL, "1", "x", "1", NULL, "1", NULL, NULL, NULL, NULL, NULL, NULL));
}

static apr_status_t insert_twice(void *data)
{
    const work_t *w = data;

    cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("c"));
    return cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("c"));
}

static apr_status_t attempt_some(void *data)
{
    work_t *w = data;

    w->outcome = APR_SUCCESS;
    assert_int_equal(cat_db_attempt(w->db, insert_two, w), APR_SUCCESS);
    assert_int_equal(cat_db_attempt(w->db, insert_without_name, w), CAT_EVALUE);
    assert_int_equal(cat_db_attempt(w->db, insert_twice, w), APR_EEXIST);
    assert_int_equal(cat_db_insert(w->db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("e")), APR_SUCCESS);
    return APR_SUCCESS;
}

static void test_attempts_fail_by_themselves(void **state)
{
    unit_database_t *database = unit_database(*state);
    work_t w = {.db = unit_database_use(*state, database)};

    assert_int_equal(cat_db_transact_many(w.db, 100, attempt_some, &w), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, "SELECT group_concat(id, '') FROM products"), "abe");
    unit_says(database->logged, "CAT003");
}

static apr_status_t send_too_few_values(void *data)
{
    const work_t *w = data;
    const char *const *row;

    return cat_db_one(w->db, SQL_PRODUCT_GET, CAT_NO_VALUES, &row);
}

static apr_status_t attempt_fault(void *data)
{
    work_t *w = data;

    w->after_failure = cat_db_attempt(w->db, send_too_few_values, w);
    return cat_db_attempt(w->db, insert_two, w);
}

static void test_attempt_does_not_hide_a_fault(void **state)
{
    unit_database_t *database = unit_database(*state);
    work_t w = {.db = unit_database_use(*state, database)};

    assert_int_equal(cat_db_transact(w.db, attempt_fault, &w), CAT_EDOWN);
    assert_int_equal(w.after_failure, CAT_EDOWN);
    assert_int_equal(unit_count_products(database), 0);
}

static void test_refused_value_is_logged(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT,
                                   CAT_VALUES("a", NULL, "1", "x", "1", NULL, "1", NULL, NULL, NULL, NULL, NULL, NULL)),
                     CAT_EVALUE);
    unit_says(database->logged, "CAT003");
    assert_int_equal(cat_db_insert(db, SQL_PRODUCT_INSERT, UNIT_PRODUCT("a")), APR_SUCCESS);
}

static void test_working_database_takes_writes(void **state)
{
    cat_db_t *db = unit_database_use(*state, unit_database(*state));

    assert_null(cat_db_find_obstacle(db, "1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_one_row_is_copied),
        UNIT_TEST(test_row_function_stops_the_rows),
        UNIT_TEST(test_exec_counts_matched_rows),
        UNIT_TEST(test_transaction_is_all_or_nothing),
        UNIT_TEST(test_first_failure_decides),
        UNIT_TEST(test_attempts_fail_by_themselves),
        UNIT_TEST(test_attempt_does_not_hide_a_fault),
        UNIT_TEST(test_refused_value_is_logged),
        UNIT_TEST(test_working_database_takes_writes),
    };
    return UNIT_RUN(tests);
}
