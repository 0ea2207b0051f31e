/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/search/stock.h"
#include "db/pool/checkout.h"

/* "12 of 30" */
static const char *stock(unit_database_t *database, const char *category)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_stock_t stock;

    assert_int_equal(cat_stock_get(db, category, &stock), APR_SUCCESS);
    cat_db_release(db);
    return apr_psprintf(database->pool, "%" APR_INT64_T_FMT " of %" APR_INT64_T_FMT, stock.in_stock, stock.products);
}

/* "12 of 30, 0 of 0" */
static const char *stock_of_each(unit_database_t *database, const cat_query_value_t *categories, int count)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_stock_t each[3];
    const char *text = "";

    assert_in_range(count, 1, UNIT_COUNT(each));
    assert_int_equal(cat_stock_get_each(db, categories, count, each), APR_SUCCESS);
    cat_db_release(db);
    for (int i = 0; i < count; i++) {
        text = apr_psprintf(database->pool, "%s%s%" APR_INT64_T_FMT " of %" APR_INT64_T_FMT, text, i ? ", " : "",
                            each[i].in_stock, each[i].products);
    }
    return text;
}

static void delete_product(unit_database_t *database, int product)
{
    cat_db_t *db = unit_database_use(database->pool, database);

    assert_int_equal(cat_products_delete_one(db, unit_product_id(database->pool, product), NULL), APR_SUCCESS);
    cat_db_release(db);
}

/* SQLite's statements do not read delta rows, of which it has none; t/products/stock.t reads them. */
static void check_stock(unit_database_t *database, const char *all, const char *light, const char *tea)
{
    static const cat_query_value_t categories[] = {{"Light", "light", 0}, {"None", "none", 0}, {"Tea", "tea", 0}};

    assert_int_equal(unit_products_check(database), 0);
    unit_products_maintain(database);
    assert_string_equal(stock(database, NULL), all);
    assert_string_equal(stock(database, "Light"), light);
    assert_string_equal(stock(database, "Tea"), tea);
    assert_string_equal(stock_of_each(database, categories, 3),
                        apr_pstrcat(database->pool, light, ", 0 of 0, ", tea, NULL));
    assert_int_equal(unit_products_check(database), 0);
}

static void check_writes(unit_database_t *database)
{
    check_stock(database, "0 of 0", "0 of 0", "0 of 0");
    unit_products_insert(database, 0, 30);
    check_stock(database, "30 of 30", "30 of 30", "0 of 0");
    unit_products_update(database, 3, CAT_PRODUCT_IN_STOCK, "0");
    unit_products_update(database, 3, CAT_PRODUCT_IN_STOCK, "0");
    unit_products_update(database, 4, CAT_PRODUCT_IN_STOCK, "0");
    unit_products_update(database, 5, CAT_PRODUCT_NAME, "Lamp");
    check_stock(database, "28 of 30", "28 of 30", "0 of 0");
    unit_products_update(database, 3, CAT_PRODUCT_CATEGORY, "Tea");
    unit_products_update(database, 6, CAT_PRODUCT_CATEGORY, "Tea");
    check_stock(database, "28 of 30", "27 of 28", "1 of 2");
    unit_products_update(database, 4, CAT_PRODUCT_IN_STOCK, "1");
    unit_products_update(database, 3, CAT_PRODUCT_IN_STOCK, "1");
    delete_product(database, 6);
    delete_product(database, 7);
    check_stock(database, "28 of 28", "27 of 27", "1 of 1");
}

static void test_triggers_count(void **state)
{
    unit_database_t *database = unit_database(*state);

    check_writes(database);
    unit_database_sql(database, "UPDATE products SET id = id, in_stock = 0 WHERE category = 'Tea'");
    unit_database_sql(database, "UPDATE products SET name = name || 'x'");
    check_stock(database, "27 of 28", "27 of 27", "0 of 1");
    unit_database_sql(database, "UPDATE products SET category_key = NULL WHERE category = 'Tea'");
    check_stock(database, "27 of 28", "27 of 27", "0 of 0");
}

static void test_delta_rows_count(void **state)
{
    check_writes(unit_products_without_triggers(*state));
}

static apr_status_t rebuild(void *baton)
{
    return cat_counts_rebuild(baton);
}

static void test_check_finds_wrong_counts(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    unit_products_insert(database, 0, 10);
    unit_database_sql(database, "UPDATE product_counts SET in_stock = 11 WHERE name = 'products'");
    assert_int_equal(unit_products_check(database), 1);
    unit_database_sql(database, "UPDATE category_counts SET in_stock = 9");
    assert_int_equal(unit_products_check(database), 2);
    assert_int_equal(cat_db_transact(db, rebuild, db), APR_SUCCESS);
    check_stock(database, "10 of 10", "10 of 10", "0 of 0");
}

/* SQLite finds the largest categories by a ceiling, which no count is above. */
static void test_ceilings_follow_the_counts(void **state)
{
    static const char out_of_bounds[] =
        "SELECT COUNT(*) FROM category_counts WHERE n > ceiling OR ceiling > n + n + 64";
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    for (int end = 1, first = 0; end < 1000; first = end, end *= 3) {
        unit_products_insert(database, first, end);
        assert_string_equal(unit_database_sql(database, out_of_bounds), "0");
    }
    for (int left = 700; left > 0; left /= 2) {
        unit_database_sql(database,
                          apr_psprintf(*state, "DELETE FROM products WHERE CAST(name AS INTEGER) >= %d", left));
        assert_string_equal(unit_database_sql(database, out_of_bounds), "0");
    }
    unit_products_insert(database, 1000, 2000);
    assert_int_equal(cat_db_transact(db, rebuild, db), APR_SUCCESS);
    assert_string_equal(unit_database_sql(database, out_of_bounds), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_triggers_count),
        UNIT_TEST(test_delta_rows_count),
        UNIT_TEST(test_check_finds_wrong_counts),
        UNIT_TEST(test_ceilings_follow_the_counts),
    };
    return UNIT_RUN(tests);
}
