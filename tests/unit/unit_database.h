/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_DATABASE_H
#define UNIT_DATABASE_H

#include "unit_files.h"

#include <apr_thread_mutex.h>
#include <sqlite3.h>

#include "db/db.h"
#include "db/dialects/status.h"
#include "db/job.h"
#include "db/pool/pool.h"
#include "db/schema/migration.h"
#include "shm/generations.h"
#include "shm/response_cache.h"

/* A database and its source, as in one child of a server. */
typedef struct unit_database_t {
    apr_pool_t *pool;
    const char *path; /* NULL if the database is on a server */
    cat_conf_t conf;  /* a test may change it */
    cat_source_t *source;
    cat_log_t log;
    apr_thread_mutex_t *mutex;
    char logged[4000]; /* lines, each with '\n' at its end; guarded by the mutex */
} unit_database_t;

static inline void unit_database_log(void *context, cat_log_level_t, apr_status_t, const char *message)
{
    unit_database_t *database = context;
    size_t length;

    apr_thread_mutex_lock(database->mutex);
    length = strlen(database->logged);
    apr_snprintf(database->logged + length, sizeof(database->logged) - length, "%s\n", message);
    apr_thread_mutex_unlock(database->mutex);
}

/* Creates what the server creates before it forks: metrics, generations and the response cache. */
static inline void unit_database_add_cache(unit_database_t *database)
{
    static const cat_route_t no_routes[] = {{.method = NULL}};
    cat_source_t *source = database->source;
    cat_metrics_t *metrics;

    assert_int_equal(cat_metrics_create(&metrics, database->pool, database->pool, no_routes), APR_SUCCESS);
    source->database.metrics = metrics;
    source->generations = cat_generations_find(apr_pcalloc(database->pool, cat_generations_size()), database->path);
    assert_non_null(source->generations);
    assert_int_equal(cat_response_cache_create(&source->cache, database->pool, 1 << 20), APR_SUCCESS);
}

static inline double unit_database_total(const unit_database_t *database, cat_metric_t metric)
{
    return cat_metrics_total(cat_metrics_read(database->source->database.metrics, database->pool), metric);
}

/* Returns the value of a counter with one label. */
static inline apr_uint64_t unit_database_count(const unit_database_t *database, cat_metric_t metric, int series)
{
    return *cat_metrics_words(cat_metrics_read(database->source->database.metrics, database->pool), metric, series);
}

static inline int unit_database_count_hits(const unit_database_t *database)
{
    return (int)unit_database_total(database, CAT_METRIC_CACHE_HITS);
}

/* Returns a source for a file, with a response cache. No connection is open yet. The pool frees the source but not the
 * file. */
static inline unit_database_t *unit_database_make_for(apr_pool_t *pool, const char *driver, const char *params)
{
    unit_database_t *database = apr_pcalloc(pool, sizeof(*database));
    cat_write_locks_t *locks;
    cat_file_registry_t *registry;

    database->pool = pool;
    database->path = cat_dialect_find(driver)->file ? params : NULL;
    database->conf = (cat_conf_t){.max_connections = 8, .max_exports = 2, .migrate = 1};
    database->log = (cat_log_t){.write = unit_database_log, .context = database};
    database->source = cat_pool_create(pool, driver, params);
    database->source->path = database->path;
    database->source->leader_patience = apr_time_from_sec(60); /* long enough for a busy machine */
    assert_int_equal(apr_thread_mutex_create(&database->mutex, APR_THREAD_MUTEX_DEFAULT, pool), APR_SUCCESS);
    if (database->path) {
        unit_database_add_cache(database);
    }
    assert_int_equal(cat_write_lock_create(&locks, pool, pool), APR_SUCCESS);
    assert_int_equal(cat_file_registry_create(&registry, pool), APR_SUCCESS);
    assert_int_equal(cat_source_child_init(database->source, pool, locks, registry, cat_migration_try), APR_SUCCESS);
    return database;
}

static inline unit_database_t *unit_database_make(apr_pool_t *pool, const char *path)
{
    return unit_database_make_for(pool, "sqlite3", path);
}

/* Returns a database session, like that of a request. It ends with the pool. */
static inline cat_db_t *unit_database_use(apr_pool_t *pool, unit_database_t *database)
{
    return cat_db_make(pool, &database->conf, database->source, &database->log);
}

/* Returns a background job on the database. *stop is 1 if the job must end as soon as possible. *last is the time of
 * the last run, for jobs that need it. */
static inline cat_job_t unit_database_job(unit_database_t *database, atomic_int *stop, apr_time_t *last)
{
    return (cat_job_t){.pool = database->pool,
                       .log = &database->log,
                       .conf = &database->conf,
                       .db = unit_database_use(database->pool, database),
                       .source = database->source,
                       .last = last,
                       .stop = stop};
}

/* Creates the schema by executing a statement. */
static inline void unit_database_migrate(unit_database_t *database)
{
    cat_db_t *db = unit_database_use(database->pool, database);
    const char *const *row;

    assert_int_equal(cat_db_one(db, SQL_HEALTH, CAT_NO_VALUES, &row), APR_SUCCESS);
    cat_db_release(db);
}

/* Returns an empty database with its schema, in a directory that is deleted with the pool. */
static inline unit_database_t *unit_database(apr_pool_t *pool)
{
    unit_database_t *database = unit_database_make(pool, apr_pstrcat(pool, unit_directory(pool), "/catalog.db", NULL));

    unit_database_migrate(database);
    unit_database_migrate(database); /* responses are cached only after a connection has returned to the pool */
    database->logged[0] = '\0';
    return database;
}

/* Runs statements on a connection of its own, like another program. Returns the first column of the first row, on the
 * pool. Returns NULL if there is no row or the column is NULL. */
static inline const char *unit_database_sql(unit_database_t *database, const char *sql)
{
    const char *value = NULL;
    sqlite3 *other;

    assert_int_equal(sqlite3_open(database->path, &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 2000);
    for (int has_row = 0; *sql;) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v2(other, sql, -1, &statement, &sql) != SQLITE_OK) {
            fail_msg("%s: %s", sqlite3_errmsg(other), sql);
        }
        for (int rc; statement && (rc = sqlite3_step(statement)) != SQLITE_DONE; has_row = 1) {
            if (rc != SQLITE_ROW) {
                fail_msg("%s", sqlite3_errmsg(other));
            }
            value = has_row ? value : apr_pstrdup(database->pool, (const char *)sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
    }
    sqlite3_close(other);
    return value;
}

#endif
