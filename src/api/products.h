/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCTS_H
#define CAT_API_PRODUCTS_H

#include "http/route.h"

/* POST /products, and GET, PUT, PATCH and DELETE /products/:id. */
cat_handler_t cat_products_get, cat_products_create, cat_products_update, cat_products_patch, cat_products_remove;

#endif
