/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_GUARD_H
#define CAT_HTTPD_GUARD_H

#include <httpd.h>

#include "http/answer.h"
#include "httpd/mount.h"

/* access_checker hook: verifies the bearer token where the route asks for a user, sets r->user and CATALOG_USER_ID. It never
 * refuses by itself: under "Satisfy Any" httpd would overrule it. The handler does. Under another module's AuthType it does
 * nothing: that module reads the Authorization header first, and mod_headers may put the token there before the handler looks. */
int cat_guard_check(request_rec *r);

/* Looks, if the hook has not (httpd also skips it for sub-requests with the same configuration). NULL: the request may go on;
 * state->user is set where the route asks for one. Otherwise the answer that refuses it. */
cat_answer_t *cat_guard_refusal(request_rec *r, cat_state_t *state);

#endif
