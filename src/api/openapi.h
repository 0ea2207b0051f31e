/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_OPENAPI_H
#define CAT_API_OPENAPI_H

#include "http/request.h"
#include "http/route.h"

/* The description of a mount (OpenAPI 3.1). Made once, then read by all threads. */
struct cat_openapi_t {
    const char *text;
    apr_size_t length;
    apr_uint64_t hash; /* cat_etag_hash of the text */
};

/*
 * Describes the routes under these settings: everything follows from the rows, from what is defined beside the handlers, and from
 * the tables of fields, parameters and problems. rows: the route table. On the pool. NULL: no memory.
 */
const cat_openapi_t *cat_openapi_make(apr_pool_t *pool, const cat_route_t *rows, const cat_conf_t *conf);

/* GET /openapi.json */
cat_handler_t cat_openapi_get;
extern const cat_description_t cat_openapi_about;

#endif
