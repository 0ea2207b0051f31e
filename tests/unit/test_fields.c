/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <float.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/fields.h"
#include "lib/json.h"

static const char *refuse_spaces(const cat_text_rule_t *, const char *text)
{
    return strchr(text, ' ') ? "must be without spaces" : NULL;
}

enum { ID, NAME, PRICE, CATEGORY, IN_STOCK, RATING, PIECES, SLUG, PASSWORD, CREATED_AT, COUNT };

static const cat_text_rule_t no_spaces = {.refuse = refuse_spaces};

static const cat_field_t fields[COUNT] = {
    [ID] = {"id", CAT_STRING, CAT_SERVER, 0, 36, NULL, NULL, NULL, NULL},
    [NAME] = {"name", CAT_STRING, CAT_REQUIRED | CAT_VISIBLE, 1, 200, NULL, NULL, NULL, NULL},
    [PRICE] = {"price", CAT_NUMBER, CAT_REQUIRED, 0, DBL_MAX, NULL, NULL, NULL, NULL},
    [CATEGORY] = {"category", CAT_STRING, 0, 0, 100, "", NULL, NULL, NULL},
    [IN_STOCK] = {"inStock", CAT_BOOLEAN, 0, 0, 0, "1", NULL, NULL, NULL},
    [RATING] = {"rating", CAT_NUMBER, CAT_CLEARABLE, 0.5, 5, NULL, NULL, NULL, NULL},
    [PIECES] = {"pieces", CAT_NUMBER, CAT_WHOLE, 1, 9, NULL, NULL, NULL, NULL},
    [SLUG] = {"slug", CAT_STRING, 0, 3, 8, NULL, &no_spaces, NULL, NULL},
    [PASSWORD] = {"password", CAT_STRING, CAT_SECRET, 8, 256, NULL, NULL, NULL, NULL},
    [CREATED_AT] = {"createdAt", CAT_TIME, CAT_SERVER, 0, 0, NULL, NULL, NULL, NULL},
};

static int is_valid(apr_pool_t *pool, cat_purpose_t purpose, int strict, const char *text, cat_input_t *input)
{
    json_t *body;
    const char *why = NULL;

    body = cat_json_parse(pool, text, strlen(text), &why);
    if (!body) {
        fail_msg("%s: %s", text, why);
    }
    memset(input, 0xff, sizeof(*input));
    cat_fields_check(pool, fields, COUNT, purpose, strict, body, input);
    return !input->errors;
}

static cat_input_t take(void **state, cat_purpose_t purpose, const char *text)
{
    cat_input_t input;

    if (!is_valid(*state, purpose, 0, text, &input)) {
        fail_msg("%s: %s", text, cat_fields_summary(*state, input.errors));
    }
    assert_null(input.errors);
    return input;
}

/* The faults of a body: "field code; field code". */
static const char *codes(void **state, cat_purpose_t purpose, int strict, const char *text)
{
    cat_input_t input;
    const char *codes = "";
    size_t i;
    json_t *error;

    if (is_valid(*state, purpose, strict, text, &input)) {
        assert_null(input.errors);
        return "none";
    }
    json_array_foreach (input.errors, i, error) {
        assert_int_equal(json_object_size(error), 3);
        assert_true(json_string_length(json_object_get(error, "message")) > 0);
        codes = apr_pstrcat(*state, codes, i ? "; " : "", json_string_value(json_object_get(error, "field")), " ",
                            json_string_value(json_object_get(error, "code")), NULL);
    }
    return codes;
}

static const char *create_codes(void **state, const char *text)
{
    return codes(state, CAT_CREATE, 0, text);
}

static const char *update_codes(void **state, const char *text)
{
    return codes(state, CAT_UPDATE, 0, text);
}

static const char *summary(void **state, cat_purpose_t purpose, const char *text)
{
    cat_input_t input;
    assert_false(is_valid(*state, purpose, 1, text, &input));
    return cat_fields_summary(*state, input.errors);
}

