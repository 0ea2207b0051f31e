/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <apr_tables.h>
#include <string.h>

#include "accounts/role.h"
#include "accounts/user.h"
#include "api/token_response.h"
#include "lib/json.h"
#include "unit_files.h"

#define USER_ID "01a1fd94-a6a4-724a-a04c-6dddf73784fa"
#define SESSION_ID "01a1fd94-a6a4-787c-8764-dd49244f4978"

static void hear_nothing(void *, cat_log_level_t, apr_status_t, const char *)
{
}

static const cat_log_t silent = {.write = hear_nothing};
static const char key[] = "0123456789abcdef0123456789abcdef";
static const char *const user[CAT_USER_FIELDS] = {USER_ID, "ada", "ada@example.com", NULL, "0"};

static int tells_role;

/* Returns the response with tokens of a mount at /api where editors may write. `secure` is true if the request came
 * over TLS. */
static cat_answer_t *grant(apr_pool_t *pool, int cookie, int secure, const char *base_url)
{
    cat_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));
    cat_request_t *q = apr_pcalloc(pool, sizeof(*q));
    const cat_token_response_t g = {.user = user,
                                    .role = "editor",
                                    .verified = 1,
                                    .session_id = SESSION_ID,
                                    .refresh_token = "refresh-me",
                                    .tells_role = tells_role,
                                    .cookie = cookie};

    conf->mount = conf->mount_uri = "/api";
    conf->issuer = "issuer";
    conf->audience = "audience";
    conf->write_role = CAT_ROLE_EDITOR;
    conf->token_ttl = 900;
    conf->refresh_ttl = 3600;
    conf->base_url = base_url;
    assert_null(cat_keyring_open_file(pool, unit_write(pool, unit_directory(pool), "key", 0600, key, strlen(key)),
                                      &conf->keys));
    q->pool = pool;
    q->conf = conf;
    q->log = &silent;
    q->secure = secure;
    q->now = apr_time_now();
    return cat_token_response_answer(q, 201, "Done", &g);
}

static json_t *body_of(apr_pool_t *pool, const cat_answer_t *a)
{
    json_t *value;
    const char *why;

    value = cat_json_parse(pool, a->body, a->length, &why);
    assert_non_null(value);
    return value;
}

static const char *text_of(const json_t *body, const char *name)
{
    return json_string_value(json_object_get(body, name));
}

static void test_body_has_the_tokens_and_the_user(void **state)
{
    cat_answer_t *a = grant(*state, 0, 0, NULL);
    json_t *body = body_of(*state, a);

    assert_int_equal(a->status, 201);
    assert_null(a->headers);
    assert_true(json_is_true(json_object_get(body, "success")));
    assert_string_equal(text_of(body, "message"), "Done");
    assert_string_equal(text_of(body, "tokenType"), "Bearer");
    assert_string_equal(text_of(body, "refreshToken"), "refresh-me");
    assert_int_equal(json_integer_value(json_object_get(body, "expiresIn")), 900);
    assert_true(cat_token_check_shape(text_of(body, "token")));
    assert_string_equal(text_of(json_object_get(body, "user"), "id"), USER_ID);
    assert_int_equal(json_object_size(body), 7);
    assert_int_equal(json_object_size(json_object_get(body, "user")), 4);
}

static void test_user_has_a_role_except_after_registration(void **state)
{
    json_t *account;

    tells_role = 1;
    account = json_object_get(body_of(*state, grant(*state, 0, 0, NULL)), "user");
    tells_role = 0;
    assert_int_equal(json_object_size(account), 7);
    assert_string_equal(text_of(account, "email"), "ada@example.com");
    assert_string_equal(text_of(account, "role"), "editor");
    assert_true(json_is_true(json_object_get(account, "mayWrite")));
    assert_true(json_is_true(json_object_get(account, "emailVerified")));
}

static void test_cookie_replaces_the_refresh_token_in_the_body(void **state)
{
    cat_answer_t *a = grant(*state, 1, 0, NULL);

    assert_null(json_object_get(body_of(*state, a), "refreshToken"));
    assert_string_equal(apr_table_get(a->headers, "Set-Cookie"),
                        "catalog_refresh=refresh-me; Path=/api/auth; Max-Age=3600; HttpOnly; SameSite=Strict");
}

static void test_cookie_is_secure_if_the_site_is(void **state)
{
    static const char end[] = "; Secure";
    const char *by_tls = apr_table_get(grant(*state, 1, 1, NULL)->headers, "Set-Cookie");
    const char *by_url = apr_table_get(grant(*state, 1, 0, "https://shop.example.com")->headers, "Set-Cookie");

    assert_string_equal(by_tls + strlen(by_tls) - strlen(end), end);
    assert_string_equal(by_url, by_tls);
    assert_string_equal(by_tls, "__Host-catalog_refresh%2fapi=refresh-me; Path=/; Max-Age=3600; HttpOnly; "
                                "SameSite=Strict; Secure");
}

/* Over TLS, all cookies of a host have the same path, so their names must differ. */
static void test_each_mount_has_a_cookie_of_its_own(void **state)
{
    static const char *const names[][2] = {
        {"", "__Host-catalog_refresh"},
        {"/api", "__Host-catalog_refresh%2fapi"},
        {"/shop/v2", "__Host-catalog_refresh%2fshop%2fv2"},
        {"/a%2fb; c=\xc3\xa4", "__Host-catalog_refresh%2fa%252fb%3b+c%3d%c3%a4"},
    };
    cat_conf_t conf = {0};

    for (size_t i = 0; i < UNIT_COUNT(names); i++) {
        conf.mount = names[i][0];
        assert_string_equal(cat_token_response_cookie(*state, &conf, 1), names[i][1]);
        assert_string_equal(cat_token_response_cookie(*state, &conf, 0), "catalog_refresh");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_body_has_the_tokens_and_the_user),
        UNIT_TEST(test_user_has_a_role_except_after_registration),
        UNIT_TEST(test_cookie_replaces_the_refresh_token_in_the_body),
        UNIT_TEST(test_cookie_is_secure_if_the_site_is),
        UNIT_TEST(test_each_mount_has_a_cookie_of_its_own),
    };
    return UNIT_RUN(tests);
}
