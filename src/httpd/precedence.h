/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_PRECEDENCE_H
#define CAT_HTTPD_PRECEDENCE_H

#include <httpd.h>
#include <http_request.h>

/* What of the site's configuration around a mount goes before it: docs/decisions/0028-site-configuration-around-mount.md. */

/* mod_alias's translate_name hook, once all modules have registered theirs; NULL: it is not loaded. */
ap_HOOK_translate_name_t *cat_precedence_find_alias(void);

/* Runs mod_alias for a request that a mount is about to claim, for the sake of its Redirect lines. OK: there is none for this
 * path. Otherwise the status that one of them asks for. */
int cat_precedence_redirect(request_rec *r);

#endif
