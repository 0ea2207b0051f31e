/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <apr_encode.h>
#include <openssl/hmac.h>

#include "lib/json.h"
#include "lib/token.h"

#define ISSUER "https://shop.example.org"
#define AUDIENCE "catalog"
#define SUBJECT "01936f4e-7a00-7000-8000-000000000001"
#define NOW 1800000000 /* seconds; NOW_TEXT is the same */
#define NOW_TEXT "1800000000"
#define SECRET "0123456789abcdef0123456789abcdef"
#define OTHER_SECRET "0123456789abcdef0123456789abcdeF"
#define HEADER "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"token\"}"

/* ---- keys ---- */

static const cat_keys_t *make_set(apr_pool_t *pool, const cat_key_t *first, const cat_key_t *second)
{
    const cat_key_t **all = apr_palloc(pool, 2 * sizeof(*all));
    cat_keys_t *keys = apr_palloc(pool, sizeof(*keys));

    all[0] = first;
    all[1] = second;
    *keys = (cat_keys_t){all, second ? 2 : 1};
    return keys;
}

static const cat_key_t *make_secret(apr_pool_t *pool, const char *name, const char *secret)
{
    const cat_key_t *key = NULL;

    assert_null(cat_key_read(pool, unit_write(pool, unit_directory(pool), name, 0600, secret, strlen(secret)), &key));
    return key;
}

/* The key that most of these tests are about. */
static const cat_keys_t *own_keys(apr_pool_t *pool)
{
    return make_set(pool, make_secret(pool, "token", SECRET), NULL);
}

/* A pair of keys by a command that writes a PEM file; *public is the other half, as somebody else has it. */
static const cat_key_t *make_pair(apr_pool_t *pool, const char *name, const char *command, const cat_key_t **public)
{
    const char *path = apr_pstrcat(pool, unit_directory(pool), "/", name, NULL);
    const cat_key_t *key = NULL;

    unit_run(apr_psprintf(pool, "umask 077; %s >%s 2>/dev/null && openssl pkey -in %s -pubout -out %s.pub", command,
                          path, path, path));
    assert_null(cat_key_read(pool, path, &key));
    assert_null(cat_key_read_public(pool, apr_pstrcat(pool, path, ".pub", NULL), public));
    return key;
}

static const cat_key_t *make_ec(apr_pool_t *pool, const char *name, const cat_key_t **public)
{
    return make_pair(pool, name, "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", public);
}

static const cat_key_t *make_rsa(apr_pool_t *pool, const char *name, const cat_key_t **public)
{
    return make_pair(pool, name, "openssl genrsa 2048", public);
}

/* ---- tokens ---- */

static cat_claims_t claims_now(void)
{
    return (cat_claims_t){.issuer = ISSUER,
                          .audience = AUDIENCE,
                          .subject = SUBJECT,
                          .session = "session",
                          .id = "token",
                          .username = "ann",
                          .role = "editor",
                          .verified = 1,
                          .issued = apr_time_from_sec(NOW),
                          .expires = apr_time_from_sec(NOW + 900)};
}

static const char *encode(apr_pool_t *pool, const char *text)
{
    return apr_pencode_base64(pool, text, APR_ENCODE_STRING, APR_ENCODE_BASE64URL, NULL);
}

static const char *sign_hmac(apr_pool_t *pool, const EVP_MD *digest, const char *text, const void *secret,
                             size_t length)
{
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned int size;

    HMAC(digest, secret, (int)length, (const unsigned char *)text, strlen(text), mac, &size);
    return apr_pencode_base64_binary(pool, mac, size, APR_ENCODE_BASE64URL, NULL);
}

/* A token made without the code under test, by whoever holds the secret. */
static const char *forge_with(apr_pool_t *pool, const EVP_MD *digest, const char *secret, const char *header,
                              const char *payload)
{
    const char *text = apr_pstrcat(pool, encode(pool, header), ".", encode(pool, payload), NULL);

    return apr_pstrcat(pool, text, ".", sign_hmac(pool, digest, text, secret, strlen(secret)), NULL);
}

static const char *forge(apr_pool_t *pool, const char *header, const char *payload)
{
    return forge_with(pool, EVP_sha256(), SECRET, header, payload);
}

