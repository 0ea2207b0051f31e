/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_STOCK_H
#define CAT_CATALOGUE_STOCK_H

#include "catalogue/query/query_conditions.h"
#include "db/db.h"

/*
 * How many products are in stock, of all and of the indexed ones of each category (product_counts and category_counts
 * in conf/schema). What keeps the other counts (catalogue/product/counts.h) changes these with every write.
 */

typedef struct cat_stock_t {
    apr_int64_t products; /* how many there are */
    apr_int64_t in_stock; /* how many of them are in stock */
} cat_stock_t;

/* Of a category the indexed products; NULL: all products. Exact. */
apr_status_t cat_stock_get(cat_db_t *db, const char *category, cat_stock_t *stock);

/* The same of several categories: each[count]. */
apr_status_t cat_stock_get_each(cat_db_t *db, const cat_query_value_t *categories, int count, cat_stock_t *each);

#endif
