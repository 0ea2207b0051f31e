/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <string.h>

#include "http/route.h"

enum { LIST, CREATE, READ, UPDATE, REMOVE, LOGIN, SESSIONS, END, MEMBER, NEW, READ_AGAIN };

static const cat_route_t rows[] = {
    [LIST] = {.method = "GET", .path = "/products"},
    [CREATE] = {.method = "POST", .path = "/products"},
    [READ] = {.method = "GET", .path = "/products/:id"},
    [UPDATE] = {.method = "PUT", .path = "/products/:id"},
    [REMOVE] = {.method = "DELETE", .path = "/products/:id"},
    [LOGIN] = {.method = "POST", .path = "/auth/login"},
    [SESSIONS] = {.method = "GET", .path = "/auth/sessions"},
    [END] = {.method = "DELETE", .path = "/auth/sessions/:id"},
    [MEMBER] = {.method = "GET", .path = "/groups/:group/members/:member"},
    [NEW] = {.method = "PATCH", .path = "/products/new"},
    [READ_AGAIN] = {.method = "GET", .path = "/products/:name"},
    {.method = NULL},
};

static cat_route_match_t find(void **state, const char *method, const char *path)
{
    cat_route_match_t match;
    memset(&match, 0xff, sizeof(match));
    cat_route_find(*state, rows, method, path, &match);
    return match;
}

static void check_found(void **state, const char *method, const char *path, int row, const char *first,
                        const char *second)
{
    cat_route_match_t match = find(state, method, path);

    assert_ptr_equal(match.route, &rows[row]);
    assert_non_null(match.resource);
    assert_int_equal(match.params[0] != NULL, first != NULL);
    assert_int_equal(match.params[1] != NULL, second != NULL);
    if (first) {
        assert_string_equal(match.params[0], first);
    }
    if (second) {
        assert_string_equal(match.params[1], second);
    }
}

static void test_finds_each_route(void **state)
{
    check_found(state, "GET", "/products", LIST, NULL, NULL);
    check_found(state, "POST", "/products", CREATE, NULL, NULL);
    check_found(state, "GET", "/products/1", READ, "1", NULL);
    check_found(state, "PUT", "/products/1", UPDATE, "1", NULL);
    check_found(state, "DELETE", "/products/x", REMOVE, "x", NULL);
    check_found(state, "POST", "/auth/login", LOGIN, NULL, NULL);
    check_found(state, "DELETE", "/auth/sessions/abc", END, "abc", NULL);
    check_found(state, "GET", "/groups/one/members/two", MEMBER, "one", "two");
}

static void test_media_types_depend_on_the_body(void **)
{
    const cat_route_t none = {.body = CAT_NO_BODY}, query = {.body = CAT_QUERY}, json = {.body = CAT_JSON},
                      optional = {.body = CAT_MAY_JSON}, patch = {.body = CAT_PATCH}, batch = {.body = CAT_BATCH};

    assert_null(cat_route_media(&none)->types);
    assert_null(cat_route_media(&query)->types);
    assert_string_equal(cat_route_media(&json)->types, "application/json");
    assert_string_equal(cat_route_media(&json)->header, "Accept");
    assert_string_equal(cat_route_media(&optional)->types, "application/json");
    assert_string_equal(cat_route_media(&patch)->types, "application/merge-patch+json, application/json");
    assert_string_equal(cat_route_media(&patch)->header, "Accept-Patch");
    assert_int_equal(cat_route_media(&patch)->max, 0);
    assert_string_equal(cat_route_media(&batch)->types, "application/json");
    assert_int_equal(cat_route_media(&batch)->max, 4 * 1024 * 1024);
}

static void test_head_matches_get(void **state)
{
    check_found(state, "HEAD", "/products", LIST, NULL, NULL);
    check_found(state, "HEAD", "/products/1", READ, "1", NULL);
    assert_null(find(state, "HEAD", "/auth/login").route);
}

