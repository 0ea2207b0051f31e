/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_IMAGE_STORE_H
#define CAT_CATALOGUE_IMAGE_STORE_H

#include "catalogue/images/image_maker.h"
#include "catalogue/product/products.h"

/* Pictures in the database. */

/* A picture to be added to a product. */
typedef struct cat_image_addition_t {
    const char *product; /* its id */
    const char *id;      /* of the picture */
    const char *alt;
    const char *digest; /* SHA-256 of the file that was sent, in hexadecimal */
    int place;          /* 1: the first; 0: behind all others */
    const cat_image_made_t *made;
    const cat_products_condition_t *condition; /* on the product; NULL: none */
} cat_image_addition_t;

/*
 * May a picture be added to the product: is it there, has it fewer pictures than it may have, and is there room in CatalogImageQuota? Asked
 * before the picture is decoded; cat_image_store_add looks again. APR_NOTFOUND; CAT_EIMAGES; CAT_ENOROOM.
 */
#define CAT_ENOROOM (APR_OS_START_USERERR + 27)
apr_status_t cat_image_store_check(cat_db_t *db, const char *product);

/* Stores the picture and names it in the product, in one transaction; or in the caller's. Failures: those of cat_products_update_one, and of
 * the former CAT_ENOROOM. */
apr_status_t cat_image_store_add(cat_db_t *db, const cat_image_addition_t *wanted);
apr_status_t cat_image_store_add_within(cat_db_t *db, const cat_image_addition_t *wanted);

/* Takes a picture from a product, and deletes it. CAT_ENOIMAGE: it has none of this id. */
apr_status_t cat_image_store_remove(cat_db_t *db, const char *product, const char *id,
                                    const cat_products_condition_t *condition);

/* The input of an update that makes one change of the pictures (catalogue/product/product_images.h), on the pool of db. */
void cat_image_store_change(cat_db_t *db, const char *change, cat_input_t *input);

/* Takes a part of a picture. Any status but APR_SUCCESS ends the reading, and is returned. */
typedef apr_status_t cat_image_take_t(void *baton, const char *data, apr_size_t length);

/* Passes on the octets of a size, ID-WIDTH, part by part. APR_NOTFOUND: there is none; then parts may have been passed on, too. */
apr_status_t cat_image_store_read(cat_db_t *db, const char *size, cat_image_take_t *take, void *baton);

#endif