static void test_create_takes_all_fields(void **state)
{
    cat_input_t input = take(state, CAT_CREATE,
                             "{\"rating\":4.50,\"slug\":\"abc\",\"inStock\":false,\"category\":\"c\",\"price\":19.99,"
                             "\"name\":\"Pen\",\"password\":\"12345678\"}");

    assert_null(input.values[ID]);
    assert_string_equal(input.values[NAME], "Pen");
    assert_string_equal(input.values[PRICE], "19.99");
    assert_string_equal(input.values[CATEGORY], "c");
    assert_string_equal(input.values[IN_STOCK], "0");
    assert_string_equal(input.values[RATING], "4.5");
    assert_string_equal(input.values[SLUG], "abc");
    assert_string_equal(input.values[PASSWORD], "12345678");
    assert_null(input.values[CREATED_AT]);
    assert_int_equal(input.given, 7);
    assert_int_equal(input.ignored->nelts, 0);
}

static void test_create_fills_in_defaults(void **state)
{
    cat_input_t input = take(state, CAT_CREATE, "{\"name\":\"Pen\",\"price\":0}");

    assert_string_equal(input.values[PRICE], "0");
    assert_string_equal(input.values[CATEGORY], "");
    assert_string_equal(input.values[IN_STOCK], "1");
    assert_null(input.values[RATING]);
    assert_null(input.values[SLUG]);
    assert_int_equal(input.given, 2);
}

static void test_update_takes_what_is_given(void **state)
{
    cat_input_t input = take(state, CAT_UPDATE, "{\"inStock\":true,\"rating\":null}");

    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(input.cleared[i], i == RATING);
        assert_int_equal(input.values[i] != NULL, i == IN_STOCK);
    }
    assert_string_equal(input.values[IN_STOCK], "1");
    assert_int_equal(input.given, 2);
}

static void test_update_may_be_empty(void **state)
{
    assert_int_equal(take(state, CAT_UPDATE, "{}").given, 0);
    assert_int_equal(take(state, CAT_UPDATE, "{\"id\":\"x\",\"createdAt\":[1],\"colour\":1}").given, 0);
}

static void test_fields_of_the_server_are_ignored(void **state)
{
    cat_input_t input = take(state, CAT_CREATE, "{\"id\":null,\"createdAt\":7,\"name\":\"Pen\",\"price\":1}");

    assert_null(input.values[ID]);
    assert_null(input.values[CREATED_AT]);
    assert_int_equal(input.given, 2);
    assert_int_equal(input.ignored->nelts, 0);
    assert_string_equal(codes(state, CAT_UPDATE, 1, "{\"id\":\"x\",\"createdAt\":\"x\",\"price\":1}"), "none");
}

static void test_body_must_be_an_object(void **state)
{
    static const char *const texts[] = {"null", "true", "1", "\"x\"", "[]", "[{\"name\":\"Pen\",\"price\":1}]"};

    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        assert_string_equal(create_codes(state, texts[i]), " type");
        assert_string_equal(update_codes(state, texts[i]), " type");
    }
    assert_string_equal(summary(state, CAT_CREATE, "[]"), "the body must be a JSON object");
}

static void test_reports_every_fault_at_once(void **state)
{
    assert_string_equal(create_codes(state, "{}"), "name required; price required");
    assert_string_equal(
        create_codes(state, "{\"price\":-1,\"name\":\"\",\"category\":1,\"inStock\":0,\"rating\":6,\"slug\":\"ab\"}"),
        "name too_short; price too_small; category type; inStock type; rating too_large; slug too_short");
}

static void test_null_is_for_clearable_fields(void **state)
{
    const char *all = "{\"name\":null,\"price\":null,\"category\":null,\"inStock\":null,\"rating\":null}";

    assert_string_equal(create_codes(state, all), "name null; price null; category null; inStock null");
    assert_string_equal(update_codes(state, all), "name null; price null; category null; inStock null");
}

