/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One signing key: reads it from a file, signs, verifies and seals with it.
 *
 * A file contains a shared secret (HS256) or a private key in PEM (ES256, RS256). Its key is for that algorithm only,
 * whatever the header of a token says. Seals are the MACs of cursors and of idempotency marks. They are made with a
 * secret that is derived from the file's, so a seal is never valid as a signature. The end of the pool wipes all
 * secrets.
 */
#include "jose/key.h"

#include <stdlib.h>
#include <string.h>

#include <apr_encode.h>
#include <apr_escape.h>
#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include "lib/file.h"
#include "lib/json.h"
#include "lib/secret.h"

#define PEM_BEGIN "-----BEGIN "
#define PUBLIC_MAX 64 /* In KiB. */
#define SHA256_OCTETS 32
#define P256_OCTETS 32 /* Bytes of a number on the curve. */
#define RAW_OCTETS (2 * P256_OCTETS)
#define DER_MORE 8 /* Bytes that DER adds, at most: three tags and lengths, and a zero before each number. */

#define SEAL_PURPOSE "mod_catalog seal"
#define MARK_PURPOSE "mod_catalog mark"
#define MARK_OCTETS 16

#define MAKE_SECRET "create one: (umask 077; openssl rand -base64 32 > %s)"
#define MAKE_PAIR "create one: (umask 077; openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out %s)"

struct cat_key_t {
    jwt_alg_t algorithm;
    const char *id;
    unsigned char *content; /* Content of the file, a secret or a PEM, as libjwt takes it. NULL for a public key. */
    apr_size_t length;
    EVP_MAC_CTX *sealing; /* Contains the key for seals, and is only copied. NULL for a public key. */
    const char *mark;     /* NULL for a public key. */
    EVP_PKEY *pair;       /* NULL for HS256. A public key has only the public half. */
};

/* Computes HMAC-SHA256. Returns false if there is no memory. */
static int make_mac(const void *secret, apr_size_t size, const char *text, apr_size_t length,
                    unsigned char mac[SHA256_OCTETS])
{
    return HMAC(EVP_sha256(), secret, (int)size, (const unsigned char *)text, length, mac, NULL) != NULL;
}

/* Returns a context for HMAC-SHA256 with this secret, to be copied for each text. make_mac finds the algorithms again
 * each time, which takes longer than the MAC itself. Returns NULL if there is no memory. */
static EVP_MAC_CTX *prepare_mac(const unsigned char *secret, apr_size_t size)
{
    const OSSL_PARAM digest[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){"SHA256"}, 0),
                                 OSSL_PARAM_construct_end()};
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = hmac ? EVP_MAC_CTX_new(hmac) : NULL;

    EVP_MAC_free(hmac);
    if (context && !EVP_MAC_init(context, secret, size, digest)) {
        EVP_MAC_CTX_free(context);
        context = NULL;
    }
    return context;
}

static EVP_MAC_CTX *prepare_seals(const cat_key_t *key)
{
    unsigned char derived[SHA256_OCTETS];
    EVP_MAC_CTX *context = make_mac(key->content, key->length, SEAL_PURPOSE, strlen(SEAL_PURPOSE), derived)
                               ? prepare_mac(derived, sizeof(derived))
                               : NULL;

    OPENSSL_cleanse(derived, sizeof(derived));
    return context;
}

/* ---- reading ---- */

static apr_status_t release_key(void *data)
{
    cat_key_t *key = data;

    OPENSSL_cleanse(key->content, key->length);
    EVP_MAC_CTX_free(key->sealing);
    EVP_PKEY_free(key->pair);
    return APR_SUCCESS;
}

static cat_key_t *make_key(apr_pool_t *pool)
{
    cat_key_t *key = apr_pcalloc(pool, sizeof(*key));

    apr_pool_cleanup_register(pool, key, release_key, apr_pool_cleanup_null);
    return key;
}

