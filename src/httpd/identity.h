/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_IDENTITY_H
#define CAT_HTTPD_IDENTITY_H

#include <httpd.h>

#include "catalog.h"

/*
 * Who sends a request, by its bearer token: for the mounts and for any other Location with "AuthType Catalog". A token that was
 * seen before costs a comparison. CAT_ANONYMOUS: no token was sent.
 */
typedef enum {
    CAT_KNOWN,
    CAT_ANONYMOUS,
    CAT_MALFORMED,
    CAT_REFUSED,
    CAT_UNDECIDED /* whether the token's session has ended is in the database, which cannot be asked */
} cat_identity_t;

/* CAT_KNOWN: *claims lives on r->pool. CAT_REFUSED: *reason is fit for error_description, a constant. */
cat_identity_t cat_identity_find(request_rec *r, const cat_conf_t *conf, const cat_claims_t **claims,
                                 const char **reason);

/* Sets r->user, CATALOG_USER_ID, CATALOG_ROLE and CATALOG_VERIFIED, and keeps the claims for cat_identity_claims. */
void cat_identity_attach(request_rec *r, const cat_claims_t *claims);

/* What was attached to the request; NULL: nothing. */
const cat_claims_t *cat_identity_claims(request_rec *r);

/* The role of a user's token as a place in the order of roles. */
cat_role_t cat_identity_role(const cat_claims_t *claims);
int cat_identity_find_role(const char *name);                                   /* -1: there is none of this name */
int cat_identity_may_write(const cat_claims_t *claims, const cat_conf_t *conf); /* flag; claims may be NULL */

/* The value for WWW-Authenticate (RFC 6750 3); code NULL: just the challenge. */
const char *cat_identity_challenge(request_rec *r, const char *realm, const char *code, const char *reason);

#endif
