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
    /* Anyone. Where the mount hides fields or products from readers, a valid access token of a writer shows them. */
    CAT_READER,
    CAT_HOLDER, /* Holders of an access token, or of a refresh token, which the handler checks; see q->refusal. */
    CAT_USER,   /* Accounts: a valid access token that this service issued. */
    CAT_WRITER, /* Holders of a valid access token with the role of CatalogWriteRole. */
    CAT_ADMIN   /* Accounts, as for CAT_USER, with the role admin. */
} cat_access_t;

/* The request body of a route. */
typedef enum {
    CAT_NO_BODY,  /* None. A body is not read. */
    CAT_QUERY,    /* None. The query is not secret, so logs may contain it. */
    CAT_JSON,     /* JSON of limited size, which is parsed: q->body is never NULL. */
    CAT_MAY_JSON, /* As CAT_JSON; q->body is {} if no body was sent. */
    CAT_PATCH,    /* As CAT_JSON; may also be sent as a merge patch (RFC 7396). */
    CAT_BATCH,    /* As CAT_JSON, but larger. */
    CAT_UPLOAD,   /* CSV or NDJSON, which the resource reads: q->upload is never NULL. */
    CAT_PICTURE   /* A picture, which the resource reads: q->upload is never NULL. */
} cat_body_t;

#define CAT_MERGE_PATCH "application/merge-patch+json" /* RFC 7396. */

/* The media types that may be sent as a body. */
typedef struct cat_media_t {
    const char *types;  /* Media types, separated by ", ". NULL if no body is read. */
    const char *header; /* Response header that names these types if the request has another type. */
    int max;            /* In bytes. 0 means CatalogMaxBody. */
    /* Those of the types that may have any charset of cat_encodings. NULL if all types must be in UTF-8. */
    const char *encoded;
    const char *other; /* Other names of the types, which some clients send. NULL if there are none. */
} cat_media_t;

/* A resource's handler. Never returns NULL. The answer is on q->pool. */
typedef cat_answer_t *cat_handler_t(cat_request_t *q);

/* A row of THE ROUTE TABLE, httpd/routes.c. A segment of the path that starts with ':' matches any one segment. */
typedef struct cat_route_t {
    const char *method;
    const char *path;
    cat_handler_t *run;
    cat_access_t who;
    cat_body_t body;
    cat_rate_kind_t rate; /* Limit that counts the client's requests, before the handler runs. */
    /* Handler for a request with an Idempotency-Key. NULL if the route ignores that header. */
    cat_handler_t *run_once;
    const cat_description_t *about; /* Description for /openapi.json. */
} cat_route_t;

const cat_media_t *cat_route_media(const cat_route_t *route);

/* Returns true if the route checks an access token that is sent, because the token is required or because its user may
 * see more than other clients. */
int cat_route_takes_token(const cat_route_t *route, const cat_conf_t *conf);

/* Returns true if answers are for one client alone, because requests or answers contain a token. No cache may store
 * such an answer, unless the answer says otherwise. */
int cat_route_is_private(const cat_route_t *route);

#define CAT_PARAMS_MAX 2

typedef struct cat_route_match_t {
    const cat_route_t *route;    /* NULL if the path is unknown, or has no row for the method. */
    const cat_route_t *resource; /* `route`, or else the first row with this path. NULL if the path is unknown. */
    const char *params[CAT_PARAMS_MAX]; /* On the pool. They contain no slash. */
} cat_route_match_t;

/*
 * Finds the row for a method and a path below the mount, such as "/products/1"; "" and "/" are the mount itself. One
 * trailing slash is ignored; an empty segment matches nothing. HEAD finds the row of GET. `rows` ends with a row whose
 * method is NULL.
 */
void cat_route_find(apr_pool_t *pool, const cat_route_t *rows, const char *method, const char *path,
                    cat_route_match_t *match);

/* Returns the value of Allow (RFC 9110 10.2.1) for a known path, such as "GET, HEAD, POST, OPTIONS", on the pool. */
const char *cat_route_allow(apr_pool_t *pool, const cat_route_t *rows, const char *path);

/* Returns the value of the first query parameter with a name, percent-decoded ('+' is a space), on the pool. Returns
 * NULL if there is none, or if it cannot be decoded (a bad percent-encoding, a NUL). */
const char *cat_route_query(apr_pool_t *pool, const char *query, const char *name);

#endif
