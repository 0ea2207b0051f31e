/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <pthread.h>

#include <apr_encode.h>
#include <openssl/err.h>

#include "jose/key.h"
#include "jose/token.h"
#include "lib/json.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define MAKE_EC "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"
#define MAKE_RSA "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048"

/* The examples of RFC 7515, A.1 to A.3, with their keys. */
#define PAYLOAD ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
#define SIGNED "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9" PAYLOAD
#define HS256_SIGNATURE "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define HS256_TOKEN SIGNED "." HS256_SIGNATURE
#define HS256_KEY "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
#define RS256_SIGNATURE                                                                                                \
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"                            \
    "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQ"                                                                              \
    "jbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-"  \
    "eOkHWEsqt"                                                                                                        \
    "FZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
#define RS256_TOKEN "eyJhbGciOiJSUzI1NiJ9" PAYLOAD "." RS256_SIGNATURE
#define RS256_N                                                                                                        \
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-"   \
    "pCgNMsD1W_"                                                                                                       \
    "YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-"                            \
    "UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD"                                                                              \
    "Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
#define RS256_PEM                                                                                                      \
    "-----BEGIN PUBLIC KEY-----\n"                                                                                     \
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj\n"                                               \
    "NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz\n"                                               \
    "P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo\n"                                               \
    "9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB\n"                                               \
    "EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX\n"                                               \
    "FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp\n"                                               \
    "oQIDAQAB\n"                                                                                                       \
    "-----END PUBLIC KEY-----\n"
#define ES256_SIGNATURE "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
#define ES256_TOKEN "eyJhbGciOiJFUzI1NiJ9" PAYLOAD "." ES256_SIGNATURE
#define ES256_X "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
#define ES256_Y "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
#define ES256_PEM                                                                                                      \
    "-----BEGIN PUBLIC KEY-----\n"                                                                                     \
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"                                               \
    "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"                                                   \
    "-----END PUBLIC KEY-----\n"

static const cat_key_t *read_text(apr_pool_t *pool, const char *name, const void *content, size_t length)
{
    const cat_key_t *key = NULL;

    assert_null(cat_key_read(pool, unit_write(pool, unit_directory(pool), name, 0600, content, length), &key));
    assert_int_equal(ERR_peek_error(), 0);
    return key;
}

static const cat_key_t *read_public(apr_pool_t *pool, const char *pem)
{
    const cat_key_t *key = NULL;

    assert_null(cat_key_read_public(pool, unit_write(pool, unit_directory(pool), "key", 0644, pem, strlen(pem)), &key));
    assert_int_equal(ERR_peek_error(), 0);
    return key;
}

/* Returns the path of a new file with the standard output of a command. */
static const char *make_file(apr_pool_t *pool, const char *command)
{
    const char *path = apr_pstrcat(pool, unit_directory(pool), "/made.pem", NULL);

    unit_run(apr_psprintf(pool, "umask 077; (%s) >%s 2>%s.log", command, path, path));
    return path;
}

static const cat_key_t *make_key(apr_pool_t *pool, const char *command)
{
    const cat_key_t *key = NULL;

    assert_null(cat_key_read(pool, make_file(pool, command), &key));
    return key;
}

static int verify(apr_pool_t *pool, const cat_key_t *key, const char *token)
{
    int good = cat_token_check_shape(token) && cat_key_verify(pool, key, token);

    assert_int_equal(ERR_peek_error(), 0);
    return good;
}

/* Returns a token with the claim "text". */
static const char *sign(apr_pool_t *pool, const cat_key_t *key, const char *text)
{
    const char *token;
    jwt_t *jwt;

    assert_int_equal(jwt_new(&jwt), 0);
    assert_int_equal(jwt_add_grant(jwt, "text", text), 0);
    token = cat_key_sign(pool, key, jwt);
    assert_int_equal(ERR_peek_error(), 0);
    jwt_free(jwt);
    return token;
}

/* Returns the token with another signature. */
static const char *replace_signature(apr_pool_t *pool, const char *token, const char *signature)
{
    const char *dot = strrchr(token, '.');

    return apr_pstrcat(pool, apr_pstrmemdup(pool, token, (apr_size_t)(dot + 1 - token)), signature, NULL);
}

static void test_verifies_as_rfc_7515_a_1(void **state)
{
    apr_size_t length;
    const char *octets = apr_pdecode_base64(*state, HS256_KEY, APR_ENCODE_STRING, APR_ENCODE_NONE, &length);
    const cat_key_t *key = read_text(*state, "key", octets, length);

    assert_string_equal(cat_key_algorithm(key), "HS256");
    assert_true(verify(*state, key, HS256_TOKEN));
    assert_false(verify(*state, key, RS256_TOKEN));
}

