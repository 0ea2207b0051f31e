/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_KEY_FILLER_H
#define CAT_CATALOGUE_KEY_FILLER_H

#include "catalogue/product/own_keys.h"
#include "catalogue/query/query.h"
#include "catalogue/search/indexes.h"
#include "db/job.h"

/* Of the keys of the fields that are not complete, the share of the products that have them: 0 to 99; 100: all fields are complete. */
apr_status_t cat_key_filler_percent(cat_db_t *db, int *percent);

/* Can what a list reads be read: query->parts of the index, and the keys of query->keyed? As cat_indexes_check; not within a transaction. */
apr_status_t cat_key_filler_check(cat_db_t *db, const cat_list_query_t *query, cat_indexes_state_t *state);

/* The background job that gives products the keys of fields that were added after them. It also adds the mount's fields to the
 * database, so that a contradiction is in the log soon after the start. */
cat_job_run_t cat_key_filler_run;

#endif
