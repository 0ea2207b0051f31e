/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_LISTING_H
#define CAT_API_LISTING_H

#include "http/route.h"

/* Handles GET /products. */
cat_handler_t cat_listing_get;
extern const cat_description_t cat_listing_about;

/* Adds the schema of the facets, which depends on the mount's fields. Call it before the route is described. */
void cat_listing_describe(cat_describer_t *d);

#endif