static const char *make_id(apr_pool_t *pool, const char *path)
{
    const char *name = apr_filepath_name_get(path);
    const char *dot = strrchr(name, '.');

    return dot && dot > name ? apr_pstrmemdup(pool, name, (apr_size_t)(dot - name)) : apr_pstrdup(pool, name);
}

/* Without this callback, OpenSSL would ask for the passphrase at the terminal. */
static int refuse_passphrase(char *, int, int, void *asked)
{
    *(int *)asked = 1;
    return -1;
}

/* Sets the algorithm of a key pair. Returns false if no supported algorithm fits the pair. */
static int find_algorithm(const EVP_PKEY *pair, jwt_alg_t *algorithm)
{
    char curve[32];

    if (EVP_PKEY_is_a(pair, "RSA")) {
        *algorithm = JWT_ALG_RS256;
        return EVP_PKEY_get_bits(pair) >= CAT_KEY_RSA_LEAST;
    }
    *algorithm = JWT_ALG_ES256;
    return EVP_PKEY_is_a(pair, "EC") && EVP_PKEY_get_group_name(pair, curve, sizeof(curve), NULL) &&
           strcmp(curve, SN_X9_62_prime256v1) == 0;
}

static const char *take_secret(apr_pool_t *pool, const char *path, cat_key_t *key)
{
    const char *weakness = cat_secret_find_weakness((const char *)key->content, key->length);

    if (key->length < CAT_KEY_SECRET_LEAST) {
        return apr_psprintf(pool, "%s: a key must have %d bytes or more, this has %" APR_SIZE_T_FMT "; " MAKE_SECRET,
                            path, CAT_KEY_SECRET_LEAST, key->length, path);
    }
    if (weakness) {
        return apr_psprintf(pool, "%s: %s; " MAKE_SECRET, path, weakness, path);
    }
    key->algorithm = JWT_ALG_HS256;
    return NULL;
}

static const char *take_pair(apr_pool_t *pool, const char *path, cat_key_t *key)
{
    BIO *pem = BIO_new_mem_buf(key->content, (int)key->length);
    int asked = 0;

    key->pair = PEM_read_bio_PrivateKey(pem, NULL, refuse_passphrase, &asked);
    BIO_free(pem);
    ERR_clear_error();
    if (asked) {
        return apr_psprintf(pool, "%s: has a passphrase; remove it with: (umask 077; openssl pkey -in %s -out NEW)",
                            path, path);
    }
    if (!key->pair) {
        return apr_psprintf(pool, "%s: contains no private key; " MAKE_PAIR, path, path);
    }
    if (!find_algorithm(key->pair, &key->algorithm)) {
        return apr_psprintf(pool,
                            "%s: is neither a key on the curve P-256 nor an RSA key of %d bits or more; " MAKE_PAIR,
                            path, CAT_KEY_RSA_LEAST, path);
    }
    return NULL;
}

const char *cat_key_read(apr_pool_t *pool, const char *path, const cat_key_t **key)
{
    cat_key_t *k = make_key(pool);
    unsigned char mark[SHA256_OCTETS];
    apr_finfo_t info;
    const char *text, *fault;

    if (APR_STATUS_IS_ENOENT(apr_stat(&info, path, APR_FINFO_TYPE, pool))) {
        return apr_psprintf(pool, "%s: there is no such file; " MAKE_SECRET, path, path);
    }
    fault = cat_secret_read_file(pool, path, &text, &k->length);
    if (fault) {
        return fault;
    }
    k->content = (unsigned char *)text;
    k->id = make_id(pool, path);
    if (!cat_json_own(pool, json_string(k->id))) {
        return apr_psprintf(pool, "%s: its name becomes the key's id and must be UTF-8; rename it", path);
    }
    /* A text that looks like PEM is never a shared secret, because it may be a public key. */
    fault = strstr(text, PEM_BEGIN) ? take_pair(pool, path, k) : take_secret(pool, path, k);
    if (fault) {
        return fault;
    }
    k->sealing = prepare_seals(k);
    if (!k->sealing || !make_mac(k->content, k->length, MARK_PURPOSE, strlen(MARK_PURPOSE), mark)) {
        return apr_psprintf(pool, "%s: out of memory", path);
    }
    k->mark = apr_pescape_hex(pool, mark, MARK_OCTETS, 0);
    *key = k;
    return NULL;
}

