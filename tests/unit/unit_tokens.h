/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_TOKENS_H
#define UNIT_TOKENS_H

/* Makes valid and invalid tokens without the code under test, and checks whether they are accepted. */

#include "unit_files.h"

#include <apr_encode.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include "accounts/role.h"
#include "jose/token.h"

#define ISSUER "https://shop.example.org"
#define AUDIENCE "catalog"
#define SUBJECT "01936f4e-7a00-7000-8000-000000000001"
#define NOW 1800000000 /* seconds; NOW_TEXT is the same number */
#define NOW_TEXT "1800000000"
#define SECRET "0123456789abcdef0123456789abcdef"
#define HEADER "{\"alg\":\"HS256\",\"kid\":\"token\",\"typ\":\"JWT\"}"

/* ---- keys ---- */

static inline const cat_keys_t *make_set(apr_pool_t *pool, const cat_key_t *first, const cat_key_t *second)
{
    const cat_key_t **all = apr_palloc(pool, 2 * sizeof(*all));
    cat_keys_t *keys = apr_palloc(pool, sizeof(*keys));

    all[0] = first;
    all[1] = second;
    *keys = (cat_keys_t){all, second ? 2 : 1};
    return keys;
}

static inline const cat_key_t *make_secret(apr_pool_t *pool, const char *name, const char *secret)
{
    const cat_key_t *key = NULL;

    assert_null(cat_key_read(pool, unit_write(pool, unit_directory(pool), name, 0600, secret, strlen(secret)), &key));
    return key;
}

/* Returns the keyring of most tests, with one secret. */
static inline const cat_keys_t *own_keys(apr_pool_t *pool)
{
    return make_set(pool, make_secret(pool, "token", SECRET), NULL);
}

typedef struct pair_t {
    const cat_key_t *key;
    const cat_key_t *public; /* public key, read from its own file */
    EVP_PKEY *raw;           /* signs what the code under test would refuse to sign */
} pair_t;

static inline apr_status_t free_raw(void *raw)
{
    EVP_PKEY_free(raw);
    return APR_SUCCESS;
}

/* Creates a key pair. `command` writes a private key in PEM to its standard output. */
static inline pair_t make_pair(apr_pool_t *pool, const char *name, const char *command)
{
    const char *path = apr_pstrcat(pool, unit_directory(pool), "/", name, NULL);
    pair_t pair = {0};
    FILE *file;

    unit_run(apr_psprintf(pool, "umask 077; %s >%s 2>/dev/null && openssl pkey -in %s -pubout -out %s.pub", command,
                          path, path, path));
    assert_null(cat_key_read(pool, path, &pair.key));
    assert_null(cat_key_read_public(pool, apr_pstrcat(pool, path, ".pub", NULL), &pair.public));
    file = fopen(path, "r");
    pair.raw = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    apr_pool_cleanup_register(pool, pair.raw, free_raw, apr_pool_cleanup_null);
    fclose(file);
    return pair;
}

static inline pair_t make_ec(apr_pool_t *pool, const char *name)
{
    return make_pair(pool, name, "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256");
}

static inline pair_t make_rsa(apr_pool_t *pool, const char *name)
{
    return make_pair(pool, name, "openssl genrsa 2048");
}

/* ---- tokens ---- */

static inline cat_claims_t claims_now(void)
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

static inline const char *encode(apr_pool_t *pool, const char *text)
{
    return apr_pencode_base64(pool, text, APR_ENCODE_STRING, APR_ENCODE_BASE64URL, NULL);
}

static inline const char *sign_hmac(apr_pool_t *pool, const EVP_MD *digest, const char *text, const void *secret,
                                    size_t length)
{
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned int size;

    HMAC(digest, secret, (int)length, (const unsigned char *)text, strlen(text), mac, &size);
    return apr_pencode_base64_binary(pool, mac, size, APR_ENCODE_BASE64URL, NULL);
}

/* Returns a token signed with the secret, without the code under test. */
static inline const char *forge_with(apr_pool_t *pool, const EVP_MD *digest, const char *secret, const char *header,
                                     const char *payload)
{
    const char *text = apr_pstrcat(pool, encode(pool, header), ".", encode(pool, payload), NULL);

    return apr_pstrcat(pool, text, ".", sign_hmac(pool, digest, text, secret, strlen(secret)), NULL);
}

