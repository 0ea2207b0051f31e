/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_tokens.h"

/* Claims in JSON, each of which makes the payload invalid. If the JSON is NULL, the claim is left out. */
static const char *const bad_claims[][2] = {
    {"exp", NULL},
    {"exp", "\"1800000900\""},
    {"exp", "1799999969.9"},
    {"exp", "1e300"},
    {"exp", "null"},
    {"exp", "true"},
    {"exp", "[1800000900]"},
    {"exp", "-1"},
    {"exp", "0"},
    {"exp", "1180591620717411303424"}, /* 2^70 */
    {"exp", "9223372036854775807"},
    {"nbf", "1800000031"},
    {"nbf", "\"1\""},
    {"nbf", "1800000030.5"},
    {"nbf", "null"},
    {"iat", "1800000031"},
    {"iat", "1800000030.001"},
    {"iat", "-1e300"},
    {"iat", "\"1\""},
    {"iat", "null"},
    {"iat", "-9223372036854775808"},
    {"sub", NULL},
    {"sub", "1"},
    {"sub", "null"},
    {"sub", "[\"" SUBJECT "\"]"},
    {"sub", "\"\""},
    {"sub", "\"ann\""},
    {"sub", "\"" SUBJECT "x\""},
    {"sub", "\"" SUBJECT "\\u0000\""},
    {"sid", NULL},
    {"sid", "1"},
    {"token_use", NULL},
    {"token_use", "\"refresh\""},
    {"token_use", "\"Access\""},
    {"token_use", "\"\""},
    {"token_use", "true"},
    {"token_use", "[\"access\"]"},
    {"jti", NULL},
    {"jti", "1"},
    {"iss", NULL},
    {"iss", "\"\""},
    {"iss", "\"" ISSUER "/\""},
    {"iss", "[\"" ISSUER "\"]"},
    {"aud", NULL},
    {"aud", "\"other\""},
    {"aud", "\"" AUDIENCE "s\""},
    {"aud", "[]"},
    {"aud", "[\"other\",1,null]"},
    {"aud", "[[\"" AUDIENCE "\"]]"},
    {"aud", "{\"" AUDIENCE "\":1}"},
    {"username", "1"},
    {"username", "null"},
    {"role", "1"},
    {"role", "null"},
    {"role", "\"root\""},
    {"role", "\"\""},
    {"role", "\"ADMIN\""},
    {"role", "[\"admin\"]"},
    {"email_verified", "1"},
    {"email_verified", "\"true\""},
    {"email_verified", "null"},
    /* These names contain quotes: payload_with adds each as a duplicate of a claim, followed by "x". */
    {"sub\":\"01936f4e-7a00-7000-8000-000000000002\",\"x", "1"},
    {"exp\":1,\"x", "1"},
    {"aud\":\"other\",\"x", "1"},
    {"token_use\":\"id\",\"x", "1"},
    {"x\":1,\"x", "1"},
    {"x", "\"\\ud800\""},
    {"x", "\"\xff\""},
    {"x", "1}"},
    {"x", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"}, /* 33 levels. */
};

static void test_refuses_invalid_payloads(void **state)
{
    static const char *const bad[] = {"{}", "[]", "null", "\"\"", "1", " ", "{"};
    const cat_keys_t *keys = own_keys(*state);
    const char *const valid = payload_with(*state, "", NULL);

    for (size_t i = 0; i < UNIT_COUNT(bad_claims); i++) {
        const char *payload = payload_with(*state, bad_claims[i][0], bad_claims[i][1]);
        check_refused(*state, keys, forge(*state, HEADER, payload), payload);
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        check_refused(*state, keys, forge(*state, HEADER, bad[i]), bad[i]);
    }
    check_refused(*state, keys, forge(*state, HEADER, apr_psprintf(*state, "[%s]", valid)), "an array that holds it");
}

/* A parser of C strings would see only the valid payload before the NUL. */
static void test_refuses_a_payload_with_a_nul(void **state)
{
    const char *payload = payload_with(*state, "", NULL);
    const char *text = apr_pstrcat(
        *state, encode(*state, HEADER), ".",
        apr_pencode_base64(*state, payload, (apr_ssize_t)strlen(payload) + 1, APR_ENCODE_BASE64URL, NULL), NULL);

    check_refused(*state, own_keys(*state),
                  apr_pstrcat(*state, text, ".", sign_hmac(*state, EVP_sha256(), text, SECRET, strlen(SECRET)), NULL),
                  "a payload that ends in NUL");
}

static void test_accepts_other_valid_payloads(void **state)
{
    static const char *const good[][2] = {
        {"nbf", "1800000030"},
        {"nbf", "0"},
        {"nbf", "-1"},
        {"iat", NULL},
        {"iat", "1800000030"},
        {"exp", "1799999971"},
        {"exp", "253402300799"},
        {"exp", "1800000900.0"},
        {"exp", "1799999970.1"},
        {"exp", "18.00000900e8"},
        {"nbf", "1800000029.9"},
        {"nbf", "-1.5"},
        {"iat", "1799999999.123456"},
        {"x", "[[1.5e3]]"},
        {"aud", "[\"" AUDIENCE "\"]"},
        {"aud", "[1,\"other\",\"" AUDIENCE "\"]"},
        {"role", "\"admin\""},
        {"username", "\"ann\""},
        {"email_verified", "false"},
    };
    const cat_keys_t *keys = own_keys(*state);

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        const char *payload = payload_with(*state, good[i][0], good[i][1]);
        check_taken(*state, keys, forge(*state, HEADER, payload), payload);
    }
}

