/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_USE_H
#define CAT_DB_USE_H

#include "db/db.h"

/* What db.c, writer.c and migrate.c share of a use of the database, and nobody else sees. */
struct cat_db_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    cat_source_t *source;
    const cat_log_t *log;
    cat_link_t link;
    cat_conn_t *conn;  /* NULL: no connection out of the pool. Lent by who leads while a write runs in another's turn */
    int is_given_back; /* flag: at the pool's end at the latest */
    int has_turn;
    int place; /* in the turn's gate */
    int in_transaction;
    apr_status_t failed; /* the first failure within the transaction */
    int touches;         /* flag: it changes a product: */
    const char *touched; /* NULL: a new one */
};

/* How long a writer waits for its turn before it answers 503. */
#define CAT_DB_TURN_PATIENCE apr_time_from_sec(3)

/* Finds out whether the schema is there, or makes it, when that is not known yet. */
apr_status_t cat_db_check_schema(cat_db_t *db);

/* Takes the writers' turn, where there are any, until release; gives the connection back before. CAT_EBUSY, logged: it was still
 * others' at the time until. */
apr_status_t cat_db_take_turn(cat_db_t *db, apr_time_t until);

/* Logs that, and gives CAT_EBUSY. */
apr_status_t cat_db_turn_is_late(const cat_db_t *db);

/* Takes a connection, to_write: with the turn, unless there is one; the schema has been checked. */
apr_status_t cat_db_connect(cat_db_t *db, int to_write);

/* Marks what the use touches, where answers are kept: after the commit, and before anybody is told of it. */
void cat_db_mark(cat_db_t *db);

/* Is the database at fault, or a value that it does not take, rather than what was asked for? */
int cat_db_is_fault(apr_status_t rv);

/* Logs a fault, makes a status of it that all know, and gives back connection and turn. Anything else is left as it is. */
void cat_db_give_up(cat_db_t *db, apr_status_t *rv);

/* Is it to be run again, on another connection? If not, it has been given up. is_harmless: run twice, it does what it does once. */
int cat_db_again(cat_db_t *db, apr_status_t *rv, int is_harmless, int tries);

#endif
