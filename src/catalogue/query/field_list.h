/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FIELD_LIST_H
#define CAT_CATALOGUE_FIELD_LIST_H

#include "catalogue/product/product.h"
#include "http/parameters.h"

/* A set of fields of a product, and how a parameter names them: "name,price". */
#define CAT_FIELD_LIST_OF(field) (1U << (field)) /* CAT_PRODUCT_x */
#define CAT_FIELD_LIST_ALL (CAT_FIELD_LIST_OF(CAT_PRODUCT_FIELDS) - 1)

/* The field with the name, of so many octets; CAT_PRODUCT_FIELDS: there is none. */
int cat_field_list_find(const char *name, apr_size_t length);

/* The fields that a list names, whose first parameter has been read; each must be in the set `allowed`. After a fault,
 * which is added to p, it is `allowed`. Never empty. */
unsigned cat_field_list_parse(cat_parameters_t *p, const char *name, const cat_parameter_t *parameter,
                              unsigned allowed);

/* The schema of such a parameter: an array. */
json_t *cat_field_list_describe(unsigned allowed);

/* Writes them in the product's own order. */
void cat_field_list_write(cat_buffer_t *b, unsigned fields);

/* Copies the values of these fields from a record (catalogue/product/product.h); the others are NULL, as if not set. */
void cat_field_list_select(unsigned fields, const char *const *product, const char *selected[CAT_PRODUCT_FIELDS]);

#endif
