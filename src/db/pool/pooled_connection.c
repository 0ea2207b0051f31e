/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the pool, which knows open handles, and the statements, which need a session that is set up: what happens to a
 * connection when it leaves its pool, and when it goes back.
 *
 *     leaves, new          files checked (SQLite) --> dialect learned --> session texts sent --> timeline checked (PostgreSQL); a
 *                          connection to a former primary is replaced by one to the newest host
 *     leaves, opened anew  the same, and its prepared statements are forgotten
 *     leaves, kept         was one lost meanwhile? idle for long, and for a write? then it is asked first; a session that refused
 *                          a write is replaced
 *     goes back            a SQLite file that is mapped read-only is opened anew; a connection that is lost, or whose ROLLBACK
 *                          was refused, goes to the pool, which checks it, and is not kept warm
 */
#include "db/pool/pooled_connection.h"

#include "db/connection/connection_state.h"
#include "db/connection/executor.h"
#include "db/dialects/status.h"
#include "db/pool/timeline.h"
#include "db/sqlite/sqlite.h"
#include "db/sqlite/sqlite_files.h"
#include "db/sqlite/sqlite_native.h"
#include "lib/log.h"

#define CONN_KEY "catalog:conn"

/* How often a new connection retries its first statement while others have locked the database. */
#define FIRST_INTERVAL apr_time_from_msec(10)

/* After this time in the pool a connection may have been dropped by something between the module and the database,
 * which tells neither of the two. */
#define IDLE_TIME apr_time_from_sec(10)

/* The child of this server that creates the schema has the write lock. */
static apr_status_t wait_for_other_children(cat_source_t *source, const cat_log_t *log)
{
    int slot;
    apr_status_t rv = cat_source_take_write_lock(source, apr_time_now() + CAT_SOURCE_WRITE_PATIENCE, log, &slot);

    if (rv == APR_SUCCESS) {
        cat_semaphore_leave(cat_source_write_lock(source), slot);
    }
    return rv;
}

static apr_status_t send_until(cat_connection_t *conn, const char *text, apr_time_t give_up)
{
    apr_status_t rv;

    while (cat_connection_is_locked(conn, rv = conn->dialect->executor->send(conn, text)) && apr_time_now() < give_up) {
        apr_sleep(FIRST_INTERVAL);
    }
    return rv;
}

/* Others find the database locked while a process opens it as the first one, closes it as the last, or creates its
 * schema. Later statements wait by themselves: BEGIN in SQLite, the others in the driver. */
static apr_status_t send_first(cat_source_t *source, cat_connection_t *conn, const char *text, int has_write_lock,
                               const cat_log_t *log)
{
    apr_status_t rv = send_until(conn, text, 0);

    if (cat_connection_is_locked(conn, rv)) {
        rv = has_write_lock ? APR_SUCCESS : wait_for_other_children(source, log);
        if (rv == APR_SUCCESS) {
            rv = send_until(conn, text, apr_time_now() + CAT_SOURCE_LOCK_PATIENCE);
        }
    }
    return rv;
}

static apr_status_t set_up_session(cat_source_t *source, cat_connection_t *conn, int has_write_lock,
                                   const cat_log_t *log)
{
    apr_status_t rv = APR_SUCCESS;

    for (const char *const *text = conn->dialect->session; *text && rv == APR_SUCCESS; text++) {
        rv = send_first(source, conn, *text, has_write_lock, log);
    }
    if (rv == APR_SUCCESS && source->has_no_limit && conn->dialect->unlimited) {
        rv = cat_connection_send(conn, conn->dialect->unlimited);
    }
    return rv;
}

/* Learns from the first connection whether writers of this source need a write lock, and which hosts the parameters name. */
static void learn_dialect(cat_source_t *source, const cat_connection_t *conn)
{
    apr_thread_mutex_lock(source->mutex);
    if (conn->dialect->one_writer) {
        cat_semaphore_t *lock = cat_write_lock_find(source->write_locks, conn->file ? conn->file : source->name);
        atomic_store_explicit(&source->write_lock, lock, memory_order_release);
    }
    if (conn->dialect->timeline && !cat_source_dialect(source)) {
        atomic_store_explicit(&source->database.hosts, conn->dialect->executor->list_hosts(conn, source->hosts_pool),
                              memory_order_release);
    }
    atomic_store_explicit(&source->dialect, conn->dialect, memory_order_release);
    apr_thread_mutex_unlock(source->mutex);
}

/* Opens another connection in place of this one, without setting up its session. params: those of one host; NULL: the pool's own. After a failure
 * the old connection stays, or is marked as lost. */
