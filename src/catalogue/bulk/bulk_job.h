/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_BULK_JOB_H
#define CAT_CATALOGUE_BULK_JOB_H

#include "db/db.h"
#include "db/job.h"
#include "http/schema.h"
#include "lib/fields.h"

/*
 * Changes of more products than one transaction takes. Each is a row of the table bulk_jobs, which every server of the database sees; the
 * job makes them, a portion of the products in each transaction, whatever has become of the client.
 */

#define CAT_BULK_JOB_REQUEST_MOST 8000 /* octets of the body of such a request */

/* The fields of one, in the order of BULK_JOB_COLUMNS (db/dialects/sql.def). */
enum {
    CAT_BULK_JOB_ID,
    CAT_BULK_JOB_STATE,
    CAT_BULK_JOB_DRY_RUN,
    CAT_BULK_JOB_MATCHED,
    CAT_BULK_JOB_CHANGED,
    CAT_BULK_JOB_UNCHANGED,
    CAT_BULK_JOB_FAILED,
    CAT_BULK_JOB_ERRORS,
    CAT_BULK_JOB_ERROR,
    CAT_BULK_JOB_USER,
    CAT_BULK_JOB_CREATED_AT,
    CAT_BULK_JOB_ENDED_AT,
    CAT_BULK_JOB_BATCH,
    CAT_BULK_JOB_FIELDS
};

extern const cat_field_t cat_bulk_job_fields[CAT_BULK_JOB_FIELDS];
extern const cat_shape_t cat_bulk_job_shape;

/* The record of a new one, on the pool. NULL: the system provides no random bytes. */
const char *const *cat_bulk_job_make(apr_pool_t *pool, int is_dry, const char *user, apr_time_t now);

/* Stores it. request: the body, as it was sent. */
apr_status_t cat_bulk_job_insert(cat_db_t *db, const char *const *job, const char *request);

/* The same in a transaction that the caller has begun. */
apr_status_t cat_bulk_job_insert_within(cat_db_t *db, const char *const *job, const char *request);

/* *job: on the pool of db. APR_NOTFOUND: there is none of this id. */
apr_status_t cat_bulk_job_get(cat_db_t *db, const char *id, const char *const **job);

/* The same; if it was running, it is stopped: what it has changed stays changed. */
apr_status_t cat_bulk_job_stop(cat_db_t *db, const char *id, apr_time_t now, const char *const **job);

/* The background job. */
cat_job_run_t cat_bulk_job_run;

#endif