static void test_refuses_values_of_other_types(void **state)
{
    static const char *const numbers[] = {"\"5\"", "true", "[]", "{}", "\"\""};
    static const char *const booleans[] = {"0", "1", "\"true\"", "1.0", "[]", "{}"};
    static const char *const strings[] = {"0", "1.5", "true", "[\"x\"]", "{}"};

    for (size_t i = 0; i < UNIT_COUNT(numbers); i++) {
        assert_string_equal(update_codes(state, apr_psprintf(*state, "{\"price\":%s}", numbers[i])), "price type");
    }
    for (size_t i = 0; i < UNIT_COUNT(booleans); i++) {
        assert_string_equal(update_codes(state, apr_psprintf(*state, "{\"inStock\":%s}", booleans[i])), "inStock type");
    }
    for (size_t i = 0; i < UNIT_COUNT(strings); i++) {
        assert_string_equal(update_codes(state, apr_psprintf(*state, "{\"name\":%s}", strings[i])), "name type");
    }
}

static void test_numbers_have_bounds(void **state)
{
    assert_string_equal(update_codes(state, "{\"price\":-0.01}"), "price too_small");
    assert_string_equal(update_codes(state, "{\"price\":-1}"), "price too_small");
    assert_string_equal(update_codes(state, "{\"price\":-0.0,\"rating\":0.5}"), "none");
    assert_string_equal(update_codes(state, "{\"price\":1.7976931348623157e308,\"rating\":5}"), "none");
    assert_string_equal(update_codes(state, "{\"rating\":0.49999999999999994}"), "rating too_small");
    assert_string_equal(update_codes(state, "{\"rating\":5.000000000000001}"), "rating too_large");
    assert_string_equal(take(state, CAT_UPDATE, "{\"price\":9007199254740993}").values[PRICE], "9007199254740993");
    assert_string_equal(take(state, CAT_UPDATE, "{\"price\":0.30000000000000004}").values[PRICE],
                        "0.30000000000000004");
    assert_string_equal(take(state, CAT_UPDATE, "{\"price\":1e21}").values[PRICE], "1e+21");
    assert_string_equal(take(state, CAT_UPDATE, "{\"price\":-0}").values[PRICE], "0");
}

static void test_whole_numbers_have_no_fraction(void **state)
{
    static const char *const ones[] = {"9", "9.0", "9e0", "0.9e1", "90e-1"}, *const others[] = {"1.5", "1e-1", "\"1\""};

    for (size_t i = 0; i < UNIT_COUNT(ones); i++) {
        const char *body = apr_psprintf(*state, "{\"pieces\":%s}", ones[i]);
        assert_string_equal(take(state, CAT_UPDATE, body).values[PIECES], "9");
    }
    assert_string_equal(update_codes(state, "{\"pieces\":10}"), "pieces too_large");
    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        assert_string_equal(update_codes(state, apr_psprintf(*state, "{\"pieces\":%s}", others[i])), "pieces type");
    }
    assert_string_equal(summary(state, CAT_UPDATE, "{\"pieces\":1.5}"), "pieces must be a whole number");
}

/* {"name": "..."}: the character, repeated `times` times. */
static const char *name_of(void **state, const char *character, int times)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 16);
    CAT_BUFFER_LITERAL(&b, "{\"name\":\"");
    while (times-- > 0) {
        cat_buffer_add_text(&b, character);
    }
    CAT_BUFFER_LITERAL(&b, "\"}");
    return cat_buffer_text(&b);
}