static apr_status_t replace_connection(const cat_source_t *source, cat_connection_t *conn, const char *params)
{
    const cat_executor_t *executor = conn->dialect->executor;
    apr_status_t rv;

    if (params || !executor->cut) {
        rv = cat_source_reopen(source, &conn->handle, params);
    } else { /* the driver connects again, which takes no memory of the connection's pool */
        executor->cut(conn);
        rv =
            apr_dbd_check_conn(conn->handle.driver, conn->handle.pool, conn->handle.dbd) == 0 ? APR_SUCCESS : CAT_ELOST;
        conn->is_lost |= rv != APR_SUCCESS;
    }
    if (rv == APR_SUCCESS) {
        executor->forget(conn);
        executor->is_new(conn);
    }
    return rv;
}

/* Replaces a connection to a former primary by one to the newest host: libpq connects to the first host that accepts writes, which may be the
 * former primary. Returns CAT_ENOTREADY, and marks the connection as lost, if that fails. */
static apr_status_t follow_promotion(cat_source_t *source, cat_connection_t *conn, int has_write_lock,
                                     const cat_log_t *log)
{
    const char *params = cat_timeline_find_newest(conn);
    apr_status_t rv = params ? replace_connection(source, conn, params) : CAT_ENOTREADY;
    char former[FAULT_MAX];

    memcpy(former, conn->fault, sizeof(former));
    rv = rv == APR_SUCCESS ? set_up_session(source, conn, has_write_lock, log) : rv;
    rv = rv == APR_SUCCESS ? cat_timeline_check(conn) : rv;
    if (rv != APR_SUCCESS) {
        memcpy(conn->fault, former, sizeof(former));
        cat_timeline_refuse(conn);
        return CAT_ENOTREADY;
    }
    if (cat_timeline_is_first_to_follow(conn)) {
        cat_log(log, CAT_LOG_WARNING, 0, "CAT065: %s: %s; until then connections are led to the promoted one",
                conn->name, former);
    }
    return APR_SUCCESS;
}

static apr_status_t set_up_connection(cat_source_t *source, cat_connection_t *conn, int has_write_lock,
                                      const cat_log_t *log)
{
    apr_status_t rv = conn->sqlite ? cat_sqlite_files_check(conn, log) : APR_SUCCESS;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    learn_dialect(source, conn);
    rv = set_up_session(source, conn, has_write_lock, log);
    if (rv != APR_SUCCESS && rv != CAT_ELOST && rv != CAT_EBUSY) {
        cat_connection_log_fault(conn, log, CAT_LOG_ERROR);
        return rv == CAT_EFULL ? rv : CAT_EDOWN;
    }
    if (rv == APR_SUCCESS && conn->file) {
        cat_sqlite_set_up(&conn->handle);
        cat_sqlite_files_note_wal(conn);
    }
    conn->is_fresh = 1;
    conn->is_read_only = 0;
    rv = rv == APR_SUCCESS ? cat_timeline_check(conn) : rv;
    return rv == CAT_ENOTREADY ? follow_promotion(source, conn, has_write_lock, log) : rv;
}

static apr_status_t make_connection(cat_source_t *source, const cat_db_handle_t *handle, int has_write_lock,
                                    const cat_log_t *log, cat_connection_t **conn)
{
    cat_connection_t *c = apr_pcalloc(handle->pool, sizeof(*c));
    apr_status_t rv;

    *conn = c; /* for its fault, whether it can be used or not */
    c->handle = *handle;
    c->database = &source->database;
    c->name = source->name;
    c->sqlite = cat_sqlite_native_make(handle);
    c->dialect = cat_dialect_find(apr_dbd_name(handle->driver));
    if (!c->dialect) {
        cat_log(log, CAT_LOG_ERROR, 0, "CAT007: the driver %s is not supported", apr_dbd_name(handle->driver));
        return CAT_EDOWN;
    }
    c->executor_data = c->dialect->executor->make(handle);
    if (!c->executor_data) {
        return APR_ENOMEM;
    }
    rv = set_up_connection(source, c, has_write_lock, log);
    if (rv == APR_SUCCESS) {
        apr_pool_userdata_setn(c, CONN_KEY, NULL, handle->pool);
        if (c->sqlite) {
            c->sqlite->reader = cat_sqlite_reader_make(handle);
            apr_pool_pre_cleanup_register(handle->pool, c, cat_sqlite_files_save_wal);
        }
    }
    return rv;
}

/* Ends the transaction whose ROLLBACK the database refused, unless the database has ended the connection meanwhile. */
static apr_status_t resume_abandoned(cat_source_t *source, cat_connection_t *conn, int has_write_lock,
                                     const cat_log_t *log)
{
    apr_status_t rv = cat_connection_send(conn, "ROLLBACK");

    if (rv == APR_SUCCESS) {
        rv = set_up_session(source, conn, has_write_lock, log);
    }
    conn->is_abandoned = rv != APR_SUCCESS;
    return rv == APR_SUCCESS || rv == CAT_ENOTREADY ? rv : CAT_ELOST;
}

/* A write cannot be repeated where its connection is found lost, so the connection is looked at first. A read can, but
 * not on one lost connection after the other. The database is asked where a look may not tell: after a long time, and
 * after another connection was lost. */
