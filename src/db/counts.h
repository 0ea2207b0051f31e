/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_COUNTS_H
#define CAT_DB_COUNTS_H

#include "db/db.h"

/*
 * The products of each part of the list are counted in the database (conf/schema/.../003_counts.sql), exactly after every write. On
 * SQLite and PostgreSQL triggers see whoever writes; on MySQL, who inserts and deletes through these functions. What is done here
 * besides keeps the parts at a size that is quick to look through, and on databases with several writers at a time it adds up what
 * they left in product_deltas.
 */

/* Inserts a product, whose values are in the order of lib/product.h; as cat_db_insert. */
apr_status_t cat_counts_insert(cat_db_t *db, const char *const *product);

/* After the caller inserted so many of them by himself, and in the same transaction. */
apr_status_t cat_counts_note(cat_db_t *db, const char *const *const *products, int count);

/* Deletes it. APR_NOTFOUND: there is none; a transaction that the caller has opened must not be committed then. */
apr_status_t cat_counts_delete(cat_db_t *db, const char *id);

/* Does some of that, in one transaction. *changed: 0: there is nothing left to do. */
apr_status_t cat_counts_tend(apr_pool_t *pool, cat_db_t *db, int *changed);

/* The job that does so while the server runs. */
cat_job_run_t cat_counts_run;

/* *wrong: how many parts' counts are not those of the products. Triggers that were switched off may do that. */
apr_status_t cat_counts_check(apr_pool_t *pool, cat_db_t *db, int *wrong);

/* Counts anew, in one part, which cat_counts_tend then cuts up. Within a transaction of the caller's. */
apr_status_t cat_counts_make(cat_db_t *db);

#endif
