/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQLITE_SQLITE_READER_H
#define CAT_DB_SQLITE_SQLITE_READER_H

#include "db/connection/handle.h"
#include "db/connection/select.h"

/*
 * Reads from SQLite, and begins and commits its transactions, with SQLite's own functions, on a connection that apr_dbd
 * has opened. apr_dbd lets one thread of the process at a time read or write, and holds that lock through each COMMIT; it
 * also copies each value twice. Used by the thread that has the connection.
 */
typedef struct cat_sqlite_reader_t cat_sqlite_reader_t;

/* Switches off SQLite's memory statistics, whose mutex all threads would take with each allocation, as its
 * documentation recommends. Before the process first uses SQLite; later it has no effect. */
void cat_sqlite_reader_set_up(void);

/* For an open connection; NULL: it is not one to SQLite. On the connection's pool, whose end finalizes the statements
 * before the connection is closed. */
cat_sqlite_reader_t *cat_sqlite_reader_make(const cat_db_handle_t *handle);

/* Finalizes the statements, so that the connection can be closed; and uses the one that was opened in its place.
 * Neither does anything if reader is NULL. */
void cat_sqlite_reader_detach(cat_sqlite_reader_t *reader);
void cat_sqlite_reader_attach(cat_sqlite_reader_t *reader, const cat_db_handle_t *handle);

/*
 * Runs a select. text: the statement's, with %s for each value; always the same for one statement, and without effect
 * where the select has a text of its own. Returns 0, and in *rv the last status of the row function, which may be
 * CAT_ENOUGH; or SQLite's result code. *rows: how many rows the function was given. If none, the caller can still use
 * apr_dbd, which waits for locks and says what is wrong; not for a text made at run time, with which this waits itself.
 */
int cat_sqlite_reader_select(cat_sqlite_reader_t *reader, const char *text, const cat_select_t *select,
                             apr_status_t *rv, int *rows);

/* Begins a transaction that is going to write, without waiting, or one that only reads; or ends it. The statements are
 * prepared once: apr_dbd would parse the texts each time. Returns SQLite's result code. */
typedef enum {
    CAT_SQLITE_BEGIN_WRITE,
    CAT_SQLITE_BEGIN_VIEW,
    CAT_SQLITE_COMMIT,
    CAT_SQLITE_ROLL_BACK,
    CAT_SQLITE_CONTROLS
} cat_sqlite_control_t;
int cat_sqlite_reader_control(cat_sqlite_reader_t *reader, cat_sqlite_control_t control);

/* What SQLite says of the last failure; valid until the connection is used again. */
const char *cat_sqlite_reader_error(const cat_sqlite_reader_t *reader);

#endif