/* One by a pair of keys. */
static const char *forge_by(apr_pool_t *pool, const cat_key_t *key, const char *header, const char *payload)
{
    const char *text = apr_pstrcat(pool, encode(pool, header), ".", encode(pool, payload), NULL);

    return apr_pstrcat(pool, text, ".", cat_key_sign(pool, key, text, strlen(text)), NULL);
}

/* A payload that is valid but for one member, whose JSON is raw. raw NULL: without it. A name of none of these is
 * added. */
static const char *payload_with(apr_pool_t *pool, const char *name, const char *raw)
{
    static const char *const members[][2] = {
        {"iss", "\"" ISSUER "\""}, {"aud", "\"" AUDIENCE "\""}, {"sub", "\"" SUBJECT "\""}, {"exp", "1800000900"},
        {"iat", NOW_TEXT},         {"jti", "\"token\""},        {"sid", "\"session\""},
    };
    const char *text = raw ? apr_psprintf(pool, "\"%s\":%s", name, raw) : "\"unknown\":1";

    for (size_t i = 0; i < UNIT_COUNT(members); i++) {
        if (strcmp(members[i][0], name) != 0) {
            text = apr_psprintf(pool, "%s,\"%s\":%s", text, members[i][0], members[i][1]);
        }
    }
    return apr_psprintf(pool, "{%s}", text);
}

static const char *verify_by(apr_pool_t *pool, const cat_trust_t *trusts, int count, const char *token,
                             const cat_claims_t **claims)
{
    const cat_claims_t *found = NULL;
    const char *fault = cat_token_verify(pool, trusts, count, apr_time_from_sec(NOW), token, &found);

    assert_true(!fault == (found != NULL));
    /* RFC 6750, 3: what may stand in error_description. */
    assert_true(!fault || !strpbrk(fault, "\"\\\r\n"));
    if (claims) {
        *claims = found;
    }
    return fault;
}

static const char *verify_with(apr_pool_t *pool, const cat_keys_t *keys, const char *token)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, keys, 0};

    return verify_by(pool, &trust, 1, token, NULL);
}

static void check_refused(apr_pool_t *pool, const cat_keys_t *keys, const char *token, const char *what)
{
    if (!verify_with(pool, keys, token)) {
        fail_msg("was taken: %s", what);
    }
}

static void check_taken(apr_pool_t *pool, const cat_keys_t *keys, const char *token, const char *what)
{
    const char *fault = verify_with(pool, keys, token);

    if (fault) {
        fail_msg("%s: %s", what, fault);
    }
}

static const char *decode_segment(apr_pool_t *pool, const char *segment)
{
    return apr_pdecode_base64(pool, segment, strcspn(segment, "."), APR_ENCODE_NONE, NULL);
}

/* ---- tokens of our own ---- */

static void check_round(apr_pool_t *pool, const cat_key_t *key)
{
    cat_claims_t given = claims_now();
    const cat_trust_t trust = {ISSUER, AUDIENCE, make_set(pool, key, NULL), 0};
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
    const cat_key_t *public;

    check_round(*state, make_secret(*state, "token", SECRET));
    check_round(*state, make_ec(*state, "ec", &public));
    check_round(*state, make_rsa(*state, "rsa", &public));
}

/* Byte for byte, so that other programs' view of it is settled as well. */
static void test_makes_an_access_token_of_rfc_9068(void **state)
{
    cat_claims_t given = claims_now();
    const char *token;

    given.issued += 999999;
    given.verified = 0;
    token = cat_token_make(*state, own_keys(*state), &given);
    assert_string_equal(decode_segment(*state, token), HEADER);
    assert_string_equal(
        decode_segment(*state, strchr(token, '.') + 1),
        "{\"iss\":\"" ISSUER "\",\"aud\":\"" AUDIENCE "\",\"sub\":\"" SUBJECT "\",\"sid\":\"session\","
        "\"jti\":\"token\",\"username\":\"ann\",\"role\":\"editor\",\"email_verified\":false,\"iat\":1800000000,"
        "\"exp\":1800000900}");
    assert_string_equal(token, forge(*state, HEADER, decode_segment(*state, strchr(token, '.') + 1)));
}

