/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the database of the catalogue for a command, with the settings that httpd's configuration gives.
 *
 * The process takes over httpd's environment and, run by root, becomes the server's user first: files that SQLite creates belong to that
 * user, and the client libraries connect as in httpd's children. A command that writes much leaves other writers their turn
 * (ctl_database_yield), and repeats work that was in somebody's way.
 */
#include "ctl/database.h"

#include <string.h>
#include <unistd.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "catalogue/store.h"
#include "db/db.h"
#include "db/setup.h"
#include "lib/conf.h"
#include "lib/time.h"

#define CONNECTIONS 4 /* one does the work while another checks the schema, and a third defines indexes; one is kept */

/* A writer of the server looks for SQLite's lock ten times a second at least, while it waits. */
#define YIELD_INTERVAL apr_time_from_msec(400)
#define YIELD_TIME apr_time_from_msec(110)

/* On SQLite each try waits for 1.6 seconds in the driver. */
#define TRIES 4
#define TRY_INTERVAL apr_time_from_msec(100)

static const char *become_server(apr_pool_t *pool, const ctl_site_t *site)
{
    cat_os_user_t user = {site->uid, site->gid};
    int error;

    if (!site->server) {
        return NULL;
    }
    cat_environment_replace(pool, site->environment);
    if (geteuid() != 0) {
        return NULL;
    }
    error = cat_os_user_become(&user);
    cat_environment_leave_home();
    return error ? apr_psprintf(pool, "cannot become the server's user %lu: %s", (unsigned long)site->uid,
                                strerror(error))
                 : NULL;
}

/* Without this check the driver would create an empty database under a mistyped name. The directory is checked first: if it is not
 * usable, migrate could not create the database in it either. */
static const char *check_file(apr_pool_t *pool, const ctl_site_t *site, int make)
{
    cat_os_user_t user = {geteuid(), getegid()};
    const char *fault = cat_database_file_check(pool, site->params, &user);
    char reason[120];
    apr_finfo_t info;
    apr_status_t rv;

    if (fault || make) {
        return fault;
    }
    rv = apr_stat(&info, site->params, APR_FINFO_TYPE, pool);
    if (APR_STATUS_IS_ENOENT(rv)) {
        return apr_psprintf(pool, "%s: there is no such database; to create it, run: catalogctl migrate", site->params);
    }
    return rv == APR_SUCCESS ? NULL
                             : apr_psprintf(pool, "%s: %s", site->params, apr_strerror(rv, reason, sizeof(reason)));
}

static const char *make_source(ctl_t *ctl)
{
    cat_write_locks_t *locks;
    cat_file_registry_t *registry;
    char reason[120];
    apr_status_t rv = cat_write_lock_create(&locks, ctl->pool, ctl->pool);

    ctl->source = cat_pool_create(ctl->pool, ctl->site.driver, ctl->site.params);
    ctl->source->has_no_limit = 1; /* a count of all products takes longer than a request may */
    ctl->source->path = cat_dialect_find(ctl->site.driver)->file ? ctl->site.params : NULL;
    ctl->source->name = apr_pstrcat(ctl->pool, "the ", ctl->site.driver, " database", NULL);
    if (rv == APR_SUCCESS) {
        rv = cat_file_registry_create(&registry, ctl->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = cat_source_child_init(ctl->source, ctl->pool, locks, registry, cat_migration_try);
    }
    return rv == APR_SUCCESS ? NULL
                             : apr_psprintf(ctl->pool, "%s cannot be used: %s", ctl->source->name,
                                            apr_strerror(rv, reason, sizeof(reason)));
}

const char *ctl_database_read_fields(apr_pool_t *pool, const json_t *lines, const cat_fields_t **fields)
{
    const char *fault = NULL, *line;
    const json_t *text;
    size_t i;

    *fields = NULL;
    json_array_foreach (lines, i, text) {
        fault = cat_own_fields_add(pool, *fields, json_string_value(text), fields);
        if (fault) {
            return fault;
        }
    }
    return *fields ? cat_own_fields_check(pool, *fields, &line) : NULL;
}

const char *ctl_database_open(ctl_t *ctl, int make)
{
    const cat_dialect_t *dialect = cat_dialect_find(ctl->site.driver);
    const char *fault, *lacks;

    if (!dialect) {
        return apr_psprintf(ctl->pool, "the driver %s is not supported", ctl->site.driver);
    }
    lacks = cat_dialect_lacks(dialect, ctl->pool, ctl->site.params);
    if (lacks) {
        return apr_psprintf(ctl->pool, "the parameters of the driver %s lack \"%s\"", ctl->site.driver, lacks);
    }
    fault = become_server(ctl->pool, &ctl->site);
    if (!fault && dialect->file) {
        fault = check_file(ctl->pool, &ctl->site, make);
    }
    if (!fault) {
        fault = make_source(ctl);
    }
    if (!fault) {
        ctl->conf = (cat_conf_t){
            .max_connections = CONNECTIONS,
            .migrate = make,
            .history = &ctl->site.history,
            .index = ctl->site.index ? cat_product_keys_set(cat_product_keys_read_set(ctl->site.index)) : NULL};
        ctl->db = cat_db_make(ctl->pool, &ctl->conf, ctl->source, &ctl->log);
        ctl->author = (cat_author_t){.source = CAT_SOURCE_CTL};
        ctl->db->author = &ctl->author;
        fault = ctl_database_read_fields(ctl->pool, ctl->site.fields, &ctl->conf.fields);
    }
    return fault;
}

void ctl_database_yield(ctl_t *ctl, apr_time_t begun)
{
    const cat_dialect_t *dialect = cat_source_dialect(ctl->source);

    ctl->written += cat_time_monotonic() - begun;
    if (dialect && dialect->one_writer && ctl->written >= YIELD_INTERVAL) {
        apr_sleep(YIELD_TIME);
        ctl->written = 0;
    }
}

apr_status_t ctl_database_write(ctl_t *ctl, cat_work_t *work, void *baton)
{
    apr_time_t begun = cat_time_monotonic();
    apr_status_t rv = CAT_EDOWN;

    ctl->quiet = 1; /* only the last failure is logged */
    for (int tries = 1; tries <= TRIES && (rv == CAT_EDOWN || rv == CAT_EBUSY || rv == CAT_EREADONLY); tries++) {
        if (tries > 1) {
            apr_sleep(TRY_INTERVAL);
        }
        ctl->unsaid = NULL;
        rv = cat_db_transact(ctl->db, work, baton);
    }
    if (rv == APR_SUCCESS) {
        cat_change_notes_keep(ctl->db);
    }
    ctl->quiet = 0;
    if (rv != APR_SUCCESS && ctl->unsaid) {
        ctl_fail(NULL, ctl->unsaid);
    }
    ctl_database_yield(ctl, begun);
    return rv;
}
