/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_TOKEN_CACHE_H
#define CAT_JOSE_TOKEN_CACHE_H

#include "jose/keyring.h"
#include "jose/token.h"

/*
 * Tokens that a child has verified, so that the next request with a token costs a comparison instead of a verification.
 * The table has a fixed size; a new token replaces the token in its slot. An entry is valid until the token expires,
 * and only for the set of keys that verified the token, so that removing a key has an effect. The caller must check
 * issuer and audience for its mount. Threads may share a cache.
 */
typedef struct cat_token_cache_t cat_token_cache_t;

/* Creates a cache on the pool. `size` is the number of entries, of about 1.7 KB each. */
apr_status_t cat_token_cache_create(cat_token_cache_t **cache, apr_pool_t *pool, int size);

/* Returns the claims of a token that was added with these keys and has not expired (with the leeway of token.h), copied
 * to the pool. Returns NULL if the cache has no such token. */
const cat_claims_t *cat_token_cache_find(cat_token_cache_t *cache, apr_pool_t *pool, const cat_keys_t *keys,
                                         apr_time_t now, const char *token);

/* Adds a token that was just verified, unless it is too long for an entry. */
void cat_token_cache_add(cat_token_cache_t *cache, const cat_keys_t *keys, const char *token,
                         const cat_claims_t *claims);

#endif
