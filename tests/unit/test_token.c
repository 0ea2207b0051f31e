/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/hmac.h>

#include "lib/id.h"
#include "lib/json.h"
#include "lib/token.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

#define ISSUER "https://shop.example.org"
#define AUDIENCE "catalog"
#define SUBJECT "01936f4e-7a00-7000-8000-000000000001"
#define NOW 1800000000 /* seconds; NOW_TEXT is the same */
#define NOW_TEXT "1800000000"
#define HEADER "{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}"

static const cat_key_t key = {(const unsigned char *)"0123456789abcdef0123456789abcdef", 32};
static const cat_key_t other_key = {(const unsigned char *)"0123456789abcdef0123456789abcdeF", 32};

static cat_claims_t claims_now(void)
{
    return (cat_claims_t){
        ISSUER, AUDIENCE, SUBJECT, "session", "token", apr_time_from_sec(NOW), apr_time_from_sec(NOW + 900)};
}

static const char *encode(apr_pool_t *pool, const char *text)
{
    return apr_pencode_base64(pool, text, APR_ENCODE_STRING, APR_ENCODE_BASE64URL, NULL);
}

/* A token made without the code under test, by whoever holds the key. */
static const char *forge_with(apr_pool_t *pool, const EVP_MD *digest, const char *header, const char *payload)
{
    const char *text = apr_pstrcat(pool, encode(pool, header), ".", encode(pool, payload), NULL);
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned int size;

    HMAC(digest, key.secret, (int)key.length, (const unsigned char *)text, strlen(text), mac, &size);
    return apr_pstrcat(pool, text, ".", apr_pencode_base64_binary(pool, mac, size, APR_ENCODE_BASE64URL, NULL), NULL);
}

static const char *forge(apr_pool_t *pool, const char *header, const char *payload)
{
    return forge_with(pool, EVP_sha256(), header, payload);
}

/* A payload that is valid but for one member, whose JSON is raw. raw NULL: without it. An unknown name is added. */
static const char *payload_with(apr_pool_t *pool, const char *name, const char *raw)
{
    static const char *const members[][2] = {
        {"iss", "\"" ISSUER "\""}, {"aud", "\"" AUDIENCE "\""}, {"sub", "\"" SUBJECT "\""}, {"exp", "1800000900"},
        {"iat", NOW_TEXT},         {"jti", "\"token\""},        {"sid", "\"session\""},
    };
    const char *text = raw ? apr_psprintf(pool, "\"%s\":%s", name, raw) : "\"unknown\":1";

    for (size_t i = 0; i < LENGTH(members); i++) {
        if (strcmp(members[i][0], name) != 0) {
            text = apr_psprintf(pool, "%s,\"%s\":%s", text, members[i][0], members[i][1]);
        }
    }
    return apr_psprintf(pool, "{%s}", text);
}

static const char *verify_at(apr_pool_t *pool, const char *token, apr_time_t now)
{
    const cat_claims_t *claims = NULL;
    const char *fault = cat_token_verify(pool, &key, ISSUER, AUDIENCE, now, token, &claims);

    assert_true(!fault == (claims != NULL));
    /* RFC 6750, 3: what may stand in error_description. */
    assert_true(!fault || (!strpbrk(fault, "\"\\") && !strpbrk(fault, "\r\n")));
    return fault;
}

static const char *verify(apr_pool_t *pool, const char *token)
{
    return verify_at(pool, token, apr_time_from_sec(NOW));
}

static void check_refused(apr_pool_t *pool, const char *token, const char *what)
{
    if (!verify(pool, token)) {
        fail_msg("was taken: %s", what);
    }
}

static void check_taken(apr_pool_t *pool, const char *token, const char *what)
{
    const char *fault = verify(pool, token);

    if (fault) {
        fail_msg("%s: %s", what, fault);
    }
}

static const char *decode_segment(apr_pool_t *pool, const char *segment)
{
    return apr_pdecode_base64(pool, segment, strcspn(segment, "."), APR_ENCODE_NONE, NULL);
}

static void test_makes_what_it_verifies(void **state)
{
    cat_claims_t given = claims_now();
    const cat_claims_t *claims;
    const char *token = cat_token_make(*state, &key, &given);

    assert_null(cat_token_verify(*state, &key, ISSUER, AUDIENCE, given.issued, token, &claims));
    assert_string_equal(claims->issuer, ISSUER);
    assert_string_equal(claims->audience, AUDIENCE);
    assert_string_equal(claims->subject, SUBJECT);
    assert_string_equal(claims->session, "session");
    assert_string_equal(claims->id, "token");
    assert_true(claims->issued == given.issued);
    assert_true(claims->expires == given.expires);
}

