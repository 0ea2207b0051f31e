/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_POOL_CHECKOUT_H
#define CAT_DB_POOL_CHECKOUT_H

#include <apr_tables.h>

#include "db/connection/connection.h"
#include "db/connection/select.h"
#include "db/pool/group.h"
#include "db/pool/source.h"
#include "db/pool/use.h"
#include "lib/timing.h"

/* Takes a connection out of the pool for a use of the database, gives it back, and decides whether to repeat what failed. */
typedef struct cat_companion_t cat_companion_t;

typedef enum cat_db_use_t {
    CAT_TO_READ,
    CAT_TO_WRITE,
    CAT_TO_WRITE_ONCE /* a statement that commits by itself: so it cannot be repeated if the connection is lost */
} cat_db_use_t;

/* May what failed be repeated although the database may have done it? CAT_REPEATABLE: twice has the same effect as
 * once. */
typedef enum { CAT_NOT_REPEATABLE, CAT_REPEATABLE } cat_repeat_t;

/* What src/db keeps of a use. Used by one thread at a time: a group commit leader uses those of threads that sleep. */
struct cat_use_t {
    cat_source_t *source;
    const char *network; /* of the client: see cat_db_serve; NULL: none */
    int is_first;        /* flag: see cat_db_go_first */
    int search;          /* its place among searches */
    cat_db_handle_t handle;
    cat_connection_t *conn; /* NULL: none is checked out. During a group commit, the leader's */
    int is_given_back;      /* flag: the end of the pool releases it */
    int has_write_lock;
    int write_lock_slot; /* where it is held */
    int in_transaction;
    cat_basis_t basis;                     /* of the transaction */
    apr_status_t failed;                   /* the first failure within the transaction */
    int touches;                           /* flag: it changes products: */
    const char *touched;                   /* one; NULL: a new one, or */
    const apr_array_header_t *touched_too; /* const char *: several, besides new ones; NULL: no others */
    const cat_companion_t *companion;      /* of its transactions that write; NULL: none */
    cat_timing_t *timing;                  /* NULL: nothing is measured */
    apr_time_t connected;                  /* cat_timing_begin, when it took the connection */
};

/* cat_db_make. */
cat_db_t *cat_checkout_make(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log);

/* Unless this child knows that the schema is right: checks it, or brings it up to date. Statuses as of
 * cat_migration_try. */
apr_status_t cat_checkout_check_schema(cat_db_t *db);

/* Takes the write lock, where the database has one, until release; gives the connection back first. CAT_EBUSY, logged:
 * other writers had it until the time until. */
apr_status_t cat_checkout_take_write_lock(cat_db_t *db, apr_time_t until);

/* A connection without a check of the schema; to write: with the write lock, held until release. *conn is valid
 * until release or the next call. */
apr_status_t cat_checkout_connect_bare(cat_db_t *db, cat_db_use_t use, cat_connection_t **conn);

/* Takes a connection unless db has one, after a check of the schema; to write: with the write lock. */
apr_status_t cat_checkout_connect(cat_db_t *db, cat_db_use_t use);

/* Gives the connection and the write lock back; a transaction that is still open is rolled back. */
void cat_checkout_release(cat_db_t *db);

/* Around a write's wait for the write lock or for a leader: counts it. _enter returns what _leave takes. */
apr_time_t cat_checkout_enter_queue(const cat_db_t *db);
void cat_checkout_leave_queue(const cat_db_t *db, apr_time_t entered);

/* cat_semaphore_enter for one of the source's semaphores, on behalf of the client, after release. */
apr_status_t cat_checkout_take_turn(cat_db_t *db, cat_semaphore_t *turns, apr_interval_time_t patience, int *place);

/* cat_group_join, after release: a thread that waits holds no connection. */
cat_group_state_t cat_checkout_join(cat_db_t *db, cat_group_t *group, cat_group_item_t *item, apr_time_t until);

/* Call it when a transaction has begun on the connection: no statement of it has failed. */
void cat_checkout_enter_transaction(cat_db_t *db);

/* Rolls the transaction back, if one is open; the connection stays. */
void cat_checkout_roll_back(cat_db_t *db);

/* Invalidates the cached responses of what the use touched: after the commit, and before any client receives its
 * answer. */
void cat_checkout_mark_changes(cat_db_t *db);

/* Is the status the fault of the database, or of a value that it does not take, rather than an outcome that callers
 * expect? */
int cat_checkout_is_fault(apr_status_t rv);

/* For a fault: logs it, turns it into a status that callers of db.h know, and gives back connection and write lock. */
void cat_checkout_give_up(cat_db_t *db, apr_status_t *rv);

/* In a transaction: rv is the status of a statement or of the whole work. Returns the first failure, which decides. */
apr_status_t cat_checkout_note_failure(cat_db_t *db, apr_status_t rv);

/* 1: retry, on a new connection unless db keeps its own. 0: *rv is final, and logged if it is a fault. tries: 0 at
 * first; counts failures, but not the waits for a database that is not ready. */
int cat_checkout_try_again(cat_db_t *db, apr_status_t *rv, cat_repeat_t repeat, int *tries);

/* Attempts at a use of the connection, until one succeeds or must not be repeated:
 *
 *     cat_attempt_t a = {.db = db, .use = CAT_TO_READ, .repeat = CAT_REPEATABLE};
 *     while (cat_checkout_attempt(&a)) {
 *         a.rv = ...
 *     }
 */
typedef struct cat_attempt_t {
    cat_db_t *db;
    cat_db_use_t use;
    cat_repeat_t repeat;
    int is_begun;
    int tries;
    apr_status_t rv; /* of the latest attempt; afterwards final, as of cat_checkout_try_again */
} cat_attempt_t;

/* 1: the db has a connection for an attempt. 0: there is none, or the latest attempt is not to be repeated. */
int cat_checkout_attempt(cat_attempt_t *a);

/* Runs a select: in the use's transaction, or on a connection that is taken for it, and again after a loss. */
apr_status_t cat_checkout_select(cat_db_t *db, const cat_select_t *select);

#endif
