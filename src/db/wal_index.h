/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WAL_INDEX_H
#define CAT_DB_WAL_INDEX_H

#include <apr_pools.h>
#include <apr_time.h>

#include "lib/log.h"
#include "shm/generations.h"

/*
 * The state of a SQLite database in WAL mode, told without SQLite: it stands in the WAL-index, the file beside the database
 * that ends in "-shm", which all its users map into memory (https://www.sqlite.org/walformat.html). Whatever a reader of the
 * database sees has changed the state before. One for each source in a child, used by all its threads.
 */
typedef struct cat_wal_index_t cat_wal_index_t;

apr_status_t cat_wal_index_create(cat_wal_index_t **wal_index, apr_pool_t *pool);

/*
 * While connections of this process are open that have read from the database, SQLite neither takes the WAL-index away nor goes
 * on without it: the state is only told while there are any. _hold for each such connection; _release before it is closed.
 * _hold gives 0, once logged, where the WAL-index is not what it is known to be. Where there was none before, what happened to
 * the database until now is unknown, so all that is kept of it is forgotten.
 */
int cat_wal_index_hold(cat_wal_index_t *wal_index, cat_generations_t *generations, const char *file,
                       const cat_log_t *log);
void cat_wal_index_release(cat_wal_index_t *wal_index);

/* The state at this moment; 0: it cannot be told. Once a second the files are looked at, whether they are still the same. */
int cat_wal_index_read(cat_wal_index_t *wal_index, apr_time_t now, apr_uint64_t *state);

/* Is the second state what one commit made of the first? */
int cat_wal_index_is_next(apr_uint64_t state, apr_uint64_t next);

#endif
