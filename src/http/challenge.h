/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_CHALLENGE_H
#define CAT_HTTP_CHALLENGE_H

#include "http/answer.h"
#include "lib/conf.h"

/* Refusals with the challenge of RFC 6750 3: the only writer of WWW-Authenticate. */

/* The value for WWW-Authenticate (RFC 6750 3), on the pool. What httpd has escaped already in realm, as it does in AuthName, stays
 * as it is. code NULL: just the challenge. reason, fit for error_description, NULL: none. */
const char *cat_challenge_format(apr_pool_t *pool, const char *realm, const char *code, const char *reason);

/* The problem's answer with the challenge of RFC 6750 3, whose realm is the mount: unique within the host. code: its error, or NULL
 * where no token was sent. reason: fit for error_description, or NULL for the problem's own words and no description. */
cat_answer_t *cat_challenge_refuse(apr_pool_t *pool, const cat_conf_t *conf, cat_problem_t problem, const char *code,
                                   const char *reason);

#endif