/* Byte for byte, so that other programs' view of it is settled as well. */
static void test_makes_an_access_token_of_rfc_9068(void **state)
{
    cat_claims_t given = claims_now();
    const char *token;

    given.issued += 999999;
    token = cat_token_make(*state, &key, &given);
    assert_string_equal(decode_segment(*state, token), HEADER);
    assert_string_equal(decode_segment(*state, strchr(token, '.') + 1),
                        "{\"iss\":\"" ISSUER "\",\"aud\":\"" AUDIENCE "\",\"sub\":\"" SUBJECT "\",\"sid\":\"session\","
                        "\"jti\":\"token\",\"iat\":1800000000,\"exp\":1800000900}");
    assert_string_equal(token, forge(*state, HEADER, decode_segment(*state, strchr(token, '.') + 1)));
}

static void test_makes_nothing_it_would_refuse(void **state)
{
    static const cat_key_t short_key = {(const unsigned char *)"0123456789abcdef0123456789abcde", 31};
    cat_claims_t given = claims_now();
    char *long_issuer = memset(apr_pcalloc(*state, 4096), 'x', 4095);

    assert_null(cat_token_make(*state, &short_key, &given));
    given.issuer = long_issuer;
    assert_null(cat_token_make(*state, &key, &given));
    given.issuer = NULL;
    assert_null(cat_token_make(*state, &key, &given));
    given.issuer = "\xff";
    assert_null(cat_token_make(*state, &key, &given));
}

static void test_verifies_nothing_without_a_proper_key(void **state)
{
    static const cat_key_t none = {(const unsigned char *)"", 0};
    static const cat_key_t absent = {NULL, 0};
    cat_claims_t given = claims_now();
    const cat_claims_t *claims;
    const char *token = cat_token_make(*state, &key, &given);

    assert_non_null(cat_token_verify(*state, &none, ISSUER, AUDIENCE, given.issued, token, &claims));
    assert_non_null(cat_token_verify(*state, &absent, ISSUER, AUDIENCE, given.issued, token, &claims));
    assert_non_null(cat_token_verify(*state, &other_key, ISSUER, AUDIENCE, given.issued, token, &claims));
}

static void test_refuses_every_change(void **state)
{
    const char *token = forge(*state, HEADER, payload_with(*state, "", NULL));

    check_taken(*state, token, "as made");
    for (size_t i = 0; token[i]; i++) {
        char *changed = apr_pstrdup(*state, token);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        check_refused(*state, changed, changed);
    }
    check_refused(*state, apr_pstrcat(*state, token, "A", NULL), "a longer signature");
    check_refused(*state, apr_pstrmemdup(*state, token, strlen(token) - 1), "a shorter signature");
}

static void test_checks_the_shape(void **state)
{
    static const char *const bad[] = {"",        ".",         "..",           "...",     "a",
                                      "a.b",     "a.b.",      "a..c",         ".b.c",    ".a.",
                                      "a.b.c.d", "a.b.c.d.e", "a.b.c=",       "a=.b.c",  "a.b.c ",
                                      " a.b.c",  "a.b.c\t",   "a.b.c\r\n",    "a.b.c\n", "a b.c.d",
                                      "a.b+.c",  "a.b/.c",    "a.b.\xc3\xa9", "a.b.c,d", "a.b.c,a.b.c"};

    assert_true(cat_token_check_shape("a.b.c"));
    assert_true(cat_token_check_shape("AZaz09-_.AZaz09-_.AZaz09-_"));
    for (size_t i = 0; i < LENGTH(bad); i++) {
        if (cat_token_check_shape(bad[i])) {
            fail_msg("has the shape: \"%s\"", bad[i]);
        }
        check_refused(*state, bad[i], bad[i]);
    }
}

/* A valid token of the given length. */
static const char *forge_of_length(apr_pool_t *pool, size_t length)
{
    for (size_t filler = 1; filler < length; filler++) {
        char *text = apr_psprintf(pool, "\"%*s\"", (int)filler, "");
        const char *token = forge(pool, HEADER, payload_with(pool, "filler", text));
        if (strlen(token) >= length) {
            return token;
        }
    }
    return NULL;
}

