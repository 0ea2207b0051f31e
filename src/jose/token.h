/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_JOSE_TOKEN_H
#define CAT_JOSE_TOKEN_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

#include "jose/keyring.h"

/* Access tokens and API keys, both JWTs (RFC 7519). Tokens of this module have the claim token_use, because libjwt
 * 1.10.2 supports no typ but "JWT". Access tokens of other issuers may follow RFC 9068. */

/* Bytes. A longer token is refused unread. Other issuers list a user's groups in their tokens. */
#define CAT_TOKEN_MAX 4096
#define CAT_TOKEN_MAX_FOREIGN 8192
#define CAT_TOKEN_LEEWAY 30 /* Seconds, for exp, nbf and iat. */

typedef struct cat_claims_t {
    const char *issuer;
    const char *audience;
    const char *subject; /* Id of the user. */
    const char *session; /* sid: id of the session or of the API key. NULL for a token of another issuer. */
    /* True for an API key (token_use "key"). Its username, role and verified are in the database
     * (accounts/user_key.h). */
    int is_key;
    const char *id;       /* jti. NULL for a token of another issuer. */
    const char *username; /* NULL if the token has none or is of another issuer. */
    const char *role;     /* One of the trust's roles. The first role if the token has none or is of another issuer. */
    int verified;         /* True if the user has confirmed the address (email_verified). */
    apr_time_t issued;
    apr_time_t expires;
    const cat_keys_t *keys; /* Keys of the trust that verified the token. */
} cat_claims_t;

/* An issuer whose tokens are accepted for an audience, and its keys. An issuer may have several trusts, which are tried
 * one after the other. */
typedef struct cat_trust_t {
    const char *issuer;
    const char *audience;
    const cat_keys_t *keys;
    /* True for another issuer. Then typ may also be "at+jwt" (RFC 9068) or absent, and sub any text of 1 to 255 bytes
     * without control characters. token_use, sid and jti are not required. role, username and email_verified are
     * ignored. */
    int foreign;
    const char *const
        *roles; /* Values of the role claim. Ends with NULL. A token without the claim has the first role. */
} cat_trust_t;

#define CAT_TRUSTS_MAX 15

/* The issuers of CatalogTrust. The last directive comes first. */
typedef struct cat_trust_chain_t {
    cat_trust_t trust;
    const struct cat_trust_chain_t *next;
} cat_trust_chain_t;

/* Signs a token with the first key, whose id becomes its kid, and returns the token, on the pool. Each text of the
 * claims must be set; for an API key, each text up to `id`. Times are truncated to seconds. Returns NULL if the token
 * cannot be signed or would be longer than CAT_TOKEN_MAX. */
const char *cat_token_make(apr_pool_t *pool, const cat_keys_t *keys, const cat_claims_t *claims);

/* Returns true if the token has the shape of a signed JWT: three non-empty segments in base64url (RFC 4648 5) without
 * padding, whose unused bits are 0. */
int cat_token_check_shape(const char *token);

/*
 * Verifies a token by these checks, in this order:
 * - The length is at most CAT_TOKEN_MAX_FOREIGN if one of the trusts is foreign, otherwise CAT_TOKEN_MAX.
 * - The shape is that of cat_token_check_shape.
 * - iss is the issuer of one of the trusts, which determines keys and audience. If that trust is our own, the length is
 *   at most CAT_TOKEN_MAX.
 * - In the header, typ is "JWT", compared as a media type: without regard to case, with or without "application/" (RFC
 *   7515 4.1.9). There is no crit. kid chooses the key, and may be absent if the trust has only one key. alg is that of
 *   the key.
 * - The signature is valid.
 * - aud is the audience, or an array that contains it.
 * - token_use is "access" or "key"; for another issuer it is "access" or absent. sub is an id of lib/id.h, sid and jti
 *   are strings. role, username and email_verified have the right type if they are present.
 * - exp is a number, perhaps with a fraction (RFC 7519 2, NumericDate), later than `now` less the leeway, up to the
 *   year 9999. nbf and iat are numbers not later than `now` plus the leeway, if they are present.
 * Returns NULL if the token is valid, with *claims on the pool. Otherwise returns the reason for error_description (RFC
 * 6750 3), which is a constant. Three of the reasons have a name, and can be compared by address.
 */
extern const char cat_token_too_long[];
extern const char cat_token_malformed[]; /* The token does not have the right shape. */
extern const char cat_token_expired[];   /* exp is too early. The checks before it succeeded. */
const char *cat_token_verify(apr_pool_t *pool, const cat_trust_t *trusts, int count, apr_time_t now, const char *token,
                             const cat_claims_t **claims);

#endif
