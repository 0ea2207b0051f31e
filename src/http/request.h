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
#include "lib/timing.h"

typedef struct cat_claims_t cat_claims_t;
typedef struct cat_db_t cat_db_t;
typedef struct cat_idempotency_t cat_idempotency_t;
typedef struct cat_limit_t cat_limit_t;
typedef struct cat_metrics_t cat_metrics_t;
typedef struct cat_openapi_t cat_openapi_t;
typedef struct cat_revoked_t cat_revoked_t;
typedef struct cat_semaphore_t cat_semaphore_t;

/* A body that the resource reads in pieces (CAT_UPLOAD, CAT_PICTURE). */
typedef struct cat_upload_t cat_upload_t;
struct cat_upload_t {
    const char *type; /* Content-Type: one of those that the route takes */
    /* NULL: *data is the next piece, valid until the next call; *length 0: the body is complete. Otherwise the answer that
     * says why it cannot be read. */
    cat_answer_t *(*read)(cat_upload_t *upload, const char **data, apr_size_t *length);
};

/* One request below a mount, as the resources see it. */
struct cat_request_t {
    apr_pool_t *pool;
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_semaphore_t *hashing; /* held around every password hash */
    cat_semaphore_t *imaging; /* the same of pictures that are decoded */
    apr_time_t now;           /* when the request came, microseconds since the epoch */

    const cat_route_t *routes;    /* all of them, ending with a row whose method is NULL */
    const cat_openapi_t *openapi; /* the description of the mount; NULL: there was no memory for it */
    const cat_route_t *route;
    const char *params[CAT_PARAMS_MAX]; /* the ':' segments of the path, decoded, in order */
    const char *query;                  /* raw query string, NULL when there is none */
    json_t *body;                       /* only where the route's row says CAT_JSON */
    const char *body_text;              /* the same, as it was sent */
    int is_merge_patch;                 /* True if its type is application/merge-patch+json */
    cat_upload_t *upload;               /* only where it says CAT_UPLOAD or CAT_PICTURE */
    cat_conditions_t conditions;        /* for writes; httpd/handler.c applies those of GET */
    const char *link_token;             /* Link-Token, where anyone may ask without a body; NULL: none was sent */
    const char *idempotency_key;        /* NULL: none was sent, or the route ignores it */
    cat_idempotency_t *idempotency;     /* NULL likewise; see api/idempotency.h */
    int strict; /* flag: unknown fields are errors, by CatalogStrict or Prefer: handling=strict */

    const char *network; /* of the client, which limits count: the IPv4 address, or the /64 of an IPv6 address */

    /* The client; all NULL or 0 where the route's row takes no body, unless it says CAT_USER or CAT_ADMIN, or POST and CAT_WRITER. */
    const char *client;     /* its address */
    const char *host;       /* to which it was sent, without the port; NULL also if it is no domain name */
    const char *agent;      /* User-Agent, "" when there is none */
    const char *languages;  /* Accept-Language, NULL when there is none */
    const char *cookies;    /* Cookie, NULL when there is none */
    int is_foreign;         /* flag: a page of another origin sent the cookies (http/cors.h) */
    int secure;             /* flag: the request came over TLS */
    const char *request_id; /* NULL also where httpd has no module that makes one */

    cat_limit_t *limits;
    const cat_metrics_t *metrics; /* NULL: nothing is counted */
    cat_revoked_t *revoked;

    const cat_claims_t *user; /* of the access token; NULL: none. Never NULL where the row says CAT_USER or CAT_ADMIN */
    cat_answer_t *refusal;    /* CAT_HOLDER: the answer to the access token, if it is not valid; NULL: it is */
    int may_write;            /* flag: the user's role is that of CatalogWriteRole or above it */
    cat_timing_t *timing;     /* NULL: nothing is measured */
    cat_db_t *db;             /* opens its connection on first use */
};

#endif
