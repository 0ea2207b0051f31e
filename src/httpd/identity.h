/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_IDENTITY_H
#define CAT_HTTPD_IDENTITY_H

#include <httpd.h>

#include "accounts/role.h"
#include "jose/token.h"
#include "lib/conf.h"

/*
 * The result of identifying the user of a request by its bearer token, in a mount or in any other Location with
 * "AuthType Catalog".
 */
typedef enum {
    CAT_KNOWN,
    CAT_ANONYMOUS,
    CAT_MALFORMED, /* The Authorization header is malformed. */
    CAT_REFUSED,   /* The token is refused for a reason other than those of the next four constants. */
    CAT_REFUSED_TOO_LONG,
    CAT_REFUSED_MALFORMED,
    CAT_REFUSED_EXPIRED,
    CAT_REFUSED_ENDED, /* The session of the token, or the API key, has ended. */
    CAT_BUSY,          /* The database must be asked, but is busy or not ready for a moment. */
    CAT_UNDECIDED      /* Only the database knows whether the token's session has ended, and it cannot be asked. */
} cat_identity_t;

/* Identifies the user. A token that this child has verified before costs only a comparison. For CAT_KNOWN, *claims is
 * on r->pool. For CAT_MALFORMED and CAT_REFUSED..., *reason is a constant text for error_description. Returns
 * CAT_ANONYMOUS if no token was sent. */
cat_identity_t cat_identity_find(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
                                 const char **reason);

/* Sets the environment variables CATALOG_USER_ID, CATALOG_ROLE and CATALOG_VERIFIED, and keeps the claims for
 * cat_identity_claims. */
void cat_identity_attach(request_rec *r, const cat_claims_t *claims);

/* Does what cat_identity_attach does, and sets r->user, which satisfies the site's "Require valid-user" and "Require
 * user". */
void cat_identity_attach_user(request_rec *r, const cat_claims_t *claims);

/* Returns the claims that were attached to the request, or NULL if none were. */
const cat_claims_t *cat_identity_claims(request_rec *r);

cat_role_t cat_identity_role(const cat_claims_t *claims);
/* Returns true if the claims have the role of CatalogWriteRole or a higher one. `claims` may be NULL. */
int cat_identity_may_write(const cat_claims_t *claims, const cat_conf_t *conf);

#endif
