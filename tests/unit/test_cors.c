/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "http/cors.h"

static const char *const list[] = {"https://shop.test", "http://localhost:3000"};
static const cat_origins_t none = {0}, any = {.any = 1}, named = {.count = 2, .list = list};

static void test_origins_as_browsers_send_them(void **)
{
    static const char *const good[] = {"https://shop.test",        "http://localhost:3000",  "http://127.0.0.1:1",
                                       "http://[::1]:8080",        "https://shop.test:80",   "http://shop.test:443",
                                       "capacitor://localhost",    "https://a_b.test:65535", "https://[2001:db8::1]",
                                       "chrome-extension://abcdef"};
    static const char *const bad[] = {
        "",
        "*",
        "null",
        "shop.test",
        "//shop.test",
        "https:",
        "https://",
        "https:///",
        "https://shop.test/",
        "https://shop.test/a",
        "https://*.shop.test",
        "https://Shop.test",
        "HTTPS://shop.test",
        "https://shop.test:443",
        "http://shop.test:80",
        "https://shop.test:",
        "https://shop.test:0",
        "https://shop.test:080",
        "https://shop.test:65536",
        "https://shop.test:1234567",
        "https://shop.test:1a",
        "https://shop.test?a",
        "https://shop.test#a",
        "https://u@shop.test",
        "https://a.test b.test",
        "https://[]",
        "https://[::1",
        "https://caf\xc3\xa9.test",
        "1a://x",
    };

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        const char *fault = cat_cors_check_origin(good[i]);
        if (fault) {
            fail_msg("%s %s", good[i], fault);
        }
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        if (!cat_cors_check_origin(bad[i])) {
            fail_msg("%s is accepted", bad[i]);
        }
    }
}

static const char *describe(void **state, const cat_origins_t *origins, const char *origin, const char *header)
{
    apr_table_t *headers = apr_table_make(*state, 4);

    cat_cors_describe(origins, origin, headers);
    return apr_table_get(headers, header);
}

static void test_named_origins_have_credentials(void **state)
{
    assert_string_equal(describe(state, &named, list[1], "Access-Control-Allow-Origin"), list[1]);
    assert_string_equal(describe(state, &named, list[1], "Access-Control-Allow-Credentials"), "true");
    assert_string_equal(describe(state, &named, list[1], "Vary"), "Origin");
    assert_string_equal(describe(state, &named, NULL, "Vary"), "Origin");
    assert_null(describe(state, &named, NULL, "Access-Control-Allow-Origin"));
    assert_null(describe(state, &named, "https://shop.tes", "Access-Control-Allow-Origin"));
    assert_null(describe(state, &named, "https://shop.test.evil", "Access-Control-Expose-Headers"));
    assert_true(cat_cors_allows(&named, list[0]));
    assert_false(cat_cors_allows(&named, "null"));
    assert_false(cat_cors_allows(&named, NULL));
}

static void test_all_origins_have_none(void **state)
{
    assert_string_equal(describe(state, &any, "null", "Access-Control-Allow-Origin"), "*");
    assert_string_equal(describe(state, &any, NULL, "Access-Control-Allow-Origin"), "*");
    assert_null(describe(state, &any, list[0], "Access-Control-Allow-Credentials"));
    assert_null(describe(state, &any, list[0], "Vary"));
    assert_true(cat_cors_allows(&any, "https://x.test"));
    assert_null(describe(state, &none, list[0], "Access-Control-Allow-Origin"));
    assert_null(describe(state, &none, list[0], "Vary"));
    assert_false(cat_cors_allows(&none, list[0]));
    assert_true(cat_cors_is_on(&any) && cat_cors_is_on(&named) && !cat_cors_is_on(&none));
}

static void test_exposed_headers_are_a_list(void **state)
{
    const char *headers = describe(state, &any, NULL, "Access-Control-Expose-Headers");

    assert_ptr_equal(strstr(headers, "ETag, "), headers);
    assert_non_null(strstr(headers, ", Accept, "));
    assert_null(strstr(headers, "Set-Cookie"));
}

static void test_foreign_pages_are_told(void **)
{
    static const struct {
        cat_sender_t sender;
        int is_foreign;
    } cases[] = {
        {{NULL, NULL, "api.test"}, 0},
        {{"same-origin", "https://other.test", "api.test"}, 0},
        {{"none", NULL, "api.test"}, 0},
        {{"cross-site", "https://other.test", "api.test"}, 1},
        {{"cross-site", NULL, "api.test"}, 1},
        {{"same-site", "https://www.api.test", "api.test"}, 1},
        {{"cross-site", "https://shop.test", "api.test"}, 0},       /* The origin is in the list. */
        {{"cross-site", "https://pages.test:8443", "api.test"}, 0}, /* The origin of CatalogBaseURL. */
        {{"cross-site", "https://pages.test:844", "api.test"}, 1},
        {{NULL, "https://pages.test", "api.test"}, 1},
        {{NULL, "https://api.test", "api.test"}, 0},
        {{NULL, "http://API.test:80", "api.test:80"}, 0},
        {{NULL, "https://api.test:8443", "api.test"}, 1},
        {{NULL, "null", "api.test"}, 1},
        {{NULL, "https://api.test", NULL}, 1},
        {{NULL, "", "api.test"}, 1},
        {{NULL, "https:", "api.test"}, 1}, /* Only the beginning of CatalogBaseURL. */
        {{NULL, "https:/", "api.test"}, 1},
        {{NULL, "https://", ""}, 1},
        {{NULL, "https://pages.test:8443/shop", "api.test"}, 1},
        {{"cross-site", "https://pages.test:8443/", "api.test"}, 1},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        if (cat_cors_is_foreign(&named, &cases[i].sender, "https://pages.test:8443/shop") != cases[i].is_foreign) {
            fail_msg("case %d", (int)i);
        }
    }
    assert_true(cat_cors_is_foreign(&any, &(cat_sender_t){"cross-site", "https://shop.test", "api.test"}, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_origins_as_browsers_send_them), UNIT_TEST(test_named_origins_have_credentials),
        UNIT_TEST(test_all_origins_have_none),         UNIT_TEST(test_exposed_headers_are_a_list),
        UNIT_TEST(test_foreign_pages_are_told),
    };
    return UNIT_RUN(tests);
}
