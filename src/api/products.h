/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PRODUCTS_H
#define CAT_API_PRODUCTS_H

#include <apr_time.h>
#include <jansson.h>

#include "catalogue/store.h"
#include "http/route.h"
#include "lib/fields.h"

/* POST /products, and GET, PUT, PATCH and DELETE /products/:id. */
cat_handler_t cat_products_get, cat_products_create, cat_products_update, cat_products_patch, cat_products_remove;

extern const cat_description_t cat_products_about_get, cat_products_about_create, cat_products_about_update,
    cat_products_about_patch, cat_products_about_remove;

/* A product, and one or more of its fields. */
extern const cat_shape_t cat_products_shape;

/* The schemas of the body that creates a product, and of one that changes it; of cat_description_t.input. */
#define CAT_PRODUCTS_NEW "NewProduct"
#define CAT_PRODUCTS_CHANGE "ProductChange"

/* cat_fields_check for a product. An update of no field is an error. */
void cat_products_check(cat_request_t *q, cat_purpose_t purpose, const json_t *body, cat_input_t *input);

/* The product that a checked body creates at the time, and which of its fields are made. On the pool of q. */
const char **cat_products_make(cat_request_t *q, const cat_input_t *input, apr_time_t now, cat_own_slugs_t *slugs);

/* The tag of the answer to GET for a stored product. On the pool. */
const char *cat_products_tag(apr_pool_t *pool, const cat_fields_t *fields, const char *const *product);

#endif
