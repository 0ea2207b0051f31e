/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_tokens.h"

#define FOREIGN "https://id.example.com/realms/a"
#define FOREIGN_PAYLOAD(sub)                                                                                           \
    "{\"iss\":\"" FOREIGN "\",\"aud\":[\"shop\",\"account\"],\"sub\":" sub ",\"exp\":1800000900}"

static void test_accepts_tokens_of_another_issuer(void **state)
{
    static const char *const headers[] = {
        "{\"alg\":\"ES256\"}",
        "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"whatever\"}",
        "{\"alg\":\"ES256\",\"typ\":\"at+jwt\"}",
        "{\"alg\":\"ES256\",\"typ\":\"application/at+jwt\"}",
        "{\"alg\":\"ES256\",\"typ\":\"at+JWT\"}",
        "{\"alg\":\"ES256\",\"typ\":\"Application/AT+jwt\"}",
        "{\"alg\":\"ES256\",\"typ\":\"application/jwt\"}",
    };
    const pair_t pair = make_ec(*state, "ec");
    const cat_trust_t trusts[] = {
        {ISSUER, AUDIENCE, own_keys(*state), 0, cat_role_names},
        {FOREIGN, "shop", make_set(*state, pair.public, NULL), 1, cat_role_names},
    };
    const cat_claims_t *claims;

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_null(
            verify_by(*state, trusts, 2, forge_by(*state, &pair, headers[i], FOREIGN_PAYLOAD("\"a|1\"")), &claims));
        assert_string_equal(claims->issuer, FOREIGN);
        assert_string_equal(claims->audience, "shop");
        assert_string_equal(claims->subject, "a|1");
        assert_ptr_equal(claims->keys, trusts[1].keys);
    }
    check_taken(*state, trusts[0].keys, forge(*state, HEADER, payload_with(*state, "", NULL)), "our own beside it");
}

/* Returns a valid token of another issuer, of the given length or one byte longer. */
static const char *forge_of_length(apr_pool_t *pool, const pair_t *pair, size_t length)
{
    const char *token = "";

    for (int filler = (int)length * 5 / 8; strlen(token) < length; filler++) {
        token = forge_by(pool, pair, "{\"alg\":\"ES256\"}",
                         apr_psprintf(pool, "{\"groups\":\"%*s\",%s", filler, "", FOREIGN_PAYLOAD("\"x\"") + 1));
    }
    return token;
}

/* Entra ID and others list the groups of a user. */
static void test_other_issuers_may_have_longer_tokens(void **state)
{
    const pair_t pair = make_ec(*state, "ec");
    const cat_trust_t trusts[] = {
        {ISSUER, AUDIENCE, own_keys(*state), 0, cat_role_names},
        {FOREIGN, "shop", make_set(*state, pair.public, NULL), 1, cat_role_names},
    };
    const char *own = payload_with(*state, "filler", apr_psprintf(*state, "\"%4000s\"", ""));

    assert_null(verify_by(*state, trusts, 2, forge_of_length(*state, &pair, 8191), NULL));
    assert_ptr_equal(verify_by(*state, trusts, 2, forge_of_length(*state, &pair, 8193), NULL), cat_token_too_long);
    assert_ptr_equal(verify_by(*state, trusts, 1, forge_of_length(*state, &pair, 8191), NULL), cat_token_too_long);
    assert_ptr_equal(verify_by(*state, trusts, 2, forge(*state, HEADER, own), NULL), cat_token_too_long);
}

/* Another issuer must not be able to grant a role or a session of this service. */
static void test_another_issuer_grants_nothing(void **state)
{
    static const char payload[] =
        "{\"iss\":\"" FOREIGN "\",\"aud\":\"shop\",\"sub\":\"x\",\"exp\":1800000900,\"role\":\"admin\","
        "\"username\":\"ann\",\"email_verified\":true,\"sid\":\"session\",\"jti\":\"token\"}";
    const pair_t pair = make_rsa(*state, "rsa");
    const cat_trust_t trust = {FOREIGN, "shop", make_set(*state, pair.public, NULL), 1, cat_role_names};
    const cat_claims_t *claims;

    assert_null(verify_by(*state, &trust, 1, forge_by(*state, &pair, "{\"alg\":\"RS256\"}", payload), &claims));
    assert_string_equal(claims->role, "user");
    assert_int_equal(claims->verified, 0);
    assert_null(claims->username);
    assert_null(claims->session);
    assert_null(claims->id);
}

static void test_issuers_do_not_sign_for_each_other(void **state)
{
    static const char header[] = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"ec\"}";
    const pair_t pair = make_ec(*state, "ec"), other = make_ec(*state, "ec");
    const cat_trust_t trusts[] = {
        {ISSUER, AUDIENCE, make_set(*state, pair.key, NULL), 0, cat_role_names},
        {FOREIGN, "shop", make_set(*state, other.public, NULL), 1, cat_role_names},
    };

    assert_null(verify_by(*state, trusts, 2, forge_by(*state, &pair, header, payload_with(*state, "", NULL)), NULL));
    assert_null(verify_by(*state, trusts, 2, forge_by(*state, &other, header, FOREIGN_PAYLOAD("\"x\"")), NULL));
    assert_string_equal(
        verify_by(*state, trusts, 2, forge_by(*state, &other, header, payload_with(*state, "", NULL)), NULL),
        "the token's signature is invalid");
    assert_string_equal(verify_by(*state, trusts, 2, forge_by(*state, &pair, header, FOREIGN_PAYLOAD("\"x\"")), NULL),
                        "the token's signature is invalid");
    assert_string_equal(verify_by(*state, trusts, 1, forge_by(*state, &other, header, FOREIGN_PAYLOAD("\"x\"")), NULL),
                        "the token is from another issuer");
    assert_non_null(
        verify_by(*state, trusts, 0, forge_by(*state, &pair, header, payload_with(*state, "", NULL)), NULL));
}

