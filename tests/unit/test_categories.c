/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/categories.h"

static void insert_product(unit_database_t *database, int number, const char *category)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    const char **product = unit_product(database->pool, number);

    product[CAT_PRODUCT_CATEGORY] = category;
    assert_int_equal(cat_products_insert_one(db, product), APR_SUCCESS);
    cat_db_release(db);
}

static unit_database_t *make_catalogue(apr_pool_t *pool)
{
    static const char *const categories[] = {"tea", "Tea", "Coffee", "Tools", "tea", "", "Étoiles", "Coffee", "tea"};
    unit_database_t *database = unit_database(pool);

    for (size_t i = 0; i < UNIT_COUNT(categories); i++) {
        insert_product(database, (int)i, categories[i]);
    }
    return database;
}

static void check_list(unit_database_t *database, cat_categories_query_t query, const char *expected)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    apr_array_header_t *list;
    const char *text = "";

    assert_int_equal(cat_categories_list(db, &query, &list), APR_SUCCESS);
    cat_db_release(db);
    for (int i = 0; i < list->nelts; i++) {
        const cat_category_t *c = &APR_ARRAY_IDX(list, i, cat_category_t);
        text = apr_psprintf(database->pool, "%s%s %" APR_INT64_T_FMT ", ", text, c->name, c->count);
    }
    assert_string_equal(text, expected);
}

static void test_categories_are_ordered(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    check_list(database, (cat_categories_query_t){"", CAT_CATEGORIES_BY_NAME, 0},
               "Coffee 2, Étoiles 1, Tea 1, tea 3, Tools 1, ");
    check_list(database, (cat_categories_query_t){"", CAT_CATEGORIES_BY_NAME, 1},
               "Tools 1, tea 3, Tea 1, Étoiles 1, Coffee 2, ");
    check_list(database, (cat_categories_query_t){"", CAT_CATEGORIES_BY_COUNT, 0},
               "Étoiles 1, Tea 1, Tools 1, Coffee 2, tea 3, ");
    check_list(database, (cat_categories_query_t){"", CAT_CATEGORIES_BY_COUNT, 1},
               "tea 3, Coffee 2, Étoiles 1, Tea 1, Tools 1, ");
}

static void test_prefix_is_of_the_folded_name(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    check_list(database, (cat_categories_query_t){"t", CAT_CATEGORIES_BY_NAME, 0}, "Tea 1, tea 3, Tools 1, ");
    check_list(database, (cat_categories_query_t){"et", CAT_CATEGORIES_BY_NAME, 0}, "Étoiles 1, ");
    check_list(database, (cat_categories_query_t){"x", CAT_CATEGORIES_BY_NAME, 0}, "");
}

static void test_empty_catalogue_has_no_category(void **state)
{
    check_list(unit_database(*state), (cat_categories_query_t){"", CAT_CATEGORIES_BY_NAME, 0}, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_categories_are_ordered),
        UNIT_TEST(test_prefix_is_of_the_folded_name),
        UNIT_TEST(test_empty_catalogue_has_no_category),
    };
    return UNIT_RUN(tests);
}