static void test_verifies_as_rfc_7515_a_2_and_a_3(void **state)
{
    const cat_key_t *rsa = read_public(*state, RS256_PEM);
    const cat_key_t *ec = read_public(*state, ES256_PEM);

    assert_string_equal(cat_key_algorithm(rsa), "RS256");
    assert_true(verify(*state, rsa, RS256_TOKEN));
    assert_false(verify(*state, rsa, ES256_TOKEN));
    assert_string_equal(cat_key_algorithm(ec), "ES256");
    assert_true(verify(*state, ec, ES256_TOKEN));
    assert_false(verify(*state, ec, RS256_TOKEN));
}

static void check_pair(apr_pool_t *pool, const char *command, const char *algorithm)
{
    const cat_key_t *key = make_key(pool, command);
    const cat_key_t *other = make_key(pool, command);
    const char *token = sign(pool, key, "text"), *signature = strrchr(token, '.') + 1;

    assert_string_equal(cat_key_algorithm(key), algorithm);
    assert_string_equal(cat_key_id(key), "made");
    assert_true(verify(pool, key, token));
    assert_false(verify(pool, key, replace_signature(pool, sign(pool, key, "Text"), signature)));
    assert_false(verify(pool, key, replace_signature(pool, sign(pool, key, "tex"), signature)));
    assert_false(verify(pool, other, token));
    assert_true(verify(pool, key, sign(pool, key, "")));
}

/* libjwt uses the algorithm that the header names. For "none" and without a key, libjwt checks no signature. */
static void test_a_secret_verifies_by_its_own_algorithm(void **state)
{
    static const jwt_alg_t others[] = {JWT_ALG_HS384, JWT_ALG_HS512};
    const cat_key_t *key = read_text(*state, "key", SECRET, strlen(SECRET));
    jwt_t *jwt;

    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        char *token;
        assert_int_equal(jwt_new(&jwt), 0);
        assert_int_equal(jwt_set_alg(jwt, others[i], (const unsigned char *)SECRET, (int)strlen(SECRET)), 0);
        token = jwt_encode_str(jwt);
        assert_false(verify(*state, key, token));
        free(token);
        jwt_free(jwt);
    }
    assert_false(verify(*state, key, "eyJhbGciOiJub25lIn0.e30.")); /* The header is {"alg":"none"}. */
    assert_false(verify(*state, key, "eyJhbGciOiJub25lIn0.e30.AA"));
    assert_false(cat_key_verify(*state, key, "eyJhbGciOiJub25lIn0.e30."));
    assert_false(verify(*state, key, "e30.e30." HS256_SIGNATURE)); /* The header names no algorithm. */
}

/* libjwt would take the PEM of a public key, which everybody may know, as the secret of an HMAC. */
static void test_a_public_key_verifies_no_hmac(void **state)
{
    static const char *const pems[] = {RS256_PEM, ES256_PEM};

    for (size_t i = 0; i < UNIT_COUNT(pems); i++) {
        char *token;
        jwt_t *jwt, *decoded = NULL;
        assert_int_equal(jwt_new(&jwt), 0);
        assert_int_equal(jwt_set_alg(jwt, JWT_ALG_HS256, (const unsigned char *)pems[i], (int)strlen(pems[i])), 0);
        token = jwt_encode_str(jwt);
        assert_int_equal(jwt_decode(&decoded, token, (const unsigned char *)pems[i], (int)strlen(pems[i])), 0);
        assert_false(verify(*state, read_public(*state, pems[i]), token));
        free(token);
        jwt_free(jwt);
        jwt_free(decoded);
    }
}

static void test_reads_each_kind_of_key(void **state)
{
    check_pair(*state, "openssl rand -base64 32", "HS256");
    check_pair(*state, "openssl rand 32 | tr '\\n\\r' xx", "HS256");
    check_pair(*state, MAKE_EC, "ES256");
    /* The parameters of the curve come first in the file. */
    check_pair(*state, "openssl ecparam -name prime256v1 -genkey", "ES256");
    check_pair(*state, MAKE_RSA, "RS256");
    check_pair(*state, "openssl genrsa -traditional 2048", "RS256");
    check_pair(*state, "openssl genrsa 3072", "RS256");
}

