/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_LISTING_H
#define CAT_API_LISTING_H

#include "http/route.h"

/* GET /products, by page or by cursor. */
cat_handler_t cat_listing_get;
extern const cat_description_t cat_listing_about;

/* Adds the schema of facets of the mount's fields, before the route is described. */
void cat_listing_describe(cat_describer_t *d);

#endif
