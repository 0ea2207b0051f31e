/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_RATE_H
#define CAT_SHM_RATE_H

#include "lib/answer.h"
#include "shm/limit.h"

/* What a client is told of a limit: RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers), for every answer that
 * was counted. */
void cat_rate_describe(apr_pool_t *pool, cat_answer_t *answer, const char *name, cat_rate_t rate,
                       cat_verdict_t verdict);

/* 429 with Retry-After alone, for a delay that follows from no quota and no window. */
cat_answer_t *cat_rate_delay(apr_pool_t *pool, int seconds);

/* 429 with the same headers and Retry-After (RFC 9110 10.2.3). */
cat_answer_t *cat_rate_refuse(apr_pool_t *pool, const char *name, cat_rate_t rate, cat_verdict_t verdict);

#endif
