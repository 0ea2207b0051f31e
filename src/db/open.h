/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_OPEN_H
#define CAT_DB_OPEN_H

#include <apr_file_info.h>

#include "db/conn.h"
#include "db/reader.h"
#include "db/watch.h"

/* What conn.c, which runs statements on a connection, and open.c, which makes it ready for them, share of it; nobody else sees it. */

#define FAULT_MAX 512 /* octets of a driver's words that are kept */

typedef struct statement_t {
    apr_dbd_prepared_t *prepared; /* NULL: not prepared on this connection */
    int placeholders;
} statement_t;

struct cat_conn_t {
    cat_link_t link;
    cat_source_t *source; /* who uses it now: several may share a pool */
    const cat_dialect_t *dialect;
    const char *name; /* the source's, for logs */
    const char *file; /* NULL: the database is no file */
    apr_finfo_t opened;
    apr_time_t looked;
    apr_time_t used;
    int in_transaction;
    int has_read;
    cat_reader_t *reader; /* NULL: selects go through apr_dbd */
    cat_watch_t watch;
    int is_lost; /* whoever pools it mends it, or gives up the link and the conn with it */
    char fault[FAULT_MAX];
    statement_t statements[SQL_COUNT];
};

/* Turns a driver's result into a status, and keeps its words: here the cause is known. */
apr_status_t cat_conn_judge(cat_conn_t *conn, int result, const char *what);

#endif
