/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/list/categories.h"
#include "catalogue/list/value_page.h"
#include "http/etag.h"

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

static cat_value_query_t make_query(const char *prefix, cat_values_order_t order, int descending)
{
    return (cat_value_query_t){.prefix = prefix, .order = order, .descending = descending, .limit = 10};
}

static void check_list(unit_database_t *database, cat_value_query_t query, const char *expected)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_value_list_t list;
    apr_int64_t total;
    const char *text = "";

    assert_int_equal(cat_categories_read(db, &query, NULL, &list, &total), APR_SUCCESS);
    cat_db_release(db);
    for (int i = 0; i < list.values->nelts; i++) {
        const cat_value_count_t *c = &APR_ARRAY_IDX(list.values, i, cat_value_count_t);
        text = apr_psprintf(database->pool, "%s%s %" APR_INT64_T_FMT ", ", text, c->value, c->count);
    }
    assert_string_equal(text, expected);
    assert_int_equal(total, list.values->nelts);
}

static void test_categories_are_ordered(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    check_list(database, make_query("", CAT_VALUES_BY_VALUE, 0), "Coffee 2, Étoiles 1, Tea 1, tea 3, Tools 1, ");
    check_list(database, make_query("", CAT_VALUES_BY_VALUE, 1), "Tools 1, tea 3, Tea 1, Étoiles 1, Coffee 2, ");
    check_list(database, make_query("", CAT_VALUES_BY_COUNT, 0), "Étoiles 1, Tea 1, Tools 1, Coffee 2, tea 3, ");
    check_list(database, make_query("", CAT_VALUES_BY_COUNT, 1), "tea 3, Coffee 2, Étoiles 1, Tea 1, Tools 1, ");
}

static void test_prefix_is_of_the_folded_name(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    check_list(database, make_query("t", CAT_VALUES_BY_VALUE, 0), "Tea 1, tea 3, Tools 1, ");
    check_list(database, make_query("et", CAT_VALUES_BY_VALUE, 0), "Étoiles 1, ");
    check_list(database, make_query("x", CAT_VALUES_BY_VALUE, 0), "");
}

static void test_empty_catalogue_has_no_category(void **state)
{
    check_list(unit_database(*state), make_query("", CAT_VALUES_BY_VALUE, 0), "");
}

/* Without the folded names all rows are read and sorted; the answers are the same. */
static void test_folded_names_need_not_be_stored(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    unit_database_sql(database, "UPDATE category_counts SET category_key = NULL WHERE category = 'Tea'");
    check_list(database, make_query("", CAT_VALUES_BY_VALUE, 0), "Coffee 2, Étoiles 1, Tea 1, tea 3, Tools 1, ");
    check_list(database, make_query("t", CAT_VALUES_BY_VALUE, 1), "Tools 1, tea 3, Tea 1, ");
    unit_products_maintain(database);
    assert_string_equal(unit_database_sql(database, "SELECT category_key FROM category_counts WHERE category = 'Tea'"),
                        "tea");
    unit_database_sql(database, "UPDATE category_counts SET category_key = 'zebra' WHERE category = 'Coffee'");
    check_list(database, make_query("", CAT_VALUES_BY_VALUE, 0), "Étoiles 1, Tea 1, tea 3, Tools 1, Coffee 2, ");
    assert_int_equal(unit_products_check(database), 1);
}

static int readings; /* of the database */

static void write_body(cat_buffer_t *body, const cat_value_page_query_t *, const cat_value_page_t *page)
{
    readings++;
    cat_buffer_add_text(body, "body ");
    cat_buffer_add_int(body, page->total);
}

static void write_link(cat_buffer_t *link, const cat_value_page_query_t *query, const cat_value_page_t *)
{
    cat_buffer_add_text(link, query->page > 1 ? "link" : "");
}

static cat_value_page_query_t make_page(const char *prefix)
{
    static const cat_value_page_resource_t categories = {"category", "&prefix=", write_body, write_link};

    return (cat_value_page_query_t){.resource = &categories,
                                    .fields = &cat_product_built_in,
                                    .field = CAT_PRODUCT_CATEGORY,
                                    .prefix = prefix,
                                    .page = 1,
                                    .limit = 10};
}

static void check_answer(unit_database_t *database, cat_value_page_query_t query, int expected_readings,
                         const char *body)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_cached_list_t answer;

    readings = 0;
    assert_int_equal(cat_value_page_answer(db, &query, apr_time_now(), &answer), APR_SUCCESS);
    cat_db_release(db);
    assert_int_equal(readings, expected_readings);
    assert_int_equal(answer.length, strlen(body));
    assert_string_equal(answer.body, body);
    assert_int_equal(answer.hash, cat_etag_hash(body, strlen(body)));
    assert_string_equal(answer.headers, query.page > 1 ? "link" : "");
}

static void test_pages_are_cached_until_products_change(void **state)
{
    unit_database_t *database = make_catalogue(*state);
    cat_value_page_query_t all = make_page(""), second = all, others[5];

    second.page = 2;
    second.limit = 3;
    check_answer(database, all, 1, "body 5");
    check_answer(database, all, 0, "body 5");
    check_answer(database, second, 1, "body 5");
    check_answer(database, second, 0, "body 5");
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        others[i] = all;
    }
    others[0].limit = 11;
    others[1].descending = 1;
    others[2].order = CAT_VALUES_BY_COUNT;
    others[3].prefix = "t";
    others[4].prefix = "et";
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        check_answer(database, others[i], 1, i < 3 ? "body 5" : i == 3 ? "body 3" : "body 1");
    }
    insert_product(database, 20, "New");
    check_answer(database, all, 1, "body 6");
    check_answer(database, all, 0, "body 6");
}

static void test_pages_without_a_category_are_not_cached(void **state)
{
    unit_database_t *database = make_catalogue(*state);
    cat_value_page_query_t none = make_page("x"), beyond = make_page("");

    beyond.page = 2;
    for (int i = 0; i < 2; i++) {
        check_answer(database, none, 1, "body 0");
        check_answer(database, beyond, 1, "body 5");
    }
    beyond.limit = 4; /* the fifth category is on this page */
    check_answer(database, beyond, 1, "body 5");
    check_answer(database, beyond, 0, "body 5");
    beyond.page = APR_INT64_MAX;
    check_answer(database, beyond, 1, "body 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_categories_are_ordered),
        UNIT_TEST(test_prefix_is_of_the_folded_name),
        UNIT_TEST(test_empty_catalogue_has_no_category),
        UNIT_TEST(test_folded_names_need_not_be_stored),
        UNIT_TEST(test_pages_are_cached_until_products_change),
        UNIT_TEST(test_pages_without_a_category_are_not_cached),
    };
    return UNIT_RUN(tests);
}