/* In one signature of 128, one of the two numbers begins with a zero byte. */
static void test_es256_signatures_are_64_octets(void **state)
{
    const cat_key_t *key = make_key(*state, MAKE_EC);
    apr_pool_t *pool;

    apr_pool_create(&pool, *state);
    for (int i = 0; i < 1000; i++) {
        const char *token = sign(pool, key, "text");
        assert_int_equal(strlen(strrchr(token, '.') + 1), 86);
        assert_true(verify(pool, key, token));
        apr_pool_clear(pool);
    }
}

static void check_each_change(apr_pool_t *pool, const cat_key_t *key, const char *token)
{
    static const char *const tails[] = {"A", "=", "==", "!!!!", " ", "\n", ".", "AAAA"};

    assert_true(verify(pool, key, token));
    for (apr_size_t i = (apr_size_t)(strrchr(token, '.') + 1 - token); token[i]; i++) {
        char *changed = apr_pstrdup(pool, token);
        for (int bit = 0; bit < 6; bit++) {
            static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
            changed[i] = base64url[(strchr(base64url, token[i]) - base64url) ^ (1 << bit)];
            assert_false(verify(pool, key, changed));
        }
    }
    for (size_t i = 0; i < UNIT_COUNT(tails); i++) {
        assert_false(verify(pool, key, apr_pstrcat(pool, token, tails[i], NULL)));
    }
    assert_false(verify(pool, key, apr_pstrmemdup(pool, token, strlen(token) - 1)));
    assert_false(verify(pool, key, replace_signature(pool, token, "")));
}

/* The bits include those of the last character that encode nothing. */
static void test_refuses_a_signature_changed_in_any_bit(void **state)
{
    const cat_key_t *secret = read_text(*state, "key", SECRET, strlen(SECRET));

    check_each_change(*state, secret, sign(*state, secret, "text"));
    check_each_change(*state, read_public(*state, ES256_PEM), ES256_TOKEN);
    check_each_change(*state, read_public(*state, RS256_PEM), RS256_TOKEN);
}

static void check_refused_octets(apr_pool_t *pool, const cat_key_t *key, const unsigned char *octets, size_t length)
{
    const char *text = apr_pencode_base64_binary(pool, octets, (apr_ssize_t)length, APR_ENCODE_BASE64URL, NULL);

    assert_false(verify(pool, key, replace_signature(pool, ES256_TOKEN, text)));
}

/* CVE-2022-21449: a signature with r and s of zero was accepted. The order of the curve equals zero modulo the
 * order. */
static void test_refuses_numbers_out_of_range(void **state)
{
    static const char order[] = "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"
                                "\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51";
    const cat_key_t *key = read_public(*state, ES256_PEM);
    unsigned char octets[128] = {0};

    for (size_t length = 0; length <= sizeof(octets); length++) {
        check_refused_octets(*state, key, octets, length);
    }
    memcpy(octets, order, 32);
    check_refused_octets(*state, key, octets, 64);
    memcpy(octets + 32, order, 32);
    check_refused_octets(*state, key, octets, 64);
    memset(octets, 0xff, 64);
    check_refused_octets(*state, key, octets, 64);
}

/* OpenSSL and Java write signatures in DER. */
static void test_refuses_es256_in_der(void **state)
{
    const char *path = make_file(*state, MAKE_EC);
    const cat_key_t *key = NULL;
    char text[200];
    FILE *pipe = popen(
        apr_psprintf(*state, "printf e30.e30 | openssl dgst -sha256 -sign %s | basenc --base64url -w0 | tr -d =", path),
        "r");

    assert_non_null(fgets(text, sizeof(text), pipe));
    pclose(pipe);
    assert_null(cat_key_read(*state, path, &key));
    assert_false(verify(*state, key, apr_pstrcat(*state, "e30.e30.", text, NULL)));
}

static void test_signs_nothing_with_a_public_key(void **state)
{
    assert_null(sign(*state, read_public(*state, ES256_PEM), "text"));
    assert_null(sign(*state, read_public(*state, RS256_PEM), "text"));
    assert_null(cat_key_id(read_public(*state, ES256_PEM)));
}

/* Checks a public key. The command `make` writes a private key, and `publish` derives the public key from it. */
static void check_public(apr_pool_t *pool, const char *make, const char *publish)
{
    const char *path = make_file(pool, make);
    const cat_key_t *key = NULL, *public = NULL;

    assert_null(cat_key_read(pool, path, &key));
    assert_null(cat_key_read_public(pool, make_file(pool, apr_psprintf(pool, publish, path)), &public));
    assert_true(verify(pool, public, sign(pool, key, "text")));
    assert_string_equal(cat_key_algorithm(public), cat_key_algorithm(key));
}