/* RFC 7519, 2: NumericDate may have a fraction. */
static void test_reads_times_with_fractions(void **state)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, own_keys(*state), 0, cat_role_names};
    const cat_claims_t *claims;

    assert_null(
        verify_by(*state, &trust, 1, forge(*state, HEADER, payload_with(*state, "exp", "1800000900.75")), &claims));
    assert_int_equal(claims->expires, apr_time_from_sec(1800000900));
    assert_null(
        verify_by(*state, &trust, 1, forge(*state, HEADER, payload_with(*state, "iat", "1799999990.5")), &claims));
    assert_int_equal(claims->issued, apr_time_from_sec(1799999990));
}

static void test_absent_claims_grant_nothing(void **state)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, own_keys(*state), 0, cat_role_names};
    const cat_claims_t *claims;

    assert_null(verify_by(*state, &trust, 1, forge(*state, HEADER, payload_with(*state, "", NULL)), &claims));
    assert_null(claims->username);
    assert_string_equal(claims->role, "user");
    assert_int_equal(claims->verified, 0);
}

static void test_refuses_huge_payloads(void **state)
{
    const cat_keys_t *keys = own_keys(*state);
    char *deep = apr_pcalloc(*state, 2 * 2047 + 1);
    const char *wide = "";

    memset(deep, '[', 2047);
    memset(deep + 2047, ']', 2047);
    check_refused(*state, keys, forge(*state, HEADER, deep), "2047 levels");
    for (int i = 0; i < 1000; i++) {
        wide = apr_psprintf(*state, "%s\"c%d\":1,", wide, i);
    }
    wide = apr_psprintf(*state, "{%s%s", wide, payload_with(*state, "", NULL) + 1);
    check_refused(*state, keys, forge(*state, HEADER, wide), "1000 claims");
}

static void test_accepts_tokens_for_30_seconds_after_expiry(void **state)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, own_keys(*state), 0, cat_role_names};
    const char *token = forge(*state, HEADER, payload_with(*state, "exp", NOW_TEXT));
    apr_time_t expiry = apr_time_from_sec(NOW);
    const cat_claims_t *claims;

    assert_null(cat_token_verify(*state, &trust, 1, expiry, token, &claims));
    assert_null(cat_token_verify(*state, &trust, 1, expiry + apr_time_from_sec(30) - 1, token, &claims));
    assert_string_equal(cat_token_verify(*state, &trust, 1, expiry + apr_time_from_sec(30), token, &claims),
                        "the token has expired");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_refuses_invalid_payloads),
        UNIT_TEST(test_refuses_a_payload_with_a_nul),
        UNIT_TEST(test_accepts_other_valid_payloads),
        UNIT_TEST(test_absent_claims_grant_nothing),
        UNIT_TEST(test_reads_times_with_fractions),
        UNIT_TEST(test_refuses_huge_payloads),
        UNIT_TEST(test_accepts_tokens_for_30_seconds_after_expiry),
    };
    return UNIT_RUN(tests);
}
