/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_CORS_H
#define CAT_HTTP_CORS_H

#include <apr_pools.h>
#include <apr_tables.h>

#include "http/answer.h"

/* Requests from pages of other origins: CORS (Fetch, 3.2), and whether to accept the cookies of such requests. */

/* The origins of CatalogAllowOrigin. */
typedef struct cat_origins_t {
    int any; /* True for "*": pages of all origins, but without cookies. */
    int count;
    const char *const *list; /* As browsers send them. */
} cat_origins_t;

/* Checks that the text is an origin as browsers send it, such as https://shop.example.com:8443. Returns NULL if it is.
 * Otherwise returns the cause, which follows the text in a sentence. */
const char *cat_cors_check_origin(const char *text);

/* Returns true if pages of any other origin may read responses. */
int cat_cors_is_on(const cat_origins_t *origins);

/* Returns true if a page of the origin may read responses. `origin` is the Origin header, or NULL if none was sent. */
int cat_cors_allows(const cat_origins_t *origins, const char *origin);

/* Adds the headers that let a page of the origin read a response, and Vary if the response depends on the origin. */
void cat_cors_describe(const cat_origins_t *origins, const char *origin, apr_table_t *headers);

/* Adds the headers that only the answer to a preflight of an allowed origin has. `methods` are those of the route,
 * separated by ", ". `headers` are the request headers that pages may send in addition to those of the API, each after
 * ", ". */
void cat_cors_describe_preflight(apr_pool_t *pool, cat_answer_t *answer, const char *methods, const char *headers);

/* What a browser says about the page that sent a request. Each member is NULL if the request lacks that header. */
typedef struct cat_sender_t {
    const char *site;   /* Sec-Fetch-Site. */
    const char *origin; /* Origin. */
    const char *host;   /* Host, which is the server's name for the browser. */
} cat_sender_t;

/*
 * Returns true if a page of another origin sent the request, so that its cookies do not show the user's will. Pages of
 * the origins in the list, and of the origin of `base_url` (which may be NULL), do not count as pages of another
 * origin. If Sec-Fetch-Site was sent, it decides, because a proxy may have changed Host. Requests of programs other
 * than browsers have none of the headers.
 */
int cat_cors_is_foreign(const cat_origins_t *origins, const cat_sender_t *sender, const char *base_url);

#endif
