/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread gets a connection, for how long, and what happens when the database fails meanwhile. Everything that src/db does
 * for a request passes through here.
 *
 *     for a read      schema right? --> permit --> warm connection, or one of the pool --> alive? --> statement
 *     for a write     schema right? --> write lock (SQLite) --> permit --> ...
 *     afterwards      roll back what is open --> connection kept warm, or to its pool --> permit --> write lock
 *
 * The write lock comes first, so a writer waits without a connection, which readers can use meanwhile. Whatever is taken
 * is registered with the pool of the use, so an early return leaks nothing.
 *
 * Attempts: a loop around a statement or a transaction decides by its status whether to go round again.
 *
 *     lost a conflict              up to three times in all, after 20 and 40 ms
 *     connection lost              the same, but only if twice has the same effect as once; otherwise nobody knows what is stored
 *     database not ready           every 100 ms, as long as it has not refused for two seconds (database.c)
 *     accepts no writes            once more in a new session, unless the session is new
 *     anything else                logged once, here; the connection goes back
 *
 * Each failure that leaves this file is one of the statuses that the rooms above know.
 */
#include "db/pool/checkout.h"

#include "db/connection/statement.h"
#include "db/dialects/status.h"
#include "db/pool/pooled_connection.h"
#include "db/pool/timeline.h"
#include "lib/time.h"
#include "shm/semaphore.h"

/* How often a statement or transaction that lost a conflict is run, and by how much the pause grows with each try. */
#define TRIES 3
#define TRY_INTERVAL apr_time_from_msec(20)

/* How often a request asks a database that is not ready. */
#define READY_INTERVAL apr_time_from_msec(100)

/* How long a request waits for a database server that was found down a moment ago. */
#define FALL_INTERVAL apr_time_from_sec(1)

cat_db_t *cat_checkout_make(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log)
{
    cat_db_t *db = apr_palloc(pool, sizeof(*db));

    *db = (cat_db_t){.pool = pool, .conf = conf, .log = log, .use = apr_pcalloc(pool, sizeof(*db->use))};
    db->use->source = source;
    return db;
}

static apr_status_t release_with_pool(void *db)
{
    cat_checkout_release(db);
    return APR_SUCCESS;
}

/* Call it before taking anything. A pre-cleanup, because with DBDPersist Off the connection is on a subpool. */
static void give_back_with_pool(cat_db_t *db)
{
    if (!db->use->is_given_back) {
        db->use->is_given_back = 1;
        apr_pool_pre_cleanup_register(db->pool, db, release_with_pool);
    }
}

static void close_connection(cat_db_t *db)
{
    int is_in_order;

    if (!db->use->conn) {
        return;
    }
    is_in_order = cat_pooled_connection_leave(db->use->source, db->use->conn);
    db->use->conn = NULL;
    cat_timing_end(db->use->timing, CAT_TIMING_DATABASE, db->use->connected);
    if (is_in_order) {
        cat_source_keep(db->use->source, &db->use->handle);
    } else {
        cat_source_close(db->use->source, &db->use->handle);
    }
}

void cat_checkout_enter_transaction(cat_db_t *db)
{
    db->use->in_transaction = 1;
    db->use->basis = (cat_basis_t){.what = NULL};
    db->use->failed = APR_SUCCESS;
}

apr_status_t cat_checkout_note_failure(cat_db_t *db, apr_status_t rv)
{
    if (db->use->failed == APR_SUCCESS) {
        db->use->failed = rv;
    }
    return db->use->failed;
}

void cat_checkout_roll_back(cat_db_t *db)
{
    if (db->use->in_transaction) {
        db->use->in_transaction = 0;
        cat_connection_roll_back(db->use->conn);
    }
}

void cat_checkout_release(cat_db_t *db)
{
    cat_checkout_roll_back(db);
    close_connection(db);
    if (db->use->has_write_lock) {
        db->use->has_write_lock = 0;
        cat_semaphore_leave(cat_source_write_lock(db->use->source), db->use->write_lock_slot);
    }
}

apr_time_t cat_checkout_enter_queue(const cat_db_t *db)
{
    cat_metrics_shift(db->use->source->database.metrics, CAT_METRIC_WRITE_QUEUE, 1);
    return cat_time_monotonic();
}

void cat_checkout_leave_queue(const cat_db_t *db, apr_time_t entered)
{
    cat_metrics_shift(db->use->source->database.metrics, CAT_METRIC_WRITE_QUEUE, -1);
    cat_metrics_observe(db->use->source->database.metrics, CAT_METRIC_WRITE_WAIT, cat_time_monotonic() - entered);
}

cat_group_state_t cat_checkout_join(cat_db_t *db, cat_group_t *group, cat_group_item_t *item, apr_time_t until)
{
    cat_group_state_t state;
    apr_time_t begun;

    cat_checkout_release(db);
    begun = cat_timing_begin(db->use->timing);
    state = cat_group_join(group, item, until);
    cat_timing_end(db->use->timing, CAT_TIMING_QUEUE, begun);
    return state;
}

