/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_GUARD_H
#define CAT_HTTPD_GUARD_H

#include <httpd.h>

#include "http/answer.h"
#include "httpd/mount.h"

/* access_checker hook. Verifies the bearer token if the route takes one, and sets r->user and CATALOG_USER_ID. A
 * refusal is only recorded, and the handler sends it: under "Satisfy Any" httpd would overrule the hook. Does nothing
 * under another module's AuthType, because that module reads the Authorization header first, and mod_headers may put
 * the token there before the handler runs. */
int cat_guard_check(request_rec *r);

/* Checks the request unless the hook has done so; httpd skips the hook for subrequests with the same configuration.
 * Returns NULL if the request is allowed; then state->user is set if the route requires a user. Otherwise returns the
 * answer that refuses the request. */
cat_answer_t *cat_guard_refusal(request_rec *r, cat_state_t *state);

#endif