static void test_signs_with_the_first_key_and_verifies_with_all(void **state)
{
    const cat_key_t *public, *ec = make_ec(*state, "2026-11", &public), *secret = make_secret(*state, "token", SECRET);
    cat_claims_t given = claims_now();
    const char *token = cat_token_make(*state, make_set(*state, ec, secret), &given);

    assert_string_equal(decode_segment(*state, token), "{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"2026-11\"}");
    check_taken(*state, make_set(*state, secret, ec), token, "the second key");
    check_refused(*state, make_set(*state, secret, NULL), token, "the key was taken away");
}

static void test_makes_nothing_it_would_refuse(void **state)
{
    static const char *const bad[] = {NULL, "\xff"};
    const cat_keys_t *keys = own_keys(*state);
    const cat_key_t *public;
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
    make_ec(*state, "ec", &public);
    assert_null(cat_token_make(*state, make_set(*state, public, NULL), &given)); /* somebody else's key */
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
        "",        ".",         "..",           "...",     "a",
        "a.b",     "a.b.",      "a..c",         ".b.c",    ".a.",
        "a.b.c.d", "a.b.c.d.e", "a.b.c=",       "a=.b.c",  "a.b.c ",
        " a.b.c",  "a.b.c\t",   "a.b.c\r\n",    "a.b.c\n", "a b.c.d",
        "a.b+.c",  "a.b/.c",    "a.b.\xc3\xa9", "a.b.c,d", "a.b.c,a.b.c",
    };
    const cat_keys_t *keys = own_keys(*state);

    assert_true(cat_token_check_shape("a.b.c"));
    assert_true(cat_token_check_shape("AZaz09-_.AZaz09-_.AZaz09-_"));
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        if (cat_token_check_shape(bad[i])) {
            fail_msg("has the shape: \"%s\"", bad[i]);
        }
        check_refused(*state, keys, bad[i], bad[i]);
    }
}

/* A valid token of the given length. */
static const char *forge_of_length(apr_pool_t *pool, size_t length)
{
    for (int filler = (int)length / 2; filler < (int)length; filler++) {
        char *text = apr_psprintf(pool, "\"%*s\"", filler, "");
        const char *token = forge(pool, "{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}", payload_with(pool, "filler", text));
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
    check_refused(*state, keys, longer, "4097 octets");
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
        const char *header = apr_psprintf(*state, "{\"alg\":%s,\"typ\":\"at+jwt\"}", named[i]);
        const char *unsigned_text = apr_pstrcat(*state, encode(*state, header), ".", encode(*state, payload), NULL);
        check_refused(*state, keys, forge(*state, header, payload), header);
        check_refused(*state, keys, forge_with(*state, EVP_sha384(), SECRET, header, payload), header);
        check_refused(*state, keys, forge_with(*state, EVP_sha512(), SECRET, header, payload), header);
        check_refused(*state, keys, apr_pstrcat(*state, unsigned_text, ".", NULL), header);
        check_refused(*state, keys, apr_pstrcat(*state, unsigned_text, ".AA", NULL), header);
        check_refused(*state, keys, unsigned_text, header);
    }
    check_refused(*state, keys, forge(*state, "{\"typ\":\"at+jwt\"}", payload), "no alg");
    check_refused(*state, keys, forge_with(*state, EVP_sha512(), SECRET, HEADER, payload), "HS256 in name only");
}

/* RFC 8725, 2.1: the public key, which everybody has, as the secret of an HMAC. */
static void test_a_public_key_is_no_secret(void **state)
{
    static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"ec\"}";
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
                            "The token is signed with another algorithm");
    }
}

static void test_refuses_other_headers(void **state)
{
    static const char *const bad[] = {
        "{\"alg\":\"HS256\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\",\"typ\":1}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"crit\":[\"exp\"]}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"crit\":null}",
        "{\"alg\":\"none\",\"alg\":\"HS256\",\"typ\":\"at+jwt\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"typ\":\"at+jwt\"}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"other\"}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"\"}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":null}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":[\"token\"]}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"../../../../dev/null\"}",
        "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"token\\u0000\"}",
        "[\"HS256\",\"at+jwt\"]",
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
    check_taken(*state, keys, forge(*state, "{\"typ\":\"application/at+jwt\",\"alg\":\"HS256\"}", payload),
                "long typ, no kid");
    check_taken(
        *state, keys,
        forge(*state, "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"jwk\":{},\"jku\":\"http://127.0.0.1/\"}", payload),
        "members that are nobody's business");
}

