/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_CHECKOUT_H
#define CAT_DB_CHECKOUT_H

#include "db/connection.h"
#include "db/source.h"
#include "lib/conf.h"
#include "lib/log.h"

/*
 * Takes a connection out of the pool for a use of the database, gives it back, and decides whether what failed is run again. Below
 * db.h, for those files that need more of cat_db_t than its functions.
 */
typedef struct cat_db_t cat_db_t;

/* Used by one thread at a time: the leader of a group commit uses those of threads that sleep. */
struct cat_db_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    cat_source_t *source;
    const cat_log_t *log;
    cat_db_handle_t handle;
    cat_connection_t
        *conn; /* NULL: no connection out of the pool. The group commit leader's, while it runs this use's write */
    int is_given_back; /* flag: the end of the pool releases it */
    int has_write_lock;
    int write_lock_slot; /* where it is held */
    int in_transaction;
    apr_status_t failed; /* the first failure within the transaction */
    int touches;         /* flag: it changes a product: */
    const char *touched; /* NULL: a new one */
};

/* Finds out whether the schema is there, or makes it, when that is not known yet. */
apr_status_t cat_checkout_check_schema(cat_db_t *db);

/* Takes the write lock, where the database has one, until release; gives the connection back first. CAT_EBUSY, logged: others still
 * had it at the time until. */
apr_status_t cat_checkout_take_write_lock(cat_db_t *db, apr_time_t until);

/* A connection without the check that the schema is there; to_write: with the write lock, held until release. *conn is good until
 * release or the next call. */
apr_status_t cat_checkout_connect_bare(cat_db_t *db, int to_write, cat_connection_t **conn);

/* Gives the connection and the write lock back; a transaction that is still open is rolled back. */
void cat_checkout_release(cat_db_t *db);

/* Rolls the transaction back, if one is open; the connection stays. */
void cat_checkout_roll_back(cat_db_t *db);

/* Takes a connection unless there is one, to_write: with the write lock; the schema is checked before. */
apr_status_t cat_checkout_connect(cat_db_t *db, int to_write);

/* Marks what the use touches, where answers are kept: after the commit, and before anybody is told of it. */
void cat_checkout_mark_changes(cat_db_t *db);

/* Is the database at fault, or a value that it does not take, rather than what was asked for? */
int cat_checkout_is_fault(apr_status_t rv);

/* Logs a fault, makes a status of it that all know, and gives back connection and write lock. Anything else is left as it is. */
void cat_checkout_give_up(cat_db_t *db, apr_status_t *rv);

/* 1: run it again, on a new connection. 0: *rv is final, and a fault is logged. is_harmless: to run it twice does no more than to run
 * it once. tries: 0 at first; counts failures, but not the waiting for a database that is not ready. */
int cat_checkout_try_again(cat_db_t *db, apr_status_t *rv, int is_harmless, int *tries);

#endif