static EVP_PKEY *read_certificate(BIO *pem)
{
    X509 *certificate = PEM_read_bio_X509(pem, NULL, refuse_passphrase, &(int){0});
    EVP_PKEY *pair = X509_get_pubkey(certificate);

    X509_free(certificate);
    return pair;
}

const char *cat_key_read_public(apr_pool_t *pool, const char *path, const cat_key_t **key)
{
    cat_key_t *k = make_key(pool);
    char *text;
    apr_size_t length;
    BIO *pem;
    const char *fault = cat_file_read(pool, path, 0, PUBLIC_MAX, &text, &length);

    if (fault) {
        return fault;
    }
    pem = BIO_new_mem_buf(text, (int)length);
    k->pair = PEM_read_bio_PUBKEY(pem, NULL, refuse_passphrase, &(int){0});
    if (!k->pair) {
        (void)BIO_reset(pem);
        k->pair = read_certificate(pem);
    }
    BIO_free(pem);
    ERR_clear_error();
    if (!k->pair || !find_algorithm(k->pair, &k->algorithm)) {
        return apr_psprintf(
            pool, "%s: must contain a public key or certificate in PEM, on the curve P-256 or RSA of %d bits or more",
            path, CAT_KEY_RSA_LEAST);
    }
    *key = k;
    return NULL;
}

const char *cat_key_id(const cat_key_t *key)
{
    return key->id;
}

const char *cat_key_algorithm(const cat_key_t *key)
{
    return jwt_alg_str(key->algorithm);
}

/* ---- signing and verifying ---- */

const char *cat_key_sign(apr_pool_t *pool, const cat_key_t *key, jwt_t *jwt)
{
    char *made = NULL;
    const char *token;

    /* After jwt_set_alg() has failed, jwt_encode_str() would make a token without a signature. */
    if (key->content && jwt_add_header(jwt, "kid", key->id) == 0 &&
        jwt_set_alg(jwt, key->algorithm, key->content, (int)key->length) == 0) {
        made = jwt_encode_str(jwt);
    }
    ERR_clear_error();
    token = apr_pstrdup(pool, made);
    free(made);
    return token;
}

/* libjwt verifies with the algorithm of the token's header, so the algorithm is compared too. */
static int verify_with_secret(const cat_key_t *key, const char *token)
{
    jwt_t *jwt = NULL;
    int good = jwt_decode(&jwt, token, key->content, (int)key->length) == 0 && jwt_get_alg(jwt) == key->algorithm;

    jwt_free(jwt);
    return good;
}

/* Converts an ES256 signature, r and s (RFC 7518 3.4), to DER for OpenSSL. Returns NULL if its length is wrong or there
 * is no memory. */
static const unsigned char *make_der(apr_pool_t *pool, const unsigned char *raw, apr_size_t *size)
{
    unsigned char *der = apr_palloc(pool, RAW_OCTETS + DER_MORE), *end = der;
    ECDSA_SIG *signature;

    if (*size != RAW_OCTETS) {
        return NULL;
    }
    signature = ECDSA_SIG_new();
    if (!signature || !ECDSA_SIG_set0(signature, BN_bin2bn(raw, P256_OCTETS, NULL),
                                      BN_bin2bn(raw + P256_OCTETS, P256_OCTETS, NULL))) {
        return NULL;
    }
    *size = (apr_size_t)i2d_ECDSA_SIG(signature, &end);
    ECDSA_SIG_free(signature);
    return der;
}

