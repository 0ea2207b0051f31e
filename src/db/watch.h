/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WATCH_H
#define CAT_DB_WATCH_H

#include "db/changes.h"
#include "db/dialect.h"
#include "shm/fresh.h"

/*
 * What writes on one connection make of the state that the database tells (db/changes.h), so that others can tell it from what
 * strangers do. Does nothing until the connection counts. Used by whoever uses the connection.
 */
typedef struct cat_conn_t cat_conn_t;

typedef enum { CAT_WROTE_NOTHING, CAT_WROTE_PERHAPS, CAT_WROTE } cat_wrote_t;

typedef struct cat_watch_t {
    cat_conn_t *conn;
    cat_changes_t *changes; /* NULL: the connection does not count */
    cat_fresh_t *fresh;
    int is_on; /* from a transaction's begin to its end */
    apr_uint64_t before;
    cat_wrote_t wrote;
    const char *version; /* SQLite's number for others' commits, before ours; NULL: not asked for */
} cat_watch_t;

/* Lets a connection count that has read, until the end of the pool, before which it must not be closed. */
void cat_watch_hold(cat_watch_t *watch, apr_pool_t *pool, const char *file, const cat_log_t *log);

/* A transaction begins that keeps others from writing. */
void cat_watch_begin(cat_watch_t *watch);

/* A statement of it has matched or made rows. */
void cat_watch_note(cat_watch_t *watch, cat_sql_t sql);

/* It is about to be committed; and it may not have been. */
void cat_watch_commit(cat_watch_t *watch, apr_pool_t *pool);
void cat_watch_fail(cat_watch_t *watch);

/* It has been committed, and what it changed is marked. */
void cat_watch_end(cat_watch_t *watch, apr_pool_t *pool);

#endif
