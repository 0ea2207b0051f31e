/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_transactions.h"

#include "catalogue/search/plan.h"

static const cat_query_value_t tea = {"tea", "tea", 0}, five = {"5", NULL, 5};
static const cat_query_condition_t category = {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, &tea};
static const cat_query_condition_t both[] = {{CAT_PRODUCT_PRICE, CAT_LT, 1, &five},
                                             {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, &tea}};
static const char *const words[] = {"red"}, *const *const no_others[] = {NULL, NULL, NULL};

static cat_list_query_t make_query(const cat_query_condition_t *conditions, int count, const char *const *words,
                                   int word_count, int field)
{
    cat_list_query_t query = {.limit = 10,
                              .page = 1,
                              .conditions = conditions,
                              .condition_count = count,
                              .words = words,
                              .others = no_others,
                              .word_count = word_count,
                              .all = &cat_product_built_in,
                              .sort_count = 1};

    query.sort[0] = (cat_query_sort_t){field, 1};
    return query;
}

/* 3,000 products of the category tea with the word red, of which some have a price below 5. */
static unit_database_t *make_products(apr_pool_t *pool, int cheap)
{
    unit_database_t *database = unit_database(pool);

    unit_database_sql(
        database,
        apr_psprintf(
            pool,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO products"
            " (id, name, price, category, in_stock, n, name_key, category_key, price_key, rating_key, words)"
            " SELECT 'p' || i, 'red', '9', 'tea', 1, i, 'red', 'tea', CASE WHEN i <= %d THEN 1 ELSE 9 END, -1, ' red "
            "tea ' FROM n;"
            " INSERT INTO product_words (word, n) SELECT 'red', n FROM products",
            cheap));
    return database;
}

static cat_plan_t choose(apr_pool_t *pool, unit_database_t *database, const cat_list_query_t *query)
{
    cat_plan_t plan;

    assert_int_equal(cat_plan_choose(unit_database_use(pool, database), query, &plan), APR_SUCCESS);
    return plan;
}

