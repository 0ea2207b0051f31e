/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_JOB_H
#define CAT_DB_JOB_H

#include <apr_pools.h>
#include <apr_time.h>
#include <stdatomic.h>

#include "lib/conf.h"
#include "lib/log.h"

typedef struct cat_db_t cat_db_t;
typedef struct cat_key_states_t cat_key_states_t;
typedef struct cat_limit_t cat_limit_t;
typedef struct cat_metrics_t cat_metrics_t;
typedef struct cat_revoked_t cat_revoked_t;
typedef struct cat_source_t cat_source_t;

/* How far a job has come in a directory. */
typedef struct cat_job_walk_t {
    void *directory; /* DIR; NULL: it is not on its way */
    apr_time_t begun;
} cat_job_walk_t;

/* A background job's run for one mount. */
typedef struct cat_job_t {
    apr_pool_t *pool; /* cleared after the run */
    const cat_log_t *log;
    const cat_conf_t *conf;
    cat_db_t *db;
    cat_source_t *source; /* of db's connections */
    const char *database; /* tells it from others; may contain a password */
    int history; /* seconds for which changes of products are kept, of all mounts of the database the longest; 0: none */
    cat_revoked_t *revoked;
    cat_key_states_t *keys; /* of this child */
    cat_limit_t *limits;
    const cat_metrics_t *metrics; /* NULL: nothing is counted */
    apr_time_t *last;             /* a note of the job's own from run to run; 0 at first */
    cat_job_walk_t *walk;         /* the same */
    const atomic_int *stop;       /* becomes non-zero when the server stops */
} cat_job_t;

/* Does the server stop, so that the job must end soon? */
static inline int cat_job_must_stop(const cat_job_t *job)
{
    return atomic_load_explicit(job->stop, memory_order_relaxed);
}

typedef enum {
    CAT_JOB_DONE,  /* the next run is after the job's interval */
    CAT_JOB_FAILED /* the job has logged why; the next runs wait longer, up to the job's longest pause */
} cat_job_result_t;

typedef cat_job_result_t cat_job_run_t(cat_job_t *job);

#endif
