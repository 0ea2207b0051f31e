/* SPDX-License-Identifier: Apache-2.0 */
#include "db/migration.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "db/checkout.h"
#include "http/answer.h"
#include "lib/time.h"

/* One step: a file of conf/schema/<driver>/. */
typedef struct step_t {
    const char *driver;
    int version;
    const char *name;
    const char *text; /* statements, each ended by ";\n"; behind that, within the body of one, come a blank or END */
} step_t;

static const step_t steps[] = {
#define SCHEMA(driver, version, name, text) {driver, version, name, text},
#include "schema.inc"
#undef SCHEMA
};

#define STEP_COUNT (sizeof(steps) / sizeof(steps[0]))

/* Another server may be at the same work, and hold locks that the driver does not wait for. Whoever waits here keeps the writers'
 * turn, so it is not for long: the next request tries again. */
#define PATIENCE apr_time_from_sec(1)
#define TRY_INTERVAL apr_time_from_msec(50)

static const char make_table[] =
    "CREATE TABLE IF NOT EXISTS schema_version"
    " (version INTEGER NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL, applied_at BIGINT NOT NULL)";
static const char ask_version[] = "SELECT MAX(version) FROM schema_version";

static int latest(const char *driver)
{
    int version = 0;
    for (size_t i = 0; i < STEP_COUNT; i++) {
        if (!strcmp(steps[i].driver, driver) && steps[i].version > version) {
            version = steps[i].version;
        }
    }
    return version;
}

/* *version is 0 in a database that has no table of versions yet. */
static apr_status_t read_version(cat_connection_t *conn, apr_pool_t *pool, int *version)
{
    const char *value = NULL;
    apr_status_t rv = cat_connection_ask(conn, pool, cat_connection_dialect(conn)->has_versions, &value);

    *version = 0;
    if (rv == APR_SUCCESS && value && atoi(value)) {
        rv = cat_connection_ask(conn, pool, ask_version, &value);
        *version = value ? atoi(value) : 0;
    }
    return rv;
}

/* The ";" at the end of the first statement; NULL: there is none. */
static const char *find_end(const char *text)
{
    const char *end = text;

    while ((end = strstr(end, ";\n")) && (end[2] == ' ' || !strncmp(end + 2, "END", 3))) {
        end += 2;
    }
    return end;
}

static apr_status_t send_all(cat_connection_t *conn, apr_pool_t *pool, const char *text)
{
    apr_status_t rv = APR_SUCCESS;
    const char *end;

    for (; rv == APR_SUCCESS && (end = find_end(text)); text = end + 2) {
        rv = cat_connection_send(conn, apr_pstrmemdup(pool, text, (apr_size_t)(end - text)));
    }
    return rv;
}

static apr_status_t apply(cat_connection_t *conn, apr_pool_t *pool, const step_t *step)
{
    const char *record =
        apr_psprintf(pool, "INSERT INTO schema_version (version, name, applied_at) VALUES (%d, '%s', %s)",
                     step->version, step->name, cat_time_store(pool, apr_time_now()));
    apr_status_t rv = send_all(conn, pool, step->text);

    rv = rv == APR_SUCCESS ? cat_connection_send(conn, record) : rv;
    return rv == APR_EEXIST ? APR_SUCCESS : rv; /* a server at another node of the cluster was faster */
}

static const step_t *find_step(const char *driver, int version)
{
    for (size_t i = 0; i < STEP_COUNT; i++) {
        if (steps[i].version == version && !strcmp(steps[i].driver, driver)) {
            return &steps[i];
        }
    }
    return NULL;
}

/* The first text that selects 0 ends it: another server is at a step. */
static apr_status_t ask_all(cat_connection_t *conn, apr_pool_t *pool, const char *const *texts)
{
    apr_status_t rv = APR_SUCCESS;
    const char *value;

    for (; *texts && rv == APR_SUCCESS; texts++) {
        rv = cat_connection_ask(conn, pool, *texts, &value);
        if (rv == APR_SUCCESS && value && !strcmp(value, "0")) {
            rv = CAT_ECONFLICT;
        }
    }
    return rv;
}

static apr_status_t step_up_locked(cat_connection_t *conn, apr_pool_t *pool, const step_t **applied)
{
    const cat_dialect_t *dialect = cat_connection_dialect(conn);
    int version = 0;
    apr_status_t rv = cat_connection_send(conn, make_table);

    if (rv == APR_SUCCESS) {
        rv = read_version(conn, pool, &version);
    }
    *applied = find_step(dialect->driver, version + 1);
    if (rv == APR_SUCCESS && *applied) {
        rv = apply(conn, pool, *applied);
    }
    return rv == APR_SUCCESS && !dialect->steps_commit ? cat_connection_send(conn, "COMMIT") : rv;
}

/* The version is read under the lock, so that two servers never apply the same step. *applied is NULL when another one was
 * faster. */
static apr_status_t step_up(cat_connection_t *conn, apr_pool_t *pool, const step_t **applied)
{
    const cat_dialect_t *dialect = cat_connection_dialect(conn);
    apr_status_t rv = ask_all(conn, pool, dialect->step);

    *applied = NULL;
    if (rv == APR_SUCCESS) {
        rv = step_up_locked(conn, pool, applied);
    }
    if (rv != APR_SUCCESS) {
        cat_connection_roll_back(conn);
    }
    ask_all(conn, pool, dialect->step_end);
    return rv;
}

