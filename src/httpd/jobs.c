/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs background jobs on mod_watchdog's threads, from the job table below.
 *
 * A job works for one mount, at the interval in its row, and less often after failures. Most jobs run in one child of
 * the server. Jobs that must not wait for a slow mail server, or for another child to take over, run in each child.
 * mod_watchdog ends its threads only when the process exits; by then the child's connections are closed. So the end of
 * a child first stops the job that runs and waits for it.
 */
#include "httpd/jobs.h"

#include <apr_optional.h>
#include <apr_strings.h>
#include <http_log.h>
#include <mod_watchdog.h>
#include <stdatomic.h>
#include <string.h>

#include "accounts/backlog.h"
#include "accounts/key_states.h"
#include "accounts/mailer.h"
#include "accounts/purge.h"
#include "accounts/revocations.h"
#include "catalogue/bulk.h"
#include "catalogue/files.h"
#include "catalogue/history.h"
#include "catalogue/images.h"
#include "catalogue/index.h"
#include "catalogue/store.h"
#include "catalogue/webhooks.h"
#include "db/db.h"
#include "db/job.h"
#include "httpd/log.h"
#include "httpd/server.h"
#include "lib/conf.h"
#include "lib/log.h"

APLOG_USE_MODULE(catalog);

/* A watchdog is a thread of mod_watchdog that runs its jobs one after the other, in one child of the server or in each
 * child. */
typedef struct watchdog_t {
    const char *name;
    int singleton;
} watchdog_t;

static const watchdog_t one_child = {"_catalog_", 1}, each_child = {"_catalog_each_", 0},
                        for_changes = {"_catalog_changes_", 1}, for_hosts = {"_catalog_hosts_", 1};

/* Each mount with webhooks has a watchdog of its own for them. */
static const watchdog_t for_webhooks = {"_catalog_webhooks_", 1};

#define PAUSE_REVOCATION_DELAY 0 /* Value of longest_pause for jobs that pause for at most CatalogRevocationDelay. */

/* THE JOB TABLE. Four kinds of jobs do not share the thread of "mail". Revocations cannot wait for a slow mail server,
 * nor for another child to take over from a child that died. Clients that follow the changes of products wait for the
 * numbers that "changes" assigns. "hosts" must notice a promotion whatever else hangs. Webhooks take as long as their
 * receivers. */
static const struct job_t {
    const char *name;
    apr_interval_time_t interval;
    cat_job_run_t *run;
    const watchdog_t *watchdog;
    /* Longest pause after failures. The pauses are 1, 2, 4, ... seconds, up to this. */
    apr_interval_time_t longest_pause;
} jobs[] = {
    {"mail", APR_TIME_C(1000000), cat_mailer_run, &one_child, APR_TIME_C(60000000)},
    {"revocations", APR_TIME_C(250000), cat_revocations_run, &each_child, PAUSE_REVOCATION_DELAY},
    {"keys", APR_TIME_C(1000000), cat_key_states_run, &each_child, APR_TIME_C(60000000)},
    {"changes", APR_TIME_C(500000), cat_change_numbers_run, &for_changes, APR_TIME_C(10000000)},
    {"hosts", APR_TIME_C(2000000), cat_db_watch_hosts, &for_hosts, APR_TIME_C(2000000)},
    {"exports", APR_TIME_C(1000000), cat_export_watch, &each_child, APR_TIME_C(60000000)},
    {"counts", APR_TIME_C(1000000), cat_counts_run, &one_child, APR_TIME_C(60000000)},
    {"fields", APR_TIME_C(1000000), cat_key_filler_run, &one_child, APR_TIME_C(60000000)},
    {"index", APR_TIME_C(1000000), cat_indexes_run, &one_child, APR_TIME_C(60000000)},
    {"bulk", APR_TIME_C(1000000), cat_bulk_job_run, &one_child, APR_TIME_C(60000000)},
    {"backlog", APR_TIME_C(5000000), cat_backlog_run, &one_child, APR_TIME_C(60000000)},
    {"images", APR_TIME_C(5000000), cat_image_files_run, &one_child, APR_TIME_C(60000000)},
    {"history", APR_TIME_C(5000000), cat_change_numbers_purge, &one_child, APR_TIME_C(60000000)},
    {"webhooks", APR_TIME_C(1000000), cat_webhook_job_run, &for_webhooks, APR_TIME_C(60000000)},
    {"purge", APR_TIME_C(600000000), cat_purge_run, &one_child, APR_TIME_C(60000000)},
};

#define PAUSE_MAX_SHIFT 6

/* How long the end of a child waits for the job that runs. A job reads `stop` at least once a second. */
#define STOP_PATIENCE apr_time_from_sec(5)
#define STOP_INTERVAL apr_time_from_msec(10)

