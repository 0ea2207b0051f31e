/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source hands out the connections of one mount, with limits that the pools behind it do not have.
 *
 *     cat_source_open:   permit  -->  warm connection  -->  pool  -->  new connection
 *                        at most      used within the       checks it   one thread at a time while the
 *                        max, 1 s     last 100 ms                       database is not known to be up
 *
 * A server that does not answer costs each attempt its time-out. While the database is down, one thread therefore tries,
 * and those that come meanwhile are answered within half a second, with 503:
 *
 *     NEW --first connection--> UP --attempt fails--> DOWN --attempt succeeds--> UP
 */
#include "db/pool/source.h"

#include <apr_strings.h>
#include <unistd.h>

#include "db/dialects/status.h"
#include "db/sqlite/database_file.h"
#include "lib/time.h"

/* How long a request may wait for a connection before it answers 503. The pools themselves would wait without limit. */
#define PATIENCE apr_time_from_sec(1)

/* How long it may wait for another thread's attempt to connect. A busy database takes its time for the first connection
 * of a child; one that is known to be down answers within the shorter time once it is back. */
#define FIRST_PATIENCE apr_time_from_sec(3)
#define DOWN_PATIENCE apr_time_from_msec(500)

cat_source_t *cat_source_create(apr_pool_t *pool, const char *name, const cat_connector_t *connector, void *context)
{
    cat_source_t *source = apr_pcalloc(pool, sizeof(*source));
    source->name = name;
    source->connector = connector;
    source->context = context;
    source->created = apr_time_now();
    source->leader_patience = CAT_SOURCE_LEADER_PATIENCE;
    return source;
}

/* A pre-cleanup, because the pool that they belong to may be on a subpool. */
static apr_status_t close_warm(void *source)
{
    cat_warm_close(((cat_source_t *)source)->warm);
    cat_source_sweep(source);
    return APR_SUCCESS;
}

static apr_status_t create_groups(cat_source_t *source, apr_pool_t *pool)
{
    cat_group_t **const groups[] = {&source->group, &source->batch};
    apr_status_t rv = APR_SUCCESS;

    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && rv == APR_SUCCESS; i++) {
        rv = cat_group_create(groups[i], pool);
    }
    for (int i = 0; i < 2 * CAT_SOURCE_READERS && rv == APR_SUCCESS; i++) {
        rv = cat_group_create(&source->reads[i % 2][i / 2], pool);
    }
    return rv;
}

