/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_H
#define CAT_DB_SQLITE_H

#include "db/files.h"
#include "db/handle.h"

/* What SQLite can do and apr_dbd has no function for, on a connection of apr_dbd's. Used by whoever uses the connection. */

/* The database's file, as long as the connection is open; "" for one in memory; NULL where the driver is not SQLite's. Reads nothing. */
const char *cat_sqlite_file(const cat_db_handle_t *handle);

/*
 * Begins a transaction that is going to write, and waits until then at most for another one's lock; apr_dbd would wait for 1.6
 * seconds, however long the write has waited already. APR_SUCCESS; CAT_ELOST: the connection could only be opened for reading, and
 * is no better until it is opened anew; or CAT_EDOWN. A failure is described in fault.
 */
apr_status_t cat_sqlite_begin(const cat_db_handle_t *handle, apr_time_t until, char *fault, apr_size_t size);

/* Is the WAL's index mapped for reading only? All connections of a process share the mapping, until the last of them is closed. */
int cat_sqlite_has_readonly_index(const cat_db_handle_t *handle);

/* Why a write would fail, found out without one: the files cannot be written, the disk or the database is full, the file is shorter
 * than its header says. NULL: nothing is known to be in its way. */
const char *cat_sqlite_find_obstacle(const cat_db_handle_t *handle, const cat_files_t *files);

#endif
