/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_tokens.h"

#define OTHER_SECRET "0123456789abcdef0123456789abcdeF"

static const char *decode_segment(apr_pool_t *pool, const char *segment)
{
    return apr_pdecode_base64(pool, segment, strcspn(segment, "."), APR_ENCODE_NONE, NULL);
}

/* ---- our own tokens ---- */

static void check_round(apr_pool_t *pool, const cat_key_t *key)
{
    cat_claims_t given = claims_now();
    const cat_trust_t trust = {ISSUER, AUDIENCE, make_set(pool, key, NULL), 0, cat_role_names};
    const cat_claims_t *claims;

    assert_null(verify_by(pool, &trust, 1, cat_token_make(pool, trust.keys, &given), &claims));
    assert_string_equal(claims->issuer, ISSUER);
    assert_string_equal(claims->audience, AUDIENCE);
    assert_string_equal(claims->subject, SUBJECT);
    assert_string_equal(claims->session, "session");
    assert_string_equal(claims->id, "token");
    assert_string_equal(claims->username, "ann");
    assert_string_equal(claims->role, "editor");
    assert_int_equal(claims->verified, 1);
    assert_true(claims->issued == given.issued);
    assert_true(claims->expires == given.expires);
    assert_ptr_equal(claims->keys, trust.keys);
}

static void test_makes_what_it_verifies(void **state)
{
    check_round(*state, make_secret(*state, "token", SECRET));
    check_round(*state, make_ec(*state, "ec").key);
    check_round(*state, make_rsa(*state, "rsa").key);
}

/* Compares every byte, because other programs read these tokens. */
static void test_makes_an_access_token(void **state)
{
    cat_claims_t given = claims_now();
    const char *token;

    given.issued += 999999;
    given.verified = 0;
    token = cat_token_make(*state, own_keys(*state), &given);
    assert_string_equal(decode_segment(*state, token), HEADER);
    assert_string_equal(decode_segment(*state, strchr(token, '.') + 1),
                        "{\"aud\":\"" AUDIENCE
                        "\",\"email_verified\":false,\"exp\":1800000900,\"iat\":1800000000,\"iss\":\"" ISSUER
                        "\",\"jti\":\"token\",\"role\":\"editor\",\"sid\":\"session\",\"sub\":\"" SUBJECT
                        "\",\"token_use\":\"access\",\"username\":\"ann\"}");
    assert_string_equal(token, forge(*state, HEADER, decode_segment(*state, strchr(token, '.') + 1)));
}

static void test_signs_with_the_first_key_and_verifies_with_all(void **state)
{
    const cat_key_t *ec = make_ec(*state, "2026-11").key, *secret = make_secret(*state, "token", SECRET);
    cat_claims_t given = claims_now();
    const char *token = cat_token_make(*state, make_set(*state, ec, secret), &given);

    assert_string_equal(decode_segment(*state, token), "{\"alg\":\"ES256\",\"kid\":\"2026-11\",\"typ\":\"JWT\"}");
    check_taken(*state, make_set(*state, secret, ec), token, "the second key");
    check_refused(*state, make_set(*state, secret, NULL), token, "the key was removed");
}

static void test_makes_nothing_it_would_refuse(void **state)
{
    static const char *const bad[] = {NULL, "\xff"};
    const cat_keys_t *keys = own_keys(*state);
    cat_claims_t given = claims_now();

    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        given.issuer = bad[i];
        assert_null(cat_token_make(*state, keys, &given));
    }
    given.issuer = memset(apr_pcalloc(*state, 4096), 'x', 4095);
    assert_null(cat_token_make(*state, keys, &given));
    given = claims_now();
    given.username = NULL;
    assert_null(cat_token_make(*state, keys, &given));
    given = claims_now();
    assert_null(cat_token_make(*state, make_set(*state, make_ec(*state, "ec").public, NULL), &given));
}

/* ---- shape and header ---- */

static void test_refuses_every_changed_character(void **state)
{
    const cat_keys_t *keys = own_keys(*state);
    const char *token = forge(*state, HEADER, payload_with(*state, "", NULL));

    check_taken(*state, keys, token, "as made");
    for (size_t i = 0; token[i]; i++) {
        char *changed = apr_pstrdup(*state, token);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        check_refused(*state, keys, changed, changed);
    }
}