static apr_status_t step_up_to(cat_connection_t *conn, apr_pool_t *pool, const cat_log_t *log, int wanted)
{
    const step_t *applied;
    int version;
    apr_status_t rv = ask_all(conn, pool, cat_connection_dialect(conn)->prepare);

    while (rv == APR_SUCCESS && (rv = read_version(conn, pool, &version)) == APR_SUCCESS && version < wanted) {
        rv = step_up(conn, pool, &applied);
        if (rv == APR_SUCCESS && applied) {
            cat_log(log, CAT_LOG_NOTICE, 0, "CAT009: schema step %03d_%s applied", applied->version, applied->name);
        }
    }
    return rv;
}

/* Only a failure that lasts is one. Another one's work is told when it lasts, and then waited for by those who can. */
static apr_status_t insist(cat_connection_t *conn, apr_pool_t *pool, const cat_source_t *source, const cat_log_t *log,
                           int wanted, int wait)
{
    apr_time_t give_up = apr_time_now() + PATIENCE;
    int told = 0;
    apr_status_t rv;

    while ((rv = step_up_to(conn, pool, log, wanted)) != APR_SUCCESS) {
        if (apr_time_now() >= give_up) {
            if (rv == CAT_ECONFLICT && !told++) {
                cat_log(log, CAT_LOG_NOTICE, 0, "CAT055: %s: waits for another one that brings the schema up to date",
                        source->name);
            }
            if (rv != CAT_ECONFLICT || !wait) {
                return rv;
            }
        }
        apr_sleep(TRY_INTERVAL);
    }
    return APR_SUCCESS;
}

apr_status_t cat_migration_look(cat_db_t *db, apr_pool_t *pool, int *version, int *wanted)
{
    cat_connection_t *conn;
    apr_status_t rv;
    int tries = 0;

    do {
        rv = cat_checkout_connect_bare(db, 0, &conn);
        if (rv == APR_SUCCESS) {
            *wanted = latest(cat_connection_dialect(conn)->driver);
            rv = read_version(conn, pool, version);
        }
    } while (cat_checkout_try_again(db, &rv, 1, &tries));
    return rv;
}

static apr_status_t step_up_or_log(cat_connection_t *conn, apr_pool_t *pool, const cat_source_t *source,
                                   const cat_log_t *log, int wanted, int wait)
{
    apr_status_t rv = insist(conn, pool, source, log, wanted, wait);

    if (rv != APR_SUCCESS && rv != CAT_ECONFLICT) {
        cat_connection_log_fault(conn, log, CAT_LOG_ERROR);
    }
    return rv;
}

/* A database that cannot hold every text is not begun with. Where there is one already it is used, as most texts are plain; each
 * child says so. */
static apr_status_t check_text(cat_connection_t *conn, apr_pool_t *pool, const cat_source_t *source,
                               const cat_log_t *log, int is_empty)
{
    apr_status_t rv = APR_SUCCESS;

    for (const cat_trait_t *trait = cat_connection_dialect(conn)->traits; trait->name; trait++) {
        const char *value = NULL;
        if (trait->advice && cat_connection_ask(conn, pool, trait->ask, &value) == APR_SUCCESS && value &&
            strcmp(value, trait->want) != 0) {
            cat_log(log, CAT_LOG_ERROR, 0, "CAT059: %s: its %s is %s, not %s, so %s; %s", source->name, trait->name,
                    value, trait->want, is_empty ? "the schema is not made in it" : "other characters cannot be stored",
                    trait->advice);
            rv = is_empty ? CAT_EDOWN : APR_SUCCESS;
        }
    }
    return rv;
}

/* An empty database where one was in use is a file that was removed: another one, made here, would hide that. */
static apr_status_t bring_up(cat_db_t *db, apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source,
                             const cat_log_t *log, int wait)
{
    cat_connection_t *conn;
    int version, wanted, had_schema;
    apr_status_t rv = cat_checkout_connect_bare(db, 0, &conn);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    /* Asked before the version: another child may be making the schema now. */
    had_schema = cat_connection_file(conn) && cat_file_registry_had_schema(source->registry, cat_connection_file(conn));
    if (!had_schema) {
        rv = cat_checkout_connect_bare(db, 1, &conn); /* after another child that makes it */
    }
    rv = rv == APR_SUCCESS ? cat_migration_look(db, pool, &version, &wanted) : rv;
    if (rv == APR_SUCCESS) {
        rv = cat_checkout_connect_bare(db, 0, &conn); /* the same one, unless that was lost */
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (version == 0 && had_schema) {
        return cat_connection_file_is_gone(conn, log, cat_connection_file(conn));
    }
    rv = check_text(conn, pool, source, log, version == 0);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (version < wanted && !conf->migrate) {
        cat_log(
            log, CAT_LOG_ERROR, 0,
            "CAT010: %s: the schema is at version %d, %d is needed; set CatalogMigrate On, or run: catalogctl migrate",
            source->name, version, wanted);
        return CAT_EDOWN;
    }
    if (version < wanted) {
        rv = cat_checkout_connect_bare(db, 1, &conn);
        rv = rv == APR_SUCCESS ? step_up_or_log(conn, pool, source, log, wanted, wait) : rv;
    }
    if (rv == APR_SUCCESS && cat_connection_file(conn)) {
        cat_file_registry_note_schema(source->registry, cat_connection_file(conn));
    }
    return rv;
}

apr_status_t cat_migration_run(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log,
                               int wait)
{
    cat_db_t *db = cat_db_make(pool, conf, source, log);
    apr_status_t rv = bring_up(db, pool, conf, source, log, wait);

    cat_checkout_release(db);
    cat_source_note_schema(source, rv == APR_SUCCESS);
    return rv == APR_SUCCESS || rv == CAT_EBUSY || rv == CAT_ENOTREADY ? rv : CAT_EDOWN;
}
