/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema is made of numbered steps, files of conf/schema/ that are compiled in. The table schema_version has a row for
 * each step that was applied, so a database says by itself where it is.
 *
 *     read version --> 3 of 5 --> lock --> read again --> step 4 --> row 4 --> unlock --> ... --> 5 of 5: ready
 *
 * Children and servers that start together all come here; the lock lets one of them apply a step, and the others find it
 * applied when they read again. A step and its row are one transaction where the database has such a thing. On MySQL each
 * statement commits by itself; there every statement of a step can be run again.
 *
 * An empty SQLite database where this server has seen a full one means that somebody removed the file, and is refused.
 */
#include "db/schema/migration.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/dialects/status.h"
#include "db/pool/checkout.h"
#include "db/sqlite/database_file.h"
#include "lib/time.h"

/* One step: a file of conf/schema/<driver>/. */
typedef struct step_t {
    const char *driver;
    int version;
    const char *name;
    const char *text; /* statements, each ended by ";\n"; within the body of a trigger a blank or END follows that */
} step_t;

static const step_t steps[] = {
#define SCHEMA(driver, version, name, text) {driver, version, name, text},
#include "schema.inc"
#undef SCHEMA
};

#define STEP_COUNT (sizeof(steps) / sizeof(steps[0]))

/* How long to wait for another server that is at a step and holds locks which the driver does not wait for. The
 * thread that waits has the write lock, so it does not wait long: the next request tries again. */
#define PATIENCE apr_time_from_sec(1)

/* How long to wait where the database has a lock for steps: its holder is known to be at work. */
#define STEP_PATIENCE apr_time_from_sec(3)

#define TRY_INTERVAL apr_time_from_msec(50)

static const char create_table[] =
    "CREATE TABLE IF NOT EXISTS schema_version"
    " (version INTEGER NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL, applied_at BIGINT NOT NULL)";
static const char select_version[] = "SELECT MAX(version) FROM schema_version WHERE version > 0";

static int find_latest_version(const char *driver)
{
    int version = 0;
    for (size_t i = 0; i < STEP_COUNT; i++) {
        if (!strcmp(steps[i].driver, driver) && steps[i].version > version) {
            version = steps[i].version;
        }
    }
    return version;
}

/* *version: 0 in a database that has no table schema_version yet. */
static apr_status_t read_version(cat_connection_t *conn, apr_pool_t *pool, int *version)
{
    const char *value = NULL;
    apr_status_t rv = cat_connection_ask(conn, pool, cat_connection_dialect(conn)->has_versions, &value);

    *version = 0;
    if (rv == APR_SUCCESS && value && atoi(value)) {
        rv = cat_connection_ask(conn, pool, select_version, &value);
        *version = value ? atoi(value) : 0;
    }
    return rv;
}

/* The ";" at the end of the first statement; NULL: there is none. */
static const char *find_statement_end(const char *text)
{
    const char *end = text;

    while ((end = strstr(end, ";\n")) && (end[2] == ' ' || !strncmp(end + 2, "END", 3))) {
        end += 2;
    }
    return end;
}

/* APR_EEXIST: another node of the cluster has applied the step meanwhile. */
static apr_status_t apply_step(cat_connection_t *conn, apr_pool_t *pool, const step_t *step)
{
    const char *record =
        apr_psprintf(pool, "INSERT INTO schema_version (version, name, applied_at) VALUES (%d, '%s', %s)",
                     step->version, step->name, cat_time_store(pool, apr_time_now()));
    const char *text = step->text, *end;
    apr_status_t rv = APR_SUCCESS;

    for (; rv == APR_SUCCESS && (end = find_statement_end(text)); text = end + 2) {
        rv = cat_connection_send(conn, apr_pstrmemdup(pool, text, (apr_size_t)(end - text)));
    }
    rv = rv == APR_SUCCESS ? cat_connection_send(conn, record) : rv;
    return rv == APR_EEXIST ? APR_SUCCESS : rv;
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

static apr_status_t create_version_table(cat_connection_t *conn, apr_pool_t *pool)
{
    const char *value = NULL;
    apr_status_t rv = cat_connection_ask(conn, pool, cat_connection_dialect(conn)->has_versions, &value);

    return rv == APR_SUCCESS && value && !atoi(value) ? cat_connection_send(conn, create_table) : rv;
}

/* Reads the version under the lock, so that two servers never apply the same step. */
static apr_status_t apply_next_step_locked(cat_connection_t *conn, apr_pool_t *pool, const step_t **applied)
{
    const cat_dialect_t *dialect = cat_connection_dialect(conn);
    int version = 0;
    apr_status_t rv = create_version_table(conn, pool);

    if (rv == APR_SUCCESS) {
        rv = read_version(conn, pool, &version);
    }
    *applied = find_step(dialect->driver, version + 1);
    if (rv == APR_SUCCESS && *applied) {
        rv = apply_step(conn, pool, *applied);
    }
    return rv == APR_SUCCESS && !dialect->steps_commit ? cat_connection_send(conn, "COMMIT") : rv;
}

/* *applied: NULL when another server has applied the last step meanwhile. */
static apr_status_t apply_next_step(cat_connection_t *conn, apr_pool_t *pool, const step_t **applied)
{
    const cat_dialect_t *dialect = cat_connection_dialect(conn);
    apr_status_t rv = dialect->steps_commit ? create_version_table(conn, pool) : APR_SUCCESS;

    *applied = NULL;
    if (rv == APR_SUCCESS) {
        rv = cat_connection_ask_all(conn, pool, dialect->step);
    }
    if (rv == APR_SUCCESS) {
        rv = apply_next_step_locked(conn, pool, applied);
    }
    if (rv != APR_SUCCESS) {
        cat_connection_roll_back(conn);
    }
    cat_connection_clean_up(conn, pool, dialect->step_end);
    return rv;
}

static apr_status_t apply_steps(cat_db_t *db, cat_connection_t *conn, int needed)
{
    const step_t *applied;
    int version;
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && (rv = read_version(conn, db->pool, &version)) == APR_SUCCESS && version < needed) {
        rv = apply_next_step(conn, db->pool, &applied);
        if (rv == APR_SUCCESS && applied) {
            cat_log(db->log, CAT_LOG_NOTICE, 0, "CAT009: schema step %03d_%s applied", applied->version, applied->name);
        }
    }
    return rv;
}

