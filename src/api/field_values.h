/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_FIELD_VALUES_H
#define CAT_API_FIELD_VALUES_H

#include "http/route.h"
#include "lib/fields.h"

/* Handle GET /fields/:name/values and GET /categories. */
cat_handler_t cat_field_values_get, cat_field_values_categories;
extern const cat_description_t cat_field_values_about, cat_field_values_about_categories;

/* Writes a counted value of the field as JSON. For a field of kind CAT_LIST, the value is one text of the list. */
void cat_field_values_write(cat_buffer_t *b, const cat_field_t *field, const char *value);

#endif