static void test_string_bounds_count_characters(void **state)
{
    static const char *const characters[] = {"a",       "\xc3\xa9",      "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                             "\\u20ac", "\\ud83d\\ude00"};

    for (size_t i = 0; i < UNIT_COUNT(characters); i++) {
        assert_string_equal(update_codes(state, name_of(state, characters[i], 0)), "name too_short");
        assert_string_equal(update_codes(state, name_of(state, characters[i], 1)), "none");
        assert_string_equal(update_codes(state, name_of(state, characters[i], 200)), "none");
        assert_string_equal(update_codes(state, name_of(state, characters[i], 201)), "name too_long");
    }
}

static void test_names_must_not_be_blank(void **state)
{
    assert_string_equal(update_codes(state, "{\"name\":\" \"}"), "name blank");
    assert_string_equal(update_codes(state, "{\"name\":\" \\t\\r\\n\\f\\u000b\"}"), "name blank");
    assert_string_equal(update_codes(state, "{\"name\":\" x \"}"), "none");
    assert_string_equal(update_codes(state, "{\"name\":\"\"}"), "name too_short");
    assert_string_equal(update_codes(state, "{\"category\":\"   \",\"password\":\"        \"}"), "none");
}

static void test_field_may_have_a_rule_of_its_own(void **state)
{
    assert_string_equal(update_codes(state, "{\"slug\":\"a bc\"}"), "slug format");
    assert_string_equal(update_codes(state, "{\"slug\":\"a b c d e\"}"), "slug too_long"); /* the first fault only */
}

static void test_values_stay_verbatim(void **state)
{
    cat_input_t input = take(state, CAT_UPDATE, "{\"name\":\"  '; DROP TABLE x; -- %s \\u202e\\uffff \\\"\\\\  \"}");
    assert_string_equal(input.values[NAME], "  '; DROP TABLE x; -- %s \xe2\x80\xae\xef\xbf\xbf \"\\  ");
}

static void test_values_outlive_the_body(void **state)
{
    apr_pool_t *bodys;
    json_t *body;
    cat_input_t input;
    const char *text = "{\"name\":\"Pen\",\"colour\":\"red\"}", *why;

    apr_pool_create(&bodys, *state);
    body = cat_json_parse(bodys, text, strlen(text), &why);
    assert_non_null(body);
    cat_fields_check(*state, fields, COUNT, CAT_UPDATE, 0, body, &input);
    assert_null(input.errors);
    apr_pool_destroy(bodys);
    assert_string_equal(input.values[NAME], "Pen");
    assert_string_equal(APR_ARRAY_IDX(input.ignored, 0, const char *), "colour");
}

static void test_reports_a_limited_number_of_unknown_fields(void **state)
{
    cat_buffer_t b;
    const char *text;
    int named = 0;

    cat_buffer_init(&b, *state, 64);
    for (int i = 0; i < 100; i++) {
        cat_buffer_add_text(&b, i ? "," : "{");
        cat_buffer_add_text(&b, apr_psprintf(*state, "\"m%d\":1", i));
    }
    cat_buffer_add_text(&b, "}");
    text = codes(state, CAT_UPDATE, 1, cat_buffer_text(&b));
    for (const char *at = text; (at = strstr(at, "unknown")); at++) {
        named++;
    }
    assert_int_equal(named, CAT_FIELDS_UNKNOWN_MAX);
}

static void test_unknown_fields_are_ignored_or_faults(void **state)
{
    const char *text = "{\"zz\":1,\"name\":\"Pen\",\"\":2,\"Name\":null,\"price\":1,\"__proto__\":{}}";
    cat_input_t input = take(state, CAT_CREATE, text);

    assert_int_equal(input.given, 2);
    assert_int_equal(input.ignored->nelts, 4);
    assert_string_equal(APR_ARRAY_IDX(input.ignored, 0, const char *), "zz");
    assert_string_equal(APR_ARRAY_IDX(input.ignored, 1, const char *), "");
    assert_string_equal(APR_ARRAY_IDX(input.ignored, 2, const char *), "Name");
    assert_string_equal(APR_ARRAY_IDX(input.ignored, 3, const char *), "__proto__");
    assert_string_equal(codes(state, CAT_CREATE, 1, text), "zz unknown;  unknown; Name unknown; __proto__ unknown");
    assert_string_equal(codes(state, CAT_UPDATE, 1, "{\"b\":1,\"price\":-1}"), "price too_small; b unknown");
}

static void test_ignored_fields_are_named_beside_faults(void **state)
{
    cat_input_t input;
    assert_false(is_valid(*state, CAT_CREATE, 0, "{\"colour\":1}", &input));
    assert_int_equal(input.ignored->nelts, 1);
}

static void test_each_fault_has_a_message(void **state)
{
    assert_string_equal(summary(state, CAT_CREATE, "{}"), "name is required; price is required");
    assert_string_equal(summary(state, CAT_UPDATE, "{\"name\":1,\"price\":\"1\",\"inStock\":1}"),
                        "name must be a string; price must be a number; inStock must be true or false");
    assert_string_equal(summary(state, CAT_UPDATE, "{\"name\":\"\",\"price\":-1,\"rating\":0,\"slug\":\"\"}"),
                        "name must have at least 1 character; price must be at least 0; rating must be at least 0.5; "
                        "slug must have at least 3 characters");
    assert_string_equal(summary(state, CAT_UPDATE, "{\"rating\":6,\"slug\":\"123456789\"}"),
                        "rating must be at most 5; slug must have at most 8 characters");
    assert_string_equal(summary(state, CAT_UPDATE, "{\"name\":\" \",\"price\":null,\"slug\":\"a b\",\"colour\":1}"),
                        "name must not be blank; price must not be null; slug must be without spaces; "
                        "colour is not a known field");
}

static void test_a_comma_in_a_number_is_explained(void **state)
{
    static const char *const with[] = {"1,5", "-1.299,50", "1 299,5", "1,299.50", "5,"}, *const without[] = {
                                                                                             ",", "1,5 EUR", "1.2.3",
                                                                                             ""};

    for (size_t i = 0; i < UNIT_COUNT(with); i++) {
        const char *body = apr_psprintf(*state, "{\"price\":\"%s\"}", with[i]);
        assert_string_equal(update_codes(state, body), "price type");
        assert_string_equal(summary(state, CAT_UPDATE, body),
                            "price must be a number with a decimal point and without a comma, such as 2.5");
    }
    for (size_t i = 0; i < UNIT_COUNT(without); i++) {
        const char *body = apr_psprintf(*state, "{\"price\":\"%s\"}", without[i]);
        assert_string_equal(summary(state, CAT_UPDATE, body), "price must be a number");
    }
}

static void test_errors_are_json(void **state)
{
    cat_input_t input;
    assert_false(is_valid(*state, CAT_CREATE, 1, "{\"name\":\"Pen\",\"\\\"\\n\":1}", &input));
    assert_string_equal(cat_json_text(*state, input.errors),
                        "[{\"field\":\"price\",\"code\":\"required\",\"message\":\"is required\"},"
                        "{\"field\":\"\\\"\\n\",\"code\":\"unknown\",\"message\":\"is not a known field\"}]");
}

static void test_caller_may_add_errors(void **state)
{
    cat_input_t input = take(state, CAT_UPDATE, "{\"price\":1}");

    cat_fields_add_error(*state, &input, "email", "taken", "is taken");
    cat_fields_add_error(*state, &input, "", "empty", "must have a field");
    assert_string_equal(cat_fields_summary(*state, input.errors), "email is taken; the body must have a field");
}

static void test_faults_are_in_the_order_of_the_fields(void **state)
{
    cat_input_t input = take(state, CAT_UPDATE, "{\"price\":1}");

    for (int i = COUNT; i > 0; i--) {
        cat_fields_add_error(*state, &input, fields[i - 1].name, "one", "is bad");
        cat_fields_add_error(*state, &input, "none of them", "one", "is bad");
        cat_fields_add_error(*state, &input, fields[i - 1].name, "two", "is bad");
    }
    for (int i = 0; i < COUNT; i++) {
        const json_t *one = json_array_get(input.errors, 2 * i), *two = json_array_get(input.errors, 2 * i + 1);
        assert_string_equal(json_string_value(json_object_get(one, "field")), fields[i].name);
        assert_string_equal(json_string_value(json_object_get(one, "code")), "one");
        assert_string_equal(json_string_value(json_object_get(two, "field")), fields[i].name);
        assert_string_equal(json_string_value(json_object_get(two, "code")), "two");
    }
    assert_int_equal(json_array_size(input.errors), 3 * COUNT);
}

static const char *write_record(void **state, const char *const values[COUNT])
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 1);
    cat_fields_write(&b, fields, COUNT, values);
    return cat_buffer_text(&b);
}

