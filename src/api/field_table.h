/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_FIELD_TABLE_H
#define CAT_API_FIELD_TABLE_H

#include "http/route.h"

/* Handles GET /fields: lists the fields that a product can have, for programs that generate forms and tables. */
cat_handler_t cat_field_table_get;
extern const cat_description_t cat_field_table_about;

#endif
