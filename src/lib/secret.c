/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/secret.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "lib/file.h"

#define FILE_MAX 64 /* KiB */

const char *cat_secret_make(apr_pool_t *pool)
{
    unsigned char bytes[CAT_SECRET_BITS / 8];

    if (apr_generate_random_bytes(bytes, sizeof(bytes)) != APR_SUCCESS) {
        return NULL;
    }
    return apr_pencode_base64_binary(pool, bytes, sizeof(bytes), APR_ENCODE_BASE64URL, NULL);
}

const char *cat_secret_derive(apr_pool_t *pool, const char *secret, const char *seed)
{
    unsigned char mac[SHA256_DIGEST_LENGTH];

    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)seed, strlen(seed), mac, NULL);
    return apr_pencode_base64_binary(pool, mac, sizeof(mac), APR_ENCODE_BASE64URL, NULL);
}

const char *cat_secret_digest(apr_pool_t *pool, const char *secret)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];

    SHA256((const unsigned char *)secret, strlen(secret), digest);
    return apr_pencode_base16_binary(pool, digest, sizeof(digest), APR_ENCODE_LOWER, NULL);
}

const char *cat_secret_read_file(apr_pool_t *pool, const char *path, const char **text, apr_size_t *length)
{
    char *content = NULL;
    apr_size_t n = 0;
    const char *fault = cat_file_read(pool, path, 1, FILE_MAX, &content, &n);

    if (fault) {
        return fault;
    }
    if (n >= 1 && content[n - 1] == '\n') {
        n--;
        if (n >= 1 && content[n - 1] == '\r') {
            return apr_psprintf(pool, "%s: ends in CR LF; run: sed -i 's/\\r$//' %s", path, cat_file_quote(pool, path));
        }
    }
    content[n] = '\0';
    *text = content;
    *length = n;
    return NULL;
}
