/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_strings.h>

#include "http/challenge.h"

static void test_quotes_the_realm_and_names_the_error(void **state)
{
    static const char *const realms[][2] = {
        {"/api", "/api"},
        {"/q\"uote", "/q\\\"uote"},
        {"/b\\s", "/b\\\\s"},
        {"/end\\", "/end\\\\"},
        {"a \\\"b\\\"", "a \\\"b\\\""}, /* Escaped already, as httpd keeps AuthName. */
        {"\\\\\"", "\\\\\\\""},
        {"", ""},
    };

    for (size_t i = 0; i < UNIT_COUNT(realms); i++) {
        assert_string_equal(cat_challenge_format(*state, realms[i][0], NULL, NULL),
                            apr_pstrcat(*state, "Bearer realm=\"", realms[i][1], "\"", NULL));
    }
    assert_string_equal(cat_challenge_format(*state, "x", "invalid_token", NULL),
                        "Bearer realm=\"x\", error=\"invalid_token\"");
    assert_string_equal(cat_challenge_format(*state, "x", "invalid_token", "It has expired"),
                        "Bearer realm=\"x\", error=\"invalid_token\", error_description=\"It has expired\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_quotes_the_realm_and_names_the_error),
    };
    return UNIT_RUN(tests);
}
