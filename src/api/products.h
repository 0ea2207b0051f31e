/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCTS_H
#define CAT_API_PRODUCTS_H

#include "http/route.h"

/* /products/:id, and what makes one; the list is in listing.c. */
cat_handler_t cat_products_get, cat_products_create, cat_products_update, cat_products_remove;

#endif
