/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PRODUCT_H
#define CAT_CATALOGUE_PRODUCT_H

#include <apr_time.h>

#include "db/dialects/product.def"
#include "lib/conf.h"
#include "lib/fields.h"
#include "lib/id.h"
#include "lib/json.h"

/*
 * A product is a record, an array of texts (lib/fields.h) with one for each of the mount's fields: first the built-in ones,
 * then those of the shop's own, CatalogField.
 *
 * In the database it is a row: the built-in fields have a column each, all others are members of one JSON object in the column
 * extra. Statements that select products have these columns in this order.
 */

/* CAT_PRODUCT_ID and the other built-in fields, in the order of records and rows; their number; and the column that rows have
 * behind them. */
#define CAT_PRODUCT_INDEX(name, ...) CAT_PRODUCT_##name,
enum { CAT_PRODUCT_TABLE(CAT_PRODUCT_INDEX) CAT_PRODUCT_FIELDS };
#define CAT_PRODUCT_EXTRA CAT_PRODUCT_FIELDS
#define CAT_PRODUCT_COLUMNS (CAT_PRODUCT_FIELDS + 1)

#define CAT_FIELDS_MAX (CAT_PRODUCT_FIELDS + 64 + 1) /* of a mount's products, with images */

#define CAT_PRODUCT_IMAGES_NAME "images" /* the field of pictures (catalogue/product/product_images.h) */

#define CAT_PRODUCT_SIZE 320 /* octets: a guess of one product's JSON */

/* What the API accepts and returns of each built-in field. */
extern const cat_field_t cat_product_fields[CAT_PRODUCT_FIELDS];

/* The same as a table; and all fields of a mount's products. */
extern const cat_fields_t cat_product_built_in;
const cat_fields_t *cat_product_fields_of(const cat_conf_t *conf);

/* The record of a row, on the pool or in the row; values of fields that the mount does not have are left out. */
const char *const *cat_product_read(apr_pool_t *pool, const cat_fields_t *fields, const char *const *row);

/* A record's text of a member of the column extra, or of one written like it, on the pool; NULL: it is not of the field's kind. */
const char *cat_product_read_member(apr_pool_t *pool, const cat_field_t *field, const cat_json_member_t *m);

/* The number and the id of a product, as statements take them. */
#define CAT_PRODUCT_IS(pool, id) CAT_VALUES(cat_id_number_text(pool, id), id)

/* A copy of a row of `count` values, of which those behind CAT_PRODUCT_COLUMNS are the statement's own, on the pool. */
const char *const *cat_product_copy(apr_pool_t *pool, const char *const *row, int count);

#define CAT_PRODUCT_EXTRA_MAX 40000 /* octets of the column extra: a row of MariaDB has 65,535 for all columns */
#define CAT_PRODUCT_TOO_LONG                                                                                           \
    "must have at most " APR_STRINGIFY(CAT_PRODUCT_EXTRA_MAX) " octets in the shop's own fields, as JSON without "     \
                                                              "spaces"

/* Sets the fields that say when a product was changed last. */
void cat_product_stamp(apr_pool_t *pool, const cat_fields_t *fields, const char **record, apr_time_t now);

/* The members of a column extra that are none of the fields, on the pool, as an object; but pictures, if they are none, are those of the
 * column images. */
const char *cat_product_write_hidden(apr_pool_t *pool, const cat_fields_t *fields, const char *extra,
                                     const char *images);

/* The column extra of a record, on the pool; NULL: it is empty. hidden: the column before, whose members that are none of the
 * fields stay; NULL: there are none. */
const char *cat_product_write_extra(apr_pool_t *pool, const cat_fields_t *fields, const char *const *record,
                                    const char *hidden);

/* Returns the column extra with one more member, the value of a field that it lacks; on the pool. extra: NULL if it is empty. */
const char *cat_product_add_member(apr_pool_t *pool, const char *extra, const cat_field_t *field, const char *text);

#endif
