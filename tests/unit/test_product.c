/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "catalogue/product/product.h"
#include "lib/json.h"

static int check(void **state, cat_purpose_t purpose, const char *text, cat_input_t *input)
{
    const char *why;
    json_t *body;

    body = cat_json_parse(*state, text, strlen(text), &why);
    assert_non_null(body);
    cat_fields_check(*state, cat_product_fields, CAT_PRODUCT_FIELDS, purpose, 0, body, input);
    return !input->errors;
}

/* The faults in one sentence. */
static const char *faults(void **state, cat_purpose_t purpose, const char *text)
{
    cat_input_t input;

    assert_false(check(state, purpose, text, &input));
    return cat_fields_summary(*state, input.errors);
}

static void test_absent_fields_get_defaults(void **state)
{
    cat_input_t input;

    assert_true(check(state, CAT_CREATE, "{\"name\":\"x\",\"price\":0,\"id\":1,\"createdAt\":[]}", &input));
    assert_string_equal(input.values[CAT_PRODUCT_CATEGORY], "");
    assert_string_equal(input.values[CAT_PRODUCT_IN_STOCK], "1");
    assert_null(input.values[CAT_PRODUCT_RATING]);
    assert_null(input.values[CAT_PRODUCT_ID]);
    assert_null(input.values[CAT_PRODUCT_CREATED_AT]);
    assert_int_equal(input.ignored->nelts, 0);
    assert_string_equal(faults(state, CAT_CREATE, "{}"), "name is required; price is required");
}

static void test_values_have_bounds(void **state)
{
    assert_string_equal(faults(state, CAT_UPDATE, "{\"name\":\" \",\"price\":-1,\"rating\":5.1}"),
                        "name must not be blank; price must be at least 0; rating must be at most 5");
    assert_string_equal(faults(state, CAT_UPDATE, "{\"category\":null}"), "category must not be null");
}

static void test_only_a_rating_can_be_cleared(void **state)
{
    cat_input_t input;

    assert_true(check(state, CAT_UPDATE, "{\"rating\":null}", &input));
    assert_true(input.cleared[CAT_PRODUCT_RATING]);
    assert_true(check(state, CAT_CREATE, "{\"name\":\"x\",\"price\":1,\"rating\":null}", &input));
    assert_string_equal(faults(state, CAT_CREATE, "{\"name\":\"x\",\"price\":1,\"category\":null}"),
                        "category must not be null");
}

static void test_fields_are_written_in_order(void **state)
{
    const char *const values[CAT_PRODUCT_FIELDS] = {
        [CAT_PRODUCT_ID] = "1",      [CAT_PRODUCT_NAME] = "Kettle", [CAT_PRODUCT_PRICE] = "19.99",
        [CAT_PRODUCT_CATEGORY] = "", [CAT_PRODUCT_IN_STOCK] = "0",  [CAT_PRODUCT_CREATED_AT] = "0"};
    cat_buffer_t b;

    cat_buffer_init(&b, *state, CAT_PRODUCT_SIZE);
    cat_fields_write(&b, cat_product_fields, CAT_PRODUCT_FIELDS, values);
    assert_string_equal(cat_buffer_text(&b),
                        "{\"id\":\"1\",\"name\":\"Kettle\",\"price\":19.99,\"category\":\"\",\"inStock\":false,"
                        "\"createdAt\":\"1970-01-01T00:00:00.000Z\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_absent_fields_get_defaults),
        UNIT_TEST(test_values_have_bounds),
        UNIT_TEST(test_only_a_rating_can_be_cleared),
        UNIT_TEST(test_fields_are_written_in_order),
    };
    return UNIT_RUN(tests);
}
