/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First line "raw": the second line is a token as a client sends it. Otherwise the two lines are the header and the payload of a
 * token with a valid signature, so that the fuzzer reaches the checks after it.
 */
#include "fuzz.h"
#include "accounts/role.h"
#include "jose/token.h"

#include <unistd.h>

#include <apr_encode.h>
#include <openssl/hmac.h>

#define SECRET "0123456789abcdef0123456789abcdef"
#define NOW apr_time_from_sec(1800000000)

static const cat_key_t *make_key(void)
{
    static const cat_key_t *key;
    static apr_pool_t *pool;
    char path[] = "/tmp/fuzz_token.XXXXXX";
    int fd;

    if (!key) {
        apr_pool_create(&pool, NULL);
        fd = mkstemp(path);
        FUZZ_CHECK(fd >= 0 && write(fd, SECRET, 32) == 32);
        close(fd);
        FUZZ_CHECK(!cat_key_read(pool, path, &key));
        remove(path);
    }
    return key;
}

static const char *encode(apr_pool_t *pool, const void *octets, size_t length)
{
    return apr_pencode_base64(pool, octets, (apr_ssize_t)length, APR_ENCODE_BASE64URL | APR_ENCODE_NOPADDING, NULL);
}

static const char *sign(apr_pool_t *pool, const char *header, const char *payload)
{
    unsigned char mac[32];
    unsigned length = sizeof(mac);
    const char *signed_part =
        apr_pstrcat(pool, encode(pool, header, strlen(header)), ".", encode(pool, payload, strlen(payload)), NULL);

    HMAC(EVP_sha256(), SECRET, 32, (const unsigned char *)signed_part, strlen(signed_part), mac, &length);
    return apr_pstrcat(pool, signed_part, ".", encode(pool, mac, length), NULL);
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *header = fuzz_line(pool, &data, &size);
    const char *payload = fuzz_line(pool, &data, &size);
    const char *token = strcmp(header, "raw") ? sign(pool, header, payload) : payload;
    const cat_key_t *key = make_key();
    const cat_keys_t keys = {&key, 1};
    const cat_trust_t trusts[] = {{"https://shop.example.org", "catalog", &keys, 0, cat_role_names},
                                  {"https://other.example", "us", &keys, 1, cat_role_names}};
    const cat_claims_t *claims;

    if (!cat_token_verify(pool, trusts, 2, NOW, token, &claims)) {
        FUZZ_CHECK(strlen(token) <= (claims->session ? CAT_TOKEN_MAX : CAT_TOKEN_MAX_FOREIGN));
        FUZZ_CHECK(claims->issuer && claims->audience && claims->subject && *claims->subject);
        FUZZ_CHECK(claims->expires > NOW - apr_time_from_sec(CAT_TOKEN_LEEWAY));
        FUZZ_CHECK(strstr(payload, "exp") || !strcmp(header, "raw"));
    }
}