static void test_ignores_one_trailing_slash(void **state)
{
    check_found(state, "GET", "/products/", LIST, NULL, NULL);
    check_found(state, "GET", "/products/1/", READ, "1", NULL);
    check_found(state, "GET", "/groups/one/members/two/", MEMBER, "one", "two");
}

static void test_first_row_wins(void **state)
{
    check_found(state, "GET", "/products/new", READ, "new", NULL);
    check_found(state, "PATCH", "/products/new", NEW, NULL, NULL);
}

static void test_params_are_any_segment(void **state)
{
    check_found(state, "GET", "/products/:id", READ, ":id", NULL);
    check_found(state, "GET", "/products/..", READ, "..", NULL);
    check_found(state, "GET", "/products/a%b_c'; --", READ, "a%b_c'; --", NULL);
    check_found(state, "GET", "/products/\xff\n", READ, "\xff\n", NULL);
}

static void test_known_path_with_another_method_has_no_route(void **state)
{
    static const char *const methods[] = {"PATCH", "OPTIONS", "TRACE", "FOO", "get", "GETS", "GE", ""};

    for (size_t i = 0; i < UNIT_COUNT(methods); i++) {
        cat_route_match_t match = find(state, methods[i], "/products/1");
        assert_null(match.route);
        assert_non_null(match.resource);
        assert_null(match.params[0]);
    }
}

static void test_the_mount_itself_is_a_route(void **state)
{
    static const cat_route_t rows[] = {
        {.method = "GET", .path = "/"}, {.method = "GET", .path = "/products"}, {.method = NULL}};
    cat_route_match_t match;

    cat_route_find(*state, rows, "GET", "", &match);
    assert_ptr_equal(match.route, &rows[0]);
    cat_route_find(*state, rows, "HEAD", "/", &match);
    assert_ptr_equal(match.route, &rows[0]);
    cat_route_find(*state, rows, "GET", "/products/", &match);
    assert_ptr_equal(match.route, &rows[1]);
    assert_string_equal(cat_route_allow(*state, rows, ""), "GET, HEAD, OPTIONS");
}

static void test_unknown_paths_have_no_route(void **state)
{
    static const char *const paths[] = {
        "",
        "/",
        "//",
        "products",
        "/product",
        "/productsx",
        "/Products",
        "/products//",
        "//products",
        "/products//1",
        "/products/1//",
        "/products/1/2",
        "/products/1/reviews",
        "/auth",
        "/auth/",
        "/auth/logins",
        "/auth/login/1",
        "/auth//login",
        "/groups//members/two",
        "/groups/one/members",
        "/groups/one/members/",
        "/groups/one/members//",
        "/groups/one/member/two",
        "/groups/one/members/two/three",
    };

    for (size_t i = 0; i < UNIT_COUNT(paths); i++) {
        cat_route_match_t match = find(state, "GET", paths[i]);
        if (match.resource || match.route) {
            fail_msg("%s was found", paths[i]);
        }
    }
}

static void test_params_outlive_the_path(void **state)
{
    char path[] = "/products/1";
    cat_route_match_t match = find(state, "GET", path);

    memset(path, '#', sizeof(path) - 1);
    assert_string_equal(match.params[0], "1");
}

/* A path with more parameters than a match has room for must not overflow it. */
static void test_path_with_too_many_params_has_no_route(void **state)
{
    static const cat_route_t wide[] = {{.method = "GET", .path = "/:a/:b/:c"}, {.method = NULL}};
    cat_route_match_t match;

    cat_route_find(*state, wide, "GET", "/1/2/3", &match);
    assert_null(match.resource);
}

