/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "unit_select_text.h"

#include "catalogue/search/plan.h"

static const char *const *const no_others[] = {NULL, NULL};

static const cat_query_value_t teas[] = {{"green", "green", 0}, {"tea", "tea", 0}};
static const cat_query_condition_t category = {CAT_PRODUCT_CATEGORY, CAT_IN, 2, teas};

static cat_plan_t make_plan(apr_pool_t *pool, cat_list_query_t *query)
{
    *query = (cat_list_query_t){.limit = 10, .page = 1, .sort_count = 1};
    query->sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, 1};
    return (cat_plan_t){.query = query, .order = cat_order_make(pool, query), .sort_count = 1, .field = -1};
}

/* A stream of the last of the words. */
static cat_plan_t make_stream(apr_pool_t *pool, cat_list_query_t *query, const char *const *words, int count)
{
    cat_plan_t plan = make_plan(pool, query);

    query->words = words;
    query->others = no_others;
    query->word_count = count;
    plan.kind = CAT_PLAN_STREAM;
    plan.word = words[count - 1];
    return plan;
}

static void test_products_of_branches_are_added(void **state)
{
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.conditions = &category;
    query.condition_count = 1;
    plan.kind = CAT_PLAN_WALK;
    plan.index = "products_by_category";
    plan.not_null = "category_key";
    plan.branch_condition = &category;
    cat_plan_add_count(&s, &plan, 11);
    assert_string_equal(cat_buffer_text(&s.text),
                        "SELECT (SELECT COUNT(*) FROM (SELECT 1 AS one FROM products p INDEXED BY products_by_category"
                        " WHERE p.category = %s AND p.category_key IS NOT NULL LIMIT 11) b0)"
                        " + (SELECT COUNT(*) FROM (SELECT 1 AS one FROM products p INDEXED BY products_by_category"
                        " WHERE p.category = %s AND p.category_key IS NOT NULL LIMIT 11) b1)");
    assert_string_equal(unit_values_of(&s), "green|tea");
}

/* As far as the database can, it reads the branches side by side, and no more of them than the page needs. */
static void test_page_of_branches(void **state)
{
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.conditions = &category;
    query.condition_count = 1;
    plan.kind = CAT_PLAN_WALK;
    plan.index = "products_by_category";
    plan.branch_condition = &category;
    cat_plan_add_rows(&s, &plan, 11, 5);
    assert_non_null(strstr(cat_buffer_text(&s.text), " FROM (SELECT p.n FROM products p INDEXED BY products_by_category"
                                                     " WHERE p.category = %s UNION ALL SELECT p.n FROM products p"
                                                     " INDEXED BY products_by_category WHERE p.category = %s"
                                                     " ORDER BY p.n DESC LIMIT %s OFFSET %s) k"));
    assert_string_equal(unit_values_of(&s), "green|tea|11|5");
    s = unit_begin_text(*state, "pgsql");
    cat_plan_add_rows(&s, &plan, 11, 5);
    assert_non_null(strstr(cat_buffer_text(&s.text), " FROM (SELECT u.* FROM ((SELECT p.n FROM products p"
                                                     " WHERE p.category COLLATE \"C\" = %s ORDER BY p.n DESC LIMIT %s)"
                                                     " UNION ALL (SELECT"));
    assert_string_equal(unit_values_of(&s), "green|16|tea|16|11|5");
}

/* One word of the query may stand for two of one product. */
static void test_branches_of_words_find_a_product_once(void **state)
{
    static const char *const words[] = {"re"};
    cat_list_query_t query;
    cat_plan_t plan = make_stream(*state, &query, words, 1);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    plan.branches[0] = "red";
    plan.branches[1] = "reed";
    plan.branch_count = 2;
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), "SELECT w.n FROM product_words w WHERE w.word = %s UNION SELECT "
                                                     "w.n FROM product_words w WHERE w.word = %s ORDER BY w.n DESC"));
}