static void test_bounds_the_length(void **state)
{
    const char *longest = forge_of_length(*state, 4096);
    const char *longer = forge_of_length(*state, 4097);

    assert_int_equal(strlen(longest), 4096);
    check_taken(*state, longest, "4096 octets");
    assert_int_equal(strlen(longer), 4097);
    check_refused(*state, longer, "4097 octets");
}

static void test_refuses_other_algorithms(void **state)
{
    static const char *const named[] = {"\"none\"",  "\"NONE\"",  "\"nOnE\"",   "\"\"",      "\"hs256\"",
                                        "\"HS384\"", "\"HS512\"", "\"RS256\"",  "\"ES256\"", "\"HS256 \"",
                                        "null",      "1",         "[\"HS256\"]"};
    const char *payload = payload_with(*state, "", NULL);

    for (size_t i = 0; i < LENGTH(named); i++) {
        const char *header = apr_psprintf(*state, "{\"alg\":%s,\"typ\":\"at+jwt\"}", named[i]);
        const char *unsigned_text = apr_pstrcat(*state, encode(*state, header), ".", encode(*state, payload), NULL);
        check_refused(*state, forge(*state, header, payload), header);
        check_refused(*state, forge_with(*state, EVP_sha384(), header, payload), header);
        check_refused(*state, forge_with(*state, EVP_sha512(), header, payload), header);
        check_refused(*state, apr_pstrcat(*state, unsigned_text, ".", NULL), header);
        check_refused(*state, apr_pstrcat(*state, unsigned_text, ".AA", NULL), header);
        check_refused(*state, unsigned_text, header);
    }
    check_refused(*state, forge(*state, "{\"typ\":\"at+jwt\"}", payload), "no alg");
    check_refused(*state, forge_with(*state, EVP_sha512(), HEADER, payload), "HS256 in name only");
}

static void test_refuses_other_headers(void **state)
{
    static const char *const bad[] = {"{\"alg\":\"HS256\"}",
                                      "{\"alg\":\"HS256\",\"typ\":\"JWT\"}",
                                      "{\"alg\":\"HS256\",\"typ\":1}",
                                      "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"crit\":[\"exp\"]}",
                                      "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"crit\":null}",
                                      "{\"alg\":\"none\",\"alg\":\"HS256\",\"typ\":\"at+jwt\"}",
                                      "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"typ\":\"at+jwt\"}",
                                      "[\"HS256\",\"at+jwt\"]",
                                      "\"HS256\"",
                                      "{",
                                      "{}",
                                      " "};
    const char *payload = payload_with(*state, "", NULL);

    for (size_t i = 0; i < LENGTH(bad); i++) {
        check_refused(*state, forge(*state, bad[i], payload), bad[i]);
    }
    check_refused(*state, forge(*state, "\xef\xbb\xbf" HEADER, payload), "BOM");
    check_refused(*state, forge(*state, HEADER "x", payload), "something behind the header");
    check_taken(*state, forge(*state, "{\"typ\":\"application/at+jwt\",\"alg\":\"HS256\",\"kid\":\"1\"}", payload),
                "long typ");
}

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
    const char *const bad[] = {
        "[]", "null", "\"\"", "1", " ", "{", apr_psprintf(*state, "[%s]", payload_with(*state, "", NULL))};

    for (size_t i = 0; i < LENGTH(bad_members); i++) {
        const char *payload = payload_with(*state, bad_members[i][0], bad_members[i][1]);
        check_refused(*state, forge(*state, HEADER, payload), payload);
    }
    check_refused(*state, forge(*state, HEADER, "{}"), "no claims");
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_string_equal(verify(*state, forge(*state, HEADER, bad[i])), "The token is malformed");
    }
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
        {"x", "[[1.5e3]]"},
        {"exp", "253402300799"},
        {"aud", "[\"" AUDIENCE "\"]"},
        {"aud", "[1,\"other\",\"" AUDIENCE "\"]"},
    };

    for (size_t i = 0; i < LENGTH(good); i++) {
        const char *payload = payload_with(*state, good[i][0], good[i][1]);
        check_taken(*state, forge(*state, HEADER, payload), payload);
    }
}