static void test_walk_that_passes_no_others_needs_no_counts(void **state)
{
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(&category, 1, NULL, 0, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan = choose(*state, database, &query);

    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_category");
}

static void test_one_rating_by_time_needs_no_counts(void **state)
{
    const cat_query_condition_t rating = {CAT_PRODUCT_RATING, CAT_EQ, 1, &five};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(&rating, 1, NULL, 0, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan = choose(*state, database, &query);

    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_rating");
}

/* Of rating[in]=5,-1&category=tea, the products of the category are walked. */
static void test_category_is_walked_before_a_rating(void **state)
{
    const cat_query_value_t values[] = {five, {"-1", NULL, -1}};
    const cat_query_condition_t conditions[] = {{CAT_PRODUCT_RATING, CAT_IN, 2, values}, category};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(conditions, 2, NULL, 0, CAT_PRODUCT_CREATED_AT);

    assert_string_equal(choose(*state, database, &query).index, "products_by_category");
}

static void test_few_products_are_fetched(void **state)
{
    unit_database_t *database = make_products(*state, 30);
    cat_list_query_t query = make_query(both, 2, NULL, 0, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan = choose(*state, database, &query);

    assert_int_equal(plan.kind, CAT_PLAN_FETCH);
    assert_int_equal(plan.field, CAT_PRODUCT_PRICE);
    assert_string_equal(plan.index, "products_by_price");
}

/* price[lt]=5&price[in]=1 in the order of the price: the walk ends at 5, but passes all that is below. */
static void test_few_in_a_range_of_the_walk_are_fetched(void **state)
{
    static const cat_query_value_t one = {"1", NULL, 1};
    const cat_query_condition_t conditions[] = {both[0], {CAT_PRODUCT_PRICE, CAT_IN, 1, &one}};
    unit_database_t *database = make_products(*state, 30);
    cat_list_query_t query = make_query(conditions, 2, NULL, 0, CAT_PRODUCT_PRICE);

    assert_int_equal(choose(*state, database, &query).kind, CAT_PLAN_FETCH);
    query.condition_count = 1;
    assert_int_equal(choose(*state, database, &query).kind, CAT_PLAN_WALK);
}

static void test_large_share_of_the_products_is_walked(void **state)
{
    unit_database_t *database = make_products(*state, 300);
    cat_list_query_t query = make_query(both, 1, NULL, 0, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan = choose(*state, database, &query);

    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_time");
    unit_database_sql(database, "UPDATE product_counts SET n = 100000 WHERE name = 'products'");
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_FETCH);
}

/* sort=-inStock,name with one value of inStock: the names ascend, the times of equal names descend, as no index has them. */
static void test_ties_against_the_first_key_need_a_bound(void **state)
{
    static const cat_query_value_t yes = {"true", NULL, 1};
    static const cat_query_condition_t in_stock = {CAT_PRODUCT_IN_STOCK, CAT_EQ, 1, &yes};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(&in_stock, 1, NULL, 0, CAT_PRODUCT_IN_STOCK);
    cat_plan_t plan;

    query.sort[query.sort_count++] = (cat_query_sort_t){CAT_PRODUCT_NAME, 0};
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_name");
    assert_true(cat_plan_needs_bound(&plan));
    query.sort[1].descending = 1;
    plan = choose(*state, database, &query);
    assert_string_equal(plan.index, "products_by_name");
    assert_false(cat_plan_needs_bound(&plan));
}

/* Of inStock=true, whatever else is asked for, not of inStock=false. */
static void test_most_products_are_taken_to_be_in_stock(void **state)
{
    cat_query_value_t value = {"true", NULL, 1};
    cat_query_condition_t conditions[] = {{CAT_PRODUCT_IN_STOCK, CAT_EQ, 1, &value}, both[0]};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(conditions, 1, NULL, 0, CAT_PRODUCT_CREATED_AT);

    assert_true(choose(*state, database, &query).wants_most);
    query.condition_count = 2;
    assert_false(choose(*state, database, &query).wants_most);
    query.condition_count = 1;
    value = (cat_query_value_t){"false", NULL, 0};
    assert_false(choose(*state, database, &query).wants_most);
}

static void test_many_products_are_walked(void **state)
{
    unit_database_t *database = make_products(*state, 2900);
    cat_list_query_t query = make_query(both, 2, NULL, 0, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan = choose(*state, database, &query);

    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_category");
}

static void test_frequent_word_is_streamed_by_time(void **state)
{
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t by_time = make_query(NULL, 0, words, 1, CAT_PRODUCT_CREATED_AT);
    cat_list_query_t by_price = make_query(NULL, 0, words, 1, CAT_PRODUCT_PRICE);
    cat_plan_t plan = choose(*state, database, &by_time);

    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_int_equal(plan.branch_count, 1);
    assert_string_equal(plan.branches[0], "red");
    plan = choose(*state, database, &by_price);
    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_price");
}

/* The longer list is looked up for each product of the other, or read beside it where both are about as long. */
static void test_word_and_category_are_read_together(void **state)
{
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(&category, 1, words, 1, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan = choose(*state, database, &query);

    assert_true(plan.has_second);
    assert_true(plan.is_merged);
    unit_database_sql(database, "UPDATE products SET category = '', category_key = '' WHERE n > 500;"
                                " UPDATE category_counts SET n = 500");
    plan = choose(*state, database, &query);
    assert_string_equal(plan.index, "products_by_category");
    assert_string_equal(plan.second.word, "red");
    assert_false(plan.is_merged);
}

static void test_word_alone_is_streamed_however_rare(void **state)
{
    static const char *const rare[] = {"rare"};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(NULL, 0, rare, 1, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan;

    unit_database_sql(database, "INSERT INTO product_words (word, n) VALUES ('rare', 1)");
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_string_equal(plan.branches[0], "rare");
}

static void test_rarest_word_is_streamed_and_the_next_looked_up(void **state)
{
    static const char *const three[] = {"blue", "green", "red"};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(NULL, 0, three, 3, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan;

    unit_database_sql(database, "INSERT INTO product_words (word, n)"
                                " SELECT 'blue', n FROM products WHERE n % 2 = 0;"
                                " INSERT INTO product_words (word, n)"
                                " SELECT 'green', n FROM products WHERE n % 3 = 0");
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_string_equal(plan.word, "green");
    assert_string_equal(plan.second.word, "blue");
    unit_database_sql(database, "DELETE FROM product_words WHERE word = 'red' AND n % 7 > 0");
    plan = choose(*state, database, &query);
    assert_string_equal(plan.word, "red");
    assert_string_equal(plan.second.word, "green");
}

/* Of 3,000 products, 60 are more than the square root, 50 are not. */
static void test_walk_of_an_index_meets_a_page_soon(void **state)
{
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(both, 1, NULL, 0, CAT_PRODUCT_CREATED_AT);

    unit_database_sql(database, "UPDATE products SET price_key = 1 WHERE n % 50 = 0");
    assert_int_equal(choose(*state, database, &query).kind, CAT_PLAN_WALK);
    unit_database_sql(database, "UPDATE products SET price_key = 9 WHERE n <= 500");
    assert_int_equal(choose(*state, database, &query).kind, CAT_PLAN_FETCH);
}

static void test_few_products_of_a_category_are_fetched_for_another_order(void **state)
{
    static const cat_query_value_t rare = {"rare", "rare", 0};
    static const cat_query_condition_t condition = {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, &rare};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t of_few = make_query(&condition, 1, NULL, 0, CAT_PRODUCT_NAME);
    cat_list_query_t of_many = make_query(&category, 1, NULL, 0, CAT_PRODUCT_NAME);
    cat_plan_t plan;

    unit_database_sql(database, "UPDATE products SET category = 'rare', category_key = 'rare' WHERE n <= 150");
    plan = choose(*state, database, &of_few);
    assert_int_equal(plan.kind, CAT_PLAN_FETCH);
    assert_string_equal(plan.index, "products_by_category");
    plan = choose(*state, database, &of_many);
    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_name");
}

/* However many it has, and whatever else is asked; an index has the order of the price within each. */
static void test_category_by_price_is_walked(void **state)
{
    const cat_query_value_t values[] = {tea, {"rare", "rare", 0}};
    const cat_query_condition_t several = {CAT_PRODUCT_CATEGORY, CAT_IN, 2, values};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(&category, 1, NULL, 0, CAT_PRODUCT_PRICE);
    cat_plan_t plan = choose(*state, database, &query);

    assert_int_equal(plan.kind, CAT_PLAN_WALK);
    assert_string_equal(plan.index, "products_by_category_price");
    assert_true(plan.wants_most);
    query.conditions = &several;
    assert_string_equal(choose(*state, database, &query).index, "products_by_category_price");
    query.conditions = both;
    query.condition_count = 2;
    assert_string_equal(choose(*state, database, &query).index, "products_by_category_price");
}

static void test_order_by_the_only_category_is_by_time(void **state)
{
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(&category, 1, NULL, 0, CAT_PRODUCT_CATEGORY);
    cat_plan_t plan = choose(*state, database, &query);

    assert_string_equal(plan.order.columns[0].column, "n");
    assert_string_equal(plan.index, "products_by_category");
}

/* "rare" and "seldom" begin 200 words together, then one more. */
static void test_products_of_more_words_than_are_streamed_are_fetched(void **state)
{
    static const char *const rare[] = {"rare"}, *const others[] = {"seldom", NULL}, *const *const with[] = {others};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(NULL, 0, rare, 1, CAT_PRODUCT_CREATED_AT);
    cat_select_text_t s;
    cat_plan_t plan;

    query.others = with;
    unit_database_sql(database, "UPDATE product_counts SET n = 100000 WHERE name = 'products';"
                                " INSERT INTO product_words (word, n) SELECT CASE WHEN n = 1 THEN"
                                " 'seldom' ELSE 'rare' || n END, n FROM products"
                                " WHERE n <= 200");
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_int_equal(plan.branch_count, CAT_PLAN_WORDS);
    unit_database_sql(database, "INSERT INTO product_words (word, n) VALUES ('rare201', 201)");
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_FETCH);
    assert_string_equal(plan.word, "rare");
    cat_select_text_begin(&s, unit_database_use(*state, database));
    cat_plan_add_count(&s, &plan, 0);
    assert_non_null(strstr(cat_buffer_text(&s.text), "UNION ALL"));
    unit_database_sql(database, "UPDATE product_counts SET n = 3000 WHERE name = 'products'");
    assert_int_equal(choose(*state, database, &query).kind, CAT_PLAN_WALK);
}

static void test_others_are_forgotten_unless_a_product_has_them(void **state)
{
    static const char *const asked[] = {"re", "te"}, *const rete[] = {"rete", NULL},
                             *const *const with[] = {NULL, rete};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(NULL, 0, asked, 2, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan;

    query.others = with;
    unit_database_sql(database, "INSERT INTO product_words (word, n) VALUES ('tea', 1)");
    plan = choose(*state, database, &query);
    assert_null(plan.query->others[1]);
    assert_string_equal(plan.branches[0], "tea");
    assert_int_equal(plan.branch_count, 1);
    unit_database_sql(database, "DELETE FROM product_words WHERE word = 'tea';"
                                "INSERT INTO product_words (word, n) VALUES ('retention', 1)");
    plan = choose(*state, database, &query);
    assert_string_equal(plan.query->others[1][0], "rete");
    assert_null(plan.query->others[1][1]);
    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_string_equal(plan.branches[0], "retention");
    assert_string_equal(plan.word, "te");
}

static apr_status_t count_row(void *baton, const char *const *, int)
{
    (*(int *)baton)++;
    return APR_SUCCESS;
}

static int count_found(apr_pool_t *pool, unit_database_t *database, const cat_plan_t *plan)
{
    cat_db_t *db = unit_database_use(pool, database);
    cat_select_text_t s;
    int count = 0;

    if (cat_plan_is_empty(plan)) {
        return 0;
    }
    cat_select_text_begin(&s, db);
    cat_plan_add_rows(&s, plan, 100, 0);
    assert_int_equal(cat_select_text_run(&s, db, count_row, &count), APR_SUCCESS);
    return count;
}

/* Of the words "wNN" there are as many as told, a product each. */
static void add_words(apr_pool_t *pool, unit_database_t *database, int count)
{
    for (int i = 0; i < count; i++) {
        unit_database_sql(database, apr_psprintf(pool,
                                                 "UPDATE products SET words = words || 'w%02d ' WHERE id = 'p%d';"
                                                 " INSERT OR IGNORE INTO product_words (word, n) VALUES ('w%02d', %d)",
                                                 i, i + 1, i, i + 1));
    }
}

static void test_words_of_others_are_streamed(void **state)
{
    static const char *const asked[] = {"none"}, *const other[] = {"absent", "w0", "w", NULL},
                             *const *const others[] = {other};
    unit_database_t *database = make_products(*state, 0);
    cat_list_query_t query = make_query(NULL, 0, asked, 1, CAT_PRODUCT_CREATED_AT);
    cat_plan_t plan;

    query.others = others;
    add_words(*state, database, 12);
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_in_range(plan.branch_count, 12, CAT_PLAN_WORDS);
    assert_int_equal(count_found(*state, database, &plan), 12);
    add_words(*state, database, 50);
    plan = choose(*state, database, &query);
    assert_int_equal(plan.kind, CAT_PLAN_STREAM);
    assert_int_equal(count_found(*state, database, &plan), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_walk_that_passes_no_others_needs_no_counts),
        UNIT_TEST(test_one_rating_by_time_needs_no_counts),
        UNIT_TEST(test_category_is_walked_before_a_rating),
        UNIT_TEST(test_few_products_are_fetched),
        UNIT_TEST(test_few_in_a_range_of_the_walk_are_fetched),
        UNIT_TEST(test_large_share_of_the_products_is_walked),
        UNIT_TEST(test_ties_against_the_first_key_need_a_bound),
        UNIT_TEST(test_most_products_are_taken_to_be_in_stock),
        UNIT_TEST(test_many_products_are_walked),
        UNIT_TEST(test_frequent_word_is_streamed_by_time),
        UNIT_TEST(test_word_and_category_are_read_together),
        UNIT_TEST(test_word_alone_is_streamed_however_rare),
        UNIT_TEST(test_rarest_word_is_streamed_and_the_next_looked_up),
        UNIT_TEST(test_walk_of_an_index_meets_a_page_soon),
        UNIT_TEST(test_few_products_of_a_category_are_fetched_for_another_order),
        UNIT_TEST(test_category_by_price_is_walked),
        UNIT_TEST(test_order_by_the_only_category_is_by_time),
        UNIT_TEST(test_words_of_others_are_streamed),
        UNIT_TEST(test_products_of_more_words_than_are_streamed_are_fetched),
        UNIT_TEST(test_others_are_forgotten_unless_a_product_has_them),
    };
    return UNIT_RUN(tests);
}
