/* SPDX-License-Identifier: Apache-2.0 */
#include "api/indexing.h"

#include <apr_strings.h>

#include "api/failure.h"
#include "catalogue/index.h"

cat_answer_t *cat_indexing_refuse(cat_request_t *q, int parts)
{
    cat_indexes_state_t state = {0};
    apr_status_t rv = parts ? cat_indexes_check(q->db, parts, &state) : APR_SUCCESS;

    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    if (state.absent) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_NOT_INDEXED, NULL);
    }
    return state.filling
               ? cat_answer_problem(q->pool, CAT_PROBLEM_INDEXING,
                                    apr_psprintf(q->pool, "the products are being indexed: %d %%", state.percent))
               : NULL;
}
