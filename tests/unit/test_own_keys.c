/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "catalogue/product/own_keys.h"
#include "catalogue/product/product.h"

static const cat_fields_t *one_field(apr_pool_t *pool, const char *line)
{
    const cat_fields_t *fields;

    assert_null(cat_own_fields_add(pool, NULL, line, &fields));
    return fields;
}

/* The key that each value has is above that of the value before it. */
static void assert_ascending(apr_pool_t *pool, const char *line, const char *const *values, size_t count)
{
    const cat_fields_t *fields = one_field(pool, line);
    const char *before = cat_own_keys_key(pool, fields, CAT_PRODUCT_FIELDS, NULL);

    assert_string_equal(before, "");
    for (size_t i = 0; i < count; i++) {
        const char *key = cat_own_keys_key(pool, fields, CAT_PRODUCT_FIELDS, values[i]);
        assert_true(strcmp(before, key) < 0);
        before = key;
    }
}

static void test_keys_are_ordered_as_values_are(void **state)
{
    static const char *const numbers[] = {"-1e300", "-2.5", "-1", "-1e-300",          "0",
                                          "1e-300", "0.1",  "1",  "9007199254740991", "1e300"};
    static const char *const times[] = {"-62135596800000", "-1", "0", "1", "1795521600000", "253402300799999"};
    static const char *const texts[] = {"1", "a",
                                        "\xc3\x84"
                                        "b",
                                        "B", "c"};
    static const char *const choices[] = {"small", "large", "huge", "removed"};

    assert_ascending(*state, "x number index", numbers, UNIT_COUNT(numbers));
    assert_ascending(*state, "x time index", times, UNIT_COUNT(times));
    assert_ascending(*state, "x string index", texts, UNIT_COUNT(texts));
    assert_ascending(*state, "x choice index values=\"small|large|huge\"", choices, UNIT_COUNT(choices));
    assert_ascending(*state, "x boolean index", (const char *const[]){"0", "1"}, 2);
}

static void test_equal_numbers_have_one_key(void **state)
{
    const cat_fields_t *fields = one_field(*state, "x number index");

    assert_string_equal(cat_own_keys_key(*state, fields, CAT_PRODUCT_FIELDS, "2.50"),
                        cat_own_keys_key(*state, fields, CAT_PRODUCT_FIELDS, "25e-1"));
}

static void test_texts_are_told_apart_by_their_exact_value(void **state)
{
    const cat_fields_t *text = one_field(*state, "x string index max=1000"),
                       *choice = one_field(*state, "x choice index values=\"a|b\"");
    const char *a = apr_pstrcat(*state, "Kettle ", "0123456789", NULL), *longer = a;

    assert_string_equal(cat_own_keys_key(*state, text, CAT_PRODUCT_FIELDS, "K\xc3\xa4se"), "kase");
    assert_string_equal(cat_own_keys_value(*state, text, CAT_PRODUCT_FIELDS, "K\xc3\xa4se"), "K\xc3\xa4se");
    assert_null(cat_own_keys_value(*state, choice, CAT_PRODUCT_FIELDS, "a"));
    assert_null(cat_own_keys_value(*state, text, CAT_PRODUCT_FIELDS, NULL));
    while (strlen(longer) <= CAT_OWN_KEY_SIZE) {
        longer = apr_pstrcat(*state, longer, longer, NULL);
    }
    assert_int_equal(strlen(cat_own_keys_unique(*state, longer)), strlen("sha256:") + 64);
    assert_string_not_equal(cat_own_keys_unique(*state, longer),
                            cat_own_keys_unique(*state, apr_pstrcat(*state, longer, "x", NULL)));
    assert_true(strlen(cat_own_keys_key(*state, text, CAT_PRODUCT_FIELDS, longer)) <= CAT_OWN_KEY_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_keys_are_ordered_as_values_are),
        UNIT_TEST(test_equal_numbers_have_one_key),
        UNIT_TEST(test_texts_are_told_apart_by_their_exact_value),
    };
    return UNIT_RUN(tests);
}
