/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_IDENTITY_H
#define CAT_HTTPD_IDENTITY_H

#include <httpd.h>

#include "accounts/role.h"
#include "jose/token.h"
#include "lib/conf.h"

/*
 * Identifies the user of a request by its bearer token, for mounts and for any other Location with "AuthType Catalog". A token that
 * this child has verified before costs a comparison. CAT_ANONYMOUS: no token was sent.
 */
typedef enum {
    CAT_KNOWN,
    CAT_ANONYMOUS,
    CAT_MALFORMED, /* the header */
    CAT_REFUSED,   /* the token, for a reason other than the next four */
    CAT_REFUSED_TOO_LONG,
    CAT_REFUSED_MALFORMED,
    CAT_REFUSED_EXPIRED,
    CAT_REFUSED_ENDED, /* its session */
    CAT_BUSY,          /* as CAT_UNDECIDED, but only for a moment */
    CAT_UNDECIDED      /* only the database knows whether the token's session has ended, and it cannot be asked */
} cat_identity_t;

/* CAT_KNOWN: *claims is on r->pool. CAT_MALFORMED, CAT_REFUSED...: *reason is a constant text for error_description. */
cat_identity_t cat_identity_find(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
                                 const char **reason);

/* Sets CATALOG_USER_ID, CATALOG_ROLE and CATALOG_VERIFIED, and keeps the claims for cat_identity_claims. */
void cat_identity_attach(request_rec *r, const cat_claims_t *claims);

/* The same, and r->user, which satisfies the site's "Require valid-user" and "Require user". */
void cat_identity_attach_user(request_rec *r, const cat_claims_t *claims);

/* The claims attached to the request; NULL: none. */
const cat_claims_t *cat_identity_claims(request_rec *r);

/* The role of a user's token. */
cat_role_t cat_identity_role(const cat_claims_t *claims);
int cat_identity_may_write(const cat_claims_t *claims, const cat_conf_t *conf); /* flag; claims may be NULL */

#endif