/* Does not use libjwt, which parses the PEM for each token; that takes several times as long as the verification. */
static int verify_with_pair(apr_pool_t *pool, const cat_key_t *key, const char *token)
{
    const char *signature = strrchr(token, '.') + 1;
    apr_size_t size;
    const unsigned char *octets = apr_pdecode_base64_binary(pool, signature, APR_ENCODE_STRING, APR_ENCODE_NONE, &size);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good;

    if (octets && key->algorithm == JWT_ALG_ES256) {
        octets = make_der(pool, octets, &size);
    }
    good =
        octets && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->pair) == 1 &&
        EVP_DigestVerify(context, octets, size, (const unsigned char *)token, (apr_size_t)(signature - 1 - token)) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

int cat_key_verify(apr_pool_t *pool, const cat_key_t *key, const char *token)
{
    int good = key->pair ? verify_with_pair(pool, key, token) : verify_with_secret(key, token);

    ERR_clear_error(); /* Otherwise mod_ssl and libcurl would take these errors for their own. */
    return good;
}

int cat_key_seal(const cat_key_t *key, const char *text, apr_size_t length, unsigned char seal[CAT_KEY_SEAL_OCTETS])
{
    EVP_MAC_CTX *context = key->sealing ? EVP_MAC_CTX_dup(key->sealing) : NULL;
    int is_sealed = context && EVP_MAC_update(context, (const unsigned char *)text, length) &&
                    EVP_MAC_final(context, seal, NULL, CAT_KEY_SEAL_OCTETS);

    EVP_MAC_CTX_free(context);
    return is_sealed;
}

/* Compares key pairs and not the texts of the files, because one pair can be written in several formats. */
int cat_key_is_same(const cat_key_t *key, const cat_key_t *other)
{
    if (key->pair && other->pair) {
        return EVP_PKEY_eq(key->pair, other->pair) == 1;
    }
    return !key->pair && !other->pair && key->length == other->length &&
           CRYPTO_memcmp(key->content, other->content, key->length) == 0;
}

const char *cat_key_mark(const cat_key_t *key)
{
    return key->mark;
}

/* ---- publishing ---- */

/* Returns an unsigned number of the key, big-endian, padded to at least `least` bytes, in base64url. */
static const char *get_number(apr_pool_t *pool, const cat_key_t *key, const char *name, int least)
{
    BIGNUM *number = NULL;
    unsigned char *octets;
    int size;

    if (!EVP_PKEY_get_bn_param(key->pair, name, &number)) {
        return NULL;
    }
    size = BN_num_bytes(number) > least ? BN_num_bytes(number) : least;
    octets = apr_palloc(pool, (apr_size_t)size);
    BN_bn2binpad(number, octets, size);
    BN_free(number);
    return apr_pencode_base64_binary(pool, octets, size, APR_ENCODE_BASE64URL, NULL);
}

json_t *cat_key_jwk(apr_pool_t *pool, const cat_key_t *key)
{
    const char *algorithm = cat_key_algorithm(key);

    switch (key->algorithm) {
    case JWT_ALG_ES256:
        return cat_json_own(pool, json_pack("{s:s, s:s, s:s, s:s*, s:s, s:s, s:s}", "kty", "EC", "use", "sig", "alg",
                                            algorithm, "kid", key->id, "crv", "P-256", "x",
                                            get_number(pool, key, OSSL_PKEY_PARAM_EC_PUB_X, P256_OCTETS), "y",
                                            get_number(pool, key, OSSL_PKEY_PARAM_EC_PUB_Y, P256_OCTETS)));
    case JWT_ALG_RS256:
        return cat_json_own(pool,
                            json_pack("{s:s, s:s, s:s, s:s*, s:s, s:s}", "kty", "RSA", "use", "sig", "alg", algorithm,
                                      "kid", key->id, "n", get_number(pool, key, OSSL_PKEY_PARAM_RSA_N, 1), "e",
                                      get_number(pool, key, OSSL_PKEY_PARAM_RSA_E, 1)));
    default:
        return NULL;
    }
}