static void test_allow_lists_the_methods_of_a_path(void **state)
{
    assert_string_equal(cat_route_allow(*state, rows, "/products"), "GET, HEAD, POST, OPTIONS");
    assert_string_equal(cat_route_allow(*state, rows, "/products/"), "GET, HEAD, POST, OPTIONS");
    assert_string_equal(cat_route_allow(*state, rows, "/products/1"), "GET, HEAD, PUT, DELETE, OPTIONS");
    assert_string_equal(cat_route_allow(*state, rows, "/products/new"), "GET, HEAD, PUT, DELETE, PATCH, OPTIONS");
    assert_string_equal(cat_route_allow(*state, rows, "/auth/login"), "POST, OPTIONS");
}

static void check_query(void **state, const char *query, const char *name, const char *expected)
{
    const char *value = cat_route_query(*state, query, name);

    if ((value == NULL) != (expected == NULL) || (value && strcmp(value, expected) != 0)) {
        fail_msg("%s of %s is %s", name, query, value ? value : "missing");
    }
}

static void test_query_returns_the_first_value(void **state)
{
    check_query(state, "page=2", "page", "2");
    check_query(state, "page=2&limit=5", "page", "2");
    check_query(state, "page=2&limit=5", "limit", "5");
    check_query(state, "&&page=2&&", "page", "2");
    check_query(state, "page=2&page=3", "page", "2");
    check_query(state, "page=a=b", "page", "a=b");
    check_query(state, "page=", "page", "");
    check_query(state, "page", "page", "");
    check_query(state, "page&limit=1", "page", "");
    check_query(state, "page=-1", "page", "-1");
    check_query(state, "page=99999999999999999999", "page", "99999999999999999999");
}

static void test_query_without_the_name_has_no_value(void **state)
{
    check_query(state, NULL, "page", NULL);
    check_query(state, "", "page", NULL);
    check_query(state, "&", "page", NULL);
    check_query(state, "=1", "page", NULL);
    check_query(state, "pages=1", "page", NULL);
    check_query(state, "pag=1", "page", NULL);
    check_query(state, "Page=1", "page", NULL);
    check_query(state, "xpage=1", "page", NULL);
    check_query(state, "x=page=1", "page", NULL);
    check_query(state, "x=1;page=2", "page", NULL);
}

static void test_query_decodes(void **state)
{
    check_query(state, "q=a+b%20c%2Bd", "q", "a b c+d");
    check_query(state, "q=%26%3d%25", "q", "&=%");
    check_query(state, "q=%c3%A9", "q", "\xc3\xa9");
    check_query(state, "q=a%2Fb", "q", "a/b");
    check_query(state, "q=a+b&x=1", "q", "a b");
}

static void test_query_refuses_broken_escapes(void **state)
{
    check_query(state, "page=%", "page", NULL);
    check_query(state, "page=%4", "page", NULL);
    check_query(state, "page=%zz", "page", NULL);
    check_query(state, "page=1%", "page", NULL);
    check_query(state, "page=%4&x=1", "page", NULL); /* '&' is not a digit */
    check_query(state, "page=%00", "page", NULL);
    check_query(state, "page=1%002", "page", NULL);
    check_query(state, "page=%&page=2", "page", NULL);
    check_query(state, "x=%&page=2", "page", "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_finds_each_route),
        UNIT_TEST(test_media_types_depend_on_the_body),
        UNIT_TEST(test_head_matches_get),
        UNIT_TEST(test_ignores_one_trailing_slash),
        UNIT_TEST(test_first_row_wins),
        UNIT_TEST(test_params_are_any_segment),
        UNIT_TEST(test_known_path_with_another_method_has_no_route),
        UNIT_TEST(test_the_mount_itself_is_a_route),
        UNIT_TEST(test_unknown_paths_have_no_route),
        UNIT_TEST(test_params_outlive_the_path),
        UNIT_TEST(test_path_with_too_many_params_has_no_route),
        UNIT_TEST(test_allow_lists_the_methods_of_a_path),
        UNIT_TEST(test_query_returns_the_first_value),
        UNIT_TEST(test_query_without_the_name_has_no_value),
        UNIT_TEST(test_query_decodes),
        UNIT_TEST(test_query_refuses_broken_escapes),
    };
    return UNIT_RUN(tests);
}
