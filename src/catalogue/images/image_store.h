/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_IMAGE_STORE_H
#define CAT_CATALOGUE_IMAGE_STORE_H

#include "catalogue/images/image_maker.h"
#include "catalogue/product/products.h"

/* Pictures in the database. */

/* A picture that is to be a product's. */
typedef struct cat_image_addition_t {
    const char *product; /* its id */
    const char *id;      /* of the picture */
    const char *alt;
    int place; /* 1: the first; 0: behind all others */
    const cat_image_made_t *made;
    const cat_products_condition_t *condition; /* on the product; NULL: none */
} cat_image_addition_t;

/*
 * May a picture be added to the product: is it there, has it fewer pictures than it may have, and is there room in CatalogImageQuota? Asked
 * before the picture is decoded; cat_image_store_add looks at the first two again. APR_NOTFOUND; CAT_EIMAGES; CAT_ENOROOM.
 */
#define CAT_ENOROOM (APR_OS_START_USERERR + 27)
apr_status_t cat_image_store_check(cat_db_t *db, const char *product);

/* Stores the picture and names it in the product, in one transaction. Failures: those of cat_products_update_one. */
apr_status_t cat_image_store_add(cat_db_t *db, const cat_image_addition_t *wanted);

/* Takes a picture from a product, and deletes it. CAT_ENOIMAGE: it has none of this id. */
apr_status_t cat_image_store_remove(cat_db_t *db, const char *product, const char *id,
                                    const cat_products_condition_t *condition);

/* The octets of a size, ID-WIDTH, on the pool of db. APR_NOTFOUND: there is none. */
apr_status_t cat_image_store_read(cat_db_t *db, const char *size, const char **data, apr_size_t *length);

#endif