static void test_reads_public_keys_and_certificates(void **state)
{
    check_public(*state, MAKE_EC, "openssl pkey -in %s -pubout");
    check_public(*state, MAKE_EC, "openssl req -x509 -key %s -subj /CN=issuer");
    check_public(*state, MAKE_RSA, "openssl pkey -in %s -pubout");
    check_public(*state, MAKE_RSA, "openssl req -x509 -key %s -subj /CN=issuer");
    check_public(*state, MAKE_RSA, "openssl rsa -in %s -RSAPublicKey_out");
}

static void check_refused(apr_pool_t *pool, const char *path, int public, const char *words)
{
    const cat_key_t *key = NULL;
    const char *fault = public ? cat_key_read_public(pool, path, &key) : cat_key_read(pool, path, &key);

    unit_says(fault, words);
    assert_int_equal(strncmp(fault, path, strlen(path)), 0);
    assert_null(strstr(fault, "abcde"));
    assert_null(key);
    assert_int_equal(ERR_peek_error(), 0);
}

static void test_refuses_other_kinds_of_keys(void **state)
{
    static const struct {
        const char *make, *words;
    } kinds[] = {
        {"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384", "neither a key on the curve P-256"},
        {"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", "neither a key on the curve P-256"},
        {"openssl genpkey -algorithm ed25519", "neither a key on the curve P-256"},
        {"openssl genpkey -algorithm RSA-PSS", "neither a key on the curve P-256"},
        {"openssl genrsa 2047", "RSA key of 2048 bits"},
        {MAKE_EC " | openssl pkcs8 -topk8 -passout pass:secret", "has a passphrase"},
        {"openssl genrsa -traditional -aes128 -passout pass:secret 2048", "has a passphrase"},
        {MAKE_EC " | openssl pkey -pubout", "contains no private key"},
        {MAKE_EC " | openssl req -x509 -key /dev/stdin -subj /CN=issuer", "contains no private key"},
        {MAKE_EC " | head -3", "contains no private key"},
        {"echo; echo ' -----BEGIN PUBLIC KEY-----'; openssl rand -base64 32", "contains no private key"},
    };

    for (size_t i = 0; i < UNIT_COUNT(kinds); i++) {
        check_refused(*state, make_file(*state, kinds[i].make), 0, kinds[i].words);
    }
}

static void test_refuses_other_public_keys(void **state)
{
    static const char *const kinds[] = {
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 | openssl pkey -pubout",
        "openssl genpkey -algorithm ed25519 | openssl pkey -pubout",
        "openssl genrsa 1024 | openssl pkey -pubout",
        "openssl genpkey -algorithm ed25519 | openssl req -x509 -key /dev/stdin -subj /CN=issuer",
        MAKE_EC,
        MAKE_EC " | openssl pkcs8 -topk8 -passout pass:secret",
        "openssl rand -base64 32",
        "true",
    };

    for (size_t i = 0; i < UNIT_COUNT(kinds); i++) {
        check_refused(*state, make_file(*state, kinds[i]), 1, "must contain a public key or certificate in PEM");
    }
    check_refused(*state, "/tmp", 1, "not a regular file");
    check_refused(*state, "/tmp/none/key", 1, "No such file");
}

static void test_refuses_a_bad_file(void **state)
{
    const char *directory = unit_directory(*state);

    check_refused(*state, unit_write(*state, directory, "short", 0600, SECRET, 31), 0, "this has 31");
    check_refused(*state, unit_write(*state, directory, "empty", 0600, "", 0), 0, "this has 0");
    check_refused(*state, unit_write(*state, directory, "README", 0600, "The keys abcdefghijklmnopqrstuvwxyz", 35), 0,
                  "text with spaces between words, not a random key; create one: (umask 077; openssl rand");
    check_refused(*state, unit_write(*state, directory, "guessed", 0600, "abcdeabcdeabcdeabcdeabcdeabcdeabcde", 35), 0,
                  "fewer than 16 different bytes, so it can be guessed; create one: (umask 077; openssl rand");
    check_refused(*state, unit_write(*state, directory, "windows", 0600, SECRET "\r\n", 34), 0, "CR LF");
    check_refused(*state, unit_write(*state, directory, "open", 0604, SECRET, 32), 0, "chmod o-rwx");
    check_refused(*state, unit_write(*state, directory, "\xff", 0600, SECRET, 32), 0, "must be UTF-8");
    check_refused(*state, directory, 0, "not a regular file");
}

