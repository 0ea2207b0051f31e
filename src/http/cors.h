/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_CORS_H
#define CAT_HTTP_CORS_H

#include <apr_pools.h>
#include <apr_tables.h>

#include "http/answer.h"

/* Requests from pages of other origins: CORS (Fetch, 3.2), and whether their cookies count. */

/* The origins of CatalogAllowOrigin. */
typedef struct cat_origins_t {
    int any; /* flag: "*", pages of all origins, without cookies */
    int count;
    const char *const *list; /* as browsers send them */
} cat_origins_t;

/* NULL: text is an origin as browsers send it, such as https://shop.example.com:8443. Otherwise what is wrong with it, to
 * follow the text in a sentence. */
const char *cat_cors_check_origin(const char *text);

/* Flag: pages of any other origin may read responses. */
int cat_cors_is_on(const cat_origins_t *origins);

/* Flag: a page of the origin may read responses. origin: the header; NULL: none was sent. */
int cat_cors_allows(const cat_origins_t *origins, const char *origin);

/* Adds the headers that let a page of the origin read a response, and tell caches on what they depend. */
void cat_cors_describe(const cat_origins_t *origins, const char *origin, apr_table_t *headers);

/* Adds what the answer to a preflight of an allowed origin has besides. methods: those of the route, separated by ", ". headers: that
 * pages may send besides those of the API, each after ", ". */
void cat_cors_describe_preflight(apr_pool_t *pool, cat_answer_t *answer, const char *methods, const char *headers);

/* What a browser says about the page that sent a request; each NULL: nothing. */
typedef struct cat_sender_t {
    const char *site;   /* Sec-Fetch-Site */
    const char *origin; /* Origin */
    const char *host;   /* Host: what the browser takes the server's name to be */
} cat_sender_t;

/*
 * Flag: a page of another origin sent the request, so its cookies say nothing about what the user wants. The origins of the
 * list, and those of base_url (NULL: none), are none of these others. Sec-Fetch-Site decides if it was sent: a proxy may have
 * changed Host. Requests of programs other than browsers have none of the headers.
 */
int cat_cors_is_foreign(const cat_origins_t *origins, const cat_sender_t *sender, const char *base_url);

#endif
