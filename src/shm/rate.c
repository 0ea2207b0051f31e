/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/rate.h"

#include <apr_strings.h>

void cat_rate_describe(apr_pool_t *pool, cat_answer_t *answer, const char *name, cat_rate_t rate, cat_verdict_t verdict)
{
    cat_answer_header(answer, pool, "RateLimit",
                      apr_psprintf(pool, "\"%s\";r=%d;t=%d", name, verdict.remaining, verdict.reset));
    cat_answer_header(answer, pool, "RateLimit-Policy",
                      apr_psprintf(pool, "\"%s\";q=%d;w=%d", name, rate.count, rate.seconds));
}

cat_answer_t *cat_rate_delay(apr_pool_t *pool, int seconds)
{
    cat_answer_t *answer = cat_answer_problem(pool, CAT_PROBLEM_TOO_MANY, NULL);
    cat_answer_header(answer, pool, "Retry-After", apr_itoa(pool, seconds));
    return answer;
}

cat_answer_t *cat_rate_refuse(apr_pool_t *pool, const char *name, cat_rate_t rate, cat_verdict_t verdict)
{
    cat_answer_t *answer = cat_rate_delay(pool, verdict.retry_after);
    cat_rate_describe(pool, answer, name, rate, verdict);
    return answer;
}
