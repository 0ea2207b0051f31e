/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "api/failure.h"
#include "catalogue/product/products.h"
#include "db/dialects/status.h"

static void check_failure(void **state, apr_status_t rv, int status, const char *message, int has_retry)
{
    const cat_answer_t *a = cat_failure_answer(*state, rv);

    assert_int_equal(a->status, status);
    assert_non_null(strstr(a->body, "\"success\":false"));
    assert_non_null(strstr(a->body, message));
    assert_int_equal(a->headers && apr_table_get(a->headers, "Retry-After") != NULL, has_retry);
}

static void test_each_status_of_db_has_an_answer(void **state)
{
    check_failure(state, CAT_EDOWN, 503, "database unavailable", 1);
    check_failure(state, CAT_EUNSURE, 500, "may have been stored", 1);
    check_failure(state, CAT_EFULL, 507, "full", 1);
    check_failure(state, CAT_EBUSY, 503, "too busy", 1);
    check_failure(state, CAT_ENOTREADY, 503, "not ready", 1);
    check_failure(state, CAT_ESLOW, 503, "add a condition", 1);
    check_failure(state, CAT_EVALUE, 400, "refuses these values", 0);
    check_failure(state, CAT_ECLAIMED, 409, "not ended yet", 1);
}

static void test_unmet_condition_is_412(void **state)
{
    check_failure(state, CAT_ECHANGED, 412, "Precondition failed", 0);
}

static void test_full_disk_is_507(void **state)
{
    check_failure(state, ENOSPC, 507, "full", 1);
    check_failure(state, EDQUOT, 507, "full", 1);
}

/* Includes APR_NOTFOUND and APR_EEXIST, which routes that expect them handle themselves. */
static void test_other_failures_are_503(void **state)
{
    static const apr_status_t others[] = {APR_EGENERAL, APR_ENOMEM, APR_NOTFOUND, APR_EEXIST};

    for (size_t i = 0; i < UNIT_COUNT(others); i++) {
        check_failure(state, others[i], 503, "lacks memory, a program or a file", 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_status_of_db_has_an_answer),
        UNIT_TEST(test_unmet_condition_is_412),
        UNIT_TEST(test_full_disk_is_507),
        UNIT_TEST(test_other_failures_are_503),
    };
    return UNIT_RUN(tests);
}