static void test_an_issuer_may_have_several_trusts(void **state)
{
    static const char header[] = "{\"alg\":\"ES256\"}";
    const pair_t new = make_ec(*state, "new"), old = make_ec(*state, "old");
    const cat_trust_t trusts[] = {
        {FOREIGN, "other", make_set(*state, new.public, NULL), 1, cat_role_names},
        {FOREIGN, "shop", make_set(*state, new.public, NULL), 1, cat_role_names},
        {FOREIGN, "account", make_set(*state, old.public, NULL), 1, cat_role_names},
    };
    const cat_claims_t *claims;

    assert_null(verify_by(*state, trusts, 3, forge_by(*state, &new, header, FOREIGN_PAYLOAD("\"x\"")), &claims));
    assert_string_equal(claims->audience, "shop");
    assert_null(verify_by(*state, trusts, 3, forge_by(*state, &old, header, FOREIGN_PAYLOAD("\"x\"")), &claims));
    assert_string_equal(claims->audience, "account");
    assert_non_null(verify_by(*state, trusts, 1, forge_by(*state, &new, header, FOREIGN_PAYLOAD("\"x\"")), &claims));
}

static void test_refuses_bad_tokens_of_another_issuer(void **state)
{
    static const char *const headers[] = {
        "{\"alg\":\"ES256\",\"typ\":\"jws\"}",
        "{\"alg\":\"ES256\",\"typ\":1}",
        "{\"alg\":\"ES256\",\"crit\":[]}",
        "{\"alg\":\"ES256\",\"typ\":\"application/\"}",
        "{\"alg\":\"ES256\",\"typ\":\"application/application/jwt\"}",
        "{\"alg\":\"ES256\",\"kid\":1}",
        "{\"alg\":\"RS256\"}",
        "{\"alg\":\"none\"}",
    };
    static const char *const payloads[] = {
        FOREIGN_PAYLOAD("\"\""),
        FOREIGN_PAYLOAD("1"),
        FOREIGN_PAYLOAD("null"),
        FOREIGN_PAYLOAD("\"a\\nb\""),
        FOREIGN_PAYLOAD("\"a\\u001fb\""),
        FOREIGN_PAYLOAD("\"a\\u007fb\""),
        "{\"iss\":\"" FOREIGN "\",\"aud\":\"shop\",\"exp\":1800000900}",
        "{\"iss\":\"" FOREIGN "\",\"aud\":\"shop\",\"sub\":\"x\"}",
        "{\"iss\":\"" FOREIGN "\",\"aud\":\"shop\",\"sub\":\"x\",\"exp\":1}",
        "{\"iss\":\"" FOREIGN "\",\"aud\":\"\",\"sub\":\"x\",\"exp\":1800000900}",
        "{\"aud\":\"shop\",\"sub\":\"x\",\"exp\":1800000900}",
    };
    const pair_t pair = make_ec(*state, "ec");
    const cat_trust_t trust = {FOREIGN, "shop", make_set(*state, pair.public, NULL), 1, cat_role_names};
    const char *longest = memset(apr_pcalloc(*state, 256), 'x', 255), *format = FOREIGN_PAYLOAD("\"%s\"");

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_non_null(
            verify_by(*state, &trust, 1, forge_by(*state, &pair, headers[i], FOREIGN_PAYLOAD("\"x\"")), NULL));
    }
    for (size_t i = 0; i < UNIT_COUNT(payloads); i++) {
        assert_non_null(
            verify_by(*state, &trust, 1, forge_by(*state, &pair, "{\"alg\":\"ES256\"}", payloads[i]), NULL));
    }
    assert_null(verify_by(*state, &trust, 1,
                          forge_by(*state, &pair, "{\"alg\":\"ES256\"}", apr_psprintf(*state, format, longest)), NULL));
    longest = apr_pstrcat(*state, longest, "x", NULL);
    assert_non_null(verify_by(*state, &trust, 1,
                              forge_by(*state, &pair, "{\"alg\":\"ES256\"}", apr_psprintf(*state, format, longest)),
                              NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_other_issuers_may_have_longer_tokens), UNIT_TEST(test_accepts_tokens_of_another_issuer),
        UNIT_TEST(test_another_issuer_grants_nothing),        UNIT_TEST(test_issuers_do_not_sign_for_each_other),
        UNIT_TEST(test_an_issuer_may_have_several_trusts),    UNIT_TEST(test_refuses_bad_tokens_of_another_issuer),
    };
    return UNIT_RUN(tests);
}
