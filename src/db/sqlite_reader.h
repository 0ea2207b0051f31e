/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_READER_H
#define CAT_DB_SQLITE_READER_H

#include "db/dialect.h"
#include "db/handle.h"

/*
 * Reads from SQLite on a connection of apr_dbd's, with SQLite's own functions. apr_dbd lets one thread of the process at a time
 * read or write, through each COMMIT too, and copies each value twice. Used by whoever uses the connection.
 */
typedef struct cat_sqlite_reader_t cat_sqlite_reader_t;

/* Before SQLite is first used in this process, or it does nothing: SQLite does not count the memory that it has, for which all threads
 * would take turns with each allocation. Its documentation recommends it. */
void cat_sqlite_reader_set_up(void);

/* For an open connection; NULL: it is not one of SQLite. Lives as long as the connection, and ends before it is closed. */
cat_sqlite_reader_t *cat_sqlite_reader_make(const cat_db_handle_t *handle);

/* Finalizes its statements, so that the connection can be closed; and takes the one that was opened in its place. NULL: nothing. */
void cat_sqlite_reader_detach(cat_sqlite_reader_t *reader);
void cat_sqlite_reader_attach(cat_sqlite_reader_t *reader, const cat_db_handle_t *handle);

/*
 * Runs a select, whose text has %s for each of the values, and is always the same for the statement. 0: *rv is what row gave.
 * Otherwise SQLite's result: *rows tells how many were given before; if none, apr_dbd may do better, which waits and says what is
 * wrong.
 */
int cat_sqlite_reader_select(cat_sqlite_reader_t *reader, cat_sql_t sql, const char *text, const char *const *values,
                             int count, cat_row_t *row, void *baton, apr_status_t *rv, int *rows);

#endif
