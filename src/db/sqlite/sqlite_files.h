/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_SQLITE_FILES_H
#define CAT_DB_SQLITE_SQLITE_FILES_H

#include "db/connection/connection_state.h"
#include "lib/log.h"

/* Notices that the files of a SQLite database were removed or replaced while connections have them open. Used by the thread
 * that has the connection, whose `sqlite` is not NULL; without a file, as of a database in memory, all is in order. */

/* When the connection was opened, before it reads: sets its `file`. APR_SUCCESS; CAT_EDOWN, logged: the file, or its WAL, was
 * removed or replaced; or an error of the file system. */
apr_status_t cat_sqlite_files_check(cat_connection_t *conn, const cat_log_t *log);

/* Once it has read: notes the WAL and its index. A database has none before its first migration. */
void cat_sqlite_files_note_wal(cat_connection_t *conn);

/* When it leaves its pool: the same as _check, about once a second. */
apr_status_t cat_sqlite_files_compare(cat_connection_t *conn, const cat_log_t *log);

/* A cleanup, for a connection that is about to be closed: copies a WAL that somebody has deleted to the database. */
apr_status_t cat_sqlite_files_save_wal(void *connection);

#endif
