/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of a database that CatalogDatabase names, as mod_dbd's is for DBDriver: an apr_reslist of open connections for
 * each child. It checks each connection before it hands it out. The source above limits how many are in use, so the list
 * never blocks; it only closes what has been idle for five minutes.
 *
 * A connection's memory pool is unmanaged and dies with the connection: a request's pool may outlive the list, and has its
 * connection until then.
 */
#include "db/pool/pool.h"

#include <apr_reslist.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <string.h>

/* The source limits how many are in use; the list only keeps idle connections. */
#define KEEP_MAX 64
#define IN_USE_MAX 4096
#define IDLE_TIME apr_time_from_sec(300)

typedef struct pool_t {
    /* constant once child_init is through */
    const char *driver_name;
    const char *params;
    const apr_dbd_driver_t *driver;
    apr_pool_t *pool; /* of the child */
    apr_reslist_t *connections;
    apr_thread_mutex_t *mutex;
    char cause[CAT_POOL_CAUSE_MAX]; /* the driver's message for the last failed connection; guarded by the mutex */
} pool_t;

/* Where libpq cannot parse its parameters, its message quotes them, and they may have a password. */
void cat_pool_copy_cause(char cause[CAT_POOL_CAUSE_MAX], const char *words)
{
    int may_hold_secret = strstr(words, "connection info string") || strstr(words, "connection option");

    apr_cpystrn(cause, may_hold_secret ? "the driver cannot read its parameters" : words, CAT_POOL_CAUSE_MAX);
    cause[strcspn(cause, "\r\n")] = '\0';
}

static void note_cause(pool_t *p, const char *words)
{
    apr_thread_mutex_lock(p->mutex);
    cat_pool_copy_cause(p->cause, words);
    apr_thread_mutex_unlock(p->mutex);
}

static const char *read_cause(pool_t *p, apr_pool_t *pool)
{
    const char *cause;

    apr_thread_mutex_lock(p->mutex);
    cause = *p->cause ? apr_pstrdup(pool, p->cause) : NULL;
    apr_thread_mutex_unlock(p->mutex);
    return cause;
}

static apr_status_t close_handle(void *connection)
{
    cat_db_handle_t *handle = connection;
    apr_dbd_close(handle->driver, handle->dbd);
    return APR_SUCCESS;
}

/* On an unmanaged pool: a subpool would be gone when the list's cleanup closes the idle connections. That runs after
 * the subpools are destroyed, because a request's pool may be one of them and have a connection until then. */
static apr_status_t open_pooled(void **connection, void *context, apr_pool_t *)
{
    pool_t *p = context;
    const char *words = NULL;
    cat_db_handle_t *handle;
    apr_pool_t *own;
    apr_status_t rv = apr_pool_create_unmanaged_ex(&own, NULL, NULL);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    handle = apr_pcalloc(own, sizeof(*handle));
    handle->driver = p->driver;
    handle->pool = own;
    handle->owner = handle;
    rv = apr_dbd_open_ex(p->driver, own, p->params, &handle->dbd, &words);
    if (rv != APR_SUCCESS) {
        note_cause(p, words ? words : "");
        apr_pool_destroy(own);
        return rv;
    }
    apr_pool_cleanup_register(own, handle, close_handle, apr_pool_cleanup_null);
    *connection = handle;
    return APR_SUCCESS;
}

static apr_status_t close_pooled(void *connection, void *, apr_pool_t *)
{
    cat_db_handle_t *handle = connection;
    apr_pool_destroy(handle->pool);
    return APR_SUCCESS;
}

static apr_status_t acquire_handle(void *context, apr_pool_t *pool, cat_db_handle_t *handle, const char **cause)
{
    pool_t *p = context;
    void *connection;
    apr_status_t rv = p->connections ? apr_reslist_acquire(p->connections, &connection) : APR_EINIT;

    *cause = NULL;
    if (rv != APR_SUCCESS) {
        *cause = p->mutex ? read_cause(p, pool) : NULL;
        return rv;
    }
    *handle = *(cat_db_handle_t *)connection;
    if (apr_dbd_check_conn(handle->driver, pool, handle->dbd) != APR_SUCCESS) {
        apr_reslist_invalidate(p->connections, connection);
        return APR_EGENERAL;
    }
    return APR_SUCCESS;
}

static void release_handle(void *context, cat_db_handle_t *handle)
{
    pool_t *p = context;
    apr_reslist_release(p->connections, handle->owner);
}

/* Opens the new one first: if that fails, the old one stays. */
static apr_status_t reopen_handle(void *context, cat_db_handle_t *handle, const char *params)
{
    pool_t *p = context;
    cat_db_handle_t *kept = handle->owner;
    apr_dbd_t *dbd;
    apr_status_t rv = apr_dbd_open(p->driver, kept->pool, params ? params : p->params, &dbd);

    if (rv == APR_SUCCESS) {
        apr_dbd_close(kept->driver, kept->dbd);
        kept->dbd = handle->dbd = dbd;
    }
    return rv;
}

static apr_status_t create_list(void *context, apr_pool_t *pool)
{
    pool_t *p = context;
    apr_status_t rv = apr_dbd_init(pool);

    if (rv == APR_SUCCESS) {
        rv = apr_dbd_get_driver(pool, p->driver_name, &p->driver);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_thread_mutex_create(&p->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
    }
    if (rv == APR_SUCCESS) {
        rv =
            apr_reslist_create(&p->connections, 0, KEEP_MAX, IN_USE_MAX, IDLE_TIME, open_pooled, close_pooled, p, pool);
    }
    return rv;
}

static const cat_connector_t connector = {acquire_handle, release_handle, create_list, reopen_handle};

cat_source_t *cat_pool_create(apr_pool_t *pool, const char *driver, const char *params)
{
    pool_t *p = apr_pcalloc(pool, sizeof(*p));
    cat_source_t *source;

    p->driver_name = driver;
    p->params = params;
    source =
        cat_source_create(pool, apr_pstrcat(pool, "the ", driver, " database of CatalogDatabase", NULL), &connector, p);
    source->keeps = KEEP_MAX;
    return source;
}

int cat_pool_settings(const cat_source_t *source, const char **driver, const char **params)
{
    const pool_t *p = source->context;

    if (source->connector != &connector) {
        return 0;
    }
    *driver = p->driver_name;
    *params = p->params;
    return 1;
}
