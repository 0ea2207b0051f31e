/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_WAL_INDEX_H
#define CAT_DB_SQLITE_WAL_INDEX_H

#include <apr_pools.h>
#include <apr_time.h>

#include "lib/log.h"
#include "shm/generations.h"

/*
 * Reads the state of a SQLite database in WAL mode without SQLite: from the WAL index, the file beside the database
 * that ends in "-shm", which all processes that use the database map into memory
 * (https://www.sqlite.org/walformat.html). Each commit changes the state before any reader can see it. One for each
 * source in a child, used by all its threads.
 */
typedef struct cat_wal_index_t cat_wal_index_t;

apr_status_t cat_wal_index_create(cat_wal_index_t **wal_index, apr_pool_t *pool);

/*
 * SQLite neither deletes nor replaces the WAL index while this process has connections that have read from the
 * database, so the state is only known then. Call _hold for each such connection, and _release before it is closed.
 * _hold returns 0, and logs it once, where the WAL index has another format or cannot be read. The first _hold
 * invalidates all of the generations, because nobody knows what has happened to the database before.
 */
int cat_wal_index_hold(cat_wal_index_t *wal_index, cat_generations_t *generations, const char *file,
                       const cat_log_t *log);
void cat_wal_index_release(cat_wal_index_t *wal_index);

/* The state at this moment; 0: it is unknown. Once a second it compares the files with those that it has open. */
int cat_wal_index_read(cat_wal_index_t *wal_index, apr_time_t now, apr_uint64_t *state);

#endif
