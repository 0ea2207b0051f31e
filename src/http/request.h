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
    const char *type; /* Content-Type, one of those that the route takes. */
    /* Sets *data and *length to the next piece, which is valid until the next call, and returns NULL. *length is 0 if
     * the body is complete. Returns the answer that says why, if the body cannot be read. */
    cat_answer_t *(*read)(cat_upload_t *upload, const char **data, apr_size_t *length);
};

/* One request below a mount, as the resources see it. */
struct cat_request_t {
    apr_pool_t *pool;
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_semaphore_t *hashing; /* Held during every password hash. */
    cat_semaphore_t *imaging; /* Held while a picture is decoded. */
    apr_time_t now;           /* When the request arrived, in microseconds since the epoch. */

    const cat_route_t *routes;    /* THE ROUTE TABLE. Ends with a row whose method is NULL. */
    const cat_openapi_t *openapi; /* OpenAPI description of the mount. NULL if there was no memory for it. */
    const cat_route_t *route;
    const char *params[CAT_PARAMS_MAX]; /* The ':' segments of the path, decoded, in order. */
    const char *query;                  /* Raw query string, or NULL if there is none. */
    json_t *body;                /* Set if the route's row says CAT_JSON, CAT_MAY_JSON, CAT_PATCH or CAT_BATCH. */
    const char *body_text;       /* The body as it was sent, if `body` was parsed from it. */
    int is_merge_patch;          /* True if the type of the body is application/merge-patch+json. */
    cat_upload_t *upload;        /* Set if the route's row says CAT_UPLOAD or CAT_PICTURE. */
    cat_conditions_t conditions; /* For writes. httpd/handler.c applies the conditions of GET. */
    /* Link-Token header of a request without a body to a route for anyone. NULL if none was sent. */
    const char *link_token;
    const char *idempotency_key;    /* NULL if none was sent, or if the route ignores the header. */
    cat_idempotency_t *idempotency; /* See api/idempotency.h. NULL if idempotency_key is NULL. */
    int strict; /* True if unknown fields are errors, because of CatalogStrict or Prefer: handling=strict. */

    /* Text by which limits identify the client: an IPv4 address, or the /64 of an IPv6 address. */
    const char *network;

    /* The client. The members are NULL or 0 on routes without a body, except on routes for CAT_USER or CAT_ADMIN and
     * for a POST to a route for CAT_WRITER. */
    const char *client; /* IP address. */
    const char *host;   /* Host to which the request was sent, without the port. NULL also if it is no domain name. */
    const char *agent;  /* User-Agent, or "" if there is none. */
    const char *languages;  /* Accept-Language, or NULL if there is none. */
    const char *cookies;    /* Cookie, or NULL if there is none. */
    int is_foreign;         /* True if a page of another origin sent the cookies (http/cors.h). */
    int secure;             /* True if the request came over TLS. */
    const char *request_id; /* NULL also if httpd has no module that creates ids. */

    cat_limit_t *limits;
    const cat_metrics_t *metrics; /* NULL if nothing is counted. */
    cat_revoked_t *revoked;

    /* Claims of the access token, or NULL. Never NULL on routes for CAT_USER, CAT_WRITER or CAT_ADMIN. */
    const cat_claims_t *user;
    /* On routes for CAT_HOLDER, the answer that refuses a missing or invalid access token. NULL if the token is
     * valid. */
    cat_answer_t *refusal;
    int may_write;        /* True if the user has the role of CatalogWriteRole or a higher one. */
    cat_timing_t *timing; /* NULL if nothing is measured. */
    cat_db_t *db;         /* Opens its connection on first use. */
};

#endif
