/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCT_NAME_H
#define CAT_CATALOGUE_PRODUCT_NAME_H

#include "catalogue/product/products.h"

/* What people call a product by instead of its id: the value of a unique field, "sku=KT-1". */
typedef struct cat_product_name_t {
    const char *text;  /* as it was sent */
    int field;         /* of the mount's */
    const char *value; /* as a record has it */
} cat_product_name_t;

/* The unique field of this name, which need not end with NUL; fields->count: there is none. */
int cat_product_name_find_field(const cat_fields_t *fields, const char *name, apr_size_t length);

/* 0: the text is no name: it has no "=", not the name of a unique field before that, or a value behind it that the field never has. */
int cat_product_name_read(apr_pool_t *pool, const cat_fields_t *fields, const char *text, cat_product_name_t *name);

/* Has the record the value that the name says? */
int cat_product_name_fits(const cat_product_name_t *name, const char *const *product);

/* The value as JSON, on the pool. */
json_t *cat_product_name_json(apr_pool_t *pool, const cat_fields_t *fields, const cat_product_name_t *name);

/* *id: the product that has the name now, on the pool of db. APR_NOTFOUND, CAT_EFILLING. */
apr_status_t cat_product_name_find(cat_db_t *db, const cat_product_name_t *name, const char **id);

/* As cat_products_get_one, for products that every client may see: form->find is NULL. */
apr_status_t cat_product_name_get(cat_db_t *db, const cat_product_name_t *name, apr_time_t now,
                                  const cat_products_form_t *form, cat_item_t *item);

/* Has a product whose body cat_products_form_t wrote the name? */
int cat_product_name_is_in(const cat_db_t *db, const cat_product_name_t *name, const char *body);

/* *number: of the registry, for statements that look for values of the mount's field. CAT_EFILLING. */
apr_status_t cat_product_name_number(cat_db_t *db, int field, const char **number);

/* Can products have names: is one of the fields unique? */
int cat_product_name_can_be(const cat_fields_t *fields);

#endif
