/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_TRANSFER_H
#define CAT_API_TRANSFER_H

#include "http/route.h"

/* Handle GET /products/export and POST /products/import. */
cat_handler_t cat_transfer_export, cat_transfer_import;
extern const cat_description_t cat_transfer_about_export, cat_transfer_about_import;

#endif
