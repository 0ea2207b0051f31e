/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_PROBLEM_DETAILS_H
#define CAT_HTTP_PROBLEM_DETAILS_H

#include "http/answer.h"

/* Failures as problem details (RFC 9457), for clients that ask for them. */

#define CAT_PROBLEM_DETAILS_TYPE "application/problem+json"

/* Returns true if the client asks for problem details: Accept names their media type, and prefers application/json no
 * more than it. `accept` is NULL if the header was not sent. */
int cat_problem_details_wanted(const char *accept);

/* Returns the name of a problem, for clients that read a header instead of the body. Returns CAT_PROBLEM_UNNAMED (RFC
 * 9457 4.2.1) for a row without a name. */
#define CAT_PROBLEM_UNNAMED "about:blank"
const char *cat_problem_details_name(const cat_problem_row_t *row);

/* Returns the URI of a problem, a path below the mount, on the pool. Returns CAT_PROBLEM_UNNAMED for a row without a
 * name. `mount_uri` is percent-encoded. */
const char *cat_problem_details_uri(apr_pool_t *pool, const char *mount_uri, const cat_problem_row_t *row);

/* Returns a copy of the answer with problem details as its body. answer->problem must be set. The members that follow
 * `error` in the answer's body follow the standard members. `request_id` may be NULL. */
const cat_answer_t *cat_problem_details_make(apr_pool_t *pool, const cat_answer_t *answer, const char *mount_uri,
                                             const char *request_id);

#endif