apr_status_t cat_checkout_take_turn(cat_db_t *db, cat_semaphore_t *turns, apr_interval_time_t patience, int *place)
{
    apr_status_t rv;
    apr_time_t begun;

    cat_checkout_release(db);
    begun = cat_timing_begin(db->use->timing);
    rv = cat_semaphore_enter(turns, db->use->network, patience, place);
    cat_timing_end(db->use->timing, CAT_TIMING_QUEUE, begun);
    return rv;
}

static void invalidate_answers(const cat_source_t *source, const char *id)
{
    cat_generations_invalidate(source->generations, id);
    cat_metrics_add(source->database.metrics, CAT_METRIC_CACHE_INVALIDATIONS, id ? CAT_SCOPE_PRODUCT : CAT_SCOPE_LISTS,
                    1);
}

void cat_checkout_mark_changes(cat_db_t *db)
{
    if (!db->use->touches || !db->use->source->generations) {
        return;
    }
    invalidate_answers(db->use->source, db->use->touched);
    for (int i = 0; db->use->touched_too && i < db->use->touched_too->nelts; i++) {
        invalidate_answers(db->use->source, APR_ARRAY_IDX(db->use->touched_too, i, const char *));
    }
}

/* Opens a connection. A request that finds the database server down, and that the server answered a moment ago, tries again after a second: the
 * server may be back by then, and meanwhile a proxy that chooses the least busy server prefers the others, until its health check tells which are
 * ready. Background jobs and uses that go first do not wait. */
static apr_status_t open_patiently(cat_db_t *db, int most)
{
    apr_status_t rv = cat_source_open(db->use->source, db->pool, most, db->log, &db->use->handle);

    if (rv == CAT_EDOWN && !db->use->is_first && !db->log->is_background && cat_source_fell_lately(db->use->source)) {
        apr_sleep(FALL_INTERVAL);
        rv = cat_source_open(db->use->source, db->pool, most, db->log, &db->use->handle);
    }
    return rv;
}

/* The last connection of a child is left to uses that go first, unless there are only two: a writer that waits for another
 * program has one. */
static apr_status_t connect_once(cat_db_t *db, cat_db_use_t use)
{
    int max = db->conf->max_connections, most = db->use->is_first || max <= 2 ? max : max - 1;
    apr_status_t rv;

    give_back_with_pool(db);
    rv = open_patiently(db, most);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = use == CAT_TO_WRITE_ONCE ? cat_source_check(db->use->source, db->pool, &db->use->handle) : APR_SUCCESS;
    if (rv == APR_SUCCESS) {
        rv = cat_pooled_connection_get(db->use->source, &db->use->handle, use != CAT_TO_READ || db->use->has_write_lock,
                                       db->log, &db->use->conn);
    }
    if (rv == CAT_ENOTREADY &&
        !cat_database_may_get_ready(&db->use->source->database)) { /* the caller will not retry */
        cat_connection_log_fault(db->use->conn, db->log, CAT_LOG_ERROR);
    }
    if (rv != APR_SUCCESS) {
        db->use->conn = NULL;
        cat_source_close(db->use->source, &db->use->handle);
    }
    return rv;
}

/* After a restart of the database all pooled connections may be lost; the pool replaces each that is given back. */
static apr_status_t connect_unchecked(cat_db_t *db, cat_db_use_t use)
{
    apr_status_t rv = db->use->conn ? cat_timeline_check_again(db->use->conn) : CAT_ELOST;

    for (int tries = 0; rv == CAT_ELOST && tries <= db->conf->max_connections; tries++) {
        apr_time_t begun = cat_timing_begin(db->use->timing);
        rv = connect_once(db, use);
        cat_timing_end(db->use->timing, CAT_TIMING_QUEUE, begun);
        db->use->connected = cat_timing_begin(db->use->timing);
    }
    if (rv == CAT_ELOST) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT005: %s: all pooled connections are lost", db->use->source->name);
        rv = CAT_EDOWN;
    }
    return rv;
}

/* A writer waits for the lock without a connection, which readers can use meanwhile. */
apr_status_t cat_checkout_take_write_lock(cat_db_t *db, apr_time_t until)
{
    apr_status_t rv;
    apr_time_t begun;

    if (!cat_source_write_lock(db->use->source) || db->use->has_write_lock) {
        return APR_SUCCESS;
    }
    close_connection(db);
    give_back_with_pool(db);
    begun = cat_timing_begin(db->use->timing);
    rv = cat_source_take_write_lock(db->use->source, until, db->log, &db->use->write_lock_slot);
    cat_timing_end(db->use->timing, CAT_TIMING_QUEUE, begun);
    db->use->has_write_lock = rv == APR_SUCCESS;
    return rv;
}

apr_status_t cat_checkout_connect_bare(cat_db_t *db, cat_db_use_t use, cat_connection_t **conn)
{
    apr_status_t rv = APR_SUCCESS;

    /* The first connection of a child shows whether the database has a write lock. */
    if (use != CAT_TO_READ && !cat_source_dialect(db->use->source)) {
        rv = connect_unchecked(db, CAT_TO_READ);
    }
    if (rv == APR_SUCCESS && use != CAT_TO_READ) {
        rv = cat_checkout_take_write_lock(db, apr_time_now() + CAT_SOURCE_WRITE_PATIENCE);
    }
    if (rv == APR_SUCCESS) {
        rv = connect_unchecked(db, use);
    }
    *conn = db->use->conn;
    return rv;
}

