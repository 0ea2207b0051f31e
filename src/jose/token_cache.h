/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_TOKEN_CACHE_H
#define CAT_JOSE_TOKEN_CACHE_H

#include "jose/keyring.h"
#include "jose/token.h"

/*
 * Tokens that a child has verified already, so that one that comes again costs a comparison instead of a verification:
 * a table of fixed size, shared by the child's threads; a new token takes the place of an old one with the same hash.
 * An entry counts for the keys it was verified with (a key that was taken away must stop counting) and until the token
 * expires; whether its issuer and audience are right where it comes this time is for the caller to say.
 */
typedef struct cat_token_cache_t cat_token_cache_t;

/* size: entries, of about 1.7 KB each. Lives on the pool. */
apr_status_t cat_token_cache_create(cat_token_cache_t **seen, apr_pool_t *pool, int size);

/* The claims, copied to the pool, when exactly this token was remembered for these keys and has not expired (leeway as
 * in token.h); else NULL. */
const cat_claims_t *cat_token_cache_find(cat_token_cache_t *seen, apr_pool_t *pool, const cat_keys_t *keys,
                                         apr_time_t now, const char *token);

/* Remembers a token that was just verified. One that is too long for an entry is passed over. */
void cat_token_cache_add(cat_token_cache_t *seen, const cat_keys_t *keys, const char *token,
                         const cat_claims_t *claims);

#endif