/* Runs the command that the message names. */
static void test_fault_names_a_command_that_makes_a_key(void **state)
{
    const char *none = apr_pstrcat(*state, unit_directory(*state), "/new", NULL);
    const char *pair = make_file(*state, "openssl genpkey -algorithm ed25519");
    const cat_key_t *key = NULL;

    unit_run(strchr(cat_key_read(*state, none, &key), '('));
    assert_null(cat_key_read(*state, none, &key));
    assert_string_equal(cat_key_algorithm(key), "HS256");
    unit_run(apr_pstrcat(*state, strchr(cat_key_read(*state, pair, &key), '('), " 2>/dev/null", NULL));
    assert_null(cat_key_read(*state, pair, &key));
    assert_string_equal(cat_key_algorithm(key), "ES256");
}

static void test_the_id_is_the_files_name(void **state)
{
    static const char *const names[][2] = {
        {"2026-11.pem", "2026-11"}, {"key", "key"},  {"a.b.pem", "a.b"},
        {".key", ".key"},           {"key.", "key"}, {"\xc3\xa9.key", "\xc3\xa9"},
    };

    for (size_t i = 0; i < UNIT_COUNT(names); i++) {
        assert_string_equal(cat_key_id(read_text(*state, names[i][0], SECRET, 32)), names[i][1]);
    }
}

static void check_jwk(apr_pool_t *pool, const char *pem, const char *expected)
{
    assert_string_equal(cat_json_text(pool, cat_key_jwk(pool, read_public(pool, pem))), expected);
}

static void test_publishes_the_public_half(void **state)
{
    /* One of the numbers of this key begins with a zero byte. */
    static const char small[] = "-----BEGIN PUBLIC KEY-----\n"
                                "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAEBobrsg8a58UVZGPVN8GBb/VPUH\n"
                                "pR7n4CcFeqQ48Iqmc867LEXz+nRD+zZ/8xIkevUtcsCFFE2hX7NKjgi3iw==\n"
                                "-----END PUBLIC KEY-----\n";

    check_jwk(*state, RS256_PEM,
              "{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"n\":\"" RS256_N "\",\"e\":\"AQAB\"}");
    check_jwk(*state, ES256_PEM,
              "{\"kty\":\"EC\",\"use\":\"sig\",\"alg\":\"ES256\",\"crv\":\"P-256\",\"x\":\"" ES256_X
              "\",\"y\":\"" ES256_Y "\"}");
    check_jwk(
        *state, small,
        "{\"kty\":\"EC\",\"use\":\"sig\",\"alg\":\"ES256\",\"crv\":\"P-256\","
        "\"x\":\"AEBobrsg8a58UVZGPVN8GBb_VPUHpR7n4CcFeqQ48Io\",\"y\":\"pnPOuyxF8_p0Q_s2f_MSJHr1LXLAhRRNoV-zSo4It4s\"}");
}

static void test_publishes_nothing_else(void **state)
{
    static const char *const members[] = {"kty", "use", "alg", "kid", "crv", "x", "y", "n", "e"};
    static const char *const commands[] = {MAKE_EC, MAKE_RSA};

    assert_null(cat_key_jwk(*state, read_text(*state, "key", SECRET, 32)));
    for (size_t i = 0; i < UNIT_COUNT(commands); i++) {
        json_t *jwk = cat_key_jwk(*state, make_key(*state, commands[i]));
        assert_string_equal(json_string_value(json_object_get(jwk, "kid")), "made");
        for (size_t j = 0; j < UNIT_COUNT(members); j++) {
            json_object_del(jwk, members[j]);
        }
        assert_int_equal(json_object_size(jwk), 0);
    }
}

typedef struct worker_t {
    const cat_key_t *key;
    int good;
    pthread_t thread;
} worker_t;

static void *work(void *data)
{
    worker_t *w = data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    for (int i = 0; i < 100; i++) {
        const char *text = apr_psprintf(pool, "%d", i);
        const char *token = sign(pool, w->key, text), *signature = strrchr(token, '.') + 1;
        w->good += verify(pool, w->key, token) &&
                   !verify(pool, w->key, replace_signature(pool, sign(pool, w->key, "x"), signature));
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return NULL;
}

static void test_threads_share_a_key(void **state)
{
    const cat_key_t *keys[] = {read_text(*state, "key", SECRET, 32), make_key(*state, MAKE_EC),
                               make_key(*state, MAKE_RSA)};
    worker_t workers[9] = {0};

    for (size_t i = 0; i < UNIT_COUNT(workers); i++) {
        workers[i].key = keys[i % UNIT_COUNT(keys)];
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (size_t i = 0; i < UNIT_COUNT(workers); i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].good, 100);
    }
}