apr_status_t cat_checkout_check_schema(cat_db_t *db)
{
    return cat_source_has_schema(db->use->source) ? APR_SUCCESS : db->use->source->migrate(db);
}

apr_status_t cat_checkout_connect(cat_db_t *db, cat_db_use_t use)
{
    cat_connection_t *conn;
    apr_status_t rv =
        db->use->has_write_lock ? APR_SUCCESS : cat_checkout_check_schema(db); /* which may take the write lock */

    return rv == APR_SUCCESS ? cat_checkout_connect_bare(db, use, &conn) : rv;
}

/* What had no effect can be retried. After the loss of its connection nobody knows whether it had one. */
static int had_no_effect(apr_status_t rv, cat_repeat_t repeat)
{
    return rv == CAT_ECONFLICT || rv == CAT_EDEAD || rv == CAT_ECUT || (rv == CAT_ELOST && repeat == CAT_REPEATABLE);
}

int cat_checkout_is_fault(apr_status_t rv)
{
    return (cat_status_is_fault(rv) && rv != CAT_EBUSY) || rv == CAT_EVALUE || rv == CAT_ELOST || rv == CAT_ECONFLICT ||
           rv == CAT_EDEAD || rv == CAT_ECUT || rv == CAT_EENDED;
}

static apr_status_t final_status(apr_status_t rv)
{
    switch (rv) {
    case CAT_ECONFLICT:
    case CAT_EENDED:
        return CAT_EBUSY;
    case CAT_EDEAD:
    case CAT_ELOST:
    case CAT_ECUT:
        return CAT_EDOWN;
    default:
        return rv;
    }
}

void cat_checkout_give_up(cat_db_t *db, apr_status_t *rv)
{
    if (!cat_checkout_is_fault(*rv)) {
        return;
    }
    if (db->use->conn) {
        int is_busy = *rv == CAT_ECONFLICT || cat_connection_is_locked(db->use->conn, *rv);
        cat_connection_log_fault(db->use->conn, db->log, is_busy ? cat_log_busy_level(db->log) : CAT_LOG_ERROR);
        *rv = final_status(*rv);
    }
    cat_checkout_release(db);
}

/* Replaces a session that refuses writes by a new one, because it may refuse them only since it was opened while the server was read-only. Returns
 * true if it was replaced. */
static int renew_session(cat_db_t *db)
{
    cat_checkout_roll_back(db);
    return cat_pooled_connection_renew(db->use->source, &db->use->handle, db->log, db->use->conn) == APR_SUCCESS;
}

int cat_checkout_try_again(cat_db_t *db, apr_status_t *rv, cat_repeat_t repeat, int *tries)
{
    apr_interval_time_t pause;

    if (*rv == CAT_EREADONLY && db->use->conn && db->use->conn->is_read_only && renew_session(db)) {
        return 1;
    }
    if (*rv == CAT_ENOTREADY && cat_database_may_get_ready(&db->use->source->database)) {
        pause = READY_INTERVAL;
    } else if (cat_checkout_is_fault(*rv) && db->use->conn && ++*tries < TRIES && had_no_effect(*rv, repeat)) {
        pause = *tries * TRY_INTERVAL;
    } else {
        *rv = *rv == CAT_ELOST && repeat == CAT_NOT_REPEATABLE ? CAT_EUNSURE : *rv;
        cat_checkout_give_up(db, rv);
        return 0;
    }
    if (*rv == CAT_EDEAD) { /* only this connection is known not to lose another statement */
        cat_checkout_roll_back(db);
        return 1;
    }
    cat_checkout_release(db);
    apr_sleep(pause);
    return 1;
}

int cat_checkout_attempt(cat_attempt_t *a)
{
    while (!a->is_begun || cat_checkout_try_again(a->db, &a->rv, a->repeat, &a->tries)) {
        a->is_begun = 1;
        a->rv = cat_checkout_connect(a->db, a->use);
        if (a->rv == APR_SUCCESS) {
            return 1;
        }
    }
    if (a->rv == CAT_EFULL && a->use == CAT_TO_READ) { /* 507 is only for writes */
        a->rv = CAT_EDOWN;
    }
    return 0;
}

apr_status_t cat_checkout_select(cat_db_t *db, const cat_select_t *select)
{
    cat_attempt_t a = {.db = db, .use = CAT_TO_READ, .repeat = CAT_REPEATABLE};

    if (db->use->in_transaction) {
        return db->use->failed == APR_SUCCESS
                   ? cat_checkout_note_failure(db, cat_statement_select(db->use->conn, db->pool, select))
                   : db->use->failed;
    }
    while (cat_checkout_attempt(&a)) {
        a.rv = cat_statement_select(db->use->conn, db->pool, select);
    }
    return a.rv;
}
