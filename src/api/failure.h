/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_FAILURE_H
#define CAT_API_FAILURE_H

#include "http/answer.h"

/* The answer to a status of db/dialects/status.h, or of a room above it, that has no meaning of its own for the route: so a
 * route answers APR_NOTFOUND and APR_EEXIST itself. rv is never APR_SUCCESS. */
cat_answer_t *cat_failure_answer(apr_pool_t *pool, apr_status_t rv);

/* The problem of such a status. */
cat_problem_t cat_failure_find(apr_status_t rv);

#endif