/* Of sort=inStock,rating,name the index by rating gives a part, so each branch is sorted as far as the page needs it. */
static void test_branches_out_of_order_are_limited(void **state)
{
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.sort_count = plan.sort_count = 3;
    query.sort[0] = (cat_query_sort_t){CAT_PRODUCT_IN_STOCK, 0};
    query.sort[1] = (cat_query_sort_t){CAT_PRODUCT_RATING, 0};
    query.sort[2] = (cat_query_sort_t){CAT_PRODUCT_NAME, 0};
    plan.order = cat_order_make(*state, &query);
    plan.kind = CAT_PLAN_WALK;
    plan.index = "products_by_rating";
    plan.skip = 1;
    plan.branches[0] = "0";
    plan.branches[1] = "1";
    plan.branch_count = 2;
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), " FROM (SELECT u.* FROM (SELECT * FROM (SELECT p.in_stock"));
    plan.sort_count = query.sort_count = 2;
    plan.order = cat_order_make(*state, &query);
    s = unit_begin_text(*state, "sqlite3");
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), " FROM (SELECT p.in_stock, p.rating_key, p.n FROM"));
}

static void test_word_without_other_conditions_needs_no_products(void **state)
{
    static const char *const words[] = {"red"};
    cat_list_query_t query;
    cat_plan_t plan = make_stream(*state, &query, words, 1);
    cat_select_text_t s = unit_begin_text(*state, "mysql");

    plan.branches[0] = "red";
    plan.branch_count = 1;
    cat_plan_add_rows(&s, &plan, 11, 5);
    assert_non_null(strstr(cat_buffer_text(&s.text),
                           "FROM (SELECT w.n FROM product_words w WHERE w.word = %s"
                           " ORDER BY w.n DESC LIMIT %s OFFSET %s) k STRAIGHT_JOIN products r"));
    assert_string_equal(unit_values_of(&s), "red|11|5");
}

static void test_second_word_is_looked_up_among_the_postings(void **state)
{
    static const char *const words[] = {"blue", "red"};
    cat_list_query_t query;
    cat_plan_t plan = make_stream(*state, &query, words, 2);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    plan.branches[0] = "reddish";
    plan.branch_count = 1;
    plan.has_second = 1;
    plan.second = (cat_posting_t){.word = words[0], .found = "blueish"};
    cat_plan_add_count(&s, &plan, 11);
    assert_string_equal(cat_buffer_text(&s.text),
                        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM product_words w CROSS JOIN"
                        " product_words v ON v.word = %s AND v.n = w.n WHERE w.word = %s LIMIT 11) c");
    assert_string_equal(unit_values_of(&s), "blueish|reddish");
}

/* SQLite reads them side by side as an INTERSECT, PostgreSQL as a join that it is told to merge. */
static void test_lists_about_as_long_are_read_side_by_side(void **state)
{
    static const char *const words[] = {"blue", "red"};
    cat_list_query_t query;
    cat_plan_t plan = make_stream(*state, &query, words, 2);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    plan.branches[0] = "red";
    plan.branch_count = 1;
    plan.has_second = plan.is_merged = 1;
    plan.second = (cat_posting_t){.word = words[0], .found = "blue"};
    cat_plan_add_count(&s, &plan, 11);
    assert_string_equal(cat_buffer_text(&s.text),
                        "SELECT COUNT(*) FROM (SELECT w.n FROM product_words w WHERE w.word = %s"
                        " INTERSECT SELECT w.n FROM product_words w WHERE w.word = %s"
                        " ORDER BY w.n DESC LIMIT 11) c");
    assert_string_equal(unit_values_of(&s), "red|blue");
    s = unit_begin_text(*state, "pgsql");
    cat_plan_add_count(&s, &plan, 11);
    assert_non_null(strstr(cat_buffer_text(&s.text), "FROM product_words w JOIN product_words v ON v.word = %s"));
    assert_true(s.merges);
}

/* The index of the category has what is asked, so no other product is read than those of the page. */
static void test_category_is_looked_up_in_its_index(void **state)
{
    static const char *const words[] = {"red"};
    static const cat_query_condition_t one_category = {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, teas};
    cat_list_query_t query;
    cat_plan_t plan = make_stream(*state, &query, words, 1);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.conditions = &one_category;
    query.condition_count = 1;
    plan.branches[0] = "red";
    plan.branch_count = 1;
    plan.has_second = 1;
    plan.second = (cat_posting_t){.condition = &one_category};
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text),
                           "FROM (SELECT w.n FROM product_words w CROSS JOIN products p INDEXED BY"
                           " products_by_category ON p.n = +w.n WHERE w.word = %s"
                           " AND p.category = %s AND p.category_key IS NOT NULL ORDER BY"));
}