static void test_checks_the_shape(void **state)
{
    static const char *const bad[] = {
        "",        ".",           "..",           "...",       "a",
        "a.b",     "a.b.",        "a..c",         ".b.c",      ".a.",
        "a.b.c.d", "a.b.c.d.e",   "a.b.c=",       "a=.b.c",    "a.b.c ",
        " a.b.c",  "a.b.c\t",     "a.b.c\r\n",    "a.b.c\n",   "a b.c.d",
        "a.b+.c",  "a.b/.c",      "a.b.\xc3\xa9", "a.b.c,d",   "a.b.c,a.b.c",
        "a.b.c",   "AAAAA.AA.AA", "AB.AA.AA",     "AA.AAB.AA", "AA.AA.AC",
    };
    const cat_keys_t *keys = own_keys(*state);

    assert_true(cat_token_check_shape("AQ.AAE.AAAB"));
    assert_true(cat_token_check_shape("AZaz09-_.AZaz09-_.AZaz09-_"));
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        if (cat_token_check_shape(bad[i])) {
            fail_msg("has the shape: \"%s\"", bad[i]);
        }
        check_refused(*state, keys, bad[i], bad[i]);
    }
}

/* Returns a valid token of the given length. */
static const char *forge_of_length(apr_pool_t *pool, size_t length)
{
    for (int filler = (int)length / 2; filler < (int)length; filler++) {
        char *text = apr_psprintf(pool, "\"%*s\"", filler, "");
        const char *token = forge(pool, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}", payload_with(pool, "filler", text));
        if (strlen(token) >= length) {
            return token;
        }
    }
    return NULL;
}

static void test_bounds_the_length(void **state)
{
    const cat_keys_t *keys = own_keys(*state);
    const char *longest = forge_of_length(*state, 4096);
    const char *longer = forge_of_length(*state, 4097);

    assert_int_equal(strlen(longest), 4096);
    check_taken(*state, keys, longest, "4096 octets");
    assert_int_equal(strlen(longer), 4097);
    assert_ptr_equal(verify_with(*state, keys, longer), cat_token_too_long);
    assert_ptr_equal(verify_with(*state, keys, memset(apr_pcalloc(*state, 9000), 'x', 8999)), cat_token_too_long);
}

static void test_refuses_other_algorithms(void **state)
{
    static const char *const named[] = {
        "\"none\"",  "\"NONE\"",  "\"nOnE\"",  "\"\"",       "\"hs256\"", "\"HS384\"", "\"HS512\"",
        "\"RS256\"", "\"ES256\"", "\"PS256\"", "\"HS256 \"", "null",      "1",         "[\"HS256\"]",
    };
    const cat_keys_t *keys = own_keys(*state);
    const char *payload = payload_with(*state, "", NULL);

    for (size_t i = 0; i < UNIT_COUNT(named); i++) {
        const char *header = apr_psprintf(*state, "{\"alg\":%s,\"typ\":\"JWT\"}", named[i]);
        const char *unsigned_text = apr_pstrcat(*state, encode(*state, header), ".", encode(*state, payload), NULL);
        check_refused(*state, keys, forge(*state, header, payload), header);
        check_refused(*state, keys, forge_with(*state, EVP_sha384(), SECRET, header, payload), header);
        check_refused(*state, keys, forge_with(*state, EVP_sha512(), SECRET, header, payload), header);
        check_refused(*state, keys, apr_pstrcat(*state, unsigned_text, ".", NULL), header);
        check_refused(*state, keys, apr_pstrcat(*state, unsigned_text, ".AA", NULL), header);
        check_refused(*state, keys, unsigned_text, header);
    }
    check_refused(*state, keys, forge(*state, "{\"typ\":\"JWT\"}", payload), "no alg");
    check_refused(*state, keys, forge_with(*state, EVP_sha512(), SECRET, HEADER, payload), "HS256 in name only");
}

