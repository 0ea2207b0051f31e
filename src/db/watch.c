/* SPDX-License-Identifier: Apache-2.0 */
#include "db/watch.h"

#include <string.h>

#include "db/conn.h"

static apr_status_t release(void *watch)
{
    cat_changes_release(((cat_watch_t *)watch)->changes);
    return APR_SUCCESS;
}

void cat_watch_hold(cat_watch_t *watch, apr_pool_t *pool, const char *file, const cat_log_t *log)
{
    cat_changes_t *changes = watch->changes;

    watch->changes = NULL;
    if (cat_changes_hold(changes, watch->fresh, file, log)) {
        watch->changes = changes;
        apr_pool_pre_cleanup_register(pool, watch, release);
    }
}

static const char *ask_version(const cat_watch_t *watch, apr_pool_t *pool)
{
    const char *version = NULL;

    cat_conn_ask(watch->conn, pool, "PRAGMA data_version", &version);
    return version;
}

void cat_watch_begin(cat_watch_t *watch)
{
    watch->wrote = CAT_WROTE_NOTHING;
    watch->version = NULL;
    watch->is_on = watch->changes && cat_changes_read(watch->changes, apr_time_now(), &watch->before);
    if (watch->is_on) {
        cat_fresh_begin(watch->fresh, watch->before);
    }
}

/* A row that comes or goes is written. SQLite need not write what leaves a row as it was. */
void cat_watch_note(cat_watch_t *watch, cat_sql_t sql)
{
    if (sql == SQL_PRODUCT_INSERT || sql == SQL_PRODUCT_DELETE) {
        watch->wrote = CAT_WROTE;
    } else if (watch->wrote == CAT_WROTE_NOTHING) {
        watch->wrote = CAT_WROTE_PERHAPS;
    }
}

void cat_watch_commit(cat_watch_t *watch, apr_pool_t *pool)
{
    if (watch->is_on) {
        watch->version = watch->wrote == CAT_WROTE_PERHAPS ? ask_version(watch, pool) : NULL;
        cat_fresh_commit(watch->fresh);
    }
}

void cat_watch_fail(cat_watch_t *watch)
{
    watch->wrote = CAT_WROTE_NOTHING;
}

/* Others may have committed too, before or after us, or instead of us. */
static int is_own(const cat_watch_t *watch, apr_pool_t *pool, apr_uint64_t after)
{
    const char *version;

    if (watch->wrote == CAT_WROTE_NOTHING || !cat_changes_is_next(watch->before, after)) {
        return 0;
    }
    version = watch->version ? ask_version(watch, pool) : NULL;
    return watch->wrote == CAT_WROTE || (version && !strcmp(version, watch->version));
}

void cat_watch_end(cat_watch_t *watch, apr_pool_t *pool)
{
    apr_uint64_t after;

    if (!watch->is_on) {
        return;
    }
    watch->is_on = 0;
    if (!cat_changes_read(watch->changes, apr_time_now(), &after) || !is_own(watch, pool, after)) {
        after = watch->before;
    }
    cat_fresh_end(watch->fresh, watch->before, after);
}
