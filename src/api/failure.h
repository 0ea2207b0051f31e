/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_FAILURE_H
#define CAT_API_FAILURE_H

#include "http/answer.h"

/* Returns the response to a failure that means the same for every route, such as a database that is down
 * (db/dialects/status.h). Routes handle APR_NOTFOUND and APR_EEXIST themselves: here these two, like any unknown
 * status, yield the problem server-unable. `rv` must not be APR_SUCCESS. */
cat_answer_t *cat_failure_answer(apr_pool_t *pool, apr_status_t rv);

/* Returns the problem that cat_failure_answer reports for the status. */
cat_problem_t cat_failure_find(apr_status_t rv);

#endif
