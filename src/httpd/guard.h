/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_GUARD_H
#define CAT_HTTPD_GUARD_H

#include <httpd.h>

#include "http/answer.h"
#include "httpd/mount.h"

/* access_checker hook: verifies the bearer token if the route requires a user, and sets r->user and CATALOG_USER_ID. It records a
 * refusal, which the handler sends: under "Satisfy Any" httpd would overrule the hook. Under another module's AuthType it does
 * nothing: that module reads the Authorization header first, and mod_headers may put the token there before the handler runs. */
int cat_guard_check(request_rec *r);

/* Checks the request if the hook has not (httpd also skips it for subrequests with the same configuration). NULL: the request is
 * allowed, and state->user is set if the route requires a user. Otherwise the answer that refuses it. */
cat_answer_t *cat_guard_refusal(request_rec *r, cat_state_t *state);

#endif