static void test_the_kid_chooses_among_keys(void **state)
{
    static const char second[] = "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"second\"}";
    static const char none[] = "{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}";
    const cat_keys_t *keys =
        make_set(*state, make_secret(*state, "first", SECRET), make_secret(*state, "second", OTHER_SECRET));
    const char *payload = payload_with(*state, "", NULL);

    check_taken(*state, keys, forge_with(*state, EVP_sha256(), OTHER_SECRET, second, payload), "the second key");
    assert_string_equal(verify_with(*state, keys, forge_with(*state, EVP_sha256(), SECRET, second, payload)),
                        "The token's signature is wrong");
    assert_string_equal(verify_with(*state, keys, forge_with(*state, EVP_sha256(), SECRET, none, payload)),
                        "The token is signed with an unknown key");
}

/* Nobody without the key learns what else is wrong. */
static void test_a_wrong_signature_is_said_before_wrong_claims(void **state)
{
    static const char *const members[][2] = {{"exp", "1"}, {"aud", "\"other\""}, {"sub", NULL}, {"role", "1"}};

    for (size_t i = 0; i < UNIT_COUNT(members); i++) {
        const char *token =
            forge_with(*state, EVP_sha256(), OTHER_SECRET, HEADER, payload_with(*state, members[i][0], members[i][1]));
        assert_string_equal(verify_with(*state, own_keys(*state), token), "The token's signature is wrong");
    }
}

/* ---- payload ---- */

/* One member of the payload, in JSON, that makes it invalid. */
static const char *const bad_members[][2] = {
    {"exp", NULL},
    {"exp", "\"1800000900\""},
    {"exp", "1800000900.0"},
    {"exp", "18e8"},
    {"exp", "null"},
    {"exp", "true"},
    {"exp", "[1800000900]"},
    {"exp", "-1"},
    {"exp", "0"},
    {"exp", "1180591620717411303424"}, /* 2^70 */
    {"exp", "9223372036854775807"},
    {"nbf", "1800000031"},
    {"nbf", "\"1\""},
    {"nbf", "1.5"},
    {"nbf", "null"},
    {"iat", "1800000031"},
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
    /* As a name that is none of the payload's own, these are second members beside it. */
    {"sub\":\"01936f4e-7a00-7000-8000-000000000002\",\"x", "1"},
    {"exp\":1,\"x", "1"},
    {"aud\":\"other\",\"x", "1"},
    {"x\":1,\"x", "1"},
    {"x", "\"\\ud800\""},
    {"x", "\"\xff\""},
    {"x", "1}"},
    {"x", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"}, /* 33 levels */
};

static void test_refuses_other_payloads(void **state)
{
    static const char *const bad[] = {"{}", "[]", "null", "\"\"", "1", " ", "{"};
    const cat_keys_t *keys = own_keys(*state);
    const char *const valid = payload_with(*state, "", NULL);

    for (size_t i = 0; i < UNIT_COUNT(bad_members); i++) {
        const char *payload = payload_with(*state, bad_members[i][0], bad_members[i][1]);
        check_refused(*state, keys, forge(*state, HEADER, payload), payload);
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        check_refused(*state, keys, forge(*state, HEADER, bad[i]), bad[i]);
    }
    check_refused(*state, keys, forge(*state, HEADER, apr_psprintf(*state, "[%s]", valid)), "an array that holds it");
}

static void test_takes_what_else_is_valid(void **state)
{
    static const char *const good[][2] = {
        {"nbf", "1800000030"},
        {"nbf", "0"},
        {"nbf", "-1"},
        {"iat", NULL},
        {"iat", "1800000030"},
        {"exp", "1799999971"},
        {"exp", "253402300799"},
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

static void test_what_is_absent_gives_no_right(void **state)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, own_keys(*state), 0};
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

static void test_gives_30_seconds_on_the_expiry(void **state)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, own_keys(*state), 0};
    const char *token = forge(*state, HEADER, payload_with(*state, "exp", NOW_TEXT));
    apr_time_t expiry = apr_time_from_sec(NOW);
    const cat_claims_t *claims;

    assert_null(cat_token_verify(*state, &trust, 1, expiry, token, &claims));
    assert_null(cat_token_verify(*state, &trust, 1, expiry + apr_time_from_sec(30) - 1, token, &claims));
    assert_string_equal(cat_token_verify(*state, &trust, 1, expiry + apr_time_from_sec(30), token, &claims),
                        "The token has expired");
}

