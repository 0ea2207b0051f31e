/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_COMMIT_TRACKER_H
#define CAT_DB_SQLITE_COMMIT_TRACKER_H

#include "db/dialects/dialect.h"
#include "db/sqlite/wal_index.h"
#include "lib/log.h"
#include "shm/generations.h"
#include "shm/metrics.h"

/*
 * Tells the commits of one connection from those of foreign programs, by the state that the WAL index shows before and
 * after (db/sqlite/wal_index.h), and passes on what it finds to the database's generations. Does nothing until it holds the
 * WAL index. Used by the thread that uses the connection.
 */
typedef enum { CAT_WROTE_NOTHING, CAT_WROTE_PERHAPS, CAT_WROTE } cat_wrote_t;

typedef struct cat_commit_tracker_t {
    cat_wal_index_t *wal_index;     /* NULL: it is not held */
    cat_generations_t *generations; /* of the source, as are: */
    const cat_metrics_t *metrics;
    int is_on;                  /* flag: from a transaction's begin to its end */
    apr_uint64_t before, after; /* the database's state; after is 0 where it is unknown */
    cat_wrote_t wrote;
    const char *version; /* SQLite's data_version before our commit; NULL: not asked for */
} cat_commit_tracker_t;

/* Holds the WAL index of the source for a connection to file that has read, until the end of the pool, which must come
 * before the connection is closed. generations and metrics are set. */
void cat_commit_tracker_hold(cat_commit_tracker_t *tracker, apr_pool_t *pool, cat_wal_index_t *wal_index,
                             const char *file, const cat_log_t *log);

/* Releases the WAL index: call it before the connection is closed and opened anew. */
void cat_commit_tracker_release(cat_commit_tracker_t *tracker, apr_pool_t *pool);

/* A transaction has begun that keeps others from writing. */
void cat_commit_tracker_begin(cat_commit_tracker_t *tracker);

/* A statement of it has matched or inserted rows. */
void cat_commit_tracker_note(cat_commit_tracker_t *tracker, cat_sql_t sql);

/* Before the commit: may the transaction have written nothing, so that only SQLite's data_version can tell whose commit
 * the next one is? */
int cat_commit_tracker_is_unsure(const cat_commit_tracker_t *tracker);

/* Just before the COMMIT, with the data_version where is_unsure asked for it; and after a COMMIT that failed. */
void cat_commit_tracker_commit(cat_commit_tracker_t *tracker, const char *version);
void cat_commit_tracker_fail(cat_commit_tracker_t *tracker);

/*
 * After the commit, when what it changed is marked. First _look reads the database's state, and returns whether
 * data_version is needed; then _end takes that. In this order: a foreign commit after the look changes the
 * data_version.
 */
int cat_commit_tracker_look(cat_commit_tracker_t *tracker);
void cat_commit_tracker_end(cat_commit_tracker_t *tracker, const char *version);

#endif
