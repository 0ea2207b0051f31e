/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_TOKEN_H
#define CAT_JOSE_TOKEN_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "jose/keyring.h"

/* Access tokens: JWT (RFC 7519). Ours carry the claim token_use, because libjwt 1.10.2 knows no typ but "JWT"; those of other
 * issuers may follow RFC 9068. */

#define CAT_TOKEN_MAX 4096  /* octets; a longer token is refused unread */
#define CAT_TOKEN_LEEWAY 30 /* seconds, on exp, nbf and iat */

typedef struct cat_claims_t {
    const char *issuer;
    const char *audience;
    const char *subject;  /* the user's id */
    const char *session;  /* sid; NULL in a token of another issuer */
    const char *id;       /* jti; NULL likewise */
    const char *username; /* NULL in a token that has none or is of another issuer */
    const char *role;     /* one of the trust's roles; the first in a token that has none or is of another issuer */
    int verified;         /* email_verified: the address was confirmed */
    apr_time_t issued;
    apr_time_t expires;
    const cat_keys_t *keys; /* of the trust that the token was verified by */
} cat_claims_t;

/* Whose tokens are accepted, for whom, by which keys. An issuer may have several, which are tried in turn. */
typedef struct cat_trust_t {
    const char *issuer;
    const char *audience;
    const cat_keys_t *keys;
    int foreign; /* another issuer: its typ may also be "at+jwt", "application/at+jwt" (RFC 9068) or absent, its sub any text of 1
                  * to 255 octets without controls; token_use, sid and jti are not asked for; role, username and email_verified are
                  * not taken over */
    const char *const
        *roles; /* the values of the role claim, NULL at the end; the first is that of a token without one */
} cat_trust_t;

#define CAT_TRUSTS_MAX 15

/* The issuers of CatalogTrust, the last one first. */
typedef struct cat_trust_chain_t {
    cat_trust_t trust;
    const struct cat_trust_chain_t *next;
} cat_trust_chain_t;

/* Signs a token with the claims by the newest key, whose id is its kid (each text must be set; times are cut to
 * seconds). NULL when it cannot be made, or would be longer than CAT_TOKEN_MAX. On the pool. */
const char *cat_token_make(apr_pool_t *pool, const cat_keys_t *keys, const cat_claims_t *claims);

/* Has token the shape of a signed JWT: at most CAT_TOKEN_MAX octets, three non-empty segments in base64url (RFC 4648 5), without
 * padding and with no bit set that no octet is made of? */
int cat_token_check_shape(const char *token);

/*
 * Checks shape; the issuer: one of the trusts, which says the keys and the audience; header: typ "JWT", no "crit", kid
 * (where it is there, it chooses the key; where not, the trust must have one key only), alg, which must name the key's own
 * algorithm; the signature; then on the payload: aud equal to audience (or an array that holds it); token_use "access";
 * sub a user id of our form; sid and jti strings; exp an integer later than now less the leeway and not beyond the year
 * 9999; nbf and iat, where there, integers not later than now plus the leeway; role, username, email_verified, where
 * there, of their type. NULL: valid, *claims lives on the pool. Otherwise the reason in a few words fit for
 * error_description (RFC 6750 3), a constant.
 */
const char *cat_token_verify(apr_pool_t *pool, const cat_trust_t *trusts, int count, apr_time_t now, const char *token,
                             const cat_claims_t **claims);

#endif
