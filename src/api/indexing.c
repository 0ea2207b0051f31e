/* SPDX-License-Identifier: Apache-2.0 */
#include "api/indexing.h"

#include <apr_strings.h>

#include "api/failure.h"
#include "catalogue/index.h"

cat_answer_t *cat_indexing_answer(cat_request_t *q, int percent)
{
    return cat_answer_problem(q->pool, CAT_PROBLEM_INDEXING,
                              apr_psprintf(q->pool, "the products are being indexed: %d %%", percent));
}

cat_answer_t *cat_indexing_refuse(cat_request_t *q, const cat_list_query_t *query)
{
    cat_indexes_state_t state;
    apr_status_t rv = cat_key_filler_check(q->db, query, &state);

    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    if (state.absent) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_NOT_INDEXED, NULL);
    }
    return state.filling || state.is_keying ? cat_indexing_answer(q, state.percent) : NULL;
}
