/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "http/answer.h"
#include "lib/fields.h"
#include "lib/json.h"

/* Parses the answer's body, which must have the answer's length and be an object. */
static json_t *parse(apr_pool_t *pool, const cat_answer_t *a)
{
    json_t *body;
    const char *why = NULL;

    assert_int_equal(strlen(a->body), a->length);
    body = cat_json_parse(pool, a->body, a->length, &why);
    if (!body) {
        fail_msg("%s: %s", a->body, why);
    }
    assert_true(json_is_object(body));
    return body;
}

static const char *text_of(const json_t *body, const char *field)
{
    return json_string_value(json_object_get(body, field));
}

static const char *header(const cat_answer_t *a, const char *name)
{
    return a->headers ? apr_table_get(a->headers, name) : NULL;
}

static cat_buffer_t buffer(void **state, const char *text)
{
    cat_buffer_t b;
    cat_buffer_init(&b, *state, 1);
    cat_buffer_add_text(&b, text);
    return b;
}

static void test_success_has_data_and_message(void **state)
{
    cat_buffer_t data = buffer(state, "{\"id\":\"1\"}");
    cat_answer_t *a = cat_answer_success(*state, 201, &data, "Product \"created\"");

    assert_int_equal(a->status, 201);
    assert_string_equal(a->body, "{\"success\":true,\"data\":{\"id\":\"1\"},\"message\":\"Product \\\"created\\\"\"}");
    parse(*state, a);
    assert_string_equal(cat_answer_success(*state, 200, &data, NULL)->body,
                        "{\"success\":true,\"data\":{\"id\":\"1\"}}");
    assert_string_equal(cat_answer_success(*state, 200, NULL, "Deleted")->body,
                        "{\"success\":true,\"message\":\"Deleted\"}");
    assert_null(cat_answer_success(*state, 200, NULL, "Deleted")->headers);
}

static void test_member_is_added_to_the_body(void **state)
{
    cat_buffer_t list = buffer(state, "[1,2]");
    cat_answer_t *a = cat_answer_success(*state, 200, NULL, "Done");

    cat_answer_add_member(*state, a, "results", &list);
    assert_string_equal(a->body, "{\"success\":true,\"message\":\"Done\",\"results\":[1,2]}");
    parse(*state, a);
}

static void test_problem_within_an_answer(void **state)
{
    json_t *errors = cat_json_own(
        *state, json_pack("[{s:s, s:s, s:s}]", "field", "price", "code", "required", "message", "is required"));
    cat_buffer_t b = buffer(state, "");

    cat_answer_write_problem(&b, CAT_PROBLEM_PRODUCT_UNKNOWN, NULL);
    assert_string_equal(cat_buffer_text(&b), "\"status\":404,\"message\":\"Product not found\"");
    b = buffer(state, "");
    cat_answer_write_problem(&b, CAT_PROBLEM_VALIDATION, errors);
    assert_string_equal(cat_buffer_text(&b),
                        "\"status\":400,\"message\":\"Validation failed\",\"error\":\"price is required\","
                        "\"errors\":[{\"field\":\"price\",\"code\":\"required\",\"message\":\"is required\"}]");
}

static void test_text_is_the_body(void **state)
{
    cat_answer_t *a = cat_answer_text(*state, 200, "[1]", 3);

    assert_int_equal(a->status, 200);
    assert_string_equal(a->body, "[1]");
    assert_int_equal(a->length, 3);
    assert_null(a->headers);
}

static void test_every_problem_has_status_and_message(void **state)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        cat_answer_t *a = cat_answer_problem(*state, (cat_problem_t)i, NULL);
        json_t *body = parse(*state, a);
        json_t *error = json_object_get(body, "error");

        assert_in_range(a->status, 400, 599);
        assert_true(json_is_false(json_object_get(body, "success")));
        assert_true(strlen(text_of(body, "message")) > 0);
        assert_true(!error || json_string_length(error) > 0);
        assert_int_equal(json_object_size(body), error ? 3 : 2);
    }
}

/* The texts of problem.def reach every client. */
static void test_problems_reveal_no_internals(void **state)
{
    static const char *const telling[] = {"SQL", "sql", "SELECT", "apr_", "/var", ".c:", "%"};

    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        json_t *body = parse(*state, cat_answer_problem(*state, (cat_problem_t)i, NULL));
        for (size_t j = 0; j < UNIT_COUNT(telling); j++) {
            assert_null(strstr(cat_json_text(*state, body), telling[j]));
        }
    }
}

