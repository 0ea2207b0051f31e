/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include <stdio.h>

#include "http/etag.h"
#include "lib/json.h"

/* "id name price category inStock rating" */
static void represent(void *baton, const char *const *product, const char **body, apr_size_t *length)
{
    *body =
        apr_pstrcat(baton, product[CAT_PRODUCT_ID] + 33, " ", product[CAT_PRODUCT_NAME], " ",
                    product[CAT_PRODUCT_PRICE], " ", product[CAT_PRODUCT_CATEGORY], " ", product[CAT_PRODUCT_IN_STOCK],
                    " ", product[CAT_PRODUCT_RATING] ? product[CAT_PRODUCT_RATING] : "unrated", NULL);
    *length = strlen(*body);
}

static cat_products_form_t form_on(apr_pool_t *pool)
{
    return (cat_products_form_t){NULL, represent, pool};
}

/* The product as a reader gets it, perhaps from the cache; NULL: there is no such product. */
static const char *get(unit_database_t *database, const char *id)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    const cat_products_form_t form = form_on(database->pool);
    cat_item_t item;
    apr_status_t rv = cat_products_get_one(db, id, apr_time_now(), &form, &item);

    cat_db_release(db);
    if (rv == APR_NOTFOUND) {
        return NULL;
    }
    assert_int_equal(rv, APR_SUCCESS);
    assert_int_equal(item.hash, cat_etag_hash(item.body, item.length));
    return apr_pstrmemdup(database->pool, item.body, item.length);
}

static void input_of(apr_pool_t *pool, const char *text, cat_input_t *input)
{
    const char *why;
    json_t *body;

    body = cat_json_parse(pool, text, strlen(text), &why);
    assert_non_null(body);
    cat_fields_check(pool, cat_product_fields, CAT_PRODUCT_FIELDS, CAT_UPDATE, 0, body, input);
    assert_null(input->errors);
}

static apr_status_t update_one(unit_database_t *database, const char *id, const char *text,
                               const cat_products_condition_t *condition)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    const char *const *product;
    cat_input_t input;
    apr_status_t rv;

    input_of(database->pool, text, &input);
    rv = cat_products_update_one(db, id, &input, condition, &product);
    if (rv == APR_SUCCESS) {
        assert_string_equal(product[CAT_PRODUCT_ID], id);
    }
    return rv;
}

static apr_status_t delete_one(unit_database_t *database, const char *id, const cat_products_condition_t *condition)
{
    return cat_products_delete_one(unit_database_use(database->pool, database), id, condition);
}

static void test_get_finds_one_product(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *one = unit_product_id(*state, 1);

    unit_products_insert(database, 1, 3);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(get(database, one), "001 1 12.5 Light 1 unrated");
    }
    assert_int_equal(unit_database_count_hits(database), 1);
    assert_null(get(database, unit_product_id(*state, 3)));
    assert_null(get(database, "1' OR '1'='1"));
    assert_null(get(database, ""));
}

static void test_insert_stores_a_product_once(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 1)), APR_SUCCESS);
    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 1)), APR_EEXIST);
    assert_string_equal(get(database, unit_product_id(*state, 1)), "001 1 12.5 Light 1 unrated");
    assert_string_equal(unit_database_sql(database, "SELECT n >> 20 FROM products"), "1763731170000");
    assert_string_equal(database->logged, "");
}

typedef struct inserts_t {
    cat_db_t *db;
    const char *const *products[3];
    int inserted;
} inserts_t;

static apr_status_t insert_three(void *baton)
{
    inserts_t *all = baton;

    return cat_products_insert_many(all->db, all->products, 3, &all->inserted);
}

static void test_insert_many_is_all_or_nothing(void **state)
{
    unit_database_t *database = unit_database(*state);
    inserts_t all = {.db = unit_database_use(*state, database),
                     .products = {unit_product(*state, 1), unit_product(*state, 2), unit_product(*state, 1)}};

    assert_int_equal(cat_db_transact(all.db, insert_three, &all), APR_EEXIST);
    assert_int_equal(all.inserted, 2);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM products"), "0");
    all.products[2] = unit_product(*state, 3);
    assert_int_equal(cat_db_transact(all.db, insert_three, &all), APR_SUCCESS);
    assert_int_equal(all.inserted, 3);
    assert_string_equal(unit_database_sql(database, "SELECT COUNT(*) FROM products"), "3");
}

static void test_update_changes_the_given_fields(void **state)
{
    static const struct {
        const char *body, *product;
    } cases[] = {
        {"{\"name\": \"Lamp\"}", "001 Lamp 12.5 Light 1 unrated"},
        {"{\"rating\": 4.5, \"price\": 0}", "001 Lamp 0 Light 1 4.5"},
        {"{\"inStock\": false, \"category\": \"\"}", "001 Lamp 0  0 4.5"},
        {"{\"rating\": null}", "001 Lamp 0  0 unrated"},
        {"{\"rating\": null, \"name\": \"Lamp\"}", "001 Lamp 0  0 unrated"},
    };
    unit_database_t *database = unit_database(*state);
    const char *one = unit_product_id(*state, 1);

    unit_products_insert(database, 1, 3);
    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        get(database, one); /* so that the cache has the old product */
        assert_int_equal(update_one(database, one, cases[i].body, NULL), APR_SUCCESS);
        assert_string_equal(get(database, one), cases[i].product);
    }
    assert_string_equal(get(database, unit_product_id(*state, 2)), "002 2 12.5 Light 1 unrated");
    assert_int_equal(update_one(database, unit_product_id(*state, 3), "{\"name\": \"Lamp\"}", NULL), APR_NOTFOUND);
}

