/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_CHALLENGE_H
#define CAT_HTTP_CHALLENGE_H

#include "http/answer.h"
#include "lib/conf.h"

/* Refusals with the challenge of RFC 6750 3. Only these functions write the value of WWW-Authenticate. */

/* Returns the value of WWW-Authenticate (RFC 6750 3), on the pool. Characters of `realm` that httpd has escaped
 * already, as in AuthName, are not escaped again. `code` is `error` and `reason` is `error_description`; each is left
 * out if it is NULL. */
const char *cat_challenge_format(apr_pool_t *pool, const char *realm, const char *code, const char *reason);

/* Returns the problem's answer with a challenge. Its realm is the mount, which is unique within the host. `code` is
 * `error`, or NULL if the client sent no token. `reason` is `error_description` and the answer's `error`; if it is
 * NULL, the answer has the problem's own text, and the challenge no description. */
cat_answer_t *cat_challenge_refuse(apr_pool_t *pool, const cat_conf_t *conf, cat_problem_t problem, const char *code,
                                   const char *reason);

/* Returns the refusal of a user who is known, but whose role does not allow the request. */
cat_answer_t *cat_challenge_refuse_role(apr_pool_t *pool, const cat_conf_t *conf);

#endif
