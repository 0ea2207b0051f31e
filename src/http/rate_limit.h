/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_RATE_LIMIT_H
#define CAT_HTTP_RATE_LIMIT_H

#include "http/answer.h"

/* The kinds of CatalogRateLimit. Requests are counted for each client, unless noted. */
typedef enum {
    CAT_RATE_NONE,
    CAT_RATE_LOGIN,
    CAT_RATE_REGISTER,
    CAT_RATE_MAIL,
    CAT_RATE_REFRESH, /* Counted for each session. */
    CAT_RATE_COUNT
} cat_rate_kind_t;

/* Names of the kinds, in CatalogRateLimit and in the headers of answers. */
#define CAT_RATE_LIMIT_NAMES "login", "register", "mail", "refresh"
#define CAT_RATE_LIMIT_NAMES_TEXT "login, register, mail or refresh" /* For a sentence. */

/* Names of limits without a directive: registrations of one address, wrong bodies for an Idempotency-Key, and the delay
 * after wrong passwords. */
#define CAT_RATE_LIMIT_ADDRESS "address"
#define CAT_RATE_LIMIT_REPLAY "replay"
#define CAT_RATE_LIMIT_DELAY "delay"
#define CAT_RATE_LIMIT_OTHERS CAT_RATE_LIMIT_ADDRESS, CAT_RATE_LIMIT_REPLAY, CAT_RATE_LIMIT_DELAY

extern const char *const cat_rate_limit_names[CAT_RATE_COUNT]; /* Indexed by cat_rate_kind_t. "" for CAT_RATE_NONE. */

/* Returns the kind with this name, ignoring case, or CAT_RATE_NONE if there is none. */
cat_rate_kind_t cat_rate_limit_find(const char *name);

typedef struct cat_rate_t {
    int count;   /* At least 1. */
    int seconds; /* 0 means no limit. */
} cat_rate_t;

typedef struct cat_verdict_t {
    int allowed;
    int remaining;   /* Number of further requests that are allowed now. */
    int reset;       /* Seconds until all `count` requests are allowed again, rounded up. */
    int retry_after; /* Seconds until the next request is allowed, rounded up. 0 if it is allowed. */
} cat_verdict_t;

/* Adds RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers) to the answer to a request that was
 * counted. */
void cat_rate_limit_describe(apr_pool_t *pool, cat_answer_t *answer, const char *name, cat_rate_t rate,
                             cat_verdict_t verdict);

/* Returns a 429 that has only Retry-After, for the delay after wrong passwords, which has neither quota nor window. */
cat_answer_t *cat_rate_limit_delay_login(apr_pool_t *pool, int seconds);

/* Returns a 429 with the headers of cat_rate_limit_describe and Retry-After (RFC 9110 10.2.3). */
cat_answer_t *cat_rate_limit_refuse(apr_pool_t *pool, const char *name, cat_rate_t rate, cat_verdict_t verdict);

#endif
