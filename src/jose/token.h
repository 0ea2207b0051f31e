/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_TOKEN_H
#define CAT_JOSE_TOKEN_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "jose/keyring.h"

/* Access tokens, and the keys of users' programs: JWT (RFC 7519). This module's have the claim token_use, because libjwt 1.10.2 supports no
 * typ but "JWT"; access tokens of other issuers may follow RFC 9068. */

/* Octets; a longer token is refused unread. Other issuers list the groups of a user in theirs. */
#define CAT_TOKEN_MAX 4096
#define CAT_TOKEN_MAX_FOREIGN 8192
#define CAT_TOKEN_LEEWAY 30 /* seconds, on exp, nbf and iat */

typedef struct cat_claims_t {
    const char *issuer;
    const char *audience;
    const char *subject; /* the user's id */
    const char *session; /* sid: the id of the session or the key; NULL in a token of another issuer */
    int is_key; /* flag, token_use "key": then the database has the username, role and verified (accounts/user_key.h) */
    const char *id;       /* jti; NULL likewise */
    const char *username; /* NULL if the token has none or is of another issuer */
    const char *role;     /* one of the trust's roles; the first if the token has none or is of another issuer */
    int verified;         /* email_verified: flag, the user has confirmed the address */
    apr_time_t issued;
    apr_time_t expires;
    const cat_keys_t *keys; /* of the trust that the token was verified by */
} cat_claims_t;

/* An issuer whose tokens are accepted for an audience, and its keys. An issuer may have several, which are tried in
 * turn. */
typedef struct cat_trust_t {
    const char *issuer;
    const char *audience;
    const cat_keys_t *keys;
    int foreign; /* flag, another issuer: typ may also be "at+jwt" (RFC 9068) or absent, sub any text of 1 to 255 octets
                  * without control characters; token_use, sid and jti are not required; role, username and
                  * email_verified are ignored */
    const char *const
        *roles; /* the values of the role claim, NULL at the end; a token without the claim has the first */
} cat_trust_t;

#define CAT_TRUSTS_MAX 15

/* The issuers of CatalogTrust, the last directive's first. */
typedef struct cat_trust_chain_t {
    cat_trust_t trust;
    const struct cat_trust_chain_t *next;
} cat_trust_chain_t;

/* Signs a token with the first key, whose id becomes its kid. Each text of the claims must be set, of a key those up to id; times are cut
 * to seconds. On the pool. NULL: it cannot be signed, or would be longer than CAT_TOKEN_MAX. */
const char *cat_token_make(apr_pool_t *pool, const cat_keys_t *keys, const cat_claims_t *claims);

/* Does token have the shape of a signed JWT: three non-empty segments in base64url (RFC 4648 5) without padding, whose
 * unused bits are 0? */
int cat_token_check_shape(const char *token);

/*
 * Verifies, in this order:
 * - the length: CAT_TOKEN_MAX_FOREIGN if one of the trusts is foreign, else CAT_TOKEN_MAX;
 * - the shape;
 * - iss: one of the trusts, which determines keys and audience; and again the length, if the trust is our own;
 * - the header: typ "JWT", compared as media types are, without regard to case and with or without "application/" (RFC
 *   7515 4.1.9); no crit; kid chooses the key, and may be absent if the trust has one key; alg is that of the key;
 * - the signature;
 * - aud: the audience, or an array that contains it;
 * - token_use "access" or "key", of another issuer "access" or absent; sub an id of lib/id.h; sid and jti strings; role, username and
 *   email_verified, if present, of their type;
 * - exp: a number, perhaps with a fraction (RFC 7519 2, NumericDate), later than now less the leeway, up to the year
 *   9999; nbf and iat, if present: numbers not later than now plus the leeway.
 * NULL: the token is valid, and *claims lives on the pool. Otherwise the reason for error_description (RFC 6750 3), a
 * constant; three of them have a name, to be compared by address.
 */
extern const char cat_token_too_long[];
extern const char cat_token_malformed[]; /* the shape */
extern const char cat_token_expired[];   /* exp, of a token that is valid otherwise so far */
const char *cat_token_verify(apr_pool_t *pool, const cat_trust_t *trusts, int count, apr_time_t now, const char *token,
                             const cat_claims_t **claims);

#endif
