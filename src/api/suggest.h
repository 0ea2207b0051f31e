/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_SUGGEST_H
#define CAT_API_SUGGEST_H

#include "http/route.h"

/* Handles GET /products/suggest. */
cat_handler_t cat_suggest_get;
extern const cat_description_t cat_suggest_about;

#endif