/* State that the jobs of a child share. A watchdog's thread increments `running` before it reads `stop`, and the thread
 * that ends the child sets `stop` before it reads `running`. With sequential consistency, at least one of the two
 * threads sees the other's change. */
struct cat_jobs_t {
    atomic_int running;               /* Number of jobs that run. Changed by the watchdogs' threads. */
    atomic_int stop;                  /* True if the child ends. Set by the thread that ends the child. */
    const apr_array_header_t *mounts; /* Elements are cat_mount_t *: the mounts of all servers. */
};

/* One job of one mount. Only its watchdog's thread uses it. */
typedef struct worker_t {
    const struct job_t *job;
    const cat_mount_t *mount;
    const char *database; /* Result of cat_server_database_key. */
    int history;          /* See cat_job_t. */
    const cat_log_t *log;
    cat_jobs_t *jobs;
    int failures; /* Consecutive failures, counted up to PAUSE_MAX_SHIFT. */
    apr_time_t failed_at;
    apr_interval_time_t pause; /* How long the job pauses after failed_at. */
    apr_time_t last;           /* See cat_job_t. */
    cat_job_walk_t walk;
} worker_t;

static void pause_longer(worker_t *w)
{
    apr_interval_time_t longest = w->job->longest_pause;

    if (longest == PAUSE_REVOCATION_DELAY) {
        longest = apr_time_from_sec(w->mount->conf->revocation_delay);
    }
    w->failed_at = apr_time_now();
    w->pause = apr_time_from_sec(1) << w->failures;
    w->pause = w->pause < longest ? w->pause : longest;
    w->failures += w->failures < PAUSE_MAX_SHIFT;
}

static void run_job(worker_t *w, apr_pool_t *pool)
{
    const cat_conf_t *conf = w->mount->conf;
    apr_time_t now = apr_time_now();
    cat_job_t job = {
        .pool = pool,
        .log = w->log,
        .conf = conf,
        .db = cat_db_make(pool, conf, w->mount->source, w->log),
        .source = w->mount->source,
        .database = w->database,
        .history = w->history,
        .revoked = cat_server_get(w->mount->server)->revoked,
        .keys = cat_server_get(w->mount->server)->keys,
        .limits = cat_server_get(w->mount->server)->limits,
        .metrics = cat_server_get(w->mount->server)->metrics,
        .last = &w->last,
        .walk = &w->walk,
        .stop = &w->jobs->stop,
    };

    if (now >= w->failed_at && now - w->failed_at < w->pause) { /* If the clock was set back, the pause ends. */
        return;
    }
    if (w->job->run(&job) == CAT_JOB_DONE) {
        w->failures = 0;
        w->pause = 0;
    } else {
        pause_longer(w);
    }
    cat_db_release(job.db);
}

/* Always returns APR_SUCCESS, because mod_watchdog does not call a function again that returns anything else. */
static apr_status_t run_worker(int state, void *data, apr_pool_t *pool)
{
    worker_t *w = data;

    if (state == AP_WATCHDOG_STATE_RUNNING) {
        atomic_fetch_add_explicit(&w->jobs->running, 1, memory_order_seq_cst);
        if (!atomic_load_explicit(&w->jobs->stop, memory_order_seq_cst)) {
            run_job(w, pool);
            cat_source_sweep(w->mount->source);
        }
        atomic_fetch_sub_explicit(&w->jobs->running, 1, memory_order_seq_cst);
    }
    return APR_SUCCESS;
}

static apr_status_t stop_jobs(void *data)
{
    cat_jobs_t *shared = data;
    apr_time_t give_up = apr_time_now() + STOP_PATIENCE;

    atomic_store_explicit(&shared->stop, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&shared->running, memory_order_seq_cst) && apr_time_now() < give_up) {
        apr_sleep(STOP_INTERVAL);
    }
    return APR_SUCCESS;
}

/* Stops the jobs when pchild is destroyed. mod_watchdog sends STOPPING and waits for its thread only when the process
 * exits. By then the child's connections are closed, and a job that uses one would crash. */
void cat_jobs_child_init(apr_pool_t *pchild, server_rec *main_server)
{
    apr_pool_pre_cleanup_register(pchild, cat_server_get(main_server)->jobs, stop_jobs);
}

typedef APR_OPTIONAL_FN_TYPE(ap_watchdog_get_instance) get_t;
typedef APR_OPTIONAL_FN_TYPE(ap_watchdog_register_callback) register_callback_t;

/* Returns true if the watchdog has work for the mount. `database` is the result of cat_server_database_key, which
 * begins with the driver. */
static int is_needed(const watchdog_t *watchdog, const cat_conf_t *conf, const char *database)
{
    return watchdog == &for_hosts ? !strncmp(database, "pgsql ", 6) : watchdog != &for_webhooks || conf->webhooks;
}

/* Returns the name of a watchdog. `number` is the index of the mount, which the watchdog for webhooks has in its
 * name. */