apr_status_t cat_source_child_init(cat_source_t *source, apr_pool_t *pool, const cat_write_locks_t *locks,
                                   const cat_file_registry_t *registry, cat_source_migrate_t *migrate)
{
    apr_status_t rv = apr_thread_mutex_create(&source->mutex, APR_THREAD_MUTEX_DEFAULT, pool);

    rv = rv ? rv : apr_thread_mutex_create(&source->exports.mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    rv = rv ? rv : apr_thread_cond_create(&source->attempt_ended, pool);
    rv = rv ? rv : apr_pool_create(&source->hosts_pool, pool);
    rv = rv ? rv : cat_permits_create(&source->permits, pool);
    rv = rv ? rv : cat_warm_create(&source->warm, pool, &source->database);
    rv = rv ? rv : create_groups(source, pool);
    rv = rv || !source->cache ? rv : cat_wal_index_create(&source->wal_index, pool);
    rv = rv || !source->connector->child_init ? rv : source->connector->child_init(source->context, pool);
    if (rv == APR_SUCCESS) {
        apr_pool_pre_cleanup_register(pool, source, close_warm);
    }
    source->write_locks = locks;
    source->database.registry = registry;
    source->migrate = migrate;
    return rv;
}

const cat_dialect_t *cat_source_dialect(const cat_source_t *source)
{
    return atomic_load_explicit(&source->dialect, memory_order_acquire);
}

cat_semaphore_t *cat_source_write_lock(const cat_source_t *source)
{
    return atomic_load_explicit(&source->write_lock, memory_order_acquire);
}

void cat_source_note_schema(cat_source_t *source, int is_right)
{
    atomic_store_explicit(&source->ready, is_right, memory_order_release);
}

int cat_source_has_schema(const cat_source_t *source)
{
    return atomic_load_explicit(&source->ready, memory_order_acquire);
}

apr_time_t cat_source_revocations_at(const cat_source_t *source)
{
    return atomic_load_explicit(&source->revocations_at, memory_order_acquire);
}

int cat_source_fell_lately(cat_source_t *source)
{
    int is_late;

    apr_thread_mutex_lock(source->mutex);
    is_late = source->state == CAT_SOURCE_DOWN && source->fell_at && !source->path &&
              cat_time_monotonic() - source->fell_at < CAT_DATABASE_READY_PATIENCE;
    apr_thread_mutex_unlock(source->mutex);
    return is_late;
}

static int is_in_state(cat_source_t *source, cat_source_state_t state)
{
    int is_in;

    apr_thread_mutex_lock(source->mutex);
    is_in = source->state == state;
    apr_thread_mutex_unlock(source->mutex);
    return is_in;
}

/* Until the database is known to answer, one thread at a time tries to connect, and the others wait for its result.
 * *is_own_attempt: this thread is the one. *more: how many connections in the pool the database may have dropped; each
 * of them fails once. */
static apr_status_t begin_attempt(cat_source_t *source, int *is_own_attempt, int *more)
{
    apr_status_t rv = APR_SUCCESS;
    apr_time_t deadline, now;

    apr_thread_mutex_lock(source->mutex);
    deadline = apr_time_now() + (source->state == CAT_SOURCE_DOWN ? DOWN_PATIENCE : FIRST_PATIENCE);
    while (source->state != CAT_SOURCE_UP && source->is_attempted && rv == APR_SUCCESS) {
        now = apr_time_now();
        rv = now < deadline ? apr_thread_cond_timedwait(source->attempt_ended, source->mutex, deadline - now)
                            : APR_TIMEUP;
    }
    *is_own_attempt = rv == APR_SUCCESS && source->state != CAT_SOURCE_UP;
    source->is_attempted |= *is_own_attempt;
    if (*is_own_attempt && source->state == CAT_SOURCE_DOWN) {
        *more = source->stale_connections;
        source->stale_connections = 0;
    }
    apr_thread_mutex_unlock(source->mutex);
    return rv;
}

static void end_attempt(cat_source_t *source, int is_own_attempt, cat_source_state_t state)
{
    apr_thread_mutex_lock(source->mutex);
    if (source->state == CAT_SOURCE_UP && state == CAT_SOURCE_DOWN) {
        source->fell_at = cat_time_monotonic();
    }
    source->state = state;
    if (is_own_attempt) {
        source->is_attempted = 0;
        apr_thread_cond_broadcast(source->attempt_ended);
    }
    apr_thread_mutex_unlock(source->mutex);
}

/* The file system explains better than the driver why a file cannot be opened. */
static const char *explain_failure(const cat_source_t *source, apr_pool_t *pool, const char *cause)
{
    const char *fault = source->path ? cat_database_file_explain(pool, source->path) : NULL;

    if (fault || !source->path) {
        return fault ? fault : cause;
    }
    return cause ? apr_pstrcat(pool, source->path, ": ", cause, NULL) : source->path;
}

static void log_no_connection(const cat_source_t *source, apr_pool_t *pool, const cat_log_t *log, apr_status_t rv,
                              const char *cause)
{
    const char *why = explain_failure(source, pool, cause);

    cat_log(log, CAT_LOG_ERROR, why ? 0 : rv, "CAT002: no connection to %s%s%s", source->name, why ? ": " : "",
            why ? why : "");
}

static void count_failure(const cat_source_t *source, cat_connection_failure_t failure)
{
    cat_metrics_add(source->database.metrics, CAT_METRIC_CONNECTION_FAILURES, (int)failure, 1);
}

/* CAT002 has said why the database is down. */
static apr_status_t log_other_attempt(cat_source_t *source, const cat_log_t *log)
{
    int is_down = is_in_state(source, CAT_SOURCE_DOWN);

    cat_log(log, is_down ? CAT_LOG_DEBUG : cat_log_busy_level(log), 0,
            "CAT056: %s: another thread is still trying to connect", source->name);
    count_failure(source, is_down ? CAT_CONNECTION_DOWN : CAT_CONNECTION_BUSY);
    return is_down ? CAT_EDOWN : CAT_EBUSY;
}

static apr_status_t open_checked(cat_source_t *source, apr_pool_t *pool, cat_db_handle_t *handle, const char **cause)
{
    apr_status_t rv = source->connector->open(source->context, pool, handle, cause);

    handle->checked = apr_time_now();
    handle->is_warm = 0;
    return rv;
}

static apr_status_t attempt_to_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log,
                                    cat_db_handle_t *handle)
{
    apr_time_t give_up = apr_time_now() + PATIENCE;
    const char *cause = NULL;
    int is_own_attempt, more = max;
    apr_status_t rv = begin_attempt(source, &is_own_attempt, &more);

    if (rv != APR_SUCCESS) {
        return log_other_attempt(source, log);
    }
    do {
        rv = open_checked(source, pool, handle, &cause);
    } while (rv != APR_SUCCESS && more-- > 0 && apr_time_now() < give_up);
    end_attempt(source, is_own_attempt, rv == APR_SUCCESS ? CAT_SOURCE_UP : CAT_SOURCE_DOWN);
    if (rv != APR_SUCCESS) {
        cat_warm_distrust(source->warm, apr_time_now());
        log_no_connection(source, pool, log, rv, cause);
        count_failure(source, CAT_CONNECTION_DOWN);
        return CAT_EDOWN;
    }
    return APR_SUCCESS;
}

