/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_ROUTES_H
#define CAT_HTTPD_ROUTES_H

#include "http/request.h"
#include "http/route.h"

/* THE ROUTE TABLE. Ends with a row whose method is NULL. */
extern const cat_route_t cat_routes[];

/* Builds the OpenAPI description of a mount with these settings, on the pool. Returns NULL if there is no memory. */
const cat_openapi_t *cat_routes_describe(apr_pool_t *pool, const cat_conf_t *conf);

#endif
