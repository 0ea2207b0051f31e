/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes mod_dbd's connection pool a database source. This file adds three features that mod_dbd does not have. A
 * connection is acquired and released around each use, instead of being kept for the whole request. A lost connection
 * is replaced within mod_dbd's own record. After a failure to connect, the module opens a connection of its own to
 * learn the cause, because mod_dbd does not report it. mod_dbd does not export its settings, so they are read from
 * httpd's directive tree.
 */
#include "httpd/dbd.h"

#include <apr_dbd.h>
#include <apr_hash.h>
#include <apr_optional.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <http_config.h>
#include <mod_dbd.h>
#include <stdlib.h>
#include <string.h>

#include "db/setup.h"
#include "httpd/config_tree.h"

/* mod_dbd's default for DBDMax. */
#define MAX_STANDARD 10

/* Shortest time between two attempts of a child to learn from the driver why it cannot connect. */
#define ASK_INTERVAL apr_time_from_sec(10)

typedef struct dbd_t {
    server_rec *server;
    const char *driver, *params;
    apr_array_header_t *init; /* Elements are const char *: the arguments of DBDInitSQL. */
    APR_OPTIONAL_FN_TYPE(ap_dbd_open) *open;
    APR_OPTIONAL_FN_TYPE(ap_dbd_close) *close;
    apr_thread_mutex_t *mutex;
    /* ---- guarded by the mutex ---- */
    char cause[CAT_POOL_CAUSE_MAX]; /* Cause of the last failure, or "" if it is not known. */
    apr_time_t asked;               /* When the driver was last asked for the cause. */
} dbd_t;

static void ask_driver(dbd_t *dbd, apr_pool_t *pool)
{
    const apr_dbd_driver_t *driver;
    const char *words = NULL;
    apr_dbd_t *opened;
    apr_pool_t *own;

    dbd->asked = apr_time_now();
    *dbd->cause = '\0';
    if (apr_dbd_get_driver(pool, dbd->driver, &driver) != APR_SUCCESS || apr_pool_create(&own, pool) != APR_SUCCESS) {
        return;
    }
    if (apr_dbd_open_ex(driver, own, dbd->params, &opened, &words) == APR_SUCCESS) {
        apr_dbd_close(driver, opened);
    } else {
        cat_pool_copy_cause(dbd->cause, words ? words : "");
    }
    apr_pool_destroy(own);
}

/* Returns why the driver cannot connect, on the pool, or NULL if the cause is not known or another thread is asking.
 * Does not ask SQLite's driver: opening a file would create it, and the file system tells what is wrong with the
 * file. */
static const char *find_cause(dbd_t *dbd, apr_pool_t *pool)
{
    const char *cause = NULL;

    if (!dbd->params || !strcasecmp(dbd->driver, "sqlite3") || apr_thread_mutex_trylock(dbd->mutex) != APR_SUCCESS) {
        return NULL;
    }
    if (llabs(apr_time_now() - dbd->asked) >= ASK_INTERVAL) {
        ask_driver(dbd, pool);
    }
    cause = *dbd->cause ? apr_pstrdup(pool, dbd->cause) : NULL;
    apr_thread_mutex_unlock(dbd->mutex);
    return cause;
}

/* Calls ap_dbd_open and not ap_dbd_acquire, which would keep the connection until the client has read the response. */
static apr_status_t open_handle(void *context, apr_pool_t *pool, cat_db_handle_t *handle, const char **cause)
{
    dbd_t *dbd = context;
    ap_dbd_t *rec = dbd->open(pool, dbd->server);

    *cause = NULL;
    if (!rec) {
        *cause = find_cause(dbd, pool);
        return APR_EGENERAL;
    }
    handle->driver = rec->driver;
    handle->dbd = rec->handle;
    handle->pool = rec->pool;
    handle->owner = rec;
    return APR_SUCCESS;
}

static void close_handle(void *context, cat_db_handle_t *handle)
{
    dbd_t *dbd = context;
    dbd->close(dbd->server, handle->owner);
}

