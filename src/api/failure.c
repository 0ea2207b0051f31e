/* SPDX-License-Identifier: Apache-2.0 */
#include "api/failure.h"

#include <errno.h>

#include "catalogue/store.h"
#include "db/db.h"

cat_problem_t cat_failure_find(apr_status_t rv)
{
    switch (rv) {
    case CAT_EBUSY:
        return CAT_PROBLEM_UNAVAILABLE;
    case CAT_ESLOW:
        return CAT_PROBLEM_QUERY_SLOW;
    case CAT_ENOTREADY:
        return CAT_PROBLEM_DATABASE_NOT_READY;
    case CAT_EFILLING:
        return CAT_PROBLEM_INDEXING;
    case CAT_EREADONLY:
        return CAT_PROBLEM_DATABASE_READ_ONLY;
    case CAT_ECLAIMED:
        return CAT_PROBLEM_IDEMPOTENCY_BUSY;
    case CAT_ECHANGED:
        return CAT_PROBLEM_PRECONDITION;
    case CAT_EVALUE:
        return CAT_PROBLEM_REFUSED_VALUES;
    case CAT_EDOWN:
        return CAT_PROBLEM_DATABASE;
    case CAT_EUNSURE:
        return CAT_PROBLEM_UNSURE;
    case CAT_EFULL:
    case ENOSPC:
    case EDQUOT:
        return CAT_PROBLEM_DISK_FULL;
    default:
        return CAT_PROBLEM_UNABLE;
    }
}

cat_answer_t *cat_failure_answer(apr_pool_t *pool, apr_status_t rv)
{
    return cat_answer_problem(pool, cat_failure_find(rv), NULL);
}