static const char *name_watchdog(apr_pool_t *pool, const watchdog_t *watchdog, int number)
{
    return watchdog == &for_webhooks ? apr_psprintf(pool, "%s%d_", watchdog->name, number) : watchdog->name;
}

/* Returns the longest CatalogHistory of the mounts with this database, in seconds: no mount may delete a change that
 * another mount can still restore. */
static int find_history(apr_pool_t *pconf, const apr_array_header_t *mounts, const char *database)
{
    int longest = 0;

    for (int i = 0; i < mounts->nelts; i++) {
        const cat_mount_t *mount = APR_ARRAY_IDX(mounts, i, const cat_mount_t *);
        int history = cat_conf_history(mount->conf);
        if (history > longest && !strcmp(cat_server_database_key(pconf, mount), database)) {
            longest = history;
        }
    }
    return longest;
}

static apr_status_t register_mount(apr_pool_t *pconf, cat_jobs_t *shared, int number, get_t *get,
                                   register_callback_t *call)
{
    const cat_mount_t *mount = APR_ARRAY_IDX(shared->mounts, number, const cat_mount_t *);
    const char *database = cat_server_database_key(pconf, mount);
    int history = find_history(pconf, shared->mounts, database);
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]) && rv == APR_SUCCESS; i++) {
        worker_t *w = apr_pcalloc(pconf, sizeof(*w));
        ap_watchdog_t *watchdog;

        if (!is_needed(jobs[i].watchdog, mount->conf, database)) {
            continue;
        }
        w->job = &jobs[i];
        w->mount = mount;
        w->database = database;
        w->history = history;
        w->log = cat_log_for_jobs(mount->server, pconf);
        w->jobs = shared;
        rv = get(&watchdog, name_watchdog(pconf, w->job->watchdog, number), 0, w->job->watchdog->singleton, pconf);
        if (rv == APR_SUCCESS) {
            rv = call(watchdog, w->job->interval, w, run_worker);
        }
    }
    return rv;
}

/* Compares all settings by their bytes except mount_uri: each merge of sections makes a new text for it, from mount and
 * base_path. */
static int has_same_conf(const cat_mount_t *one, const cat_mount_t *other)
{
    cat_conf_t conf;

    /* Configurations are zeroed when they are created, and memcpy copies the padding too. */
    memcpy(&conf, other->conf, sizeof(conf));
    conf.mount_uri = one->conf->mount_uri;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    return !memcmp(one->conf, &conf, sizeof(conf));
}

/* Returns true if the list has an equal mount before this one. Virtual hosts that inherit a mount unchanged, with its
 * database, each have it in their list, but its jobs must run once. */
static int is_repeated(const apr_array_header_t *mounts, int place)
{
    const cat_mount_t *mount = APR_ARRAY_IDX(mounts, place, cat_mount_t *);

    for (int i = 0; i < place; i++) {
        const cat_mount_t *other = APR_ARRAY_IDX(mounts, i, cat_mount_t *);
        if (other->source == mount->source && has_same_conf(other, mount)) {
            return 1;
        }
    }
    return 0;
}

/* Logs a mount without CatalogMail at start, because nothing else shows that its mails wait. */
static void log_missing_mail(const cat_mount_t *mount)
{
    const cat_conf_t *conf = mount->conf;

    if (!conf->mail) {
        ap_log_error(
            APLOG_MARK, APLOG_NOTICE, 0, mount->server,
            "CAT036: <Location \"%s\"> of %s has no CatalogMail: nobody gets a link to confirm an address or to set "
            "a new password; set CatalogMail",
            cat_conf_location(conf), mount->server->server_hostname);
    }
}

int cat_jobs_register(apr_pool_t *pconf, server_rec *main_server)
{
    get_t *get = APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_get_instance);
    register_callback_t *call = APR_RETRIEVE_OPTIONAL_FN(ap_watchdog_register_callback);
    cat_jobs_t *shared = apr_pcalloc(pconf, sizeof(*shared));
    const apr_array_header_t *mounts = cat_server_get(main_server)->all_mounts;
    apr_status_t rv = !mounts->nelts || (get && call) ? APR_SUCCESS : APR_ENOTIMPL;

    shared->mounts = mounts;
    cat_server_get(main_server)->jobs = shared;
    for (int i = 0; i < mounts->nelts && rv == APR_SUCCESS; i++) {
        const cat_mount_t *mount = APR_ARRAY_IDX(mounts, i, cat_mount_t *);
        if (!is_repeated(mounts, i)) {
            log_missing_mail(mount);
            rv = register_mount(pconf, shared, i, get, call);
        }
    }
    if (rv != APR_SUCCESS) {
        ap_log_error(
            APLOG_MARK, APLOG_EMERG, rv, main_server,
            "CAT035: background jobs, such as sending mail, cannot run; load mod_watchdog if it is not loaded");
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    return OK;
}
