/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_CHALLENGE_H
#define CAT_HTTP_CHALLENGE_H

#include "http/answer.h"
#include "lib/conf.h"

/* Refusals with the challenge of RFC 6750 3: the only writer of WWW-Authenticate. */

/* The value of WWW-Authenticate (RFC 6750 3), on the pool. Characters of realm that httpd has escaped already, as in
 * AuthName, are not escaped again. code: `error`; NULL: none. reason: `error_description`; NULL: none. */
const char *cat_challenge_format(apr_pool_t *pool, const char *realm, const char *code, const char *reason);

/* The problem's answer with a challenge whose realm is the mount, which is unique within the host. code: `error`;
 * NULL: the client sent no token. reason: `error_description` and the answer's `error`; NULL: the problem's own words,
 * and no description. */
cat_answer_t *cat_challenge_refuse(apr_pool_t *pool, const cat_conf_t *conf, cat_problem_t problem, const char *code,
                                   const char *reason);

/* The refusal of a user who is known, but whose role does not allow what was asked. */
cat_answer_t *cat_challenge_refuse_role(apr_pool_t *pool, const cat_conf_t *conf);

#endif