/* Replaces a lost connection. mod_dbd has no function to drop one, so the new connection replaces the old one in
 * mod_dbd's own record, and mod_dbd closes it in the end. Returns APR_ENOTIMPL if mod_dbd has prepared statements for
 * other modules (DBDPrepareSQL), which would be lost with the old connection. */
static apr_status_t reopen_handle(void *context, cat_db_handle_t *handle, const char *params)
{
    dbd_t *dbd = context;
    ap_dbd_t *rec = handle->owner;
    apr_dbd_t *opened;
    int changed;
    apr_status_t rv = rec->prepared && apr_hash_count(rec->prepared)
                          ? APR_ENOTIMPL
                          : apr_dbd_open(rec->driver, rec->pool, params ? params : dbd->params, &opened);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_dbd_close(rec->driver, rec->handle);
    rec->handle = handle->dbd = opened;
    for (int i = 0; i < dbd->init->nelts; i++) {
        apr_dbd_query(rec->driver, opened, &changed, APR_ARRAY_IDX(dbd->init, i, const char *));
    }
    return APR_SUCCESS;
}

static const cat_connector_t connector = {open_handle, close_handle, NULL, reopen_handle};

/* ---- mod_dbd's settings, which it does not export: read from httpd's directive tree ---- */

static void add_init(apr_array_header_t *texts, const ap_directive_t *first)
{
    for (const ap_directive_t *d = first; d; d = d->next) {
        if (!strcasecmp(d->directive, "DBDInitSQL")) {
            const char *args = d->args;
            APR_ARRAY_PUSH(texts, const char *) = ap_getword_conf(texts->pool, &args);
        }
    }
}

void cat_dbd_settings(apr_pool_t *pool, const server_rec *s, const char **driver, const char **params)
{
    *driver = cat_config_tree_find(pool, s, "DBDriver");
    *params = cat_config_tree_find(pool, s, "DBDParams");
}

int cat_dbd_max(apr_pool_t *pool, const server_rec *s)
{
    const char *max = cat_config_tree_find(pool, s, "DBDMax");
    return max ? atoi(max) : MAX_STANDARD;
}

/* A virtual host without a directive of mod_dbd shares the main server's record of mod_dbd. */
int cat_dbd_is_inherited(const server_rec *s, const server_rec *main_server)
{
    const module *dbd = ap_find_linked_module("mod_dbd.c");
    return dbd && ap_get_module_config(s->module_config, dbd) == ap_get_module_config(main_server->module_config, dbd);
}

cat_source_t *cat_dbd_create(apr_pool_t *pool, server_rec *s)
{
    dbd_t *dbd = apr_pcalloc(pool, sizeof(*dbd));
    const char *persist = cat_config_tree_find(pool, s, "DBDPersist");
    cat_source_t *source;

    dbd->server = s;
    dbd->driver = cat_config_tree_find(pool, s, "DBDriver");
    dbd->open = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_open);
    dbd->close = APR_RETRIEVE_OPTIONAL_FN(ap_dbd_close);
    if (!dbd->open || !dbd->close || !dbd->driver ||
        apr_thread_mutex_create(&dbd->mutex, APR_THREAD_MUTEX_DEFAULT, pool) != APR_SUCCESS) {
        return NULL;
    }
    dbd->params = cat_config_tree_find(pool, s, "DBDParams");
    dbd->init = apr_array_make(pool, 1, sizeof(const char *));
    add_init(dbd->init, cat_config_tree_section(s)); /* In mod_dbd's order: virtual host, then main server. */
    add_init(dbd->init, ap_conftree);
    source = cat_source_create(pool, apr_pstrcat(pool, "the DBD of ", s->server_hostname, NULL), &connector, dbd);
    /* With DBDPersist Off, a connection is on the pool of its request and cannot be kept. The other half of DBDMax is
     * left to other modules that use mod_dbd. */
    if (!persist || strcasecmp(persist, "off") != 0) {
        source->keeps = cat_dbd_max(pool, s) / 2;
    }
    return source;
}
