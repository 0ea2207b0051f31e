/* SPDX-License-Identifier: Apache-2.0 */
#include "db/writer.h"

#include "db/use.h"
#include "lib/answer.h"

/* So many share a transaction at most: none waits long behind the others. */
#define TOGETHER 64

typedef struct write_t {
    cat_batch_item_t item; /* first: a list of items is one of writes */
    cat_db_t *db;
    cat_work_t *work;
    void *baton;
    int is_statement;
    apr_time_t until; /* when it gives up waiting */
    apr_status_t rv;
} write_t;

static write_t *next(const write_t *w)
{
    return (write_t *)w->item.next;
}

static apr_status_t begin(cat_db_t *db)
{
    apr_status_t rv;
    int tries = 0;

    do {
        rv = cat_db_connect(db, 1);
        if (rv == APR_SUCCESS) {
            rv = cat_conn_begin(db->conn);
        }
    } while (cat_db_again(db, &rv, 1, ++tries));
    db->in_transaction = rv == APR_SUCCESS;
    return rv;
}

/* A COMMIT that fails may leave the transaction open. It may hide one that went well, too. */
static apr_status_t commit(write_t *first, const write_t *end)
{
    cat_db_t *db = first->db;
    apr_status_t rv = cat_conn_commit(db->conn, db->pool);

    for (write_t *w = first; w != end; w = next(w)) {
        cat_db_mark(w->db);
    }
    cat_conn_settle(db->conn, db->pool);
    db->in_transaction = rv != APR_SUCCESS;
    return rv;
}

static apr_status_t run_work(const write_t *w)
{
    apr_status_t rv;

    w->db->failed = APR_SUCCESS;
    rv = w->work(w->baton);
    return w->db->failed != APR_SUCCESS ? w->db->failed : rv;
}

static apr_status_t run_statement(const write_t *w)
{
    apr_status_t rv;
    int tries = 0;

    do {
        rv = cat_db_connect(w->db, 1);
        if (rv == APR_SUCCESS) {
            rv = w->work(w->baton);
            cat_db_mark(w->db);
        }
    } while (cat_db_again(w->db, &rv, 0, ++tries));
    return rv;
}

static apr_status_t run_transaction(write_t *w)
{
    apr_status_t rv;
    int commits, tries = 0;

    do {
        rv = begin(w->db);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        rv = run_work(w);
        commits = rv == APR_SUCCESS;
        if (commits) {
            rv = commit(w, next(w));
        }
    } while (cat_db_again(w->db, &rv, !commits, ++tries));
    return rv;
}

/* ---- in turn ---- */

/* After it the transaction may be gone, and with it what the others did. */
static int spoils_all(apr_status_t rv)
{
    return cat_db_is_fault(rv) && rv != CAT_EVALUE;
}

static apr_status_t run_protected(cat_conn_t *conn, const write_t *w)
{
    apr_status_t end, rv = cat_conn_send(conn, "SAVEPOINT one");

    if (rv == APR_SUCCESS) {
        rv = run_work(w);
    }
    if (spoils_all(rv)) {
        return rv;
    }
    end = cat_conn_send(conn, rv == APR_SUCCESS ? "RELEASE one" : "ROLLBACK TO one; RELEASE one");
    return end == APR_SUCCESS ? rv : end;
}

/* Where it is not the leader's own its thread sleeps meanwhile, so all that it has is the leader's to use. SQLite takes back by
 * itself what a single statement did that fails. */
static apr_status_t run_one(const cat_db_t *leader, const write_t *w, int is_alone)
{
    cat_db_t *db = w->db;
    apr_status_t rv;

    db->conn = leader->conn;
    db->in_transaction = 1;
    rv = is_alone || w->is_statement ? run_work(w) : run_protected(db->conn, w);
    if (rv == CAT_EVALUE) {
        cat_conn_log_fault(db->conn, db->log, CAT_LOG_ERROR);
    }
    if (db != leader) {
        db->conn = NULL;
        db->in_transaction = 0;
    }
    return rv;
}

/* Runs the writes from first to the one before end on first's connection. *kept: how many have done what is to stay. */
static apr_status_t run_each(write_t *first, const write_t *end, int *kept)
{
    int is_alone = next(first) == end;
    apr_status_t rv = APR_SUCCESS;

    *kept = 0;
    for (write_t *w = first; w != end && rv == APR_SUCCESS; w = next(w)) {
        w->rv = run_one(first->db, w, is_alone);
        *kept += w->rv == APR_SUCCESS;
        rv = spoils_all(w->rv) ? w->rv : APR_SUCCESS;
    }
    return rv;
}

static void run_together(write_t *first, const write_t *end);

/* So that what one of them makes fail is its own failure. */
static void run_one_by_one(write_t *first, const write_t *end)
{
    cat_db_release(first->db);
    for (write_t *w = first; w != end; w = next(w)) {
        if (apr_time_now() < w->until) {
            run_together(w, next(w));
        } else {
            w->rv = cat_db_turn_is_late(w->db);
        }
    }
}

/* None is answered before the commit, and when that fails it has failed for all: what one of them found, "unknown" for instance,
 * may have been another one's doing. */
static void run_together(write_t *first, const write_t *end)
{
    cat_db_t *db = first->db;
    int kept = 0;
    apr_status_t rv = begin(db);

    if (rv == APR_SUCCESS) {
        rv = run_each(first, end, &kept);
        if (rv != APR_SUCCESS && next(first) != end) {
            run_one_by_one(first, end);
            return;
        }
    }
    if (rv == APR_SUCCESS && kept) {
        rv = commit(first, end);
    }
    cat_db_give_up(db, &rv);
    cat_db_release(db);
    for (write_t *w = first; w != end && rv != APR_SUCCESS; w = next(w)) {
        w->rv = rv;
    }
}

/* What comes until the turn is taken goes into it. */
static void lead(write_t *own)
{
    cat_batch_t *writes = own->db->source->writes;

    own->rv = cat_db_take_turn(own->db, own->until);
    if (own->rv == APR_SUCCESS) {
        cat_batch_take(writes, &own->item, TOGETHER - 1);
        run_together(own, NULL);
    }
    cat_batch_end(writes, &own->item);
}

static apr_status_t run_in_turn(write_t *w)
{
    cat_db_release(w->db); /* who waits holds no connection */
    w->until = apr_time_now() + CAT_DB_TURN_PATIENCE;
    switch (cat_batch_join(w->db->source->writes, &w->item, w->until)) {
    case CAT_BATCH_LEADS:
        lead(w);
        return w->rv;
    case CAT_BATCH_DONE:
        return w->rv;
    default:
        return cat_db_turn_is_late(w->db);
    }
}

apr_status_t cat_writer_run(cat_db_t *db, cat_work_t *work, void *baton, int is_statement)
{
    write_t w = {.db = db, .work = work, .baton = baton, .is_statement = is_statement};
    apr_status_t rv = cat_db_check_schema(db);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (db->source->turn) {
        return run_in_turn(&w);
    }
    return is_statement ? run_statement(&w) : run_transaction(&w);
}