static void test_refuses_huge_payloads(void **state)
{
    char *deep = apr_pcalloc(*state, 2 * 2047 + 1);
    const char *wide = "";

    memset(deep, '[', 2047);
    memset(deep + 2047, ']', 2047);
    check_refused(*state, forge(*state, HEADER, deep), "2047 levels");
    for (int i = 0; i < 1000; i++) {
        wide = apr_psprintf(*state, "%s\"c%d\":1,", wide, i);
    }
    wide = apr_psprintf(*state, "{%s%s", wide, payload_with(*state, "", NULL) + 1);
    check_refused(*state, forge(*state, HEADER, wide), "1000 claims");
}

static void test_gives_30_seconds_on_the_expiry(void **state)
{
    const char *token = forge(*state, HEADER, payload_with(*state, "exp", NOW_TEXT));
    apr_time_t expiry = apr_time_from_sec(NOW);

    assert_null(verify_at(*state, token, expiry));
    assert_null(verify_at(*state, token, expiry + apr_time_from_sec(30) - 1));
    assert_string_equal(verify_at(*state, token, expiry + apr_time_from_sec(30)), "The token has expired");
}

static apr_status_t remove_file(void *path)
{
    unlink(path);
    return APR_SUCCESS;
}

static const char *make_file(apr_pool_t *pool, mode_t mode, const char *content)
{
    char *path = apr_pstrdup(pool, "/tmp/test_token.XXXXXX");
    int fd = mkstemp(path);

    apr_pool_cleanup_register(pool, path, remove_file, apr_pool_cleanup_null);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

static void test_reads_a_key(void **state)
{
    const cat_key_t *read = NULL;

    assert_null(cat_token_read_key(*state, make_file(*state, 0600, "0123456789abcdef0123456789abcdef\n"), &read));
    assert_int_equal(read->length, key.length);
    assert_memory_equal(read->secret, key.secret, key.length);
}

static void check_key_refused(apr_pool_t *pool, const char *path, const char *words)
{
    const cat_key_t *read = NULL;
    const char *fault = cat_token_read_key(pool, path, &read);

    assert_non_null(fault);
    assert_null(read);
    assert_int_equal(strncmp(fault, path, strlen(path)), 0);
    assert_null(strstr(fault, "abcde"));
    if (!strstr(fault, words)) {
        fail_msg("\"%s\" does not say \"%s\"", fault, words);
    }
}

static void test_refuses_a_bad_key_file(void **state)
{
    check_key_refused(*state, make_file(*state, 0600, "0123456789abcdef0123456789abcde\n"), "this has 31");
    check_key_refused(*state, make_file(*state, 0600, ""), "this has 0");
    check_key_refused(*state, make_file(*state, 0600, "0123456789abcdef0123456789abcdef\r\n"), "CR LF");
    check_key_refused(*state, make_file(*state, 0604, "0123456789abcdef0123456789abcdef\n"), "chmod o-rwx");
    check_key_refused(*state, "/tmp", "not a regular file");
    check_key_refused(*state, apr_pstrcat(*state, make_file(*state, 0600, ""), "/token.key", NULL), "Not a directory");
}

/* The command that the message gives is all it takes. */
static void test_tells_how_to_make_a_key(void **state)
{
    const char *path = make_file(*state, 0600, "");
    const cat_key_t *read = NULL;
    const char *fault;

    unlink(path);
    check_key_refused(*state, path, "there is no such file");
    fault = cat_token_read_key(*state, path, &read);
    assert_int_equal(system(strchr(fault, '(')), 0);
    assert_null(cat_token_read_key(*state, path, &read));
    assert_int_equal(read->length, 44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_makes_what_it_verifies),
        UNIT_TEST(test_makes_an_access_token_of_rfc_9068),
        UNIT_TEST(test_makes_nothing_it_would_refuse),
        UNIT_TEST(test_verifies_nothing_without_a_proper_key),
        UNIT_TEST(test_refuses_every_change),
        UNIT_TEST(test_checks_the_shape),
        UNIT_TEST(test_bounds_the_length),
        UNIT_TEST(test_refuses_other_algorithms),
        UNIT_TEST(test_refuses_other_headers),
        UNIT_TEST(test_refuses_other_payloads),
        UNIT_TEST(test_takes_what_else_is_valid),
        UNIT_TEST(test_refuses_huge_payloads),
        UNIT_TEST(test_gives_30_seconds_on_the_expiry),
        UNIT_TEST(test_reads_a_key),
        UNIT_TEST(test_refuses_a_bad_key_file),
        UNIT_TEST(test_tells_how_to_make_a_key),
    };
    return UNIT_RUN(tests);
}