static apr_status_t check_idle(cat_source_t *source, cat_connection_t *conn, int to_write, apr_time_t now)
{
    int may_hide_loss = cat_database_lost_one_since(&source->database, conn->used) ||
                        (to_write && (now < conn->used || now - conn->used > IDLE_TIME));

    if ((to_write || may_hide_loss) && conn->dialect->executor->is_cut(conn)) {
        conn->is_lost = 1;
        cat_database_note_loss(&source->database);
        return CAT_ELOST;
    }
    return may_hide_loss && cat_connection_send(conn, "SELECT 1") != APR_SUCCESS ? CAT_ELOST : APR_SUCCESS;
}

/* Replaces a session that accepts no writes, and returns true if that worked. A session that was opened while PostgreSQL's
 * default_transaction_read_only or MariaDB's global transaction_read_only was on stays read-only after the setting is off again. */
static int is_replaced(const cat_source_t *source, cat_connection_t *conn)
{
    return conn->is_read_only && replace_connection(source, conn, NULL) == APR_SUCCESS;
}

static apr_status_t wake_connection(cat_source_t *source, cat_connection_t *conn, int to_write, const cat_log_t *log)
{
    int is_new = conn->dialect->executor->is_new(conn);
    apr_time_t now = apr_time_now();
    apr_status_t rv = APR_SUCCESS;

    conn->is_fresh = 0;
    if (conn->is_abandoned) {
        rv = resume_abandoned(source, conn, to_write, log);
    } else if (conn->is_lost || is_new || is_replaced(source, conn)) {
        conn->dialect->executor->forget(conn);
        conn->is_lost = 0;
        rv = set_up_connection(source, conn, to_write, log);
        conn->is_lost |= rv != APR_SUCCESS;
    } else if (conn->dialect->pool_skips_ping) {
        rv = check_idle(source, conn, to_write, now);
    }
    conn->used = now;
    if (rv == APR_SUCCESS && cat_timeline_check_again(conn) != APR_SUCCESS) {
        rv = follow_promotion(source, conn, to_write, log);
    }
    return rv;
}

static apr_status_t get_kept(cat_source_t *source, int to_write, const cat_log_t *log, cat_connection_t **conn)
{
    apr_status_t rv;

    (*conn)->database = &source->database;
    if (!cat_source_dialect(source)) { /* a source that shares the pool has opened the connection */
        learn_dialect(source, *conn);
    }
    rv = wake_connection(source, *conn, to_write, log);
    if ((*conn)->sqlite) { /* it has been in use before, so it will probably stay open */
        cat_sqlite_native_hold_index(*conn, source->wal_index, source->generations, log);
    }
    return rv == APR_SUCCESS && (*conn)->sqlite ? cat_sqlite_files_compare(*conn, log) : rv;
}

apr_status_t cat_pooled_connection_get(cat_source_t *source, cat_db_handle_t *handle, int to_write,
                                       const cat_log_t *log, cat_connection_t **conn)
{
    void *kept = NULL;
    apr_status_t rv;

    apr_pool_userdata_get(&kept, CONN_KEY, handle->pool);
    *conn = kept;
    rv = kept ? get_kept(source, to_write, log, conn) : make_connection(source, handle, to_write, log, conn);
    handle->dbd = (*conn)->handle.dbd; /* the connection may have been replaced */
    return rv;
}

apr_status_t cat_pooled_connection_renew(cat_source_t *source, cat_db_handle_t *handle, const cat_log_t *log,
                                         cat_connection_t *conn)
{
    apr_status_t rv = conn->is_fresh ? CAT_EREADONLY : replace_connection(source, conn, NULL);

    if (rv == APR_SUCCESS) {
        rv = set_up_connection(source, conn, 1, log);
        handle->dbd = conn->handle.dbd;
        conn->is_lost = rv != APR_SUCCESS;
    }
    return rv;
}

/* A connection that was opened while the file was read-only stays read-only, and all connections of the process share a
 * read-only mapping of the index until the last of them is closed. So such a connection is not kept open in the
 * pool. */
static void leave_file(const cat_source_t *source, cat_connection_t *conn)
{
    if (!conn->sqlite->knows_wal && !conn->is_lost) {
        cat_sqlite_files_note_wal(conn);
    }
    if (!conn->is_lost && !conn->sqlite->has_readonly_index) {
        return;
    }
    cat_sqlite_native_release_index(conn);
    conn->sqlite->has_read = 0;
    cat_sqlite_reader_detach(conn->sqlite->reader);
    if (cat_source_reopen(source, &conn->handle, NULL) == APR_SUCCESS) {
        conn->is_lost = 1; /* the next use sets up the session */
    }
    cat_sqlite_reader_attach(conn->sqlite->reader, &conn->handle);
}

int cat_pooled_connection_leave(const cat_source_t *source, cat_connection_t *conn)
{
    if (conn->file) {
        leave_file(source, conn);
    }
    return !conn->is_lost && !conn->is_abandoned;
}
