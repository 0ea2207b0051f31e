/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_RATE_LIMIT_H
#define CAT_HTTP_RATE_LIMIT_H

#include "http/answer.h"

/* What is counted per client; the kinds of CatalogRateLimit. */
typedef enum {
    CAT_RATE_NONE,
    CAT_RATE_LOGIN,
    CAT_RATE_REGISTER,
    CAT_RATE_MAIL,
    CAT_RATE_REFRESH, /* counted per session */
    CAT_RATE_COUNT
} cat_rate_kind_t;

/* The names, in CatalogRateLimit and in the answers' headers. */
#define CAT_RATE_LIMIT_NAMES "login", "register", "mail", "refresh"
#define CAT_RATE_LIMIT_NAMES_TEXT "login, register, mail or refresh" /* in a sentence */

/* The names of limits without a directive: registrations of one address, wrong bodies for an Idempotency-Key, and the delay after
 * wrong passwords. */
#define CAT_RATE_LIMIT_ADDRESS "address"
#define CAT_RATE_LIMIT_REPLAY "replay"
#define CAT_RATE_LIMIT_DELAY "delay"
#define CAT_RATE_LIMIT_OTHERS CAT_RATE_LIMIT_ADDRESS, CAT_RATE_LIMIT_REPLAY, CAT_RATE_LIMIT_DELAY

extern const char *const cat_rate_limit_names[CAT_RATE_COUNT]; /* by cat_rate_kind_t; "" for CAT_RATE_NONE */

/* Whatever the case. CAT_RATE_NONE: no kind has this name. */
cat_rate_kind_t cat_rate_limit_find(const char *name);

typedef struct cat_rate_t {
    int count;   /* at least 1 */
    int seconds; /* 0: no limit */
} cat_rate_t;

typedef struct cat_verdict_t {
    int allowed;
    int remaining;   /* how many more would be allowed now */
    int reset;       /* seconds until all count are allowed again, rounded up */
    int retry_after; /* seconds until the next one is allowed, rounded up; 0 when allowed */
} cat_verdict_t;

/* Adds RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers) to the answer to a request that was
 * counted. */
void cat_rate_limit_describe(apr_pool_t *pool, cat_answer_t *answer, const char *name, cat_rate_t rate,
                             cat_verdict_t verdict);

/* 429 with Retry-After alone, for the delay after wrong passwords, which has no quota and no window. */
cat_answer_t *cat_rate_limit_delay_login(apr_pool_t *pool, int seconds);

/* 429 with the headers of cat_rate_limit_describe and Retry-After (RFC 9110 10.2.3). */
cat_answer_t *cat_rate_limit_refuse(apr_pool_t *pool, const char *name, cat_rate_t rate, cat_verdict_t verdict);

#endif
