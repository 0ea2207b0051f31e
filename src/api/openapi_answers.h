/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_OPENAPI_ANSWERS_H
#define CAT_API_OPENAPI_ANSWERS_H

#include "http/route.h"

/* Describes the responses of a route in /openapi.json. api/openapi.c describes everything else. */

/* Returns the responses of the route by status; the caller owns the reference. Adds their schemas, headers, examples
 * and shared responses to `d`. */
json_t *cat_openapi_answers_describe(cat_describer_t *d, const cat_route_t *route);

/* Returns true if the route evaluates If-Match and If-None-Match. */
int cat_openapi_answers_is_conditional(const cat_route_t *route);

/* Returns true if the settings limit the rate of the route's requests. */
int cat_openapi_answers_is_limited(const cat_conf_t *conf, const cat_route_t *route);

#endif
