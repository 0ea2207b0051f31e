/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCT_BATCH_H
#define CAT_API_PRODUCT_BATCH_H

#include "http/route.h"

/* Handles POST /products/batch. */
cat_handler_t cat_product_batch_run;

extern const cat_description_t cat_product_batch_about;

#endif
