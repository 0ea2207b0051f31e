/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_SQLITE_NATIVE_H
#define CAT_DB_SQLITE_SQLITE_NATIVE_H

#include "db/connection/connection_state.h"
#include "db/sqlite/files.h"
#include "db/sqlite/sqlite_reader.h"
#include "db/sqlite/wal_index.h"

/* What is kept with a connection to SQLite. Used by the one thread that has the connection out of the pool. */
struct cat_sqlite_connection_t {
    cat_sqlite_reader_t *reader; /* NULL: selects go through apr_dbd */
    cat_wal_index_t *wal_index;  /* the WAL index that this connection holds, or NULL */
    int has_tried_index;         /* True if the connection was asked to hold the WAL index, whether it could or not */
    int has_read;
    cat_files_t files; /* as this connection has them open */
    int knows_wal;     /* flag: files has the WAL and its index */
    apr_time_t looked; /* when files was last compared with what is there */
    int has_readonly_index;
    int is_wide; /* flag: it may keep more pages until the transaction ends */
};

/* On the connection's pool; NULL: the driver is not SQLite's. */
cat_sqlite_connection_t *cat_sqlite_native_make(const cat_db_handle_t *handle);

/* Holds the source's WAL index until the connection is closed, if the connection has read from a file and does not hold it yet. Does nothing if
 * wal_index is NULL. */
void cat_sqlite_native_hold_index(cat_connection_t *conn, cat_wal_index_t *wal_index, cat_generations_t *generations,
                                  const cat_log_t *log);

/* Releases the WAL index. Call it before the connection is closed and opened again. */
void cat_sqlite_native_release_index(cat_connection_t *conn);

/* Would the database take a write, as far as can be known without one? If not, the reason is logged. 1 where it is no
 * file. */
int cat_sqlite_native_takes_writes(const cat_connection_t *conn, const cat_log_t *log);

/* Octets of the WAL's file; 0: there is none. */
apr_off_t cat_sqlite_native_wal_size(const cat_connection_t *conn);

/* Lets the connection keep 16 MB of pages until the transaction ends, not 2: one of several writes would read some of them again and
 * again. */
void cat_sqlite_native_widen_cache(const cat_connection_t *conn);

/* cat_connection_commit, but without copying a WAL that has become long, which takes as long again. *is_wal_long, flag:
 * cat_sqlite_native_checkpoint is due. */
apr_status_t cat_sqlite_native_commit_only(cat_connection_t *conn, int *is_wal_long);

/* Copies what the WAL has to the database, as far as no other connection is in the way; no transaction may be open. */
void cat_sqlite_native_checkpoint(const cat_connection_t *conn);

#endif
