/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write, from its arrival to its commit, in one of two ways.
 *
 * Several writers at once (MySQL, PostgreSQL): a single statement commits by itself; work of several statements is BEGIN,
 * work, COMMIT, and begins anew if it lost a conflict. After a COMMIT was sent, only the database knows what is stored.
 *
 * One writer at a time (SQLite): the writes that wait for the write lock share one transaction and one commit, the "group
 * commit". The leader, one of their threads, runs all of them on its connection while the others sleep:
 *
 *     write lock, BEGIN IMMEDIATE
 *       SAVEPOINT one   work of thread 1 (the leader)   RELEASE
 *       SAVEPOINT one   work of thread 2, refused       ROLLBACK TO, RELEASE
 *       a single statement of thread 3                  no savepoint: it is done, or it is not
 *     COMMIT, invalidate cached responses, wake threads 2 and 3
 *
 * If one of them may have ended the whole transaction, the group is rolled back and each write gets a transaction of its
 * own, so that only the write to blame fails. Transactions of many writes take turns first (write_long), so that no other
 * writer waits for more than one of them.
 */
#include "db/work/transaction.h"

#include "db/connection/statement.h"
#include "db/dialects/status.h"
#include "db/pool/checkout.h"
#include "db/pool/timeline.h"
#include "db/sqlite/sqlite_native.h"
#include "lib/time.h"

/* After a transaction that kept other writers waiting, the next one of its kind begins after this share of its time, at most after the
 * pause: so a request that writes twice, as a sign-in does, waits for one of them. */
#define PAUSE_SHARE 8
#define PAUSE_MOST apr_time_from_msec(100)

/* The most writes that share a transaction, so that none waits long for the others: one of more has its own. */
#define GROUP_MAX 64

static cat_write_t *next_write(const cat_write_t *w)
{
    return (cat_write_t *)w->item.next;
}

static apr_status_t begin_transaction(const cat_write_t *w)
{
    cat_db_t *db = w->db;
    cat_attempt_t a = {.db = db, .use = CAT_TO_WRITE, .repeat = CAT_REPEATABLE};
    apr_time_t usual = w->arrived + CAT_SOURCE_LOCK_PATIENCE, least;

    while (cat_checkout_attempt(&a)) {
        least = apr_time_now() + CAT_SOURCE_LOCK_CHANCE; /* the thread may have got the write lock late */
        a.rv = cat_connection_begin(db->use->conn, usual > least ? usual : least);
    }
    if (a.rv == APR_SUCCESS) {
        cat_checkout_enter_transaction(db);
    }
    return a.rv;
}

/* The use's companion, if it has one, runs the work. */
static apr_status_t run_work(const cat_write_t *w)
{
    const cat_companion_t *companion = w->db->use->companion;
    cat_basis_t *basis = &w->db->use->basis;
    apr_status_t rv;

    basis->is_writing = 1;
    rv = companion ? companion->run(companion->baton, w->work, w->baton) : w->work(w->baton);
    rv = rv == APR_SUCCESS && basis->confirm ? basis->confirm(w->db, basis) : rv;
    return cat_checkout_note_failure(w->db, rv);
}

/* Commits the writes from first to the one before end. A COMMIT that fails may leave the transaction open, or may have
 * succeeded in the database: so the changes are marked in any case. Returns CAT_ENOTREADY, and commits nothing, if another server was
 * promoted while the work ran. */
static apr_status_t commit_transaction(cat_write_t *first, const cat_write_t *end)
{
    cat_db_t *db = first->db;
    apr_status_t rv = cat_timeline_check_again(db->use->conn);
    int count = 0;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = first->is_long ? cat_sqlite_native_commit_only(db->use->conn, &first->is_wal_long)
                        : cat_connection_commit(db->use->conn);
    for (cat_write_t *w = first; w != end; w = next_write(w)) {
        cat_checkout_mark_changes(w->db);
        count++;
    }
    if (cat_source_write_lock(db->use->source)) { /* elsewhere db/work/batch.h stores several */
        cat_metrics_observe(db->use->source->database.metrics, CAT_METRIC_WRITE_BATCH, count);
    }
    db->use->in_transaction = rv != APR_SUCCESS;
    return rv;
}

/* ---- where the database has several writers at once ---- */