/* Retry-After helps only against problems that may end without the client's doing. */
static void test_only_what_passes_has_retry_after(void **state)
{
    for (int i = 0; i < CAT_PROBLEM_COUNT; i++) {
        const cat_answer_t *a = cat_answer_problem(*state, (cat_problem_t)i, NULL);
        const char *after = header(a, "Retry-After");
        if (after) {
            assert_true(a->status >= 500 || i == CAT_PROBLEM_IDEMPOTENCY_BUSY);
            assert_in_range(atoi(after), 1, 60);
        }
    }
    assert_non_null(header(cat_answer_problem(*state, CAT_PROBLEM_DATABASE, NULL), "Retry-After"));
    assert_non_null(header(cat_answer_problem(*state, CAT_PROBLEM_UNAVAILABLE, NULL), "Retry-After"));
}

static void test_not_found_has_only_a_message(void **state)
{
    cat_answer_t *a = cat_answer_problem(*state, CAT_PROBLEM_PRODUCT_UNKNOWN, NULL);

    assert_int_equal(a->status, 404);
    assert_string_equal(a->body, "{\"success\":false,\"message\":\"Product not found\"}");
}

static void test_caller_may_supply_the_error(void **state)
{
    cat_answer_t *a = cat_answer_problem(*state, CAT_PROBLEM_BAD_REQUEST, "line 1: '\"' expected\n");

    assert_int_equal(a->status, 400);
    assert_string_equal(text_of(parse(*state, a), "error"), "line 1: '\"' expected\n");
}

static void test_invalid_lists_each_error(void **state)
{
    cat_input_t input = {0};
    cat_answer_t *a;
    json_t *body;

    cat_fields_add_error(*state, &input, "name", "required", "is required");
    cat_fields_add_error(*state, &input, "a\"b", "unknown", "is not a known field");
    a = cat_answer_invalid(*state, CAT_PROBLEM_VALIDATION, input.errors);
    body = parse(*state, a);
    assert_int_equal(a->status, 400);
    assert_true(json_is_false(json_object_get(body, "success")));
    assert_string_equal(text_of(body, "message"), "Validation failed");
    assert_string_equal(text_of(body, "error"), "name is required; a\"b is not a known field");
    assert_true(json_equal(json_object_get(body, "errors"), input.errors));
    a = cat_answer_invalid(*state, CAT_PROBLEM_USER_EXISTS, input.errors);
    assert_int_equal(a->status, 409);
    assert_true(json_is_array(json_object_get(parse(*state, a), "errors")));
}

static void check_status(void **state, int status, const char *message, int has_error)
{
    const cat_answer_t *a = cat_answer_status(*state, status, "Reason Phrase");
    json_t *body = parse(*state, a);

    assert_int_equal(a->status, status);
    assert_string_equal(text_of(body, "message"), message);
    assert_int_equal(text_of(body, "error") != NULL, has_error);
    assert_null(header(a, "Retry-After"));
}

/* Another module may have set the status, so messages that fit only errors of this module (401, 409, 503) do not
 * apply. */
static void test_known_statuses_have_messages(void **state)
{
    check_status(state, 400, "Bad request", 1);
    check_status(state, 403, "Forbidden", 1);
    check_status(state, 404, "Not found", 0);
    check_status(state, 408, "Request timeout", 1);
    check_status(state, 500, "Internal server error", 1);
    for (int i = 0; i < 5; i++) {
        static const int others[] = {401, 402, 409, 503, 999};
        check_status(state, others[i], "Reason Phrase", 0);
    }
}

static void test_header_replaces_one_of_the_same_name(void **state)
{
    cat_answer_t *a = cat_answer_text(*state, 204, NULL, 0);

    cat_answer_header(a, *state, "Allow", "GET");
    cat_answer_header(a, *state, "Allow", "GET, HEAD");
    cat_answer_header(a, *state, "X-Other", "1");
    assert_string_equal(header(a, "Allow"), "GET, HEAD");
    assert_string_equal(header(a, "X-Other"), "1");
    assert_int_equal(apr_table_elts(a->headers)->nelts, 2);
}

static const char *ignored_header(void **state, const char *const *names, int count)
{
    cat_answer_t *a = cat_answer_text(*state, 200, "{}", 2);
    apr_array_header_t *array = apr_array_make(*state, 4, sizeof(const char *));

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(array, const char *) = names[i];
    }
    cat_answer_name_ignored(a, *state, array);
    return header(a, "Catalog-Ignored");
}