static void test_any_private_key_seals(void **state)
{
    const char *path = make_file(*state, MAKE_EC);
    const cat_key_t *key = NULL, *again = NULL, *other = NULL;
    unsigned char seals[3][CAT_KEY_SEAL_OCTETS];

    assert_null(cat_key_read(*state, path, &key));
    assert_null(cat_key_read(*state, path, &again));
    assert_null(cat_key_read(*state, make_file(*state, MAKE_EC), &other));
    assert_true(cat_key_seal(key, "text", 4, seals[0]));
    assert_true(cat_key_seal(again, "text", 4, seals[1]));
    assert_true(cat_key_seal(other, "text", 4, seals[2]));
    assert_memory_equal(seals[0], seals[1], CAT_KEY_SEAL_OCTETS);
    assert_memory_not_equal(seals[0], seals[2], CAT_KEY_SEAL_OCTETS);
    assert_string_equal(cat_key_mark(key), cat_key_mark(again));
    assert_string_not_equal(cat_key_mark(key), cat_key_mark(other));
    assert_true(cat_key_is_same(key, again));
    assert_false(cat_key_is_same(key, other));
}

static void test_a_seal_is_no_signature(void **state)
{
    const cat_key_t *key = read_text(*state, "1.key", SECRET, strlen(SECRET));
    const cat_key_t *same = read_text(*state, "2.key", SECRET, strlen(SECRET));
    const cat_key_t *other = read_text(*state, "1.key", SECRET "x", strlen(SECRET) + 1);
    unsigned char seals[4][CAT_KEY_SEAL_OCTETS];
    const char *signature;

    assert_true(cat_key_seal(key, SIGNED, strlen(SIGNED), seals[0]));
    assert_true(cat_key_seal(same, SIGNED, strlen(SIGNED), seals[1]));
    assert_true(cat_key_seal(other, SIGNED, strlen(SIGNED), seals[2]));
    assert_true(cat_key_seal(key, SIGNED "s", strlen(SIGNED) + 1, seals[3]));
    assert_memory_equal(seals[0], seals[1], CAT_KEY_SEAL_OCTETS);
    assert_memory_not_equal(seals[0], seals[2], CAT_KEY_SEAL_OCTETS);
    assert_memory_not_equal(seals[0], seals[3], CAT_KEY_SEAL_OCTETS);
    signature = apr_pencode_base64_binary(*state, seals[0], CAT_KEY_SEAL_OCTETS, APR_ENCODE_BASE64URL, NULL);
    assert_false(verify(*state, key, apr_pstrcat(*state, SIGNED, ".", signature, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_verifies_as_rfc_7515_a_1),
        UNIT_TEST(test_verifies_as_rfc_7515_a_2_and_a_3),
        UNIT_TEST(test_a_secret_verifies_by_its_own_algorithm),
        UNIT_TEST(test_a_public_key_verifies_no_hmac),
        UNIT_TEST(test_reads_each_kind_of_key),
        UNIT_TEST(test_es256_signatures_are_64_octets),
        UNIT_TEST(test_refuses_a_signature_changed_in_any_bit),
        UNIT_TEST(test_refuses_numbers_out_of_range),
        UNIT_TEST(test_refuses_es256_in_der),
        UNIT_TEST(test_signs_nothing_with_a_public_key),
        UNIT_TEST(test_reads_public_keys_and_certificates),
        UNIT_TEST(test_refuses_other_kinds_of_keys),
        UNIT_TEST(test_refuses_other_public_keys),
        UNIT_TEST(test_refuses_a_bad_file),
        UNIT_TEST(test_fault_names_a_command_that_makes_a_key),
        UNIT_TEST(test_the_id_is_the_files_name),
        UNIT_TEST(test_any_private_key_seals),
        UNIT_TEST(test_a_seal_is_no_signature),
        UNIT_TEST(test_publishes_the_public_half),
        UNIT_TEST(test_publishes_nothing_else),
        UNIT_TEST(test_threads_share_a_key),
    };
    return UNIT_RUN(tests);
}