static apr_status_t write_statement_alone(cat_write_t *w)
{
    cat_db_t *db = w->db;
    cat_attempt_t a = {.db = db, .use = CAT_TO_WRITE_ONCE, .repeat = CAT_NOT_REPEATABLE};

    while (cat_checkout_attempt(&a)) {
        a.rv = cat_statement_query(db->use->conn, db->pool, w->sql, w->values, w->count, &w->matched);
        cat_checkout_mark_changes(db);
    }
    return a.rv;
}

/* After a COMMIT was sent, only the database knows whether the transaction is stored. */
static apr_status_t do_work_alone(cat_write_t *w)
{
    apr_status_t rv;
    int is_commit_sent, tries = 0;

    do {
        rv = begin_transaction(w);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        rv = run_work(w);
        is_commit_sent = rv == APR_SUCCESS;
        if (is_commit_sent) {
            rv = commit_transaction(w, next_write(w));
        }
    } while (cat_checkout_try_again(w->db, &rv, is_commit_sent ? CAT_NOT_REPEATABLE : CAT_REPEATABLE, &tries));
    return rv;
}

/* ---- where the database has one writer at a time ---- */

/* After such a failure the database may have rolled back the whole transaction, the other writes included; or what the
 * write has changed cannot be rolled back without them. */
static int may_end_transaction(const cat_write_t *w, apr_status_t rv)
{
    return cat_checkout_is_fault(rv) && (rv != CAT_EVALUE || w->is_refused_at_once);
}

/* rv: of the work since SAVEPOINT. */
static apr_status_t end_savepoint(const cat_write_t *w, cat_connection_t *conn, apr_status_t rv)
{
    apr_status_t end;

    if (may_end_transaction(w, rv)) {
        return rv;
    }
    end = cat_connection_send(conn, rv == APR_SUCCESS ? "RELEASE one" : "ROLLBACK TO one; RELEASE one");
    return end == APR_SUCCESS ? rv : end;
}

/* The write may be another thread's, which sleeps in the group commit meanwhile: so the leader may use its db and pool.
 * A single statement needs no savepoint, as SQLite rolls back a statement that fails. */
static apr_status_t run_grouped_write(const cat_db_t *leader, cat_write_t *w, int is_alone)
{
    cat_db_t *db = w->db;
    int has_savepoint = w->work && !is_alone && !w->is_refused_at_once;
    apr_status_t rv;

    db->use->conn = leader->use->conn;
    cat_checkout_enter_transaction(db);
    rv = has_savepoint ? cat_connection_send(db->use->conn, "SAVEPOINT one") : APR_SUCCESS;
    if (rv == APR_SUCCESS) {
        rv = w->work ? run_work(w)
                     : cat_statement_query(db->use->conn, db->pool, w->sql, w->values, w->count, &w->matched);
    }
    if (has_savepoint) {
        rv = end_savepoint(w, db->use->conn, rv);
    }
    if (rv == CAT_EVALUE) {
        cat_connection_log_fault(db->use->conn, db->log, CAT_LOG_ERROR);
    }
    if (db != leader) {
        db->use->conn = NULL;
        db->use->in_transaction = 0;
    }
    return rv;
}

static void commit_group(cat_write_t *first, const cat_write_t *end);

/* So that a write which causes a failure is the only one that fails. */
static void commit_one_by_one(cat_write_t *first, const cat_write_t *end)
{
    cat_checkout_release(first->db);
    for (cat_write_t *w = first; w != end; w = next_write(w)) {
        if (apr_time_now() < w->arrived + CAT_SOURCE_WRITE_PATIENCE) {
            commit_group(w, next_write(w));
        } else {
            w->rv = cat_source_log_late(w->db->use->source, w->db->log);
        }
    }
}

/* Leader only: runs the writes from first to the one before end in one transaction, on the connection of first. If the
 * commit fails, all of them fail, even one that only found an unknown id: another write of the group may have caused
 * what it found. */
static void commit_group(cat_write_t *first, const cat_write_t *end)
{
    int is_alone = next_write(first) == end, succeeded = 0;
    apr_status_t rv = begin_transaction(first);

    if (rv == APR_SUCCESS && !is_alone) {
        cat_sqlite_native_widen_cache(first->db->use->conn);
    }
    for (cat_write_t *w = first; w != end && rv == APR_SUCCESS; w = next_write(w)) {
        w->rv = run_grouped_write(first->db, w, is_alone);
        succeeded += w->rv == APR_SUCCESS;
        rv = may_end_transaction(w, w->rv) ? w->rv : APR_SUCCESS;
    }
    if (rv != APR_SUCCESS && first->db->use->in_transaction && !is_alone) {
        commit_one_by_one(first, end);
        return;
    }
    if (rv == APR_SUCCESS && succeeded) {
        rv = commit_transaction(first, end);
    }
    cat_checkout_give_up(first->db, &rv);
    cat_checkout_release(first->db);
    for (cat_write_t *w = first; w != end && rv != APR_SUCCESS; w = next_write(w)) {
        w->rv = rv;
    }
}

