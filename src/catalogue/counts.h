/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_COUNTS_H
#define CAT_CATALOGUE_COUNTS_H

#include "db/db.h"
#include "db/job.h"

/*
 * The database has the number of products in each part of the list (conf/schema/.../003_counts.sql), exact after every
 * write. Triggers keep it on SQLite and PostgreSQL; on MySQL, cat_counts_note_inserts and _delete insert delta rows.
 * The maintenance splits and merges parts, so that each is quick to read, and applies the delta rows to the counts.
 */

/* 1: catalogue/products.c must begin a transaction, for an insert or delete together with its delta row. 0: it has one,
 * or needs none. */
int cat_counts_needs_transaction(const cat_db_t *db);

/* Inserts the delta rows of products that were inserted, in the same transaction if one is needed. */
apr_status_t cat_counts_note_inserts(cat_db_t *db, const char *const *const *products, int count);

/* Inserts the delta row of a product that is to be deleted, in the same transaction if one is needed. Roll back if the
 * product turns out not to exist. */
apr_status_t cat_counts_note_delete(cat_db_t *db, const char *id);

/* Does a share of the maintenance, in one transaction. *changed: how much; 0: nothing is left to do. */
apr_status_t cat_counts_maintain(apr_pool_t *pool, cat_db_t *db, int *changed);

/* The background job that does all of it. */
cat_job_run_t cat_counts_run;

/* *wrong: how many counts differ from the products, and parts that are missing. Triggers that were switched off cause
 * that. */
apr_status_t cat_counts_check(apr_pool_t *pool, cat_db_t *db, int *wrong);

/* Counts all products again, as one part, which cat_counts_maintain then splits. The caller has begun a transaction. */
apr_status_t cat_counts_rebuild(cat_db_t *db);

#endif
