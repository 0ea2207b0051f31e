/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TOKEN_H
#define CAT_LIB_TOKEN_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/* Access tokens: JWT (RFC 7519) by the profile of RFC 9068, HS256. */

#define CAT_TOKEN_MAX 4096     /* octets; a longer token is refused unread */
#define CAT_TOKEN_LEEWAY 30    /* seconds, on exp, nbf and iat */
#define CAT_TOKEN_KEY_LEAST 32 /* octets, RFC 7518 3.2 */

/* A signing key, and the one algorithm it is for. */
typedef struct cat_key_t {
    const unsigned char *secret;
    apr_size_t length;
} cat_key_t;

typedef struct cat_claims_t {
    const char *issuer;
    const char *audience;
    const char *subject; /* the user's id */
    const char *session; /* sid */
    const char *id;      /* jti */
    apr_time_t issued;
    apr_time_t expires;
} cat_claims_t;

/* Reads a key file (cat_secret_read_file's rules, then at least CAT_TOKEN_KEY_LEAST octets). NULL: *key lives on the pool.
 * Otherwise what is wrong and what to do, on the pool; never any of the file's content. */
const char *cat_token_read_key(apr_pool_t *pool, const char *path, const cat_key_t **key);

/* Signs a token with all the claims (each must be set; times are cut to seconds). NULL when it cannot be made. On the pool. */
const char *cat_token_make(apr_pool_t *pool, const cat_key_t *key, const cat_claims_t *claims);

/* Has token the shape of a signed JWT: at most CAT_TOKEN_MAX octets, three non-empty segments of base64url characters? */
int cat_token_check_shape(const char *token);

/*
 * Checks shape, algorithm (the key's own, never the header's choice), signature, typ "at+jwt" (or "application/at+jwt"),
 * no "crit", and on the payload: an object; iss and aud strings equal to issuer and audience (aud may be an array that
 * holds it); sub a user id of our form; sid and jti strings; exp an integer later than now less the leeway and not beyond the
 * year 9999; nbf and iat, where there, integers not later than now plus the leeway. NULL: valid, *claims lives on the pool.
 * Otherwise the reason in a few words fit for error_description (RFC 6750 3), a constant.
 */
const char *cat_token_verify(apr_pool_t *pool, const cat_key_t *key, const char *issuer, const char *audience,
                             apr_time_t now, const char *token, const cat_claims_t **claims);

#endif
