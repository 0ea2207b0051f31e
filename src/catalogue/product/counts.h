/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_COUNTS_H
#define CAT_CATALOGUE_COUNTS_H

#include "db/db.h"
#include "db/job.h"

/*
 * The database has the number of all products (product_counts in conf/schema), and of indexed products in each category
 * (category_counts), each also for those in stock (catalogue/search/stock.h), exact after every write. Triggers keep the counts on SQLite and
 * PostgreSQL; on MySQL, cat_counts_note inserts delta rows. The maintenance applies the delta rows to the counts, and folds the names of
 * categories, which are listed in the order of their folded names. The counts of catalogue/product/value_counts.h are maintained, checked and
 * counted again together with these.
 */

/* 1: catalogue/product/products.c must begin a transaction, for an insert or delete together with its delta row. 0: it has one,
 * or needs none. */
int cat_counts_needs_transaction(const cat_db_t *db);

/* 1: no triggers count, or whether they do is not known yet. */
int cat_counts_by_hand(const cat_db_t *db);

/* What a write changes in the counts; the texts as stored. */
typedef struct cat_counts_delta_t {
    const char *delta;          /* how many products: "1", "-1" or "0" */
    const char *category;       /* of an indexed product; NULL: it is in no category's count */
    const char *category_delta; /* how many indexed products of the category */
    const char *in_stock;       /* how many products in stock, of the category too: "1", "-1" or "0" */
} cat_counts_delta_t;

/* Where no triggers do, inserts delta rows for what the transaction changes, which the caller has begun. */
apr_status_t cat_counts_note(cat_db_t *db, const cat_counts_delta_t *deltas, int count);

/* *n: how many indexed products the category has; exact. */
apr_status_t cat_counts_category(cat_db_t *db, const char *category, apr_int64_t *n);

/* Does a share of the maintenance, in one transaction. *changed: how much; 0: nothing is left to do. */
apr_status_t cat_counts_maintain(cat_db_t *db, int *changed);

/* The background job that does all of it. */
cat_job_run_t cat_counts_run;

/* Sets *wrong to the number of counts that differ from the products. Triggers that were switched off cause that. */
apr_status_t cat_counts_check(cat_db_t *db, int *wrong);

/* Counts all products again. The caller has begun a transaction. */
apr_status_t cat_counts_rebuild(cat_db_t *db);

#endif
