/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_PROBLEM_DETAILS_H
#define CAT_HTTP_PROBLEM_DETAILS_H

#include "http/answer.h"

/* Failures as problem details (RFC 9457), for clients that ask for them. */

#define CAT_PROBLEM_DETAILS_TYPE "application/problem+json"

/* Does the client ask for problem details? Only if its Accept (NULL: none was sent) names their media type, and prefers no
 * less than application/json. */
int cat_problem_details_wanted(const char *accept);

/* The name of a problem, for clients that read a header instead; CAT_PROBLEM_UNNAMED (RFC 9457 4.2.1) for a row without one. */
#define CAT_PROBLEM_UNNAMED "about:blank"
const char *cat_problem_details_name(const cat_problem_row_t *row);

/* The URI of a problem, a path below the mount; CAT_PROBLEM_UNNAMED for a row without a name. mount_uri:
 * percent-encoded. On the pool. */
const char *cat_problem_details_uri(apr_pool_t *pool, const char *mount_uri, const cat_problem_row_t *row);

/* The answer with problem details as its body; answer->problem must be set. The members that follow `error` in the usual body
 * follow the standard ones. request_id NULL: without. */
const cat_answer_t *cat_problem_details_make(apr_pool_t *pool, const cat_answer_t *answer, const char *mount_uri,
                                             const char *request_id);

#endif
