/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_IMAGES_H
#define CAT_API_IMAGES_H

#include "http/description.h"
#include "http/route.h"

/* The pictures of products, where CatalogImages is On; elsewhere their routes are unknown. */

cat_handler_t cat_images_create; /* POST /products/:id/images; counts for an Idempotency-Key */
cat_handler_t cat_images_remove; /* DELETE /products/:id/images/:image */
cat_handler_t cat_images_get;    /* GET /images/:name */

extern const cat_description_t cat_images_about_create, cat_images_about_remove, cat_images_about_get;

#endif
