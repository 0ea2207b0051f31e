/* SPDX-License-Identifier: Apache-2.0 */
#include "db/db.h"

#include <apr_strings.h>

#include "db/migrate.h"
#include "lib/answer.h"

/* How long a writer waits for its turn before it answers 503. */
#define TURN_PATIENCE apr_time_from_sec(2)

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
    apr_pool_cleanup_register(pool, db, release_with_pool, apr_pool_cleanup_null);
    return db;
}

static void disconnect(cat_db_t *db)
{
    if (db->conn) {
        db->conn = NULL;
        cat_source_close(db->source, &db->link);
    }
}

void cat_db_release(cat_db_t *db)
{
    cat_db_rollback(db);
    disconnect(db);
    if (db->has_turn) {
        db->has_turn = 0;
        cat_gate_leave(db->source->turn, db->place);
    }
}

static apr_status_t connect_unchecked(cat_db_t *db)
{
    apr_status_t rv;

    if (db->conn) {
        return APR_SUCCESS;
    }
    rv = cat_source_open(db->source, db->pool, db->conf->max_connections, db->log, &db->link);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_conn_get(db->source, &db->link, db->log, &db->conn);
    if (rv != APR_SUCCESS) {
        db->conn = NULL;
        cat_source_close(db->source, &db->link);
    }
    return rv;
}

/* A turn is waited for without a connection, or waiting writers would keep readers from theirs. */
static apr_status_t take_turn(cat_db_t *db)
{
    apr_status_t rv = APR_SUCCESS;

    if (!db->source->dialect) {
        rv = connect_unchecked(db); /* the first connection of this child tells whether there are turns */
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
        rv = connect_unchecked(db);
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

/* In a transaction the first failure decides; outside it, a write gives its turn back at once. */
static apr_status_t conclude(cat_db_t *db, apr_status_t rv)
{
    if (db->in_transaction && rv != APR_SUCCESS && db->failed == APR_SUCCESS) {
        db->failed = rv;
    }
    if (!db->in_transaction && db->has_turn) {
        cat_db_release(db);
    }
    return rv;
}

apr_status_t cat_db_each(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, cat_row_t *row, void *baton)
{
    apr_status_t rv = db->in_transaction ? db->failed : connect_checked(db, 0);
    if (rv == APR_SUCCESS) {
        rv = cat_conn_select(db->conn, db->pool, db->log, sql, values, count, row, baton);
    }
    return conclude(db, rv);
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

apr_status_t cat_db_exec(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *changed)
{
    int matched = 0;
    apr_status_t rv = db->in_transaction ? db->failed : connect_checked(db, 1);
    if (rv == APR_SUCCESS) {
        rv = cat_conn_query(db->conn, db->pool, db->log, sql, values, count, &matched);
    }
    if (changed) {
        *changed = rv == APR_SUCCESS ? matched : 0;
    }
    return conclude(db, rv);
}

apr_status_t cat_db_insert(cat_db_t *db, cat_sql_t sql, const char *const *values, int count)
{
    int inserted;
    apr_status_t rv = cat_db_exec(db, sql, values, count, &inserted);
    return rv == APR_SUCCESS && inserted == 0 ? conclude(db, APR_EEXIST) : rv;
}

apr_status_t cat_db_begin(cat_db_t *db)
{
    apr_status_t rv = connect_checked(db, 1);
    if (rv == APR_SUCCESS) {
        rv = cat_conn_send(db->conn, db->log, cat_conn_dialect(db->conn)->begin);
    }
    if (rv != APR_SUCCESS) {
        cat_db_release(db);
        return rv;
    }
    db->in_transaction = 1;
    db->failed = APR_SUCCESS;
    return APR_SUCCESS;
}

apr_status_t cat_db_commit(cat_db_t *db)
{
    apr_status_t rv = db->failed;
    if (rv == APR_SUCCESS) {
        rv = cat_conn_send(db->conn, db->log, "COMMIT");
        db->in_transaction = rv != APR_SUCCESS; /* a COMMIT that fails may leave the transaction open */
    }
    cat_db_release(db);
    return rv;
}

void cat_db_rollback(cat_db_t *db)
{
    if (db->in_transaction) {
        db->in_transaction = 0;
        cat_conn_roll_back(db->conn);
    }
}