/* ---- other issuers ---- */

#define FOREIGN "https://id.example.com/realms/a"
#define FOREIGN_PAYLOAD(sub)                                                                                           \
    "{\"iss\":\"" FOREIGN "\",\"aud\":[\"shop\",\"account\"],\"sub\":" sub ",\"exp\":1800000900}"

static void test_takes_tokens_of_another_issuer(void **state)
{
    static const char *const headers[] = {
        "{\"alg\":\"ES256\"}",
        "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"whatever\"}",
        "{\"alg\":\"ES256\",\"typ\":\"at+jwt\"}",
    };
    const cat_key_t *public, *key = make_ec(*state, "ec", &public);
    const cat_trust_t trusts[] = {
        {ISSUER, AUDIENCE, own_keys(*state), 0},
        {FOREIGN, "shop", make_set(*state, public, NULL), 1},
    };
    const cat_claims_t *claims;

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_null(
            verify_by(*state, trusts, 2, forge_by(*state, key, headers[i], FOREIGN_PAYLOAD("\"a|1\"")), &claims));
        assert_string_equal(claims->issuer, FOREIGN);
        assert_string_equal(claims->audience, "shop");
        assert_string_equal(claims->subject, "a|1");
        assert_ptr_equal(claims->keys, trusts[1].keys);
    }
    check_taken(*state, trusts[0].keys, forge(*state, HEADER, payload_with(*state, "", NULL)), "our own beside it");
}

/* Who may sign for another issuer gives nobody a role here, nor a session. */
static void test_another_issuer_gives_no_right(void **state)
{
    static const char payload[] =
        "{\"iss\":\"" FOREIGN "\",\"aud\":\"shop\",\"sub\":\"x\",\"exp\":1800000900,\"role\":\"admin\","
        "\"username\":\"ann\",\"email_verified\":true,\"sid\":\"session\",\"jti\":\"token\"}";
    const cat_key_t *public, *key = make_rsa(*state, "rsa", &public);
    const cat_trust_t trust = {FOREIGN, "shop", make_set(*state, public, NULL), 1};
    const cat_claims_t *claims;

    assert_null(verify_by(*state, &trust, 1, forge_by(*state, key, "{\"alg\":\"RS256\"}", payload), &claims));
    assert_string_equal(claims->role, "user");
    assert_int_equal(claims->verified, 0);
    assert_null(claims->username);
    assert_null(claims->session);
    assert_null(claims->id);
}

static void test_issuers_do_not_sign_for_each_other(void **state)
{
    static const char header[] = "{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"ec\"}";
    const cat_key_t *public, *other_public, *key = make_ec(*state, "ec", &public),
                                            *other = make_ec(*state, "ec", &other_public);
    const cat_trust_t trusts[] = {
        {ISSUER, AUDIENCE, make_set(*state, key, NULL), 0},
        {FOREIGN, "shop", make_set(*state, other_public, NULL), 1},
    };

    assert_null(verify_by(*state, trusts, 2, forge_by(*state, key, header, payload_with(*state, "", NULL)), NULL));
    assert_null(verify_by(*state, trusts, 2, forge_by(*state, other, header, FOREIGN_PAYLOAD("\"x\"")), NULL));
    assert_string_equal(
        verify_by(*state, trusts, 2, forge_by(*state, other, header, payload_with(*state, "", NULL)), NULL),
        "The token's signature is wrong");
    assert_string_equal(verify_by(*state, trusts, 2, forge_by(*state, key, header, FOREIGN_PAYLOAD("\"x\"")), NULL),
                        "The token's signature is wrong");
    assert_string_equal(verify_by(*state, trusts, 1, forge_by(*state, other, header, FOREIGN_PAYLOAD("\"x\"")), NULL),
                        "The token is from another issuer");
    assert_non_null(verify_by(*state, trusts, 0, forge_by(*state, key, header, payload_with(*state, "", NULL)), NULL));
}

