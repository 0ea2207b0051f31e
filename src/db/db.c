/* SPDX-License-Identifier: Apache-2.0 */
#include "db/db.h"

#include <apr_strings.h>

#include "db/migrate.h"
#include "lib/answer.h"

/* How long a writer waits for its turn before it answers 503. */
#define TURN_PATIENCE apr_time_from_sec(2)

/* How often what gave way to others is run, and how much longer each time before the next. */
#define TRIES 3
#define TRY_INTERVAL apr_time_from_msec(20)

struct cat_db_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    cat_source_t *source;
    const cat_log_t *log;
    cat_link_t link;
    cat_conn_t *conn; /* NULL: no connection out of the pool */
    int has_turn;
    int place; /* in the turn's gate */
    int in_transaction;
    apr_status_t failed; /* the first failure within the transaction */
};

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
    apr_pool_pre_cleanup_register(pool, db,
                                  release_with_pool); /* with DBDPersist Off the connection lives below the pool */
    return db;
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

static apr_status_t connect_once(cat_db_t *db, int to_write)
{
    apr_status_t rv = cat_source_open(db->source, db->pool, db->conf->max_connections, db->log, &db->link);

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
static apr_status_t take_turn(cat_db_t *db)
{
    apr_status_t rv = APR_SUCCESS;

    if (!db->source->dialect) {
        rv = connect_unchecked(db, 0); /* the first connection of this child tells whether there are turns */
    }
    if (rv != APR_SUCCESS || !db->source->turn || db->has_turn) {
        return rv;
    }
    disconnect(db);
    if (cat_gate_enter(db->source->turn, TURN_PATIENCE, &db->place) != APR_SUCCESS) {
        cat_log(db->log, CAT_LOG_ERROR, 0, "CAT008: %s: writers before this one took more than %d seconds",
                db->source->name, (int)apr_time_sec(TURN_PATIENCE));
        return CAT_EBUSY;
    }
    db->has_turn = 1;
    return APR_SUCCESS;
}

apr_status_t cat_db_connect_bare(cat_db_t *db, int to_write, cat_conn_t **conn)
{
    apr_status_t rv = to_write ? take_turn(db) : APR_SUCCESS;
    if (rv == APR_SUCCESS) {
        rv = connect_unchecked(db, to_write);
    }
    *conn = db->conn;
    return rv;
}

static apr_status_t connect_checked(cat_db_t *db, int to_write)
{
    cat_conn_t *conn;
    apr_status_t rv = APR_SUCCESS;

    if (!db->source->ready) {
        rv = cat_migrate_run(db->pool, db->conf, db->source, db->log);
    }
    return rv == APR_SUCCESS ? cat_db_connect_bare(db, to_write, &conn) : rv;
}

/* What had no effect may be run again. Only when its connection was lost is it not known whether it had one. */
static int had_no_effect(const cat_db_t *db, apr_status_t rv, int is_harmless)
{
    return rv == CAT_ECONFLICT || (rv == CAT_ELOST && is_harmless) ||
           (rv == CAT_EDOWN && cat_conn_dialect(db->conn)->vague);
}

/*
 * Is it to be run again, on another connection? If not, a fault of the database has been logged, and *rv is a status that all
 * know. is_harmless: run twice, it does what it does once.
 */
static int again(cat_db_t *db, apr_status_t *rv, int is_harmless, int tries)
{
    int is_fault = *rv == CAT_EDOWN || *rv == CAT_EVALUE || *rv == CAT_ELOST || *rv == CAT_ECONFLICT;
    int more = is_fault && db->conn && tries < TRIES && had_no_effect(db, *rv, is_harmless);

    if (is_fault && !more && db->conn) {
        cat_conn_log_fault(db->conn, db->log, CAT_LOG_ERROR);
        *rv = *rv == CAT_ELOST ? CAT_EDOWN : *rv == CAT_ECONFLICT ? CAT_EBUSY : *rv;
    }
    if (is_fault) {
        cat_db_release(db);
    }
    if (more) {
        apr_sleep(tries * TRY_INTERVAL);
    }
    return more;
}

/* A write gives its turn back at once. */
static void pass_turn(cat_db_t *db)
{
    if (db->has_turn) {
        cat_db_release(db);
    }
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
        rv = connect_checked(db, 0);
        if (rv == APR_SUCCESS) {
            rv = cat_conn_select(db->conn, db->pool, sql, values, count, row, baton);
        }
    } while (again(db, &rv, 1, ++tries));
    return rv;
}

typedef struct first_row_t {
    apr_pool_t *pool;
    const char **values;
} first_row_t;

static apr_status_t keep_first_row(void *baton, const char *const *values, int count)
{
    first_row_t *first = baton;
    if (!first->values) {
        first->values = apr_palloc(first->pool, (apr_size_t)count * sizeof(*first->values));
        for (int i = 0; i < count; i++) {
            first->values[i] = values[i] ? apr_pstrdup(first->pool, values[i]) : NULL;
        }
    }
    return APR_SUCCESS;
}

apr_status_t cat_db_one(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, const char *const **row)
{
    first_row_t first = {.pool = db->pool};
    apr_status_t rv = cat_db_each(db, sql, values, count, keep_first_row, &first);
    *row = first.values;
    return rv == APR_SUCCESS && !first.values ? APR_NOTFOUND : rv;
}

static apr_status_t run_write(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *matched)
{
    apr_status_t rv = db->failed;
    int tries = 0;

    if (db->in_transaction) {
        return note(db, rv == APR_SUCCESS ? cat_conn_query(db->conn, db->pool, sql, values, count, matched) : rv);
    }
    do {
        rv = connect_checked(db, 1);
        if (rv == APR_SUCCESS) {
            rv = cat_conn_query(db->conn, db->pool, sql, values, count, matched);
        }
    } while (again(db, &rv, 0, ++tries));
    pass_turn(db);
    return rv;
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

static apr_status_t begin(cat_db_t *db)
{
    apr_status_t rv;
    int tries = 0;

    do {
        rv = connect_checked(db, 1);
        if (rv == APR_SUCCESS) {
            rv = cat_conn_begin(db->conn);
        }
    } while (again(db, &rv, 1, ++tries));
    db->in_transaction = rv == APR_SUCCESS;
    db->failed = APR_SUCCESS;
    return rv;
}

apr_status_t cat_db_transact(cat_db_t *db, cat_work_t *work, void *baton)
{
    apr_status_t rv;
    int commits, tries = 0;

    do {
        rv = begin(db);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        rv = work(baton);
        rv = db->failed != APR_SUCCESS ? db->failed : rv;
        commits = rv == APR_SUCCESS;
        if (commits) {
            rv = cat_conn_commit(db->conn);
            db->in_transaction = rv != APR_SUCCESS; /* a COMMIT that fails may leave the transaction open */
        }
    } while (again(db, &rv, !commits, ++tries));
    cat_db_release(db);
    return rv;
}
