/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_AUTHZ_H
#define CAT_HTTPD_AUTHZ_H

#include <httpd.h>

/*
 * Access tokens outside mounts: "AuthType Catalog" in any Location, with Require valid-user, Require user, Require
 * catalog-role and Require catalog-verified.
 */

/* check_authn hook. Verifies the bearer token and sets r->user where "AuthType Catalog" is in force. */
int cat_authz_authenticate(request_rec *r);

/* check_authz hook, before those of all other modules. Runs their hooks and turns the 401 that they return for a user
 * who is not allowed into a 403 if the token is valid (RFC 6750, 3.1): after a 401 a client would fetch another token
 * and try again. */
int cat_authz_authorize(request_rec *r);

/* note_auth_failure hook. Adds the WWW-Authenticate challenge to a refusal under "AuthType Catalog". */
int cat_authz_note_failure(request_rec *r, const char *auth_type);

/* Returns true if `type` is the module's AuthType. `type` may be NULL. */
int cat_authz_is_ours(const char *type);

/* Returns true if an AuthType of another module, such as Basic or Digest, is in force. The users of that AuthType are
 * not the catalogue's users. */
int cat_authz_site_authenticates(request_rec *r);

/* Registers the providers of Require catalog-role and Require catalog-verified. Called when hooks are registered. */
void cat_authz_register_providers(apr_pool_t *pool);

#endif