static void test_ignored_fields_are_named_in_a_header(void **state)
{
    const char *const names[] = {"colour", "a b,c", "x\r\nSet-Cookie: a=b", "100%", "\xc3\xa9", "_-.~"};

    assert_null(ignored_header(state, NULL, 0));
    assert_string_equal(ignored_header(state, names, 1), "colour");
    assert_string_equal(ignored_header(state, names, 6),
                        "colour, a%20b%2Cc, x%0D%0ASet-Cookie%3A%20a%3Db, 100%25, %C3%A9, _-.~");
}

static void test_long_names_of_ignored_fields_are_cut(void **state)
{
    char name[1000];
    const char *names[] = {name, "b"};
    const char *value;

    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    value = ignored_header(state, names, 2);
    assert_int_equal(strlen(value), 64 + strlen(", b"));
    assert_string_equal(value + 64, ", b");
}

static void test_malformed_is_invalid_with_a_flag(void **state)
{
    json_t *errors = cat_json_own(
        *state, json_pack("[{s:s, s:s, s:s}]", "field", "name", "code", "required", "message", "is required"));
    const cat_answer_t *malformed = cat_answer_malformed(*state, errors);
    const cat_answer_t *invalid = cat_answer_invalid(*state, CAT_PROBLEM_VALIDATION, errors);

    assert_int_equal(malformed->status, 400);
    assert_string_equal(malformed->body, invalid->body);
    assert_true(malformed->malformed);
    assert_false(invalid->malformed);
}

static const char *name_rows(apr_pool_t *pool, int count)
{
    json_t *errors = cat_json_own(pool, json_array());

    for (int i = 1; i <= count; i++) {
        json_array_append_new(
            errors, json_pack("{s:i, s:s, s:s}", "row", i, "field", i == 2 ? "" : "name", "message", "is required"));
    }
    return cat_answer_rows_invalid(pool, "row", "row", errors)->error;
}

static void test_rows_have_a_sentence_of_their_own(void **state)
{
    json_t *errors =
        cat_json_own(*state, json_pack("[{s:s, s:s, s:s}]", "id", "01a1", "field", "price", "message", "is odd"));
    const cat_answer_t *a = cat_answer_rows_invalid(*state, "product", "id", errors);

    assert_int_equal(a->status, 400);
    assert_string_equal(a->body,
                        "{\"success\":false,\"message\":\"Validation failed\",\"error\":\"product 01a1: price is odd\","
                        "\"errors\":[{\"id\":\"01a1\",\"field\":\"price\",\"message\":\"is odd\"}]}");
    assert_string_equal(name_rows(*state, 2), "row 1: name is required; row 2: it is required");
    assert_null(strstr(name_rows(*state, 5), "more"));
    assert_string_equal(strstr(name_rows(*state, 7), "row 5"), "row 5: name is required; and more");
}

static void test_a_stream_has_no_body(void **state)
{
    const cat_stream_t stream = {NULL, NULL, NULL};
    const cat_answer_t *a = cat_answer_stream(*state, "text/csv", &stream);

    assert_int_equal(a->status, 200);
    assert_null(a->body);
    assert_ptr_equal(a->stream, &stream);
    assert_string_equal(a->type, "text/csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_success_has_data_and_message),
        UNIT_TEST(test_member_is_added_to_the_body),
        UNIT_TEST(test_problem_within_an_answer),
        UNIT_TEST(test_rows_have_a_sentence_of_their_own),
        UNIT_TEST(test_a_stream_has_no_body),
        UNIT_TEST(test_text_is_the_body),
        UNIT_TEST(test_every_problem_has_status_and_message),
        UNIT_TEST(test_problems_reveal_no_internals),
        UNIT_TEST(test_only_what_passes_has_retry_after),
        UNIT_TEST(test_not_found_has_only_a_message),
        UNIT_TEST(test_caller_may_supply_the_error),
        UNIT_TEST(test_invalid_lists_each_error),
        UNIT_TEST(test_malformed_is_invalid_with_a_flag),
        UNIT_TEST(test_known_statuses_have_messages),
        UNIT_TEST(test_header_replaces_one_of_the_same_name),
        UNIT_TEST(test_ignored_fields_are_named_in_a_header),
        UNIT_TEST(test_long_names_of_ignored_fields_are_cut),
    };
    return UNIT_RUN(tests);
}
