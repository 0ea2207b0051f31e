/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_LISTING_H
#define CAT_API_LISTING_H

#include "http/route.h"

/* GET /products, by page or by cursor. */
cat_handler_t cat_listing_get;
extern const cat_description_t cat_listing_about;

#endif
