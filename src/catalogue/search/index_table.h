/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_INDEX_TABLE_H
#define CAT_CATALOGUE_INDEX_TABLE_H

#include <apr_pools.h>

#include "db/db.h"

/* The database's indexes of products that serve parts of CatalogIndex (catalogue/product/product_keys.h). The words of the part
 * search are in a table of their own, product_words, which has no other index than its primary key. */

#define CAT_INDEX_COLUMNS_MAX 3

/* A row of the index table. */
typedef struct cat_index_t {
    const char *name;
    int parts;                                  /* a set of CAT_INDEX_*: the index is of use if all of them are kept */
    const char *columns[CAT_INDEX_COLUMNS_MAX]; /* in order, up to the first NULL */
    const char *not_null; /* where the database can leave rows out, the index has those with a value here */
    int is_own_text;      /* flag: the first column is a text as clients sent it, which the index compares by octets */
} cat_index_t;

#define CAT_INDEX_COUNT 6
extern const cat_index_t cat_index_table[CAT_INDEX_COUNT];

/* Those of the parts that have indexes in the table. */
int cat_index_table_parts(void);

/* Does the index serve a mount that keeps these parts? */
int cat_index_table_is_wanted(const cat_index_t *index, int kept);

/* The columns as the database's CREATE INDEX has them, "price_key, n, category". */
const char *cat_index_table_columns(apr_pool_t *pool, const cat_dialect_t *dialect, const cat_index_t *index);

/* The statements that create and drop the index while servers work, for db/schema/definition.h. */
const char *cat_index_table_create(apr_pool_t *pool, const cat_dialect_t *dialect, const cat_index_t *index);
const char *cat_index_table_drop(apr_pool_t *pool, const cat_dialect_t *dialect, const cat_index_t *index);

#endif
