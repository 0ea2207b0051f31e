/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_fields.h"

#include "catalogue/search/key_check.h"

/* All steps; the sums of what they found. */
static cat_indexes_portion_t run(unit_database_t *database, cat_indexes_step_t *step)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_indexes_portion_t portion = {.end.n = CAT_LIST_KEY_MAX}, all = {.example = NULL};

    for (int steps = 0; !portion.is_last; steps++) {
        const cat_indexes_position_t from = portion.end;
        assert_true(steps < 20);
        assert_int_equal(step(database->pool, db, &from, &portion), APR_SUCCESS);
        all.rows += portion.rows;
        all.wrong += portion.wrong;
        all.gone += portion.gone;
        all.example = portion.example ? portion.example : all.example;
    }
    cat_db_release(db);
    return all;
}

static void assert_found(unit_database_t *database, cat_indexes_step_t *step, int rows, int wrong, int gone)
{
    cat_indexes_portion_t found = run(database, step);

    assert_int_equal(found.rows, rows);
    assert_int_equal(found.wrong, wrong);
    assert_int_equal(found.gone, gone);
}

#define LINES "sku string unique\nbrand string facet\ntags strings index\n"

static unit_database_t *make_products(apr_pool_t *pool, int count)
{
    unit_database_t *database = unit_fields_database(pool, LINES);

    for (int i = 0; i < count; i++) {
        assert_int_equal(
            unit_fields_insert(database, i,
                               apr_psprintf(pool, "{\"sku\":\"S%d\",\"brand\":\"Acme\",\"tags\":[\"a\",\"b\"]}", i)),
            APR_SUCCESS);
    }
    return database;
}

static void test_what_writers_make_is_right(void **state)
{
    unit_database_t *database = make_products(*state, 250);

    assert_found(database, cat_key_check_compare, 250, 0, 0);
    assert_found(database, cat_key_check_compare_owners, 0, 0, 0);
}

/* Another program has deleted them. */
static void test_keys_of_products_that_are_gone_are_found_and_removed(void **state)
{
    unit_database_t *database = make_products(*state, 250);

    unit_database_sql(database, "DELETE FROM products WHERE name IN ('0', '100', '101', '249')");
    assert_found(database, cat_key_check_compare, 246, 0, 4);
    assert_found(database, cat_key_check_mend, 246, 0, 4);
    assert_found(database, cat_key_check_compare, 246, 0, 0);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_keys"), "984"); /* four of each */
    assert_string_equal(unit_database_sql(database, "SELECT n FROM value_counts"), "246");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_unique"), "246");
}

/* More than a step remembers. */
static void test_many_that_are_gone_are_all_removed(void **state)
{
    unit_database_t *database = make_products(*state, 1300);

    unit_database_sql(database, "DELETE FROM products WHERE name <> '1299'");
    assert_found(database, cat_key_check_mend, 1, 0, 1299);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_keys"), "4");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_unique"), "1");
}

static void test_keys_of_another_number_are_no_products_own(void **state)
{
    unit_database_t *database = make_products(*state, 3);

    unit_database_sql(database, "UPDATE product_keys SET n = 7 WHERE n = (SELECT n FROM products WHERE name = '1')");
    assert_found(database, cat_key_check_compare, 3, 1, 1);
    assert_found(database, cat_key_check_mend, 3, 1, 1);
    assert_found(database, cat_key_check_compare, 3, 0, 0);
    assert_string_equal(unit_database_sql(database, "SELECT n FROM value_counts"), "3");
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM product_unique"), "3");
}

static void test_values_that_no_product_has_are_given_up(void **state)
{
    unit_database_t *database = make_products(*state, 3);

    unit_database_sql(database,
                      "INSERT INTO product_unique (field, value, n) SELECT 1, 'OLD', n FROM products "
                      "WHERE name = '1'; INSERT INTO product_unique (field, value, n) VALUES (1, 'GHOST', 5)");
    assert_found(database, cat_key_check_compare, 3, 1, 0);
    assert_found(database, cat_key_check_compare_owners, 0, 0, 1);
    assert_found(database, cat_key_check_mend, 3, 1, 0);
    assert_found(database, cat_key_check_mend_owners, 0, 0, 1);
    assert_found(database, cat_key_check_compare, 3, 0, 0);
    assert_found(database, cat_key_check_compare_owners, 0, 0, 0);
    assert_string_equal(unit_database_sql(database, "SELECT group_concat(value) FROM product_unique ORDER BY value"),
                        "S0,S1,S2");
    assert_string_equal(database->logged, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_what_writers_make_is_right),
        UNIT_TEST(test_keys_of_products_that_are_gone_are_found_and_removed),
        UNIT_TEST(test_many_that_are_gone_are_all_removed),
        UNIT_TEST(test_keys_of_another_number_are_no_products_own),
        UNIT_TEST(test_values_that_no_product_has_are_given_up),
    };
    return UNIT_RUN(tests);
}
