/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCT_H
#define CAT_CATALOGUE_PRODUCT_H

#include "db/dialects/product.def"
#include "lib/fields.h"

/* CAT_PRODUCT_ID and the other fields of a product, in the order of a record and of the rows of statements that select
 * products; and their number. */
#define CAT_PRODUCT_INDEX(name, ...) CAT_PRODUCT_##name,
enum { CAT_PRODUCT_TABLE(CAT_PRODUCT_INDEX) CAT_PRODUCT_FIELDS };

#define CAT_PRODUCT_SIZE 320 /* octets: a guess of one product's JSON */

/* What the API accepts and returns of each built-in field. */
extern const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS];

/* All fields of a mount's products: the built-in ones, then those of the shop's own. */
const cat_fields_t *cat_product_fields_of(const cat_conf_t *conf);

#endif