static void test_writes_set_and_visible_fields(void **state)
{
    const char *const full[COUNT] = {
        [ID] = "x1",     [NAME] = "P\"e\"n",      [PRICE] = "19.99",
        [CATEGORY] = "", [IN_STOCK] = "0",        [RATING] = "4.5",
        [SLUG] = "abc",  [PASSWORD] = "12345678", [CREATED_AT] = "1795253400123",
    };
    const char *const few[COUNT] = {[IN_STOCK] = "1", [PASSWORD] = "12345678"};
    const char *const none[COUNT] = {NULL};

    assert_string_equal(write_record(state, full),
                        "{\"id\":\"x1\",\"name\":\"P\\\"e\\\"n\",\"price\":19.99,\"category\":\"\",\"inStock\":false,"
                        "\"rating\":4.5,\"slug\":\"abc\",\"createdAt\":\"2026-11-21T09:30:00.123Z\"}");
    assert_string_equal(write_record(state, few), "{\"inStock\":true}");
    assert_string_equal(write_record(state, none), "{}");
}

static void test_writes_null_where_a_field_may_have_it(void **state)
{
    static const cat_field_t two[] = {
        {"id", CAT_STRING, CAT_SERVER, 0, 0, NULL, NULL, NULL, NULL},
        {"error", CAT_STRING, CAT_SERVER | CAT_NULLABLE, 0, 255, NULL, NULL, NULL, NULL},
    };
    const char *const with[] = {"x1", "no"}, *const without[] = {"x1", NULL};
    cat_buffer_t b;

    cat_buffer_init(&b, *state, 1);
    cat_fields_write(&b, two, UNIT_COUNT(two), with);
    cat_fields_write(&b, two, UNIT_COUNT(two), without);
    assert_string_equal(cat_buffer_text(&b), "{\"id\":\"x1\",\"error\":\"no\"}{\"id\":\"x1\",\"error\":null}");
}

