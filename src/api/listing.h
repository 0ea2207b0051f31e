/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_LISTING_H
#define CAT_API_LISTING_H

#include "http/route.h"

/* /products: page by page, or from a cursor on. */
cat_handler_t cat_listing_get;

#endif