typedef enum { GIVE_UP, KEEP_WAITING } when_late_t;

/* Repeats what fails for PATIENCE or STEP_PATIENCE. After that the wait for another server's step is logged, and goes
 * on only with KEEP_WAITING, without which it ends with CAT_EBUSY. */
static apr_status_t apply_steps_patiently(cat_db_t *db, cat_connection_t *conn, int needed, when_late_t when_late)
{
    apr_time_t start = apr_time_now();
    int is_wait_logged = 0;
    apr_status_t rv;

    while ((rv = apply_steps(db, conn, needed)) != APR_SUCCESS) {
        if (apr_time_now() >= start + (rv == CAT_ECONFLICT ? STEP_PATIENCE : PATIENCE)) {
            if (rv == CAT_ECONFLICT && !is_wait_logged++) {
                cat_log(db->log, CAT_LOG_NOTICE, 0, "CAT055: %s: waiting while another process updates the schema",
                        db->use->source->name);
            }
            if (rv != CAT_ECONFLICT || when_late == GIVE_UP) {
                break;
            }
        }
        apr_sleep(TRY_INTERVAL);
    }
    if (rv != APR_SUCCESS && rv != CAT_ECONFLICT) {
        cat_connection_log_fault(conn, db->log, CAT_LOG_ERROR);
    }
    return rv == CAT_ECONFLICT ? CAT_EBUSY : rv;
}

apr_status_t cat_migration_read_version(cat_db_t *db, int *version, int *needed)
{
    cat_connection_t *conn;
    apr_status_t rv;
    int tries = 0;

    do {
        rv = cat_checkout_connect_bare(db, CAT_TO_READ, &conn);
        if (rv == APR_SUCCESS) {
            *needed = find_latest_version(cat_connection_dialect(conn)->driver);
            rv = read_version(conn, db->pool, version);
        }
    } while (cat_checkout_try_again(db, &rv, CAT_REPEATABLE, &tries));
    return rv;
}

/* An empty database that cannot store every text gets no schema. One that has a schema is used all the same, because
 * most texts are plain; each child logs it. */
static apr_status_t check_encoding(const cat_db_t *db, cat_connection_t *conn, int is_empty)
{
    apr_status_t rv = APR_SUCCESS;

    for (const cat_trait_t *trait = cat_connection_dialect(conn)->traits; trait->name; trait++) {
        const char *value = NULL;
        if (trait->for_texts && cat_connection_ask(conn, db->pool, trait->ask, &value) == APR_SUCCESS && value &&
            strcmp(value, trait->want) != 0) {
            cat_log(db->log, CAT_LOG_ERROR, 0, "CAT059: %s: its %s is %s, not %s, so %s; %s", db->use->source->name,
                    trait->name, value, trait->want,
                    is_empty ? "the schema is not created in it" : "other characters cannot be stored", trait->advice);
            rv = is_empty ? CAT_EDOWN : APR_SUCCESS;
        }
    }
    return rv;
}

/* *had_schema: this server has seen a schema in the file. It is read before the version, because another child may be
 * creating the schema; the write lock makes this one wait for that. */