/* When no fresh connection is kept: then no other is either, so the connections that are in use, those that are kept
 * and this one are together no more than there are permits, and the pool has one left. */
static apr_status_t open_from_pool(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log,
                                   cat_db_handle_t *handle)
{
    const char *cause;
    apr_status_t rv = APR_EGENERAL;

    cat_source_sweep(source);
    if (is_in_state(source, CAT_SOURCE_UP)) {
        rv = open_checked(source, pool, handle, &cause);
    }
    return rv == APR_SUCCESS ? rv : attempt_to_open(source, pool, max, log, handle);
}

static apr_status_t take_permit(cat_source_t *source, int max)
{
    apr_status_t rv = APR_SUCCESS;
    apr_time_t begun;

    if (!cat_permits_try(source->permits, max)) {
        begun = cat_time_monotonic();
        rv = cat_permits_take(source->permits, max, apr_time_now() + PATIENCE);
        cat_metrics_observe(source->database.metrics, CAT_METRIC_CONNECTION_WAIT, cat_time_monotonic() - begun);
    }
    cat_metrics_shift(source->database.metrics, CAT_METRIC_CONNECTIONS, rv == APR_SUCCESS);
    return rv;
}

static void give_permit_back(const cat_source_t *source)
{
    cat_metrics_shift(source->database.metrics, CAT_METRIC_CONNECTIONS, -1);
    cat_permits_give_back(source->permits);
}

apr_status_t cat_source_open(cat_source_t *source, apr_pool_t *pool, int max, const cat_log_t *log,
                             cat_db_handle_t *handle)
{
    char more[CAT_REPEATS_TEXT];
    apr_status_t rv = take_permit(source, max);

    if (rv != APR_SUCCESS) {
        count_failure(source, CAT_CONNECTION_LIMIT);
        if (cat_database_sums_up(log, &source->limit_refusals, more)) {
            cat_log(log, cat_log_busy_level(log), 0,
                    "CAT001: all %d connections to %s are in use%s; see CatalogMaxConnections", max, source->name,
                    more);
        }
        return CAT_EBUSY;
    }
    if (cat_warm_take(source->warm, handle, apr_time_now())) {
        handle->is_warm = 1;
        return APR_SUCCESS;
    }
    rv = open_from_pool(source, pool, max, log, handle);
    if (rv != APR_SUCCESS) {
        give_permit_back(source);
    }
    return rv;
}

void cat_source_close(cat_source_t *source, cat_db_handle_t *handle)
{
    source->connector->close(source->context, handle);
    apr_thread_mutex_lock(source->mutex);
    source->stale_connections += source->state == CAT_SOURCE_DOWN;
    apr_thread_mutex_unlock(source->mutex);
    give_permit_back(source);
}

void cat_source_keep(cat_source_t *source, cat_db_handle_t *handle)
{
    const cat_dialect_t *dialect = cat_source_dialect(source);

    if (dialect && dialect->check_is_round_trip && cat_warm_keep(source->warm, handle, source->keeps, apr_time_now())) {
        give_permit_back(source);
    } else {
        cat_source_close(source, handle);
    }
}

apr_status_t cat_source_check(cat_source_t *source, apr_pool_t *pool, cat_db_handle_t *handle)
{
    if (!handle->is_warm || apr_dbd_check_conn(handle->driver, pool, handle->dbd) == APR_SUCCESS) {
        return APR_SUCCESS;
    }
    cat_database_note_loss(&source->database);
    return CAT_ELOST;
}

void cat_source_sweep(cat_source_t *source)
{
    cat_db_handle_t handle;

    while (cat_warm_expel(source->warm, &handle, apr_time_now())) {
        source->connector->close(source->context, &handle);
    }
}

apr_status_t cat_source_reopen(const cat_source_t *source, cat_db_handle_t *handle, const char *params)
{
    return source->connector->reopen(source->context, handle, params);
}

apr_status_t cat_source_take_write_lock(cat_source_t *source, apr_time_t until, const cat_log_t *log, int *slot)
{
    apr_time_t now = apr_time_now();
    apr_status_t rv = cat_semaphore_enter(cat_source_write_lock(source), NULL, until > now ? until - now : 0, slot);

    return rv == APR_SUCCESS ? rv : cat_source_log_late(source, log);
}

apr_status_t cat_source_log_late(cat_source_t *source, const cat_log_t *log)
{
    char more[CAT_REPEATS_TEXT];

    cat_metrics_add(source->database.metrics, CAT_METRIC_WRITE_REFUSALS, 0, 1);
    if (cat_database_sums_up(log, &source->late_refusals, more)) {
        cat_log(log, cat_log_busy_level(log), 0, "CAT008: %s: gave up after %d seconds waiting for the write lock%s",
                source->name, (int)apr_time_sec(CAT_SOURCE_WRITE_PATIENCE), more);
    }
    return CAT_EBUSY;
}
