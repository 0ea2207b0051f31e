/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_PRECEDENCE_H
#define CAT_HTTPD_PRECEDENCE_H

#include <httpd.h>
#include <http_request.h>

/* Decides which of the site's directives take precedence over a mount:
 * docs/decisions/0028-site-configuration-around-mount.md. */

/* Returns mod_alias's translate_name hook, or NULL if mod_alias is not loaded. Call it when all modules have registered
 * their hooks. */
ap_HOOK_translate_name_t *cat_precedence_find_alias(void);

/* Applies mod_alias's Redirect lines to a request that a mount is about to claim. Returns OK if no line matches,
 * otherwise the status of the line that does. */
int cat_precedence_redirect(request_rec *r);

#endif