static void test_products_of_many_words_are_counted_by_postings(void **state)
{
    static const char *const words[] = {"re"};
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.words = words;
    query.others = no_others;
    query.word_count = 1;
    plan.kind = CAT_PLAN_WALK;
    plan.index = "products_by_time";
    cat_plan_add_count(&s, &plan, 11);
    assert_string_equal(cat_buffer_text(&s.text), "SELECT COUNT(*) FROM (SELECT DISTINCT n FROM product_words w"
                                                  " WHERE w.word >= %s AND w.word < %s LIMIT 11) c");
    assert_string_equal(unit_values_of(&s), "re|rf");
    s = unit_begin_text(*state, "pgsql");
    cat_plan_add_count(&s, &plan, 11);
    assert_non_null(strstr(cat_buffer_text(&s.text), "FROM products p WHERE STRPOS"));
}

/* An index tells which products of a category are wanted; words are in no index of products. */
static void test_walk_reads_only_wanted_products(void **state)
{
    static const char *const words[] = {"red"};
    static const cat_query_condition_t one_category = {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, teas};
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.conditions = &one_category;
    query.condition_count = 1;
    plan.kind = CAT_PLAN_WALK;
    plan.index = "products_by_price";
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), " FROM products p INDEXED BY products_by_price"
                                                     " CROSS JOIN products r ON r.n = p.n WHERE p.category = %s"));
    query.words = words;
    query.others = no_others;
    query.word_count = 1;
    s = unit_begin_text(*state, "sqlite3");
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), " FROM products p INDEXED BY products_by_price WHERE"));
}

/* SQLite reads an index from the first bound in the text on. */
static void test_position_comes_before_conditions(void **state)
{
    static const cat_query_value_t nine = {"9", NULL, 9};
    static const cat_query_condition_t before = {CAT_PRODUCT_CREATED_AT, CAT_LT, 1, &nine};
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.page = 0;
    query.after.n = 5;
    query.conditions = &before;
    query.condition_count = 1;
    plan.order = cat_order_make(*state, &query);
    plan.kind = CAT_PLAN_WALK;
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), " WHERE p.n < CAST(%s AS INTEGER) AND p.n < CAST("));
}

/* Of what is fetched and sorted, only the products of the page are read, as indexes have what else is asked. */
static void test_fetch_reads_no_products_but_those_of_the_page(void **state)
{
    static const cat_query_value_t five = {"5", NULL, 5};
    static const cat_query_condition_t conditions[] = {{CAT_PRODUCT_PRICE, CAT_LT, 1, &five},
                                                       {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, teas}};
    cat_list_query_t query;
    cat_plan_t plan = make_plan(*state, &query);
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    query.conditions = conditions;
    query.condition_count = 1;
    plan.kind = CAT_PLAN_FETCH;
    plan.field = CAT_PRODUCT_PRICE;
    plan.index = "products_by_price";
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text),
                           " FROM (SELECT d.n FROM (SELECT p.n FROM products p INDEXED BY"
                           " products_by_price WHERE p.price_key < CAST(%s AS INTEGER) LIMIT 4000) d"
                           " ORDER BY d.n DESC LIMIT %s) k"));
    query.condition_count = 2;
    s = unit_begin_text(*state, "sqlite3");
    cat_plan_add_rows(&s, &plan, 11, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), " LIMIT 4000) d CROSS JOIN products p INDEXED BY products_by_time "
                                                     "ON p.n = +d.n WHERE p.category = %s LIMIT 4000) u"));
    assert_string_equal(unit_values_of(&s), "5|green|11");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_products_of_branches_are_added),
        UNIT_TEST(test_page_of_branches),
        UNIT_TEST(test_branches_of_words_find_a_product_once),
        UNIT_TEST(test_branches_out_of_order_are_limited),
        UNIT_TEST(test_word_without_other_conditions_needs_no_products),
        UNIT_TEST(test_second_word_is_looked_up_among_the_postings),
        UNIT_TEST(test_lists_about_as_long_are_read_side_by_side),
        UNIT_TEST(test_category_is_looked_up_in_its_index),
        UNIT_TEST(test_products_of_many_words_are_counted_by_postings),
        UNIT_TEST(test_walk_reads_only_wanted_products),
        UNIT_TEST(test_position_comes_before_conditions),
        UNIT_TEST(test_fetch_reads_no_products_but_those_of_the_page),
    };
    return UNIT_RUN(tests);
}
