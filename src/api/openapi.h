/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_OPENAPI_H
#define CAT_API_OPENAPI_H

#include "http/request.h"
#include "http/route.h"

/* The description of a mount (OpenAPI 3.1). It never changes, so all threads may read it. */
struct cat_openapi_t {
    const char *text;
    apr_size_t length;
    apr_uint64_t hash; /* The text's cat_etag_hash. */
};

/*
 * Describes the routes `rows` (httpd/routes.c) under the settings `conf`. The description is made from the rows, from
 * their cat_description_t, and from the tables of fields, parameters and problems. The result is on the pool. Returns
 * NULL if memory runs out.
 */
const cat_openapi_t *cat_openapi_make(apr_pool_t *pool, const cat_route_t *rows, const cat_conf_t *conf);

/* Handles GET /openapi.json. */
cat_handler_t cat_openapi_get;
extern const cat_description_t cat_openapi_about;

#endif
