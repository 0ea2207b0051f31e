/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "lib/suggestion.h"

static const char *const names[] = {"name", "price", "inStock", "category", "sku", "q", NULL};

static void test_finds_the_nearest_name(void **state)
{
    static const char *const cases[][2] = {
        {"in_stok", "inStock"},   {"InStock", "inStock"}, {"in-stock", "inStock"}, {"prise", "price"},
        {"categroy", "category"}, {"nam", "name"},        {"SKU", "sku"},          {"Q", "q"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_suggestion_find(*state, cases[i][0], names), cases[i][1]);
    }
}

static void test_suggests_nothing_for_other_names(void **state)
{
    static const char *const others[] = {"colour", "", "__", "x", "pr", "stock"};
    char long_name[200];

    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_null(cat_suggestion_find(*state, others[i], names));
    }
    memset(long_name, 'n', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    assert_null(cat_suggestion_find(*state, long_name, names));
}

static void test_adds_the_name_to_a_message(void **state)
{
    assert_string_equal(cat_suggestion_add(*state, "is not a known field", "pric", names),
                        "is not a known field; did you mean price?");
    assert_string_equal(cat_suggestion_add(*state, "is not a known field", "colour", names), "is not a known field");
    assert_string_equal(cat_suggestion_add(*state, "is not a known field", "pric", NULL), "is not a known field");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_finds_the_nearest_name),
        UNIT_TEST(test_suggests_nothing_for_other_names),
        UNIT_TEST(test_adds_the_name_to_a_message),
    };
    return UNIT_RUN(tests);
}
