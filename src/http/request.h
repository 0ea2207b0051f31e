/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_REQUEST_H
#define CAT_HTTP_REQUEST_H

#include <apr_pools.h>
#include <apr_time.h>
#include <jansson.h>

#include "http/etag.h"
#include "http/route.h"
#include "lib/conf.h"
#include "lib/log.h"

typedef struct cat_claims_t cat_claims_t;
typedef struct cat_db_t cat_db_t;
typedef struct cat_limit_t cat_limit_t;
typedef struct cat_revoked_t cat_revoked_t;
typedef struct cat_semaphore_t cat_semaphore_t;

/* One request below a mount, as the resources see it. */
struct cat_request_t {
    apr_pool_t *pool;
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_semaphore_t *hashing; /* held around every password hash */
    apr_time_t now;           /* when the request came, microseconds since the epoch */

    const cat_route_t *route;
    const char *params[CAT_PARAMS_MAX]; /* the ':' segments of the path, decoded, in order */
    const char *query;                  /* raw query string, NULL when there is none */
    json_t *body;                       /* only where the route's row says CAT_JSON */
    cat_conditions_t conditions;        /* a GET's are judged by its answer, which handler.c does */
    int strict;                         /* unknown members are an error: CatalogStrict or Prefer: handling=strict */

    /* Who sent a body; where the route's row takes none, nothing is known of that. */
    const char *client;  /* the address it comes from */
    const char *network; /* what limits count: the IPv4 address, or the /64 of an IPv6 address */
    const char *agent;   /* User-Agent, "" when there is none */
    const char *cookies; /* Cookie, NULL when there is none */
    int secure;          /* it came over TLS */

    cat_limit_t *limits;
    cat_revoked_t *revoked;

    const cat_claims_t *user; /* who asks; NULL: nobody known. Never NULL where the route's row says CAT_USER */
    cat_answer_t *refusal;    /* where it says CAT_HOLDER: what is wrong with the access token; NULL: nothing */
    int may_write;            /* flag: the user's role is that of CatalogWriteRole or above it */
    cat_db_t *db;             /* opens its connection on first use */
};

#endif
