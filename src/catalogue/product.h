/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCT_H
#define CAT_CATALOGUE_PRODUCT_H

#include "lib/fields.h"

/* The field table of a product, for all resources that take or show one: part 1 of the contract and the rules of part 2. In the
 * column order of SQL_PRODUCT_GET, SQL_PRODUCT_LIST and their like. */
enum {
    CAT_PRODUCT_ID,
    CAT_PRODUCT_NAME,
    CAT_PRODUCT_PRICE,
    CAT_PRODUCT_CATEGORY,
    CAT_PRODUCT_IN_STOCK,
    CAT_PRODUCT_RATING,
    CAT_PRODUCT_CREATED_AT,
    CAT_PRODUCT_FIELDS
};

#define CAT_PRODUCT_SIZE 320 /* octets: a guess of one product's JSON */

extern const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS];

#endif
