/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_TOKEN_CACHE_H
#define CAT_JOSE_TOKEN_CACHE_H

#include "jose/keyring.h"
#include "jose/token.h"

/*
 * Tokens that a child has verified, so that the next request with a token costs a comparison instead of a verification.
 * The table has a fixed size; a new token replaces an old one in the same slot. An entry is valid for the set of keys
 * that verified the token, so that removing a key has an effect, and until the token expires. The caller checks issuer
 * and audience for its mount. Threads may share a cache.
 */
typedef struct cat_token_cache_t cat_token_cache_t;

/* size: number of entries, of about 1.7 KB each. Lives on the pool. */
apr_status_t cat_token_cache_create(cat_token_cache_t **cache, apr_pool_t *pool, int size);

/* The claims of a token that was added with these keys and has not expired (leeway as in token.h), copied to the pool;
 * NULL: none. */
const cat_claims_t *cat_token_cache_find(cat_token_cache_t *cache, apr_pool_t *pool, const cat_keys_t *keys,
                                         apr_time_t now, const char *token);

/* Adds a token that was just verified, unless it is too long for an entry. */
void cat_token_cache_add(cat_token_cache_t *cache, const cat_keys_t *keys, const char *token,
                         const cat_claims_t *claims);

#endif