static void test_delete_removes_one_product(void **state)
{
    unit_database_t *database = unit_database(*state);
    const char *one = unit_product_id(*state, 1);

    unit_products_insert(database, 1, 3);
    assert_non_null(get(database, one));
    assert_int_equal(delete_one(database, one, NULL), APR_SUCCESS);
    assert_null(get(database, one));
    assert_int_equal(delete_one(database, one, NULL), APR_NOTFOUND);
    assert_string_equal(unit_database_sql(database, "SELECT name FROM products"), "2");
}

/* baton: the name that the product must have. */
static apr_status_t judge_name(void *baton, const char *const *product)
{
    return strcmp(product[CAT_PRODUCT_NAME], baton) == 0 ? APR_SUCCESS : CAT_ECHANGED;
}

static void test_writes_depend_on_their_condition(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_products_condition_t is_one = {judge_name, "1"};
    const char *one = unit_product_id(*state, 1), *two = unit_product_id(*state, 2);

    unit_products_insert(database, 1, 3);
    assert_int_equal(update_one(database, one, "{\"price\": 1.5}", &is_one), APR_SUCCESS);
    assert_int_equal(update_one(database, two, "{\"price\": 1.5}", &is_one), CAT_ECHANGED);
    assert_string_equal(get(database, one), "001 1 1.5 Light 1 unrated");
    assert_string_equal(get(database, two), "002 2 12.5 Light 1 unrated");
    assert_int_equal(delete_one(database, two, &is_one), CAT_ECHANGED);
    assert_non_null(get(database, two));
    assert_int_equal(delete_one(database, one, &is_one), APR_SUCCESS);
    assert_null(get(database, one));
    assert_int_equal(update_one(database, one, "{\"price\": 1.5}", &is_one), APR_NOTFOUND);
    assert_int_equal(delete_one(database, one, &is_one), APR_NOTFOUND);
}

static void test_writes_are_counted(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);

    unit_products_insert(database, 1, 10);
    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 10)), APR_SUCCESS);
    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 10)), APR_EEXIST);
    assert_int_equal(delete_one(database, unit_product_id(*state, 3), NULL), APR_SUCCESS);
    assert_int_equal(delete_one(database, unit_product_id(*state, 3), NULL), APR_NOTFOUND);
    assert_string_equal(unit_database_sql(database, "SELECT n FROM product_counts WHERE name = 'products'"), "9");
    assert_int_equal(unit_products_check(database), 0);
}

#define SPREAD 4000 /* products, whose pages one statement should not have to keep */

/* Neighbours by id are far from each other in all other indexes. */
static const char **spread_product(apr_pool_t *pool, int i)
{
    const char **product = unit_product(pool, i);
    int place = i * 1597 % SPREAD;

    product[CAT_PRODUCT_NAME] = apr_psprintf(pool, "%04d, with a name that fills a page with few others", place);
    product[CAT_PRODUCT_PRICE] = product[CAT_PRODUCT_RATING] = apr_psprintf(pool, "%d", place);
    product[CAT_PRODUCT_CATEGORY] = apr_psprintf(pool, "category %d", place);
    return product;
}

/* SQLite would write their former content to a file, to be able to undo one statement. */
static void test_no_statement_keeps_pages(void **state)
{
    unit_database_t *database = unit_database(*state);

    assert_true(unit_products_fill(database, spread_product, SPREAD) < UNIT_GROUP);
    assert_int_equal(unit_products_check(database), 0);
}

static void test_failing_database_is_reported(void **state)
{
    unit_database_t *database = unit_database(*state);
    cat_db_t *db = unit_database_use(*state, database);
    const cat_products_form_t form = form_on(*state);
    cat_item_t item;

    unit_database_sql(database, "DROP TABLE products");
    assert_int_equal(cat_products_get_one(db, unit_product_id(*state, 1), apr_time_now(), &form, &item), CAT_EDOWN);
    assert_int_equal(cat_products_insert_one(db, unit_product(*state, 1)), CAT_EDOWN);
    assert_int_equal(update_one(database, unit_product_id(*state, 1), "{\"name\": \"Lamp\"}", NULL), CAT_EDOWN);
    unit_says(database->logged, "products");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_get_finds_one_product),
        UNIT_TEST(test_insert_stores_a_product_once),
        UNIT_TEST(test_insert_many_is_all_or_nothing),
        UNIT_TEST(test_update_changes_the_given_fields),
        UNIT_TEST(test_delete_removes_one_product),
        UNIT_TEST(test_writes_depend_on_their_condition),
        UNIT_TEST(test_writes_are_counted),
        UNIT_TEST(test_no_statement_keeps_pages),
        UNIT_TEST(test_failing_database_is_reported),
    };
    return UNIT_RUN(tests);
}