static void test_an_issuer_may_have_several_trusts(void **state)
{
    static const char header[] = "{\"alg\":\"ES256\"}";
    const cat_key_t *new_public, *old_public;
    const cat_key_t *new = make_ec(*state, "new", &new_public), *old = make_ec(*state, "old", &old_public);
    const cat_trust_t trusts[] = {
        {FOREIGN, "other", make_set(*state, new_public, NULL), 1},
        {FOREIGN, "shop", make_set(*state, new_public, NULL), 1},
        {FOREIGN, "account", make_set(*state, old_public, NULL), 1},
    };
    const cat_claims_t *claims;

    assert_null(verify_by(*state, trusts, 3, forge_by(*state, new, header, FOREIGN_PAYLOAD("\"x\"")), &claims));
    assert_string_equal(claims->audience, "shop");
    assert_null(verify_by(*state, trusts, 3, forge_by(*state, old, header, FOREIGN_PAYLOAD("\"x\"")), &claims));
    assert_string_equal(claims->audience, "account");
    assert_non_null(verify_by(*state, trusts, 1, forge_by(*state, new, header, FOREIGN_PAYLOAD("\"x\"")), &claims));
}

static void test_refuses_bad_tokens_of_another_issuer(void **state)
{
    static const char *const headers[] = {
        "{\"alg\":\"ES256\",\"typ\":\"jws\"}", "{\"alg\":\"ES256\",\"typ\":1}", "{\"alg\":\"ES256\",\"crit\":[]}",
        "{\"alg\":\"ES256\",\"kid\":1}",       "{\"alg\":\"RS256\"}",           "{\"alg\":\"none\"}",
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
    const cat_key_t *public, *key = make_ec(*state, "ec", &public);
    const cat_trust_t trust = {FOREIGN, "shop", make_set(*state, public, NULL), 1};
    const char *longest = memset(apr_pcalloc(*state, 256), 'x', 255), *format = FOREIGN_PAYLOAD("\"%s\"");

    for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
        assert_non_null(
            verify_by(*state, &trust, 1, forge_by(*state, key, headers[i], FOREIGN_PAYLOAD("\"x\"")), NULL));
    }
    for (size_t i = 0; i < UNIT_COUNT(payloads); i++) {
        assert_non_null(verify_by(*state, &trust, 1, forge_by(*state, key, "{\"alg\":\"ES256\"}", payloads[i]), NULL));
    }
    assert_null(verify_by(*state, &trust, 1,
                          forge_by(*state, key, "{\"alg\":\"ES256\"}", apr_psprintf(*state, format, longest)), NULL));
    longest = apr_pstrcat(*state, longest, "x", NULL);
    assert_non_null(verify_by(
        *state, &trust, 1, forge_by(*state, key, "{\"alg\":\"ES256\"}", apr_psprintf(*state, format, longest)), NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_makes_what_it_verifies),
        UNIT_TEST(test_makes_an_access_token_of_rfc_9068),
        UNIT_TEST(test_signs_with_the_first_key_and_verifies_with_all),
        UNIT_TEST(test_makes_nothing_it_would_refuse),
        UNIT_TEST(test_refuses_every_changed_character),
        UNIT_TEST(test_checks_the_shape),
        UNIT_TEST(test_bounds_the_length),
        UNIT_TEST(test_refuses_other_algorithms),
        UNIT_TEST(test_a_public_key_is_no_secret),
        UNIT_TEST(test_refuses_other_headers),
        UNIT_TEST(test_the_kid_chooses_among_keys),
        UNIT_TEST(test_a_wrong_signature_is_said_before_wrong_claims),
        UNIT_TEST(test_refuses_other_payloads),
        UNIT_TEST(test_takes_what_else_is_valid),
        UNIT_TEST(test_what_is_absent_gives_no_right),
        UNIT_TEST(test_refuses_huge_payloads),
        UNIT_TEST(test_gives_30_seconds_on_the_expiry),
        UNIT_TEST(test_takes_tokens_of_another_issuer),
        UNIT_TEST(test_another_issuer_gives_no_right),
        UNIT_TEST(test_issuers_do_not_sign_for_each_other),
        UNIT_TEST(test_an_issuer_may_have_several_trusts),
        UNIT_TEST(test_refuses_bad_tokens_of_another_issuer),
    };
    return UNIT_RUN(tests);
}
