/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_EXPORT_H
#define CAT_CATALOGUE_EXPORT_H

#include "catalogue/query/query.h"
#include "catalogue/transfer/export_format.h"
#include "db/db.h"
#include "db/job.h"

/*
 * All products of a list in one state of the database, in pieces: however many there are, they take the memory of one
 * portion. An export keeps its connection, and a transaction, until it ends; so at most conf->max_exports of a database
 * run at once in one child, and it must end in time (cat_export_watch). Used by one thread.
 */
typedef struct cat_export_t cat_export_t;

/* Begins the export of the products that the query lists after its position, in its order. CAT_EBUSY, logged: too many
 * exports run. Other failures are those of db/db.h, CAT_ESLOW (not logged) of a query that is not plain included: a portion
 * took longer than conf->query_timeout. The parts query->parts of the index must be complete. On the pool of db, whose
 * end closes it. */
apr_status_t cat_export_open(cat_db_t *db, const cat_list_query_t *query, const cat_export_format_t *format,
                             const cat_export_style_t *style, cat_export_t **opened);

/* The next piece, valid until the next call; *length 0: there is none. A failure has been logged, and ends the export: APR_TIMEUP, it was
 * stopped. */
apr_status_t cat_export_read(cat_export_t *e, const char **data, apr_size_t *length);

/* Gives the connection back; what was read last stays valid. May be called again. */
void cat_export_close(cat_export_t *e);

/* A job of each child: ends the transactions of exports that take longer than conf->export_timeout, whose clients take fewer octets a
 * second than conf->export_rate, or that keep SQLite's WAL from being begun anew although it has more than conf->export_wal octets. */
cat_job_run_t cat_export_watch;

/* How many products were read. */
apr_int64_t cat_export_count(const cat_export_t *e);

#endif
