/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include <string.h>

#include "catalogue/product/own_fields.h"
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

/* ---- the column extra ---- */

static const cat_fields_t *own_fields(apr_pool_t *pool)
{
    static const char *const lines[] = {"sku string",   "weight number", "tags strings",
                                        "live boolean", "seen time",     "more json"};
    const cat_fields_t *fields = NULL;

    for (size_t i = 0; i < UNIT_COUNT(lines); i++) {
        assert_null(cat_own_fields_add(pool, fields, lines[i], &fields));
    }
    return fields;
}

/* The values of the fields that are set, of a row with this column, each with a blank behind it. */
static const char *read_extra(apr_pool_t *pool, const char *extra)
{
    const cat_fields_t *fields = own_fields(pool);
    const char *row[CAT_PRODUCT_COLUMNS] = {[CAT_PRODUCT_EXTRA] = extra}, *text = "";
    const char *const *record = cat_product_read(pool, fields, row);

    for (int i = CAT_PRODUCT_FIELDS; i < fields->count; i++) {
        text = record[i] ? apr_pstrcat(pool, text, fields->all[i].name, "=", record[i], " ", NULL) : text;
    }
    return text;
}

static void test_column_has_the_fields_of_the_shops_own(void **state)
{
    assert_string_equal(read_extra(*state, NULL), "");
    assert_string_equal(read_extra(*state, "{}"), "");
    assert_string_equal(read_extra(*state,
                                   "{\"sku\":\"K-1\",\"weight\":2.50,\"tags\":[\"a\",\"]}\"],\"live\":true,\"seen\":-1,"
                                   "\"more\":{\"a\":[1,{\"b\":\"\\\"}\"}]}}"),
                        "sku=K-1 weight=2.50 tags=[\"a\",\"]}\"] live=1 seen=-1 more={\"a\":[1,{\"b\":\"\\\"}\"}]} ");
    assert_string_equal(read_extra(*state, "{\"live\":false,\"other\":{\"sku\":1},\"sku\":\"\\u00e4\\n\"}"),
                        "sku=\xc3\xa4\n live=0 ");
}

static void test_what_another_program_wrote_is_read_with_care(void **state)
{
    static const char *const broken[] = {"",         "[]",        "{",          "{\"",         "{\"sku",
                                         "{\"sku\"", "{\"sku\":", "{\"sku\":}", "{\"sku\":\"", "{\"sku\":\"a\\",
                                         "{1:2}",    "{\"\":1}",  "null",       "{\"tags\":[", "{\"sku\":\"\\x\"}"};

    assert_string_equal(read_extra(*state, " { \"sku\" : \"a\" , \"weight\" : 1 } "), "sku=a weight=1 ");
    assert_string_equal(read_extra(*state, "{\"sku\":1,\"weight\":\"x\",\"tags\":\"a\",\"live\":1,\"seen\":\"now\"}"),
                        "");
    for (size_t i = 0; i < UNIT_COUNT(broken); i++) {
        read_extra(*state, broken[i]); /* whatever it is taken for */
    }
}

static void test_column_keeps_what_the_mount_does_not_know(void **state)
{
    const cat_fields_t *fields = own_fields(*state);
    const char *row[CAT_PRODUCT_COLUMNS] = {[CAT_PRODUCT_EXTRA] =
                                                "{\"old\":[1],\"weight\":1,\"sku\":\"a\\\"b\",\"seen\":5}"};
    const char *const *record = cat_product_read(*state, fields, row);
    const char *none[CAT_FIELDS_MAX] = {NULL};

    assert_string_equal(cat_product_write_extra(*state, fields, record, row[CAT_PRODUCT_EXTRA]),
                        "{\"sku\":\"a\\\"b\",\"weight\":1,\"seen\":5,\"old\":[1]}");
    assert_string_equal(cat_product_write_extra(*state, fields, none, row[CAT_PRODUCT_EXTRA]), "{\"old\":[1]}");
    assert_null(cat_product_write_extra(*state, fields, none, "{\"sku\":\"x\"}"));
    assert_null(cat_product_write_extra(*state, &cat_product_built_in, none, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_absent_fields_get_defaults),
        UNIT_TEST(test_values_have_bounds),
        UNIT_TEST(test_only_a_rating_can_be_cleared),
        UNIT_TEST(test_fields_are_written_in_order),
        UNIT_TEST(test_column_has_the_fields_of_the_shops_own),
        UNIT_TEST(test_what_another_program_wrote_is_read_with_care),
        UNIT_TEST(test_column_keeps_what_the_mount_does_not_know),
    };
    return UNIT_RUN(tests);
}