static void test_written_records_can_be_sent_back(void **state)
{
    static const char *const bodies[] = {
        "{\"name\":\"Pen\",\"price\":0.1,\"category\":\"\",\"inStock\":true}",
        "{\"name\":\"\xf0\x9f\x98\x80 \\u0001\",\"price\":9007199254740993,\"category\":\"\\\\\",\"inStock\":false}",
        "{\"name\":\"'%s\",\"price\":1e+21,\"category\":\"\xef\xbf\xbf\",\"inStock\":true,\"rating\":0.5}",
    };

    for (size_t i = 0; i < UNIT_COUNT(bodies); i++) {
        assert_string_equal(write_record(state, take(state, CAT_CREATE, bodies[i]).values), bodies[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_create_takes_all_fields),
        UNIT_TEST(test_create_fills_in_defaults),
        UNIT_TEST(test_update_takes_what_is_given),
        UNIT_TEST(test_update_may_be_empty),
        UNIT_TEST(test_fields_of_the_server_are_ignored),
        UNIT_TEST(test_body_must_be_an_object),
        UNIT_TEST(test_reports_every_fault_at_once),
        UNIT_TEST(test_null_is_for_clearable_fields),
        UNIT_TEST(test_refuses_values_of_other_types),
        UNIT_TEST(test_numbers_have_bounds),
        UNIT_TEST(test_whole_numbers_have_no_fraction),
        UNIT_TEST(test_string_bounds_count_characters),
        UNIT_TEST(test_names_must_not_be_blank),
        UNIT_TEST(test_field_may_have_a_rule_of_its_own),
        UNIT_TEST(test_values_stay_verbatim),
        UNIT_TEST(test_values_outlive_the_body),
        UNIT_TEST(test_unknown_fields_are_ignored_or_faults),
        UNIT_TEST(test_reports_a_limited_number_of_unknown_fields),
        UNIT_TEST(test_ignored_fields_are_named_beside_faults),
        UNIT_TEST(test_each_fault_has_a_message),
        UNIT_TEST(test_a_comma_in_a_number_is_explained),
        UNIT_TEST(test_errors_are_json),
        UNIT_TEST(test_caller_may_add_errors),
        UNIT_TEST(test_faults_are_in_the_order_of_the_fields),
        UNIT_TEST(test_writes_set_and_visible_fields),
        UNIT_TEST(test_writes_null_where_a_field_may_have_it),
        UNIT_TEST(test_written_records_can_be_sent_back),
    };
    return UNIT_RUN(tests);
}
