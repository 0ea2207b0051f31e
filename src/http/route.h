/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_ROUTE_H
#define CAT_HTTP_ROUTE_H

#include <apr_pools.h>

#include "http/answer.h"
#include "http/description.h"
#include "http/rate_limit.h"

typedef struct cat_request_t cat_request_t;

/* Who may use a route. */
typedef enum {
    CAT_ANYONE,
    CAT_READER, /* anyone; where the mount hides fields or products from readers, a valid access token of a writer shows them */
    CAT_HOLDER, /* the holder of an access token, or of a refresh token, which the handler checks: see q->refusal */
    CAT_USER,   /* an account: a valid access token of our own */
    CAT_WRITER, /* a valid access token, and the role of CatalogWriteRole */
    CAT_ADMIN   /* an account, as CAT_USER, with the role admin */
} cat_access_t;

/* What a route takes as its request body. */
typedef enum {
    CAT_NO_BODY,  /* none: a body is not read */
    CAT_QUERY,    /* the same; the query is not secret, so logs may have it */
    CAT_JSON,     /* bounded, parsed: q->body is never NULL */
    CAT_MAY_JSON, /* the same, and {} when no body was sent */
    CAT_PATCH,    /* as CAT_JSON; may also be sent as a merge patch (RFC 7396) */
    CAT_BATCH,    /* as CAT_JSON, but larger */
    CAT_UPLOAD,   /* CSV or NDJSON, which the resource reads: q->upload is never NULL */
    CAT_PICTURE   /* a picture, which the resource reads, likewise */
} cat_body_t;

#define CAT_MERGE_PATCH "application/merge-patch+json" /* RFC 7396 */

/* What may be sent as a body. */
typedef struct cat_media_t {
    const char *types;   /* media types, separated by ", "; NULL: no body is read */
    const char *header;  /* of a response: names them when another type was sent */
    int max;             /* bytes; 0: CatalogMaxBody */
    const char *encoded; /* those of the types that may have any charset of cat_encodings; NULL: all are in UTF-8 */
    const char *other;   /* other names of the types, which some clients send; NULL: none is accepted */
} cat_media_t;

/* A resource's handler: never returns NULL. The answer lives on q->pool. */
typedef cat_answer_t *cat_handler_t(cat_request_t *q);

/* A row of THE ROUTE TABLE, httpd/routes.c. A segment of the path that starts with ':' matches any one segment. */
typedef struct cat_route_t {
    const char *method;
    const char *path;
    cat_handler_t *run;
    cat_access_t who;
    cat_body_t body;
    cat_rate_kind_t rate;           /* counted for the client, before its body is read */
    cat_handler_t *run_once;        /* for a request that has an Idempotency-Key; NULL: the route ignores that header */
    const cat_description_t *about; /* what /openapi.json says of it */
} cat_route_t;

/* What a route takes as its body. */
const cat_media_t *cat_route_media(const cat_route_t *route);

/* Flag: an access token is looked at, if one is sent, because it is required or because its user may see more than others. */
int cat_route_takes_token(const cat_route_t *route, const cat_conf_t *conf);

/* Flag: answers are for one client alone, because requests have a token, or answers do. No cache may store them, unless an
 * answer says otherwise. */
int cat_route_is_private(const cat_route_t *route);

#define CAT_PARAMS_MAX 2

typedef struct cat_route_match_t {
    const cat_route_t *route;           /* NULL: the path is known, the method is not; or the path is unknown */
    const cat_route_t *resource;        /* route, or else the first row with this path; NULL: the path is unknown */
    const char *params[CAT_PARAMS_MAX]; /* on the pool; no slash in them */
} cat_route_match_t;

/*
 * Finds the row for a method and a path below the mount ("/products/1"; "" and "/" are the mount itself). One trailing slash
 * is ignored; an empty segment matches nothing. HEAD finds the row of GET. rows ends with a row whose method is NULL.
 */
void cat_route_find(apr_pool_t *pool, const cat_route_t *rows, const char *method, const char *path,
                    cat_route_match_t *match);

/* The value for Allow (RFC 9110 10.2.1) of a known path: "GET, HEAD, POST, OPTIONS". On the pool. */
const char *cat_route_allow(apr_pool_t *pool, const cat_route_t *rows, const char *path);

/* The value of the first query parameter of a name, percent-decoded ('+' is a space), on the pool. NULL: there is
 * none, or it cannot be decoded (a bad percent, a NUL). */
const char *cat_route_query(apr_pool_t *pool, const char *query, const char *name);

#endif
