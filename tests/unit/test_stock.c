/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include <stdio.h>

#include "catalogue/stock.h"
#include "db/checkout.h"

/* As after step 008 on products of an older version. */
#define NOT_COUNTED                                                                                                    \
    "UPDATE product_counts SET in_stock = CASE level WHEN 4 THEN -1 ELSE 0 END;"                                       \
    "UPDATE category_counts SET in_stock = 0, category_key = NULL"

/* "12 of 30", or "not counted". */
static const char *stock(unit_database_t *database, const char *category)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_stock_t stock;
    apr_status_t rv = cat_stock_get(db, category, &stock);

    cat_db_release(db);
    if (rv == APR_NOTFOUND) {
        return "not counted";
    }
    assert_int_equal(rv, APR_SUCCESS);
    return apr_psprintf(database->pool, "%" APR_INT64_T_FMT " of %" APR_INT64_T_FMT, stock.in_stock, stock.products);
}

/* "12 of 30, 0 of 0" */
static const char *stock_of_each(unit_database_t *database, apr_status_t expected, const cat_query_value_t *categories,
                                 int count)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_stock_t each[3];
    const char *text = "";

    assert_in_range(count, 1, UNIT_COUNT(each));
    assert_int_equal(cat_stock_get_each(db, categories, count, each), expected);
    cat_db_release(db);
    for (int i = 0; i < count; i++) {
        text = apr_psprintf(database->pool, "%s%s%" APR_INT64_T_FMT " of %" APR_INT64_T_FMT, text, i ? ", " : "",
                            each[i].in_stock, each[i].products);
    }
    return text;
}

static void count_all(unit_database_t *database)
{
    cat_db_t *db = unit_database_use(database->pool, database);

    assert_int_equal(cat_stock_count_all(database->pool, db, NULL), APR_SUCCESS);
    cat_db_release(db);
}

static void update_field(unit_database_t *database, int product, int field, const char *value)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    const char *values[CAT_PRODUCT_FIELDS] = {NULL};
    unsigned char cleared[CAT_PRODUCT_FIELDS] = {0};
    cat_input_t input = {.values = values, .cleared = cleared};
    const char *const *updated;

    values[field] = value;
    assert_int_equal(cat_products_update_one(db, unit_product_id(database->pool, product), &input, NULL, &updated),
                     APR_SUCCESS);
    cat_db_release(db);
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
    assert_string_equal(stock_of_each(database, APR_SUCCESS, categories, 3),
                        apr_pstrcat(database->pool, light, ", 0 of 0, ", tea, NULL));
    assert_int_equal(unit_products_check(database), 0);
}

static void check_writes(unit_database_t *database)
{
    check_stock(database, "0 of 0", "0 of 0", "0 of 0");
    unit_products_insert(database, 0, 30);
    check_stock(database, "30 of 30", "30 of 30", "0 of 0");
    update_field(database, 3, CAT_PRODUCT_IN_STOCK, "0");
    update_field(database, 3, CAT_PRODUCT_IN_STOCK, "0");
    update_field(database, 4, CAT_PRODUCT_IN_STOCK, "0");
    update_field(database, 5, CAT_PRODUCT_NAME, "Lamp");
    check_stock(database, "28 of 30", "28 of 30", "0 of 0");
    update_field(database, 3, CAT_PRODUCT_CATEGORY, "Tea");
    update_field(database, 6, CAT_PRODUCT_CATEGORY, "Tea");
    check_stock(database, "28 of 30", "27 of 28", "1 of 2");
    update_field(database, 4, CAT_PRODUCT_IN_STOCK, "1");
    update_field(database, 3, CAT_PRODUCT_IN_STOCK, "1");
    delete_product(database, 6);
    delete_product(database, 7);
    check_stock(database, "28 of 28", "27 of 27", "1 of 1");
}

static void test_triggers_count(void **state)
{
    unit_database_t *database = unit_database(*state);

    check_writes(database);
    unit_database_sql(database, "UPDATE products SET id = id, in_stock = 0 WHERE category = 'Tea'");
    unit_database_sql(database, "UPDATE products SET created_at = created_at + 1");
    check_stock(database, "27 of 28", "27 of 27", "0 of 1");
    unit_database_sql(database, "UPDATE products SET category_key = NULL WHERE category = 'Tea'");
    check_stock(database, "27 of 28", "27 of 27", "0 of 0");
}

static void test_delta_rows_count(void **state)
{
    check_writes(unit_products_without_triggers(*state));
}