/* A thread that waits holds no connection. A leader returns with the write lock, unless w->rv says why not. */
static cat_group_state_t wait_in_queue(cat_write_t *w)
{
    apr_time_t until = w->arrived + CAT_SOURCE_WRITE_PATIENCE, entered = cat_checkout_enter_queue(w->db);
    cat_group_state_t state = cat_checkout_join(w->db, w->db->use->source->group, &w->item, until);

    if (state == CAT_GROUP_LEADER) {
        w->rv = cat_checkout_take_write_lock(w->db, until);
    }
    cat_checkout_leave_queue(w->db, entered);
    return state;
}

/* The leader collects the group when it has the write lock, so that writes which arrive while it waits are in it. */
static apr_status_t write_in_turn(cat_write_t *w)
{
    cat_source_t *source = w->db->use->source;
    cat_group_state_t state;

    w->arrived = apr_time_now();
    w->item.next = NULL;
    if (!cat_source_write_lock(source)) {
        return w->work ? do_work_alone(w) : write_statement_alone(w);
    }
    state = wait_in_queue(w);
    if (state == CAT_GROUP_WAITING) {
        return cat_source_log_late(source, w->db->log);
    }
    if (state == CAT_GROUP_LEADER) {
        if (w->rv == APR_SUCCESS) {
            cat_group_collect(source->group, &w->item, GROUP_MAX - 1 - w->item.more);
            commit_group(w, NULL);
        }
        cat_group_leave(source->group, &w->item);
    }
    return w->rv;
}

static apr_status_t refuse_long(const cat_db_t *db)
{
    char more[CAT_REPEATS_TEXT];

    if (cat_database_sums_up(db->log, cat_semaphore_refusals(db->use->source->long_writes), more)) {
        cat_log(db->log, cat_log_busy_level(db->log), 0, "CAT080: %s: too many imports and batches at once%s",
                db->use->source->name, more);
    }
    return CAT_EBUSY;
}

/* Other writers go on meanwhile; their next commit copies what they add, while none of them waits for the bulk of it. */
static void copy_wal(const cat_write_t *w)
{
    cat_connection_t *conn;

    if (w->is_wal_long && cat_checkout_connect_bare(w->db, CAT_TO_READ, &conn) == APR_SUCCESS) {
        cat_sqlite_native_checkpoint(conn);
        cat_checkout_release(w->db);
    }
}

/* Long transactions take turns: on SQLite one at a time queues for the write lock, so another writer waits for at most one of them,
 * however many clients import. They wait for their turn before they hold anything that others wait for. */
static apr_status_t write_long(cat_write_t *w)
{
    cat_db_t *db = w->db;
    apr_time_t begun, pause;
    int place;
    apr_status_t rv = cat_checkout_take_turn(db, db->use->source->long_writes, CAT_SOURCE_LONG_PATIENCE, &place);

    if (rv != APR_SUCCESS) {
        return refuse_long(db);
    }
    begun = cat_time_monotonic();
    w->is_long = 1;
    rv = write_in_turn(w);
    cat_checkout_release(db);
    copy_wal(w);
    if (cat_source_write_lock(db->use->source)) {
        pause = (cat_time_monotonic() - begun) / PAUSE_SHARE;
        apr_sleep(pause < PAUSE_MOST ? pause : PAUSE_MOST);
    }
    cat_semaphore_leave(db->use->source->long_writes, place);
    return rv;
}

apr_status_t cat_transaction_write(cat_write_t *w)
{
    apr_status_t rv = cat_checkout_check_schema(w->db);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    return w->item.more >= GROUP_MAX && w->db->use->source->long_writes ? write_long(w) : write_in_turn(w);
}

apr_status_t cat_transaction_run(cat_write_t *w)
{
    apr_status_t rv;

    w->is_refused_at_once &= !w->db->use->companion;
    rv = cat_transaction_write(w);
    cat_checkout_release(w->db);
    return rv;
}
