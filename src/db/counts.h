/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_COUNTS_H
#define CAT_DB_COUNTS_H

#include "db/db.h"

/*
 * The database counts the products of each part of the list (conf/schema/.../003_counts.sql). The counts are kept by triggers, so
 * they are exact after every write, whoever makes it. What is done here besides keeps the parts at a size that is quick to look
 * through, and on databases with several writers at a time it adds up what they left in product_deltas.
 */

/* Does some of that, in one transaction. *changed: 0: there is nothing left to do. */
apr_status_t cat_counts_tend(apr_pool_t *pool, cat_db_t *db, int *changed);

/* The job that does so while the server runs. */
cat_job_run_t cat_counts_run;

/* *wrong: how many parts' counts are not those of the products. Triggers that were switched off may do that. */
apr_status_t cat_counts_check(apr_pool_t *pool, cat_db_t *db, int *wrong);

/* Counts anew, in one part, which cat_counts_tend then cuts up. Within a transaction of the caller's. */
apr_status_t cat_counts_make(cat_db_t *db);

#endif
