/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"
#include "unit_select_text.h"

#include "catalogue/search/conditions.h"

static void test_each_operator_is_written(void **state)
{
    static const cat_query_value_t tea = {"Tea", "tea", 0}, five = {"5", NULL, 5}, yes = {"1", NULL, 1};
    static const struct {
        const char *driver;
        cat_query_condition_t condition;
        const char *text, *values;
    } cases[] = {
        {"sqlite3", {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, &tea}, "p.category = %s", "Tea"},
        {"pgsql", {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, &tea}, "p.category COLLATE \"C\" = %s", "Tea"},
        {"mysql",
         {CAT_PRODUCT_CATEGORY, CAT_EQ, 1, &tea},
         "p.category = %s AND p.category_key = CAST(%s AS BINARY)",
         "Tea|tea"},
        {"sqlite3", {CAT_PRODUCT_NAME, CAT_EQ, 1, &tea}, "p.name = %s AND p.name_key = %s", "Tea|tea"},
        {"sqlite3", {CAT_PRODUCT_NAME, CAT_NE, 1, &tea}, "NOT (p.name = %s AND p.name_key = %s)", "Tea|tea"},
        {"sqlite3", {CAT_PRODUCT_NAME, CAT_GT, 1, &tea}, "p.name_key > %s", "tea"},
        {"sqlite3", {CAT_PRODUCT_NAME, CAT_PREFIX, 1, &tea}, "p.name_key >= %s AND p.name_key < %s", "tea|teb"},
        {"sqlite3", {CAT_PRODUCT_PRICE, CAT_LTE, 1, &five}, "p.price_key <= CAST(%s AS INTEGER)", "5"},
        {"mysql", {CAT_PRODUCT_PRICE, CAT_LTE, 1, &five}, "p.price_key <= CAST(%s AS SIGNED)", "5"},
        {"sqlite3",
         {CAT_PRODUCT_RATING, CAT_LT, 1, &five},
         "p.rating_key < CAST(%s AS INTEGER) AND p.rating_key >= CAST(%s AS INTEGER)",
         "5|0"},
        {"sqlite3", {CAT_PRODUCT_RATING, CAT_EXISTS, 1, &yes}, "p.rating_key >= CAST(%s AS INTEGER)", "0"},
        {"sqlite3", {CAT_PRODUCT_PRICE, CAT_IN, 1, &five}, "((p.price_key = CAST(%s AS INTEGER)))", "5"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        cat_select_text_t s = unit_begin_text(*state, cases[i].driver);
        cat_conditions_add(&s, &cases[i].condition);
        assert_string_equal(cat_buffer_text(&s.text), cases[i].text);
        assert_string_equal(unit_values_of(&s), cases[i].values);
    }
}

static void test_index_finds_what_it_can(void **state)
{
    static const cat_query_value_t tea = {"Tea", "tea", 0};
    const cat_query_condition_t name = {CAT_PRODUCT_NAME, CAT_EQ, 1, &tea};
    const cat_query_condition_t other = {CAT_PRODUCT_NAME, CAT_NE, 1, &tea};
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    assert_false(cat_conditions_add_for_index(&s, &other));
    assert_true(cat_conditions_add_for_index(&s, &name));
    assert_string_equal(cat_buffer_text(&s.text), " WHERE p.name_key IN (%s)");
    assert_string_equal(unit_values_of(&s), "tea");
}

/* SQLite reads an index from the first lower bound in the text on; that a field is set is one, too. */
static void test_lower_bound_comes_first(void **state)
{
    static const cat_query_value_t three = {"3", NULL, 3}, four = {"4", NULL, 4}, yes = {"1", NULL, 1};
    cat_query_condition_t conditions[] = {{CAT_PRODUCT_RATING, CAT_LT, 1, &four},
                                          {CAT_PRODUCT_RATING, CAT_GTE, 1, &three},
                                          {CAT_PRODUCT_RATING, CAT_EXISTS, 1, &yes}};
    const cat_list_query_t query = {.conditions = conditions, .condition_count = UNIT_COUNT(conditions)};
    const cat_found_t found = {0};
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    qsort(conditions, UNIT_COUNT(conditions), sizeof(conditions[0]), cat_query_conditions_compare);
    cat_conditions_add_all(&s, &query, &found);
    assert_ptr_equal(strstr(cat_buffer_text(&s.text), "p.rating_key"),
                     strstr(cat_buffer_text(&s.text), "p.rating_key >= CAST(%s AS INTEGER)"));
    assert_string_equal(unit_values_of(&s), "3|0|4|0|0");
}

static void test_end_of_a_prefix_is_the_next_text(void **state)
{
    static const char *const cases[][2] = {
        {"a", "b"},
        {"az", "a{"},
        {"a\x7F", "a\xC2\x80"},
        {"\xC3\xA9", "\xC3\xAA"},
        {"\xDF\xBF", "\xE0\xA0\x80"},
        {"\xED\x9F\xBF", "\xEE\x80\x80"},
        {"\xEF\xBF\xBF", "\xF0\x90\x80\x80"},
        {"a\xF4\x8F\xBF\xBF", "b"},
        {"\xF4\x8F\xBF\xBF", NULL},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        const char *end = cat_conditions_end_of_prefix(*state, cases[i][0]);
        if (cases[i][1]) {
            assert_string_equal(end, cases[i][1]);
        } else {
            assert_null(end);
        }
    }
}

static void test_parts_of_words_come_before_the_words(void **state)
{
    static const char *const words[] = {"red", "lamp"},
                             *const lamps[] = {"oellampe ", "tischlampe ", "lampe ", "nachtlampe ", NULL},
                             *const *const others[] = {NULL, lamps};
    const cat_list_query_t query = {.words = words, .others = others, .word_count = 2};
    const cat_found_t red = {.words = {words[0]}}, lamp = {.words = {words[1]}};
    cat_select_text_t s = unit_begin_text(*state, "sqlite3");

    cat_conditions_add_all(&s, &query, &(cat_found_t){0});
    assert_string_equal(unit_values_of(&s), "lamp| red| lamp| oellampe | tischlampe | lampe | nachtlampe ");
    s = unit_begin_text(*state, "sqlite3");
    cat_conditions_add_all(&s, &query, &red);
    assert_string_equal(unit_values_of(&s), "lamp| lamp| oellampe | tischlampe | lampe | nachtlampe ");
    s = unit_begin_text(*state, "sqlite3");
    cat_conditions_add_all(&s, &query, &lamp);
    assert_string_equal(unit_values_of(&s), " red");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_operator_is_written),
        UNIT_TEST(test_index_finds_what_it_can),
        UNIT_TEST(test_lower_bound_comes_first),
        UNIT_TEST(test_end_of_a_prefix_is_the_next_text),
        UNIT_TEST(test_parts_of_words_come_before_the_words),
    };
    return UNIT_RUN(tests);
}
