/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_ROUTES_H
#define CAT_HTTPD_ROUTES_H

#include "http/route.h"

/* THE ROUTE TABLE; ends with a row whose method is NULL. */
extern const cat_route_t cat_routes[];

#endif
