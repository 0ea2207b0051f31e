/* SPDX-License-Identifier: Apache-2.0 */
#include "http/rate_limit.h"

#include <apr_strings.h>
#include <strings.h>

const char *const cat_rate_limit_names[CAT_RATE_COUNT] = {"", CAT_RATE_LIMIT_NAMES};

cat_rate_kind_t cat_rate_limit_find(const char *name)
{
    for (int i = CAT_RATE_NONE + 1; i < CAT_RATE_COUNT; i++) {
        if (!strcasecmp(cat_rate_limit_names[i], name)) {
            return (cat_rate_kind_t)i;
        }
    }
    return CAT_RATE_NONE;
}

void cat_rate_limit_describe(apr_pool_t *pool, cat_answer_t *answer, const char *name, cat_rate_t rate,
                             cat_verdict_t verdict)
{
    cat_answer_header(answer, pool, "RateLimit",
                      apr_psprintf(pool, "\"%s\";r=%d;t=%d", name, verdict.remaining, verdict.reset));
    cat_answer_header(answer, pool, "RateLimit-Policy",
                      apr_psprintf(pool, "\"%s\";q=%d;w=%d", name, rate.count, rate.seconds));
}

static cat_answer_t *refuse_for_seconds(apr_pool_t *pool, cat_problem_t problem, const char *name, int seconds)
{
    cat_answer_t *answer = cat_answer_problem(pool, problem, NULL);

    answer->limit = name;
    cat_answer_header(answer, pool, "Retry-After", apr_itoa(pool, seconds));
    return answer;
}

cat_answer_t *cat_rate_limit_delay_login(apr_pool_t *pool, int seconds)
{
    return refuse_for_seconds(pool, CAT_PROBLEM_LOGIN_DELAY, CAT_RATE_LIMIT_DELAY, seconds);
}

cat_answer_t *cat_rate_limit_refuse(apr_pool_t *pool, const char *name, cat_rate_t rate, cat_verdict_t verdict)
{
    cat_answer_t *answer = refuse_for_seconds(pool, CAT_PROBLEM_TOO_MANY, name, verdict.retry_after);
    cat_rate_limit_describe(pool, answer, name, rate, verdict);
    return answer;
}
