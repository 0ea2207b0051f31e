/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_IMAGES_H
#define CAT_API_IMAGES_H

#include "http/description.h"
#include "http/route.h"

/* Pictures of products. The routes return 404 unless CatalogImages is On. */

cat_handler_t cat_images_create; /* Handles POST /products/:id/images, with or without an Idempotency-Key. */
cat_handler_t cat_images_remove; /* Handles DELETE /products/:id/images/:image. */
cat_handler_t cat_images_get;    /* Handles GET /images/:name. */

extern const cat_description_t cat_images_about_create, cat_images_about_remove, cat_images_about_get;

#endif
