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

/* Two products with the same value in a field that is to become unique. */
typedef struct cat_equal_values_t {
    const char *field, *value; /* the value as JSON has it */
    const char *ids[2];        /* the product that is to get another value, and the product that keeps it */
} cat_equal_values_t;

/* Adds the equal values (cat_equal_values_t) that keep the job from completing fields to `found`; they are on the pool of db. Products that the job
 * has not reached yet are not compared. */
apr_status_t cat_key_filler_find_equal(cat_db_t *db, apr_array_header_t *found);

/* Counts the products that readers see. Sets *visible to their number if `count` is CAT_COUNT_EXACT, and to 0 or 1 if it is CAT_COUNT_NONE; to -1
 * if keys are still being filled in, if the count takes too long, or if CatalogVisible is not set. readers: the configuration for readers. */
apr_status_t cat_key_filler_count_visible(cat_db_t *db, const cat_conf_t *readers, cat_count_t count,
                                          apr_int64_t *visible);

/* The background job that gives products the keys of fields that were added after them. It also adds the mount's fields to the
 * database, so that a contradiction is in the log soon after the start. */
cat_job_run_t cat_key_filler_run;

#endif
