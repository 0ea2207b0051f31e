/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_tables.h>

#include "http/rate_limit.h"

static const cat_rate_t rate = {30, 60};

static void test_every_counted_answer_names_the_limit(void **state)
{
    cat_answer_t *a = cat_answer_problem(*state, CAT_PROBLEM_CREDENTIALS, NULL);

    cat_rate_limit_describe(*state, a, "login", rate, (cat_verdict_t){.allowed = 1, .remaining = 29, .reset = 2});
    assert_string_equal(apr_table_get(a->headers, "RateLimit"), "\"login\";r=29;t=2");
    assert_string_equal(apr_table_get(a->headers, "RateLimit-Policy"), "\"login\";q=30;w=60");
    assert_null(apr_table_get(a->headers, "Retry-After"));
}

static void test_a_refusal_says_when_to_come_back(void **state)
{
    cat_answer_t *a = cat_rate_limit_refuse(*state, "mail", rate, (cat_verdict_t){.reset = 60, .retry_after = 7});

    assert_int_equal(a->status, 429);
    assert_string_equal(apr_table_get(a->headers, "Retry-After"), "7");
    assert_string_equal(a->limit, "mail");
    assert_string_equal(apr_table_get(a->headers, "RateLimit"), "\"mail\";r=0;t=60");
    assert_string_equal(apr_table_get(a->headers, "RateLimit-Policy"), "\"mail\";q=30;w=60");
}

static void test_a_delay_has_no_quota(void **state)
{
    cat_answer_t *a = cat_rate_limit_delay_login(*state, 12);

    assert_int_equal(a->status, 429);
    assert_string_equal(a->limit, "delay");
    assert_string_equal(apr_table_get(a->headers, "Retry-After"), "12");
    assert_null(apr_table_get(a->headers, "RateLimit"));
    assert_null(apr_table_get(a->headers, "RateLimit-Policy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_every_counted_answer_names_the_limit),
        UNIT_TEST(test_a_refusal_says_when_to_come_back),
        UNIT_TEST(test_a_delay_has_no_quota),
    };
    return UNIT_RUN(tests);
}