/* Products of an older version, in several portions. */
static void check_older_products(unit_database_t *database)
{
    unit_products_insert(database, 0, 45000);
    unit_products_maintain(database);
    update_field(database, 1, CAT_PRODUCT_IN_STOCK, "0");
    update_field(database, 2, CAT_PRODUCT_CATEGORY, "Tea");
    unit_products_maintain(database);
    unit_database_sql(database, NOT_COUNTED);
    assert_string_equal(stock(database, NULL), "not counted");
    assert_string_equal(stock(database, "Light"), "not counted");
    assert_string_equal(stock_of_each(database, APR_NOTFOUND, &(cat_query_value_t){"Light", "light", 0}, 1),
                        "0 of 44999");
    assert_int_equal(unit_products_check(database), 0);
    update_field(database, 3, CAT_PRODUCT_IN_STOCK, "0"); /* before they are counted */
    unit_products_insert(database, 45000, 45010);
    count_all(database);
    check_stock(database, "45008 of 45010", "45007 of 45009", "1 of 1");
}

static void test_older_products_are_counted_once(void **state)
{
    check_older_products(unit_database(*state));
}

static void test_older_products_are_counted_beside_deltas(void **state)
{
    check_older_products(unit_products_without_triggers(*state));
}

/* The last product of a category goes, of which nobody has counted that it was in stock. */
static void test_category_that_goes_is_counted_anew(void **state)
{
    unit_database_t *database = unit_database(*state);

    unit_products_insert(database, 0, 10);
    update_field(database, 2, CAT_PRODUCT_CATEGORY, "Tea");
    unit_database_sql(database, NOT_COUNTED);
    delete_product(database, 2);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM category_counts"), "1");
    assert_string_equal(unit_database_sql(database, "SELECT in_stock FROM product_counts WHERE level = 4"), "-2");
    count_all(database);
    check_stock(database, "9 of 9", "9 of 9", "0 of 0");
}

/* It changes the parts of the list without the stock, or inserts delta rows without it. */
static void test_older_version_makes_a_count_necessary(void **state)
{
    unit_database_t *database = unit_products_without_triggers(*state);

    unit_products_insert(database, 0, 10);
    unit_products_maintain(database);
    assert_string_equal(stock(database, NULL), "10 of 10");
    unit_database_sql(database, "UPDATE product_counts SET n = n + 1 WHERE level = 4");
    assert_string_equal(stock(database, NULL), "not counted");
    count_all(database);
    assert_string_equal(stock(database, NULL), "10 of 10");
    unit_database_sql(database, "INSERT INTO product_deltas (created_at, id, delta, category, category_delta)"
                                " SELECT created_at, id, -1, category, -1 FROM products WHERE name = '4';"
                                "DELETE FROM products WHERE name = '4'");
    unit_products_maintain(database);
    assert_string_equal(stock(database, NULL), "not counted");
    count_all(database);
    check_stock(database, "9 of 9", "9 of 9", "0 of 0");
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
    unit_database_sql(database, "UPDATE product_counts SET in_stock = 11 WHERE level = 3");
    assert_int_equal(unit_products_check(database), 1);
    unit_database_sql(database, "UPDATE category_counts SET in_stock = 9");
    assert_int_equal(unit_products_check(database), 2);
    assert_int_equal(cat_db_transact(db, rebuild, db), APR_SUCCESS);
    assert_string_equal(stock(database, NULL), "not counted");
    count_all(database);
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

/* What a job has in its hands is of no use when the server stops. */
static void test_job_stops_with_the_server(void **state)
{
    unit_database_t *database = unit_database(*state);
    atomic_int stop = 1;
    apr_time_t last = 0;
    const cat_job_t job = {.pool = *state,
                           .log = &database->log,
                           .conf = &database->conf,
                           .source = database->source,
                           .last = &last,
                           .stop = &stop};

    unit_products_insert(database, 0, 10);
    unit_database_sql(database, NOT_COUNTED);
    assert_int_equal(cat_stock_run(*state, &job), APR_SUCCESS);
    assert_string_equal(stock(database, NULL), "not counted");
    stop = 0;
    assert_int_equal(cat_stock_run(*state, &job), APR_SUCCESS);
    assert_string_equal(stock(database, NULL), "not counted"); /* a minute must pass */
    last = 1;
    assert_int_equal(cat_stock_run(*state, &job), APR_SUCCESS);
    assert_string_equal(stock(database, NULL), "10 of 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_triggers_count),
        UNIT_TEST(test_delta_rows_count),
        UNIT_TEST(test_older_products_are_counted_once),
        UNIT_TEST(test_older_products_are_counted_beside_deltas),
        UNIT_TEST(test_category_that_goes_is_counted_anew),
        UNIT_TEST(test_older_version_makes_a_count_necessary),
        UNIT_TEST(test_check_finds_wrong_counts),
        UNIT_TEST(test_ceilings_follow_the_counts),
        UNIT_TEST(test_job_stops_with_the_server),
    };
    return UNIT_RUN(tests);
}
