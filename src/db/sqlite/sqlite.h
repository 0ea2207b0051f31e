/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_SQLITE_H
#define CAT_DB_SQLITE_SQLITE_H

#include "db/connection/handle.h"
#include "db/dialects/dialect.h"
#include "db/sqlite/files.h"
#include "db/sqlite/sqlite_reader.h"

/* Functions of SQLite that apr_dbd does not offer, on a connection that apr_dbd has opened. Used by the thread that has
 * the connection. */

/* The database's file, valid as long as the connection; "" for a database in memory; NULL where the driver is not
 * SQLite's. Reads nothing from the file. */
const char *cat_sqlite_file(const cat_db_handle_t *handle);

/* Once on each connection: a commit copies the WAL to the database when it has 64 MiB, instead of SQLite's 4, so that a page
 * that many transactions change is copied less often. A file that has grown beyond 96 MiB, because readers kept SQLite from beginning it
 * anew, is cut when it does. */
void cat_sqlite_set_up(const cat_db_handle_t *handle);

/*
 * Begins a transaction that is going to write. Waits at most until the time until for another program's lock; apr_dbd
 * would wait for 1.6 seconds, however long the write has waited already. CAT_ELOST: the connection is read-only until
 * it is opened anew. CAT_EDOWN: any other failure. *fault: the reason of either, of "BEGIN IMMEDIATE".
 */
apr_status_t cat_sqlite_begin(const cat_db_handle_t *handle, cat_sqlite_reader_t *reader, apr_time_t until,
                              cat_fault_t *fault);

/* Returns true if the last call on the connection failed because the disk, a quota or the database is full. */
int cat_sqlite_lacks_room(const cat_db_handle_t *handle);

/* How many pages the connection keeps: 16 MB of them, or 2 as by default. */
void cat_sqlite_size_cache(const cat_db_handle_t *handle, int is_wide);

/* Between the two a commit on the connection does not copy the WAL, but sets *frames, which must live as long. 1: the WAL is long enough
 * to be copied now. */
void cat_sqlite_hold_checkpoint(const cat_db_handle_t *handle, int *frames);
int cat_sqlite_unhold_checkpoint(const cat_db_handle_t *handle, int frames);

/* Copies what the WAL has to the database, as far as no other connection is in the way. */
void cat_sqlite_checkpoint(const cat_db_handle_t *handle);

/* Is the index of the WAL mapped read-only? All connections of a process share the mapping until the last of them is
 * closed. */
int cat_sqlite_has_readonly_index(const cat_db_handle_t *handle);

/* Why a write would fail, without trying one: the files are read-only, the disk or the database is full, the file is
 * shorter than its header says. NULL: no reason is known. */
const char *cat_sqlite_find_obstacle(const cat_db_handle_t *handle, const cat_files_t *files);

#endif
