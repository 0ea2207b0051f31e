/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CHANGE_NUMBERS_H
#define CAT_CATALOGUE_CHANGE_NUMBERS_H

#include "db/db.h"
#include "db/job.h"

/* Gives numbers to the changes that have been committed, where the database has several writers; there is nothing to do elsewhere. The job
 * does it for all; a request that shows changes that were just made does it for the first thousand, so that it does not wait for an import. */
apr_status_t cat_change_numbers_assign(cat_db_t *db);

/* Skips numbers of changes, in a transaction that adds products of another database without recording changes. end: the number of the last change
 * there. The next change gets a higher number than any change of either database, so programs that follow the changes of either must begin again. */
apr_status_t cat_change_numbers_skip(cat_db_t *db, apr_int64_t end);

/* The background jobs: the one gives numbers to changes that were committed (cat_change_numbers_assign), the other deletes those that are
 * older than CatalogHistory. */
cat_job_run_t cat_change_numbers_run;
cat_job_run_t cat_change_numbers_purge;

#endif
