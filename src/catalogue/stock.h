/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_STOCK_H
#define CAT_CATALOGUE_STOCK_H

#include "catalogue/query_conditions.h"
#include "db/db.h"
#include "db/job.h"

/*
 * How many products are in stock, of all and of the indexed ones of each category (conf/schema/.../008_stock.sql). What
 * keeps the other counts (catalogue/counts.h) changes these with every write, as soon as the schema has them. The
 * products that were there before are counted once, while servers write; until then nobody can use the counts. A
 * version that does not count products in stock, on the same database, makes it necessary again.
 */

typedef struct cat_stock_t {
    apr_int64_t products; /* how many there are */
    apr_int64_t in_stock; /* how many of them are in stock */
} cat_stock_t;

/* Of a category the indexed products; NULL: all products. Exact. APR_NOTFOUND: they are not counted yet. */
apr_status_t cat_stock_get(cat_db_t *db, const char *category, cat_stock_t *stock);

/* The same of several categories: each[count]. APR_NOTFOUND: products in stock are not counted yet, but the others are. */
apr_status_t cat_stock_get_each(cat_db_t *db, const cat_query_value_t *categories, int count, cat_stock_t *each);

/* Counts the products that were there before, unless that has been done: reads all of them at one state of the
 * database, without a lock, then adds in a short transaction what the counts lack. Changes nothing if the job must stop,
 * or if the counts lack more meanwhile. job: NULL: the caller is none. Memory: by the number of categories. */
apr_status_t cat_stock_count_all(apr_pool_t *pool, cat_db_t *db, const cat_job_t *job);

/* The same for the job of catalogue/counts.h, at most once a minute: while servers of an older version write, it would
 * have to begin again and again. */
apr_status_t cat_stock_run(apr_pool_t *pool, const cat_job_t *job);

/* In a view of one state of the database: how many of the counts differ from the products; 0 if nobody can use them. */
apr_status_t cat_stock_check(apr_pool_t *pool, cat_db_t *db, int *wrong);

#endif