/* RFC 8725, 2.1: an attacker uses the public key as the secret of an HMAC. */
static void test_a_public_key_is_no_secret(void **state)
{
    static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"ec\"}";
    const char *path = apr_pstrcat(*state, unit_directory(*state), "/ec.pem", NULL), *text, *token;
    const cat_key_t *key = NULL;
    char pem[1000];
    FILE *public;
    size_t length;

    unit_run(apr_psprintf(*state, "umask 077; openssl ecparam -name prime256v1 -genkey -out %s", path));
    assert_null(cat_key_read(*state, path, &key));
    public = popen(apr_psprintf(*state, "openssl pkey -in %s -pubout", path), "r");
    length = fread(pem, 1, sizeof(pem), public);
    pclose(public);
    text = apr_pstrcat(*state, encode(*state, header), ".", encode(*state, payload_with(*state, "", NULL)), NULL);
    for (size_t cut = 0; cut < 2; cut++) {
        token = apr_pstrcat(*state, text, ".", sign_hmac(*state, EVP_sha256(), text, pem, length - cut), NULL);
        assert_string_equal(verify_with(*state, make_set(*state, key, NULL), token),
                            "the token is signed with another algorithm");
    }
}

static void test_refuses_other_headers(void **state)
{
    static const char *const bad[] = {
        "{\"alg\":\"HS256\"}",
        "{\"alg\":\"HS256\",\"typ\":\"text/jwt\"}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}",
        "{\"alg\":\"HS256\",\"typ\":\"application/at+jwt\"}",
        "{\"alg\":\"HS256\",\"typ\":null}",
        "{\"alg\":\"HS256\",\"typ\":1}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"crit\":[\"exp\"]}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"crit\":null}",
        "{\"alg\":\"none\",\"alg\":\"HS256\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"other\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":null}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":[\"token\"]}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"../../../../dev/null\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"token\\u0000\"}",
        "[\"HS256\",\"JWT\"]",
        "\"HS256\"",
        "{",
        "{}",
        " ",
        "\xef\xbb\xbf" HEADER,
        HEADER "x",
    };
    const cat_keys_t *keys = own_keys(*state);
    const char *payload = payload_with(*state, "", NULL);

    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        check_refused(*state, keys, forge(*state, bad[i], payload), bad[i]);
    }
    check_taken(*state, keys, forge(*state, "{\"typ\":\"JWT\",\"alg\":\"HS256\"}", payload), "no kid");
    check_taken(*state, keys, forge(*state, "{\"typ\":\"jwt\",\"alg\":\"HS256\"}", payload), "typ in small letters");
    check_taken(*state, keys,
                forge(*state, "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"jwk\":{},\"jku\":\"http://127.0.0.1/\"}", payload),
                "fields that the module ignores");
}

static void test_the_kid_chooses_among_keys(void **state)
{
    static const char second[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"second\"}";
    static const char none[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
    const cat_keys_t *keys =
        make_set(*state, make_secret(*state, "first", SECRET), make_secret(*state, "second", OTHER_SECRET));
    const char *payload = payload_with(*state, "", NULL);

    check_taken(*state, keys, forge_with(*state, EVP_sha256(), OTHER_SECRET, second, payload), "the second key");
    assert_string_equal(verify_with(*state, keys, forge_with(*state, EVP_sha256(), SECRET, second, payload)),
                        "the token's signature is invalid");
    assert_string_equal(verify_with(*state, keys, forge_with(*state, EVP_sha256(), SECRET, none, payload)),
                        "the token is signed with an unknown key");
}

/* A client without the key must not learn what the server checks next. */
static void test_a_wrong_signature_is_reported_before_wrong_claims(void **state)
{
    static const char *const claims[][2] = {{"exp", "1"}, {"aud", "\"other\""}, {"sub", NULL}, {"role", "1"}};

    for (size_t i = 0; i < UNIT_COUNT(claims); i++) {
        const char *token =
            forge_with(*state, EVP_sha256(), OTHER_SECRET, HEADER, payload_with(*state, claims[i][0], claims[i][1]));
        assert_string_equal(verify_with(*state, own_keys(*state), token), "the token's signature is invalid");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_makes_what_it_verifies),
        UNIT_TEST(test_makes_an_access_token),
        UNIT_TEST(test_signs_with_the_first_key_and_verifies_with_all),
        UNIT_TEST(test_makes_nothing_it_would_refuse),
        UNIT_TEST(test_refuses_every_changed_character),
        UNIT_TEST(test_checks_the_shape),
        UNIT_TEST(test_bounds_the_length),
        UNIT_TEST(test_refuses_other_algorithms),
        UNIT_TEST(test_a_public_key_is_no_secret),
        UNIT_TEST(test_refuses_other_headers),
        UNIT_TEST(test_the_kid_chooses_among_keys),
        UNIT_TEST(test_a_wrong_signature_is_reported_before_wrong_claims),
    };
    return UNIT_RUN(tests);
}
