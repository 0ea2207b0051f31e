/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_OPENAPI_ANSWERS_H
#define CAT_API_OPENAPI_ANSWERS_H

#include "http/route.h"

/* The part of a description about answers: api/openapi.c has the rest. References returned are the caller's. */

/* The responses of a route, by status. Their schemas, headers and examples are added to those of d. */
json_t *cat_openapi_answers_describe(cat_describer_t *d, const cat_route_t *route);

/* Does the route judge If-Match and If-None-Match? */
int cat_openapi_answers_is_conditional(const cat_route_t *route);

/* Is the route counted for its client, under these settings? */
int cat_openapi_answers_is_limited(const cat_conf_t *conf, const cat_route_t *route);

#endif
