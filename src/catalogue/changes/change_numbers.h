/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CHANGE_NUMBERS_H
#define CAT_CATALOGUE_CHANGE_NUMBERS_H

#include "db/db.h"
#include "db/job.h"

/* Gives numbers to the changes that have been committed, where the database has several writers; there is nothing to do elsewhere. The job
 * does it for all; a request that shows changes that were just made does it for the first thousand, so that it does not wait for an import. */
apr_status_t cat_change_numbers_assign(cat_db_t *db);

/*
 * Work in a transaction that adds products of another database, whose changes had numbers up to `end` there, but does not note them as
 * changes. The next change gets a higher number than any here or there, and whoever follows the changes of either database begins again.
 */
apr_status_t cat_change_numbers_skip(cat_db_t *db, apr_int64_t end);

/* The background jobs: the one gives numbers to changes that were committed (cat_change_numbers_assign), the other deletes those that are
 * older than CatalogHistory. */
cat_job_run_t cat_change_numbers_run;
cat_job_run_t cat_change_numbers_purge;

#endif
