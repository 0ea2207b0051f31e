/* SPDX-License-Identifier: Apache-2.0 */
#include "db/db.h"

#include <apr_strings.h>

#include "db/migrate.h"
#include "db/use.h"
#include "db/writer.h"
#include "lib/answer.h"

/* How often what gave way to others is run, and how much longer each time before the next. */
#define TRIES 3
#define TRY_INTERVAL apr_time_from_msec(20)

static apr_status_t release_with_pool(void *db)
{
    cat_db_release(db);
    return APR_SUCCESS;
}

cat_db_t *cat_db_make(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log)
{
    cat_db_t *db = apr_pcalloc(pool, sizeof(*db));
    db->pool = pool;
    db->conf = conf;
    db->source = source;
    db->log = log;
    return db;
}

/* Before anything is taken. In front of other cleanups, as with DBDPersist Off the connection lives below the pool. */
static void give_back_with_pool(cat_db_t *db)
{
    if (!db->is_given_back) {
        db->is_given_back = 1;
        apr_pool_pre_cleanup_register(db->pool, db, release_with_pool);
    }
}

static void disconnect(cat_db_t *db)
{
    if (db->conn) {
        db->conn = NULL;
        cat_source_close(db->source, &db->link);
    }
}

static void roll_back(cat_db_t *db)
{
    if (db->in_transaction) {
        db->in_transaction = 0;
        cat_conn_roll_back(db->conn);
    }
}

void cat_db_release(cat_db_t *db)
{
    roll_back(db);
    disconnect(db);
    if (db->has_turn) {
        db->has_turn = 0;
        cat_gate_leave(db->source->turn, db->place);
    }
}

void cat_db_touch(cat_db_t *db, const char *id)
{
    db->touches = 1;
    db->touched = id;
}

void cat_db_mark(cat_db_t *db)
{
    if (db->touches && db->source->fresh) {
        cat_fresh_mark(db->source->fresh, db->touched);
    }
}

static apr_status_t connect_once(cat_db_t *db, int to_write)
{
    apr_status_t rv;

    give_back_with_pool(db);
    rv = cat_source_open(db->source, db->pool, db->conf->max_connections, db->log, &db->link);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_conn_get(db->source, &db->link, to_write, db->log, &db->conn);
    if (rv != APR_SUCCESS) {
        db->conn = NULL;
        cat_source_close(db->source, &db->link);
    }
    return rv;
}

/* After the database was restarted all pooled connections may be lost, and each is given back to be mended. */
static apr_status_t connect_unchecked(cat_db_t *db, int to_write)
{
    apr_status_t rv = db->conn ? APR_SUCCESS : CAT_ELOST;

    for (int tries = 0; rv == CAT_ELOST && tries <= db->conf->max_connections; tries++) {
        rv = connect_once(db, to_write);
    }
    if (rv == CAT_ELOST) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT005: %s: all its connections are lost", db->source->name);
        rv = CAT_EDOWN;
    }
    return rv;
}

/* A turn is waited for without a connection, or waiting writers would keep readers from theirs. */
apr_status_t cat_db_take_turn(cat_db_t *db, apr_time_t until)
{
    apr_time_t now = apr_time_now();

    if (!db->source->turn || db->has_turn) {
        return APR_SUCCESS;
    }
    disconnect(db);
    give_back_with_pool(db);
    if (cat_gate_enter(db->source->turn, until > now ? until - now : 0, &db->place) != APR_SUCCESS) {
        return cat_db_turn_is_late(db);
    }
    db->has_turn = 1;
    return APR_SUCCESS;
}

apr_status_t cat_db_turn_is_late(const cat_db_t *db)
{
    cat_log(db->log, CAT_LOG_ERROR, 0, "CAT008: %s: writers before this one took more than %d seconds",
            db->source->name, (int)apr_time_sec(CAT_DB_TURN_PATIENCE));
    return CAT_EBUSY;
}

apr_status_t cat_db_connect_bare(cat_db_t *db, int to_write, cat_conn_t **conn)
{
    apr_status_t rv = APR_SUCCESS;

    if (to_write && !db->source->dialect) {
        rv = connect_unchecked(db, 0); /* the first connection of this child tells whether there are turns */
    }
    if (rv == APR_SUCCESS && to_write) {
        rv = cat_db_take_turn(db, apr_time_now() + CAT_DB_TURN_PATIENCE);
    }
    if (rv == APR_SUCCESS) {
        rv = connect_unchecked(db, to_write);
    }
    *conn = db->conn;
    return rv;
}

apr_status_t cat_db_check_schema(cat_db_t *db)
{
    return db->source->ready ? APR_SUCCESS : cat_migrate_run(db->pool, db->conf, db->source, db->log, 0);
}

apr_status_t cat_db_connect(cat_db_t *db, int to_write)
{
    cat_conn_t *conn;
    apr_status_t rv = db->has_turn ? APR_SUCCESS : cat_db_check_schema(db); /* which takes the turn */

    return rv == APR_SUCCESS ? cat_db_connect_bare(db, to_write, &conn) : rv;
}

