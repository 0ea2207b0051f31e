/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_PRECEDENCE_H
#define CAT_HTTPD_PRECEDENCE_H

#include <httpd.h>
#include <http_request.h>

/* Which of the site's directives take precedence over a mount: docs/decisions/0028-site-configuration-around-mount.md. */

/* mod_alias's translate_name hook, once all modules have registered theirs; NULL: it is not loaded. */
ap_HOOK_translate_name_t *cat_precedence_find_alias(void);

/* Applies mod_alias's Redirect lines to a request that a mount is about to claim. OK: none matches. Otherwise the status of the one
 * that does. */
int cat_precedence_redirect(request_rec *r);

#endif