static apr_status_t read_versions(cat_db_t *db, int *had_schema, int *version, int *needed)
{
    const char *file;
    cat_connection_t *conn;
    apr_status_t rv;
    int tries = 0;

    do {
        rv = cat_checkout_connect_bare(db, CAT_TO_READ, &conn);
    } while (cat_checkout_try_again(db, &rv, CAT_REPEATABLE, &tries));
    if (rv != APR_SUCCESS) {
        return rv;
    }
    file = cat_connection_file(conn);
    *had_schema = file && cat_file_registry_had_schema(db->use->source->database.registry, file);
    if (!*had_schema) {
        rv = cat_checkout_connect_bare(db, CAT_TO_WRITE, &conn);
    }
    return rv == APR_SUCCESS ? cat_migration_read_version(db, version, needed) : rv;
}

/* Not where the files cannot be written: reads are served all the same. */
static int can_be_prepared(apr_pool_t *pool, const cat_connection_t *conn)
{
    const cat_os_user_t user = {geteuid(), getegid()};
    const char *file = cat_connection_file(conn);

    return cat_connection_dialect(conn)->prepare && file && access(file, W_OK) == 0 &&
           !cat_database_file_check(pool, file, &user);
}

static int prepare_once(apr_pool_t *pool, cat_connection_t *conn)
{
    const cat_dialect_t *dialect = cat_connection_dialect(conn);
    const char *value = NULL;

    return cat_connection_ask(conn, pool, dialect->prepare, &value) == APR_SUCCESS && value &&
           !strcmp(value, dialect->prepared);
}

static apr_status_t prepare_database(const cat_db_t *db, cat_connection_t *conn)
{
    apr_time_t give_up = apr_time_now() + PATIENCE;
    int is_prepared = !can_be_prepared(db->pool, conn) || prepare_once(db->pool, conn);

    while (!is_prepared && apr_time_now() < give_up) {
        apr_sleep(TRY_INTERVAL);
        is_prepared = prepare_once(db->pool, conn);
    }
    if (!is_prepared) {
        cat_log(db->log, CAT_LOG_ERROR, 0,
                "CAT078: %s: its journal_mode is not %s, and cannot be set: "
                "another program uses it, or the disk is full",
                db->use->source->name, cat_connection_dialect(conn)->prepared);
    }
    return is_prepared ? APR_SUCCESS : CAT_EBUSY;
}

static apr_status_t migrate_from(cat_db_t *db, int version, int needed, when_late_t when_late)
{
    cat_connection_t *conn;
    apr_status_t rv;

    if (!db->conf->migrate) {
        cat_log(db->log, CAT_LOG_ERROR, 0,
                "CAT010: %s: the schema is at version %d, version %d is required; set CatalogMigrate On, or run: "
                "catalogctl migrate",
                db->use->source->name, version, needed);
        return CAT_EDOWN;
    }
    rv = cat_checkout_connect_bare(db, CAT_TO_WRITE, &conn);
    rv = rv == APR_SUCCESS && version == 0 ? prepare_database(db, conn) : rv;
    return rv == APR_SUCCESS ? apply_steps_patiently(db, conn, needed, when_late) : rv;
}

/* An empty database where one was in use is a file that was removed: a new schema in it would hide that. */
static apr_status_t migrate_database(cat_db_t *db, when_late_t when_late)
{
    cat_connection_t *conn;
    int version = 0, needed = 0, had_schema;
    apr_status_t rv = read_versions(db, &had_schema, &version, &needed);

    if (rv == APR_SUCCESS) {
        rv = cat_checkout_connect_bare(db, CAT_TO_READ, &conn); /* the same connection, unless it was lost */
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (version == 0 && had_schema) {
        return cat_connection_file_is_gone(conn, db->log, cat_connection_file(conn));
    }
    rv = check_encoding(db, conn, version == 0);
    rv = rv == APR_SUCCESS && version > 0 ? prepare_database(db, conn) : rv;
    if (rv == APR_SUCCESS && version < needed) {
        rv = migrate_from(db, version, needed, when_late);
    }
    if (rv == APR_SUCCESS && cat_connection_file(db->use->conn)) {
        cat_file_registry_note_schema(db->use->source->database.registry, cat_connection_file(db->use->conn));
    }
    return rv;
}

static apr_status_t migrate_source(const cat_db_t *db, when_late_t when_late)
{
    cat_db_t *own = cat_checkout_make(db->pool, db->conf, db->use->source, db->log);
    apr_status_t rv = migrate_database(own, when_late);

    cat_checkout_release(own);
    cat_source_note_schema(db->use->source, rv == APR_SUCCESS);
    return rv == APR_SUCCESS || rv == CAT_EBUSY || rv == CAT_ENOTREADY || rv == CAT_EFULL ? rv : CAT_EDOWN;
}

apr_status_t cat_migration_try(const cat_db_t *db)
{
    return migrate_source(db, GIVE_UP);
}

apr_status_t cat_migration_run(const cat_db_t *db)
{
    return migrate_source(db, KEEP_WAITING);
}