/* What had no effect may be run again. Only when its connection was lost is it not known whether it had one. */
static int had_no_effect(const cat_db_t *db, apr_status_t rv, int is_harmless)
{
    return rv == CAT_ECONFLICT || (rv == CAT_ELOST && is_harmless) ||
           (rv == CAT_EDOWN && cat_conn_dialect(db->conn)->vague);
}

int cat_db_is_fault(apr_status_t rv)
{
    return rv == CAT_EDOWN || rv == CAT_EVALUE || rv == CAT_ELOST || rv == CAT_ECONFLICT;
}

void cat_db_give_up(cat_db_t *db, apr_status_t *rv)
{
    if (!cat_db_is_fault(*rv)) {
        return;
    }
    if (db->conn) {
        cat_conn_log_fault(db->conn, db->log, CAT_LOG_ERROR);
        *rv = *rv == CAT_ELOST ? CAT_EDOWN : *rv == CAT_ECONFLICT ? CAT_EBUSY : *rv;
    }
    cat_db_release(db);
}

int cat_db_again(cat_db_t *db, apr_status_t *rv, int is_harmless, int tries)
{
    if (!cat_db_is_fault(*rv) || !db->conn || tries == TRIES || !had_no_effect(db, *rv, is_harmless)) {
        cat_db_give_up(db, rv);
        return 0;
    }
    cat_db_release(db);
    apr_sleep(tries * TRY_INTERVAL);
    return 1;
}

/* In a transaction the first failure decides. */
static apr_status_t note(cat_db_t *db, apr_status_t rv)
{
    if (rv != APR_SUCCESS && db->failed == APR_SUCCESS) {
        db->failed = rv;
    }
    return rv;
}

apr_status_t cat_db_each(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, cat_row_t *row, void *baton)
{
    apr_status_t rv = db->failed;
    int tries = 0;

    if (db->in_transaction) {
        return note(db, rv == APR_SUCCESS ? cat_conn_select(db->conn, db->pool, sql, values, count, row, baton) : rv);
    }
    do {
        rv = cat_db_connect(db, 0);
        if (rv == APR_SUCCESS) {
            rv = cat_conn_select(db->conn, db->pool, sql, values, count, row, baton);
        }
    } while (cat_db_again(db, &rv, 1, ++tries));
    return rv;
}

typedef struct first_row_t {
    apr_pool_t *pool;
    const char **values;
} first_row_t;

static apr_status_t keep_first_row(void *baton, const char *const *values, int count)
{
    first_row_t *first = baton;

    first->values = apr_palloc(first->pool, (apr_size_t)count * sizeof(*first->values));
    for (int i = 0; i < count; i++) {
        first->values[i] = values[i] ? apr_pstrdup(first->pool, values[i]) : NULL;
    }
    return APR_EOF;
}

apr_status_t cat_db_one(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, const char *const **row)
{
    first_row_t first = {.pool = db->pool};
    apr_status_t rv = cat_db_each(db, sql, values, count, keep_first_row, &first);
    *row = first.values;
    return rv == APR_SUCCESS && !first.values ? APR_NOTFOUND : rv;
}

typedef struct statement_t {
    cat_db_t *db;
    cat_sql_t sql;
    const char *const *values;
    int count;
    int *matched;
} statement_t;

static apr_status_t run_statement(void *baton)
{
    statement_t *s = baton;
    return cat_conn_query(s->db->conn, s->db->pool, s->sql, s->values, s->count, s->matched);
}

static apr_status_t run_write(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *matched)
{
    statement_t statement = {db, sql, values, count, matched};

    if (db->in_transaction) {
        return note(db, db->failed == APR_SUCCESS ? run_statement(&statement) : db->failed);
    }
    return cat_writer_run(db, run_statement, &statement, 1);
}

apr_status_t cat_db_exec(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *changed)
{
    int matched = 0;
    apr_status_t rv = run_write(db, sql, values, count, &matched);

    if (changed) {
        *changed = rv == APR_SUCCESS ? matched : 0;
    }
    return rv;
}

apr_status_t cat_db_insert(cat_db_t *db, cat_sql_t sql, const char *const *values, int count)
{
    int inserted;
    apr_status_t rv = cat_db_exec(db, sql, values, count, &inserted);

    if (rv == APR_SUCCESS && inserted == 0) {
        rv = db->in_transaction ? note(db, APR_EEXIST) : APR_EEXIST;
    }
    return rv;
}

apr_status_t cat_db_transact(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv = cat_writer_run(db, work, baton, 0);
    cat_db_release(db);
    return rv;
}

static apr_status_t run_view(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv = cat_db_connect(db, 0);

    if (rv == APR_SUCCESS) {
        rv = cat_conn_begin_view(db->conn);
    }
    if (rv == APR_SUCCESS) {
        db->in_transaction = 1;
        db->failed = APR_SUCCESS;
        rv = work(baton);
        rv = db->failed != APR_SUCCESS ? db->failed : rv;
    }
    return rv;
}

apr_status_t cat_db_view(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv;
    int tries = 0;

    do {
        rv = run_view(db, work, baton);
    } while (cat_db_again(db, &rv, 1, ++tries));
    roll_back(db);
    return rv;
}
