/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_AUTHZ_H
#define CAT_HTTPD_AUTHZ_H

#include <httpd.h>

/*
 * Access tokens outside mounts: "AuthType Catalog" in any Location, with Require valid-user, Require user, Require catalog-role and
 * Require catalog-verified.
 */

/* check_authn hook. */
int cat_authz_authenticate(request_rec *r);

/* check_authz hook, before all others: they answer 401 to a user who is not allowed. With a valid token that is a 403
 * (RFC 6750, 3.1), or clients would fetch another token and try again. */
int cat_authz_authorize(request_rec *r);

/* note_auth_failure hook: the challenge. */
int cat_authz_note_failure(request_rec *r, const char *auth_type);

/* Flag: the AuthType is the module's. NULL: none. */
int cat_authz_is_ours(const char *type);

/* Flag: an AuthType of another module is in force, such as Basic or Digest; its users are not the catalogue's. */
int cat_authz_site_authenticates(request_rec *r);

/* At hook registration. */
void cat_authz_register_providers(apr_pool_t *pool);

#endif
