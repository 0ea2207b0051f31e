/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "http/problem_details.h"
#include "lib/json.h"

static void test_only_clients_that_name_the_type_want_it(void **)
{
    static const char *const yes[] = {
        "application/problem+json",
        "application/problem+json, application/json",
        "application/json, application/problem+json",
        "application/problem+json;q=0.2, */*;q=0.1",
        "text/html, application/problem+json;q=0.5",
    };
    static const char *const no[] = {
        "",
        "*/*",
        "application/*",
        "application/json",
        "application/problem+json;q=0",
        "application/problem+json;q=0.8, application/json",
        "application/problem+json;q=0.8, */*",
        "application/problem+xml",
    };

    assert_false(cat_problem_details_wanted(NULL));
    for (size_t i = 0; i < UNIT_COUNT(yes); i++) {
        assert_true(cat_problem_details_wanted(yes[i]));
    }
    for (size_t i = 0; i < UNIT_COUNT(no); i++) {
        assert_false(cat_problem_details_wanted(no[i]));
    }
}

static void test_details_have_the_words_of_the_answer(void **state)
{
    const cat_answer_t *usual = cat_answer_problem(*state, CAT_PROBLEM_CURSOR, "a \"cursor\"");
    const cat_answer_t *details = cat_problem_details_make(*state, usual, "/a%20pi", "id-1");

    assert_string_equal(details->body, "{\"type\":\"/a%20pi/problems/invalid-cursor\",\"title\":\"Invalid cursor\","
                                       "\"status\":400,\"detail\":\"a \\\"cursor\\\"\",\"requestId\":\"id-1\"}");
    assert_int_equal(details->length, strlen(details->body));
    assert_int_equal(details->status, 400);
    assert_string_equal(details->type, "application/problem+json");
    assert_string_equal(usual->body,
                        "{\"success\":false,\"message\":\"Invalid cursor\",\"error\":\"a \\\"cursor\\\"\"}");
}

static void test_absent_members_are_left_out(void **state)
{
    const cat_answer_t *usual = cat_answer_problem(*state, CAT_PROBLEM_PRODUCT_UNKNOWN, NULL);

    assert_string_equal(cat_problem_details_make(*state, usual, "", NULL)->body,
                        "{\"type\":\"/problems/product-not-found\",\"title\":\"Product not found\",\"status\":404}");
}

static void test_members_behind_the_words_stay(void **state)
{
    json_t *errors =
        cat_json_own(*state, json_pack("[{s:i, s:s, s:s}]", "row", 2, "field", "price", "message", "is odd"));
    cat_answer_t *usual = cat_answer_rows_invalid(*state, "row", "row", errors);
    cat_buffer_t summary;

    cat_buffer_init(&summary, *state, 16);
    cat_buffer_add_text(&summary, "{\"rows\":2}");
    cat_answer_add_member(*state, usual, "summary", &summary);
    assert_string_equal(cat_problem_details_make(*state, usual, "/api", "x")->body,
                        "{\"type\":\"/api/problems/validation-failed\",\"title\":\"Validation failed\",\"status\":400,"
                        "\"detail\":\"row 2: price is "
                        "odd\",\"requestId\":\"x\",\"errors\":[{\"row\":2,\"field\":\"price\",\"message\":\"is odd\"}],"
                        "\"summary\":{\"rows\":2}}");
}

static void test_a_status_of_another_module_has_no_page(void **state)
{
    const cat_answer_t *usual = cat_answer_status(*state, 402, "Payment Required");

    assert_string_equal(cat_problem_details_make(*state, usual, "/api", NULL)->body,
                        "{\"type\":\"about:blank\",\"title\":\"Payment Required\",\"status\":402}");
}

/* Headers, such as Retry-After and WWW-Authenticate, are the same in both forms. */
static void test_headers_stay(void **state)
{
    const cat_answer_t *usual = cat_answer_problem(*state, CAT_PROBLEM_DATABASE, NULL);

    assert_ptr_equal(cat_problem_details_make(*state, usual, "/api", NULL)->headers, usual->headers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_only_clients_that_name_the_type_want_it),
        UNIT_TEST(test_details_have_the_words_of_the_answer),
        UNIT_TEST(test_absent_members_are_left_out),
        UNIT_TEST(test_members_behind_the_words_stay),
        UNIT_TEST(test_a_status_of_another_module_has_no_page),
        UNIT_TEST(test_headers_stay),
    };
    return UNIT_RUN(tests);
}
