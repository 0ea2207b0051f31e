/* SPDX-License-Identifier: Apache-2.0 */
#include "db/open.h"

#include <apr_file_io.h>
#include <string.h>

#include "lib/answer.h"

#define CONN_KEY "catalog:conn"

/* How often the file of an embedded database is looked at. */
#define FILE_INTERVAL apr_time_from_sec(1)

/* How long a new connection tries to get its first words in, and how often. */
#define FIRST_PATIENCE apr_time_from_sec(1)
#define FIRST_INTERVAL apr_time_from_msec(10)

/* SQLite goes on reading and writing a file that was deleted or replaced, and makes an empty one for who comes new: what is
 * acknowledged then is lost. */
apr_status_t cat_conn_file_is_gone(const cat_conn_t *conn, const cat_log_t *log, apr_status_t rv)
{
    cat_log(log, CAT_LOG_ERROR, rv, "CAT006: %s: the database file was removed or replaced; restart the server",
            conn->name);
    return CAT_EDOWN;
}

/* A file that was just made holds nothing yet: what comes into it, hashes of passwords too, is not for everyone to read. Its
 * side files take over its mode. */
static apr_status_t know_file(cat_source_t *source, cat_conn_t *conn, const cat_log_t *log)
{
    apr_status_t rv;

    if (!*conn->file) {
        conn->file = NULL; /* a database in memory */
        return APR_SUCCESS;
    }
    rv = apr_stat(&conn->opened, conn->file, APR_FINFO_IDENT | APR_FINFO_SIZE, conn->link.pool);
    if (rv == APR_SUCCESS && !cat_turns_same_file(source->turns, conn->file, &conn->opened)) {
        return cat_conn_file_is_gone(conn, log, APR_SUCCESS);
    }
    if (rv == APR_SUCCESS && conn->opened.size == 0) {
        rv = apr_file_perms_set(conn->file, APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_GREAD);
    }
    return rv;
}

/* While one process opens a database as the first one, or closes it as the last, others find it locked for a moment. Later
 * statements are waited for by the driver itself. */
static apr_status_t send_first(cat_conn_t *conn, const char *text)
{
    apr_time_t give_up = apr_time_now() + FIRST_PATIENCE;
    int changed = 0, result;

    while ((result = apr_dbd_query(conn->link.driver, conn->link.handle, &changed, text)) != 0 &&
           result == conn->dialect->locked && apr_time_now() < give_up) {
        apr_sleep(FIRST_INTERVAL);
    }
    return cat_conn_judge(conn, result, text);
}

static apr_status_t set_up_session(cat_conn_t *conn)
{
    apr_status_t rv = APR_SUCCESS;

    for (const char *const *text = conn->dialect->session; *text && rv == APR_SUCCESS; text++) {
        rv = send_first(conn, *text);
    }
    if (rv == APR_SUCCESS && conn->dialect->file) {
        rv = cat_conn_ask(conn, conn->link.pool, conn->dialect->file, &conn->file);
    }
    return rv;
}

static apr_status_t set_up(cat_source_t *source, cat_conn_t *conn, const cat_log_t *log)
{
    apr_status_t rv = set_up_session(conn);

    if (rv == CAT_ELOST) {
        return rv;
    }
    if (rv != APR_SUCCESS) {
        cat_conn_log_fault(conn, log, CAT_LOG_ERROR);
        return CAT_EDOWN;
    }
    return conn->file ? know_file(source, conn, log) : APR_SUCCESS;
}

static apr_status_t look_at_file(cat_source_t *source, cat_conn_t *conn, const cat_log_t *log)
{
    apr_finfo_t now;
    apr_time_t time = apr_time_now();
    apr_status_t rv;

    if (!conn->file || (time >= conn->looked && time - conn->looked < FILE_INTERVAL)) {
        return APR_SUCCESS;
    }
    rv = apr_stat(&now, conn->file, APR_FINFO_IDENT, conn->link.pool);
    if (rv != APR_SUCCESS || !cat_turns_same_file(source->turns, conn->file, &now) || now.inode != conn->opened.inode) {
        return cat_conn_file_is_gone(conn, log, rv);
    }
    conn->looked = time;
    return APR_SUCCESS;
}

/* The first connection tells which turns the writers of this source take. */
static void learn(cat_source_t *source, const cat_conn_t *conn)
{
    apr_thread_mutex_lock(source->mutex);
    if (conn->dialect->one_writer) {
        source->turn = cat_turns_gate(source->turns, conn->file ? conn->file : source->name);
    }
    source->dialect = conn->dialect;
    apr_thread_mutex_unlock(source->mutex);
}

static apr_status_t make(cat_source_t *source, const cat_link_t *link, const cat_log_t *log, cat_conn_t **conn)
{
    cat_conn_t *c = apr_pcalloc(link->pool, sizeof(*c));
    apr_status_t rv;

    c->link = *link;
    c->source = source;
    c->name = source->name;
    c->dialect = cat_dialect_find(apr_dbd_name(link->driver));
    if (!c->dialect) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT007: the driver %s is not supported", apr_dbd_name(link->driver));
        return CAT_EDOWN;
    }
    rv = set_up(source, c, log);
    if (rv == APR_SUCCESS) {
        apr_pool_userdata_setn(c, CONN_KEY, NULL, link->pool);
        learn(source, c);
        c->reader = cat_reader_make(link);
        *conn = c;
    }
    return rv;
}

/* One that was given back to its pool once is likely to stay. */
static void watch(cat_conn_t *conn, const cat_source_t *source, const cat_log_t *log)
{
    if (!conn->watch.conn && conn->has_read && conn->file && source->changes) {
        conn->watch.conn = conn;
        conn->watch.changes = source->changes;
        conn->watch.fresh = source->fresh;
        cat_watch_hold(&conn->watch, conn->link.pool, conn->file, log);
    }
}

/* The driver's own look at a connection may not ask the database, so one that was cut meanwhile fails with the first statement. A
 * write that fails cannot be tried again; a read can, but not on one such connection after the other. */
static apr_status_t wake(cat_conn_t *conn, int to_write)
{
    apr_time_t now = apr_time_now();
    apr_status_t rv = APR_SUCCESS;

    if (conn->is_lost) {
        memset(conn->statements, 0, sizeof(conn->statements));
        conn->is_lost = 0;
        rv = set_up_session(conn);
    } else if (conn->dialect->forgets && (to_write || cat_source_lost_one_since(conn->source, conn->used))) {
        rv = cat_conn_send(conn, "SELECT 1");
    }
    conn->used = now;
    return rv == APR_SUCCESS ? rv : CAT_ELOST;
}

apr_status_t cat_conn_get(cat_source_t *source, const cat_link_t *link, int to_write, const cat_log_t *log,
                          cat_conn_t **conn)
{
    void *kept = NULL;
    apr_status_t rv;

    apr_pool_userdata_get(&kept, CONN_KEY, link->pool);
    if (!kept) {
        return make(source, link, log, conn);
    }
    *conn = kept;
    (*conn)->source = source;
    rv = wake(*conn, to_write);
    watch(*conn, source, log);
    return rv == APR_SUCCESS ? look_at_file(source, *conn, log) : rv;
}
