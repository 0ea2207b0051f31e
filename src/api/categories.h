/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_CATEGORIES_H
#define CAT_API_CATEGORIES_H

#include "http/route.h"

/* GET /categories */
cat_handler_t cat_categories_get;
extern const cat_description_t cat_categories_about;

#endif
