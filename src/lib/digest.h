/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_DIGEST_H
#define CAT_LIB_DIGEST_H

#include <apr_pools.h>

/* The SHA-256 of octets that come in pieces. For a text that is there as a whole: cat_secret_digest (lib/secret.h). */
typedef struct cat_digest_t cat_digest_t;

/* NULL: there is no memory. The digest lives as long as the pool. */
cat_digest_t *cat_digest_begin(apr_pool_t *pool);

void cat_digest_add(cat_digest_t *digest, const char *data, apr_size_t length);

/* Of all pieces, as 64 lower-case hexadecimal characters, on the pool. Call it once. */
const char *cat_digest_end(cat_digest_t *digest);

#endif
