/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_products.h"

#include "catalogue/list/categories.h"
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

static cat_categories_query_t make_query(const char *prefix, cat_categories_order_t order, int descending)
{
    return (cat_categories_query_t){.prefix = prefix, .order = order, .descending = descending, .page = 1, .limit = 10};
}

static void check_list(unit_database_t *database, cat_categories_query_t query, const char *expected)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_categories_page_t page;
    const char *text = "";

    assert_int_equal(cat_categories_read(db, &query, &page), APR_SUCCESS);
    cat_db_release(db);
    for (int i = 0; i < page.list->nelts; i++) {
        const cat_category_t *c = &APR_ARRAY_IDX(page.list, i, cat_category_t);
        text = apr_psprintf(database->pool, "%s%s %" APR_INT64_T_FMT ", ", text, c->name, c->count);
    }
    assert_string_equal(text, expected);
    assert_int_equal(page.total, page.list->nelts);
}

static void test_categories_are_ordered(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    check_list(database, make_query("", CAT_CATEGORIES_BY_NAME, 0), "Coffee 2, Étoiles 1, Tea 1, tea 3, Tools 1, ");
    check_list(database, make_query("", CAT_CATEGORIES_BY_NAME, 1), "Tools 1, tea 3, Tea 1, Étoiles 1, Coffee 2, ");
    check_list(database, make_query("", CAT_CATEGORIES_BY_COUNT, 0), "Étoiles 1, Tea 1, Tools 1, Coffee 2, tea 3, ");
    check_list(database, make_query("", CAT_CATEGORIES_BY_COUNT, 1), "tea 3, Coffee 2, Étoiles 1, Tea 1, Tools 1, ");
}

static void test_prefix_is_of_the_folded_name(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    check_list(database, make_query("t", CAT_CATEGORIES_BY_NAME, 0), "Tea 1, tea 3, Tools 1, ");
    check_list(database, make_query("et", CAT_CATEGORIES_BY_NAME, 0), "Étoiles 1, ");
    check_list(database, make_query("x", CAT_CATEGORIES_BY_NAME, 0), "");
}

static void test_empty_catalogue_has_no_category(void **state)
{
    check_list(unit_database(*state), make_query("", CAT_CATEGORIES_BY_NAME, 0), "");
}

/* Without the folded names all rows are read and sorted; the answers are the same. */
static void test_folded_names_need_not_be_stored(void **state)
{
    unit_database_t *database = make_catalogue(*state);

    unit_database_sql(database, "UPDATE category_counts SET category_key = NULL WHERE category = 'Tea'");
    check_list(database, make_query("", CAT_CATEGORIES_BY_NAME, 0), "Coffee 2, Étoiles 1, Tea 1, tea 3, Tools 1, ");
    check_list(database, make_query("t", CAT_CATEGORIES_BY_NAME, 1), "Tools 1, tea 3, Tea 1, ");
    unit_products_maintain(database);
    assert_string_equal(unit_database_sql(database, "SELECT category_key FROM category_counts WHERE category = 'Tea'"),
                        "tea");
    unit_database_sql(database, "UPDATE category_counts SET category_key = 'zebra' WHERE category = 'Coffee'");
    check_list(database, make_query("", CAT_CATEGORIES_BY_NAME, 0), "Étoiles 1, Tea 1, tea 3, Tools 1, Coffee 2, ");
    assert_int_equal(unit_products_check(database), 1);
}

static int readings; /* of the database */

static void write_body(cat_buffer_t *body, const cat_categories_query_t *query, const cat_categories_page_t *page)
{
    (void)query;
    readings++;
    cat_buffer_add_text(body, "body ");
    cat_buffer_add_int(body, page->total);
}

static void write_link(cat_buffer_t *link, const cat_categories_query_t *query, const cat_categories_page_t *page)
{
    (void)page;
    cat_buffer_add_text(link, query->page > 1 ? "link" : "");
}

static void check_answer(unit_database_t *database, cat_categories_query_t query, int expected_readings,
                         const char *body)
{
    static const cat_categories_format_t format = {write_body, write_link};
    cat_db_t *db = unit_database_use(database->pool, database);
    cat_cached_list_t answer;

    readings = 0;
    assert_int_equal(cat_categories_answer(db, &query, apr_time_now(), &format, &answer), APR_SUCCESS);
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
    cat_categories_query_t all = make_query("", CAT_CATEGORIES_BY_NAME, 0), second = all, others[5];

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
    others[2].order = CAT_CATEGORIES_BY_COUNT;
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
    cat_categories_query_t none = make_query("x", CAT_CATEGORIES_BY_NAME, 0), beyond = make_query("", none.order, 0);

    beyond.page = 2;
    for (int i = 0; i < 2; i++) {
        check_answer(database, none, 1, "body 0");
        check_answer(database, beyond, 1, "body 5");
    }
    beyond.limit = 4; /* the fifth category is on this page */
    check_answer(database, beyond, 1, "body 5");
    check_answer(database, beyond, 0, "body 5");
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
