/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_DIGEST_H
#define CAT_LIB_DIGEST_H

#include <apr_pools.h>

/* Computes the SHA-256 of data that arrives in pieces. For a complete text, use cat_secret_digest (lib/secret.h). */
typedef struct cat_digest_t cat_digest_t;

/* Creates a digest that lives as long as the pool. Returns NULL if memory runs out. */
cat_digest_t *cat_digest_begin(apr_pool_t *pool);

void cat_digest_add(cat_digest_t *digest, const char *data, apr_size_t length);

/* Returns the digest of all pieces as 64 lower-case hexadecimal characters, on the digest's pool. Must be called only
 * once. */
const char *cat_digest_end(cat_digest_t *digest);

#endif
