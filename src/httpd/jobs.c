/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd/jobs.h"

#include <apr_optional.h>
#include <apr_strings.h>
#include <http_log.h>
#include <mod_watchdog.h>

#include "api/mailer.h"
#include "db/db.h"
#include "httpd/lifecycle.h"
#include "httpd/log.h"

APLOG_USE_MODULE(catalog);

/* THE JOB TABLE */
static const struct job_t {
    const char *name;
    apr_interval_time_t interval;
    cat_job_run_t *run;
} jobs[] = {
    {"mail", APR_TIME_C(1000000), cat_mailer_run},
};

/* A job that fails waits 1, 2, 4 ... seconds, at most a minute. */
#define PAUSE_MAX_SHIFT 6
#define PAUSE_MAX apr_time_from_sec(60)

/* How long the end of a child waits for the job that runs. A job looks at stop once a second at least. */
#define STOP_PATIENCE apr_time_from_sec(5)
#define STOP_INTERVAL apr_time_from_msec(10)

/* What a child's jobs share: written by the watchdog's thread, and stop by the one that ends the child. */
struct cat_jobs_t {
    int running;
    int stop;
};

/* One job of one mount. Used by the watchdog's thread. */
typedef struct worker_t {
    const struct job_t *job;
    const cat_mount_t *mount;
    const cat_log_t *log;
    cat_jobs_t *jobs;
    int failures;
    apr_time_t not_before;
} worker_t;

static void run(worker_t *w, apr_pool_t *pool)
{
    const cat_conf_t *conf = w->mount->conf;
    cat_job_t job = {pool, w->log, conf, cat_db_make(pool, conf, w->mount->source, w->log), &w->jobs->stop};

    if (apr_time_now() < w->not_before) {
        return;
    }
    if (w->job->run(&job) == APR_SUCCESS) {
        w->failures = 0;
        w->not_before = 0;
    } else {
        apr_interval_time_t pause = apr_time_from_sec(1) << w->failures;
        w->not_before = apr_time_now() + (pause < PAUSE_MAX ? pause : PAUSE_MAX);
        w->failures += w->failures < PAUSE_MAX_SHIFT;
    }
    cat_db_release(job.db);
}

/* Anything but APR_SUCCESS would end the calls. */
static apr_status_t tick(int state, void *data, apr_pool_t *pool)
{
    worker_t *w = data;

    if (state == AP_WATCHDOG_STATE_RUNNING) {
        __atomic_store_n(&w->jobs->running, 1, __ATOMIC_SEQ_CST);
        if (!__atomic_load_n(&w->jobs->stop, __ATOMIC_SEQ_CST)) {
            run(w, pool);
        }
        __atomic_store_n(&w->jobs->running, 0, __ATOMIC_SEQ_CST);
    }
    return APR_SUCCESS;
}

static apr_status_t stop(void *data)
{
    cat_jobs_t *shared = data;
    apr_time_t give_up = apr_time_now() + STOP_PATIENCE;

    __atomic_store_n(&shared->stop, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&shared->running, __ATOMIC_SEQ_CST) && apr_time_now() < give_up) {
        apr_sleep(STOP_INTERVAL);
    }
    return APR_SUCCESS;
}

/* mod_watchdog says STOPPING and waits for its thread when the process exits: by then the child's connections are gone, and a
 * job that uses one crashes. */
void cat_jobs_child_init(apr_pool_t *pchild, server_rec *main_server)
{
    apr_pool_pre_cleanup_register(pchild, cat_lifecycle_server(main_server)->jobs, stop);
}

static apr_status_t register_mount(apr_pool_t *pconf, cat_jobs_t *shared, const cat_mount_t *mount,
                                   ap_watchdog_t *watchdog,
                                   APR_OPTIONAL_FN_TYPE(ap_watchdog_register_callback) *register_callback)
{
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]) && rv == APR_SUCCESS; i++) {
        worker_t *w = apr_pcalloc(pconf, sizeof(*w));
        w->job = &jobs[i];
        w->mount = mount;
        w->log = cat_log_for_server(mount->server, pconf);
        w->jobs = shared;
        rv = register_callback(watchdog, jobs[i].interval, w, tick);
    }
    return rv;
}

static apr_status_t register_all(apr_pool_t *pconf, server_rec *main_server)
{
    APR_OPTIONAL_FN_TYPE(ap_watchdog_get_instance) *get = APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance);
    APR_OPTIONAL_FN_TYPE(ap_watchdog_register_callback) *call = APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_register_callback);
    ap_watchdog_t *watchdog;
    cat_jobs_t *shared = cat_lifecycle_server(main_server)->jobs;
    apr_status_t rv = get && call ? get(&watchdog, "_catalog_", 0, 1, pconf) : APR_ENOTIMPL;

    for (server_rec *s = main_server; s && rv == APR_SUCCESS; s = s->next) {
        const apr_array_header_t *mounts = cat_lifecycle_server(s)->mounts;
        for (int i = 0; i < mounts->nelts && rv == APR_SUCCESS; i++) {
            rv = register_mount(pconf, shared, APR_ARRAY_IDX(mounts, i, cat_mount_t *), watchdog, call);
        }
    }
    return rv;
}

static int has_mounts(const server_rec *main_server)
{
    int count = 0;
    for (const server_rec *s = main_server; s; s = s->next) {
        count += cat_lifecycle_server(s)->mounts->nelts;
    }
    return count > 0;
}

int cat_jobs_register(apr_pool_t *pconf, server_rec *main_server)
{
    apr_status_t rv;

    cat_lifecycle_server(main_server)->jobs = apr_pcalloc(pconf, sizeof(cat_jobs_t));
    rv = has_mounts(main_server) ? register_all(pconf, main_server) : APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_EMERG, rv, main_server, "CAT035: mails cannot be sent; is mod_watchdog loaded?");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
