/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_COUNTS_H
#define CAT_CATALOGUE_COUNTS_H

#include "db/db.h"
#include "db/job.h"

/*
 * How many products each part of the list has is kept in the database (conf/schema/.../003_counts.sql), exact after every write: on
 * SQLite and PostgreSQL by triggers, on MySQL by the rows in product_deltas that cat_counts_note_inserts and _delete insert. The
 * maintenance splits and merges parts, so that each is quick to read, and applies the rows of product_deltas to the counts.
 */

/* For catalogue/products.c: does an insert or a delete need a transaction with its note? 0 within one. */
int cat_counts_needs_transaction(const cat_db_t *db);

/* For catalogue/products.c, after it inserted these products, in the same transaction where one is needed. */
apr_status_t cat_counts_note_inserts(cat_db_t *db, const char *const *const *products, int count);

/* For catalogue/products.c, before it deletes the product, in the same transaction where one is needed, which must not be committed
 * if nothing is deleted. */
apr_status_t cat_counts_note_delete(cat_db_t *db, const char *id);

/* Does some of the maintenance, in one transaction. *changed: 0: there is nothing left to do. */
apr_status_t cat_counts_maintain(apr_pool_t *pool, cat_db_t *db, int *changed);

/* The job that does so while the server runs. */
cat_job_run_t cat_counts_run;

/* *wrong: how many parts have another count than products. Triggers that were switched off may cause that. */
apr_status_t cat_counts_check(apr_pool_t *pool, cat_db_t *db, int *wrong);

/* Counts all products anew, into one part, which cat_counts_maintain then splits. Within a transaction of the caller's. */
apr_status_t cat_counts_rebuild(cat_db_t *db);

#endif
