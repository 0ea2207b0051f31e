/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_COMMIT_TRACKER_H
#define CAT_DB_COMMIT_TRACKER_H

#include "db/dialect.h"
#include "db/wal_index.h"
#include "lib/log.h"
#include "shm/generations.h"

/*
 * What writes on one connection make of the state that the database tells (db/wal_index.h), so that others can tell it from what
 * strangers do. Does nothing until the connection counts. Used by the thread that uses the connection.
 */
typedef enum { CAT_WROTE_NOTHING, CAT_WROTE_PERHAPS, CAT_WROTE } cat_wrote_t;

typedef struct cat_commit_tracker_t {
    cat_wal_index_t *wal_index; /* NULL: the connection does not count */
    cat_generations_t *generations;
    int is_on;                  /* from a transaction's begin to its end */
    apr_uint64_t before, after; /* the database's state; after is 0 where it cannot be told */
    cat_wrote_t wrote;
    const char *version; /* SQLite's number for others' commits, before ours; NULL: not asked for */
} cat_commit_tracker_t;

/* Lets a connection count that has read, until the end of the pool, before which it must not be closed. */
void cat_commit_tracker_hold(cat_commit_tracker_t *tracker, apr_pool_t *pool, cat_wal_index_t *wal_index,
                             cat_generations_t *generations, const char *file, const cat_log_t *log);

/* Before the connection is closed and opened anew: it counts no more until it is held again. */
void cat_commit_tracker_release(cat_commit_tracker_t *tracker, apr_pool_t *pool);

/* A transaction begins that keeps others from writing. */
void cat_commit_tracker_begin(cat_commit_tracker_t *tracker);

/* A statement of it has matched or made rows. */
void cat_commit_tracker_note(cat_commit_tracker_t *tracker, cat_sql_t sql);

/* Before the commit: can only SQLite's "data_version" tell, later, whose commit it was? */
int cat_commit_tracker_is_unsure(const cat_commit_tracker_t *tracker);

/* The transaction is about to be committed; and it may not have been. version: the data_version now, where is_unsure asked for it. */
void cat_commit_tracker_commit(cat_commit_tracker_t *tracker, const char *version);
void cat_commit_tracker_fail(cat_commit_tracker_t *tracker);

/*
 * It has been committed, and what it changed is marked. First _look reads the database's state, and says whether data_version is to be
 * asked for; then _end is given that. In this order: a commit of others after the look changes the number.
 */
int cat_commit_tracker_look(cat_commit_tracker_t *tracker);
void cat_commit_tracker_end(cat_commit_tracker_t *tracker, const char *version);

#endif