static inline const char *forge(apr_pool_t *pool, const char *header, const char *payload)
{
    return forge_with(pool, EVP_sha256(), SECRET, header, payload);
}

/* Converts OpenSSL's DER signature to r and s of 32 bytes each (RFC 7518, section 3.4). Returns the length. */
static inline size_t make_raw_signature(unsigned char *bytes, size_t size)
{
    const unsigned char *der = bytes;
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)size);

    BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes + 32, 32);
    ECDSA_SIG_free(signature);
    return 64;
}

static inline const char *sign_by(apr_pool_t *pool, const pair_t *pair, const char *text)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char bytes[512];
    size_t size = sizeof(bytes);

    assert_int_equal(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, pair->raw), 1);
    assert_int_equal(EVP_DigestSign(context, bytes, &size, (const unsigned char *)text, strlen(text)), 1);
    EVP_MD_CTX_free(context);
    if (EVP_PKEY_is_a(pair->raw, "EC")) {
        size = make_raw_signature(bytes, size);
    }
    return apr_pencode_base64_binary(pool, bytes, (apr_ssize_t)size, APR_ENCODE_BASE64URL, NULL);
}

/* Returns a token signed with the private key, without the code under test. */
static inline const char *forge_by(apr_pool_t *pool, const pair_t *pair, const char *header, const char *payload)
{
    const char *text = apr_pstrcat(pool, encode(pool, header), ".", encode(pool, payload), NULL);

    return apr_pstrcat(pool, text, ".", sign_by(pool, pair, text), NULL);
}

/* Returns a valid payload in which the claim `name` has the JSON text `raw`, or is absent if `raw` is NULL. Adds the
 * claim if it is not a usual one. */
static inline const char *payload_with(apr_pool_t *pool, const char *name, const char *raw)
{
    static const char *const members[][2] = {
        {"iss", "\"" ISSUER "\""}, {"aud", "\"" AUDIENCE "\""}, {"sub", "\"" SUBJECT "\""}, {"exp", "1800000900"},
        {"iat", NOW_TEXT},         {"jti", "\"token\""},        {"sid", "\"session\""},     {"token_use", "\"access\""},
    };
    const char *text = raw ? apr_psprintf(pool, "\"%s\":%s", name, raw) : "\"unknown\":1";

    for (size_t i = 0; i < UNIT_COUNT(members); i++) {
        if (strcmp(members[i][0], name) != 0) {
            text = apr_psprintf(pool, "%s,\"%s\":%s", text, members[i][0], members[i][1]);
        }
    }
    return apr_psprintf(pool, "{%s}", text);
}

static inline const char *verify_by(apr_pool_t *pool, const cat_trust_t *trusts, int count, const char *token,
                                    const cat_claims_t **claims)
{
    const cat_claims_t *found = NULL;
    const char *fault = cat_token_verify(pool, trusts, count, apr_time_from_sec(NOW), token, &found);

    assert_true(!fault == (found != NULL));
    assert_int_equal(ERR_peek_error(), 0);
    /* error_description must not contain these characters (RFC 6750, section 3) */
    assert_true(!fault || !strpbrk(fault, "\"\\\r\n"));
    if (claims) {
        *claims = found;
    }
    return fault;
}

static inline const char *verify_with(apr_pool_t *pool, const cat_keys_t *keys, const char *token)
{
    const cat_trust_t trust = {ISSUER, AUDIENCE, keys, 0, cat_role_names};

    return verify_by(pool, &trust, 1, token, NULL);
}

static inline void check_refused(apr_pool_t *pool, const cat_keys_t *keys, const char *token, const char *what)
{
    if (!verify_with(pool, keys, token)) {
        fail_msg("was taken: %s", what);
    }
}

static inline void check_taken(apr_pool_t *pool, const cat_keys_t *keys, const char *token, const char *what)
{
    const char *fault = verify_with(pool, keys, token);

    if (fault) {
        fail_msg("%s: %s", what, fault);
    }
}

#endif
