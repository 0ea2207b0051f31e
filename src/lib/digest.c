/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/digest.h"

#include <apr_encode.h>
#include <openssl/evp.h>

struct cat_digest_t {
    apr_pool_t *pool;
    EVP_MD_CTX *context;
};

static apr_status_t free_context(void *context)
{
    EVP_MD_CTX_free(context);
    return APR_SUCCESS;
}

cat_digest_t *cat_digest_begin(apr_pool_t *pool)
{
    cat_digest_t *digest = apr_palloc(pool, sizeof(*digest));

    *digest = (cat_digest_t){pool, EVP_MD_CTX_new()};
    if (!digest->context) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, digest->context, free_context, apr_pool_cleanup_null);
    return EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) ? digest : NULL;
}

void cat_digest_add(cat_digest_t *digest, const char *data, apr_size_t length)
{
    EVP_DigestUpdate(digest->context, data, length);
}

const char *cat_digest_end(cat_digest_t *digest)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int length = 0;

    EVP_DigestFinal_ex(digest->context, bytes, &length);
    return apr_pencode_base16_binary(digest->pool, bytes, length, APR_ENCODE_LOWER, NULL);
}
