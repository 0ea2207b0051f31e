/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DB_H
#define CAT_DB_DB_H

#include <apr_tables.h>

#include "db/connection/select.h"
#include "db/dialects/dialect.h"
#include "db/dialects/sql_fragments.h"
#include "db/dialects/status.h"
#include "db/job.h"
#include "db/pool/exports.h"
#include "db/pool/use.h"
#include "db/schema/definition.h"
#include "db/work/batch.h"
#include "db/work/read_batch.h"
#include "db/work/work.h"
#include "lib/timing.h"

typedef struct cat_source_t cat_source_t;

/*
 * A request's or a job's use of one database. The first statement takes a connection; cat_db_release gives it back, or
 * the end of the pool. Used by one thread.
 *
 * All functions return APR_SUCCESS or one of seven statuses of db/dialects/status.h (CAT_EBUSY, CAT_ENOTREADY,
 * CAT_EREADONLY, CAT_EDOWN, CAT_EFULL, CAT_EUNSURE, CAT_EVALUE), after logging its cause; or one of two that are not logged, because callers expect them:
 * APR_NOTFOUND and APR_EEXIST.
 */
cat_db_t *cat_db_make(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log);

/* Another use of the same database, on the pool, with the same configuration and log. */
cat_db_t *cat_db_another(const cat_db_t *db, apr_pool_t *pool);

/* The use is for a client, whose network takes turns with others where many wait; it lives as long as the use. The time that
 * the use takes, and waits for, is added to timing from now on; NULL: it is not measured. */
void cat_db_serve(cat_db_t *db, const char *network, cat_timing_t *timing);

/* The use may take the one connection of the child that the others leave, and goes before those that wait for one. */
void cat_db_go_first(cat_db_t *db);

/*
 * Around a list that may take the database long: the server limits how many run at once, and clients' networks take turns.
 * Gives the connection back first. CAT_EBUSY, logged: others were first; there is nothing to end then.
 */
apr_status_t cat_db_begin_search(cat_db_t *db);
void cat_db_end_search(cat_db_t *db);

/* Values for a statement, and their count: cat_db_exec(db, SQL_PRODUCT_DELETE, CAT_VALUES(id), &changed). */
#define CAT_VALUES(...)                                                                                                \
    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define CAT_NO_VALUES NULL, 0

/* The first row, its values copied to the pool; APR_NOTFOUND when there is none. */
apr_status_t cat_db_one(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, const char *const **row);

/* *number: what the first row begins with; 0, and APR_NOTFOUND, when there is none. */
apr_status_t cat_db_number(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, apr_int64_t *number);

/* Calls row for each row; see cat_row_t. */
apr_status_t cat_db_each(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, cat_row_t *row,
                         void *baton);

/* The same for a statement that takes CAT_DB_PLACES texts (SQL_..._100), as often as it takes for the texts of the list (const char *);
 * the places that are left repeat one of them. */
#define CAT_DB_PLACES 100
apr_status_t cat_db_each_list(cat_db_t *db, cat_sql_t sql, const apr_array_header_t *list, cat_row_t *row, void *baton);

/* Adds copies of the row's values to the list, the baton (const char *), on the pool of that. */
cat_row_t cat_db_add_texts;

/* As cat_db_each, for a select whose text is made at run time, in the database's dialect, with a %s for each value: its shape
 * may differ from one call to the next, its values are never part of it. A connection keeps the CAT_TEXT_SLOTS
 * statements used last prepared. */
apr_status_t cat_db_each_text(cat_db_t *db, const char *text, const char *const *values, int count, cat_row_t *row,
                              void *baton);

/* Call it before a write that updates or deletes the product id, or creates one (NULL): the commit then invalidates the
 * cached responses of the product and of lists (db/answer_cache.h). It replaces what was touched before; id must
 * live as long as the use of the database. */
void cat_db_touch(cat_db_t *db, const char *id);

/* The same before a transaction that updates or deletes the products ids (const char *), and perhaps creates others.
 * The transaction may fill the list: what is in it at the commit counts. */
void cat_db_touch_many(cat_db_t *db, const apr_array_header_t *ids);

/* Sends plain text that reads, whether the schema is right or not. *value: the first value of the first row; NULL where there is
 * none. A failure is not logged. */
apr_status_t cat_db_ask(cat_db_t *db, const char *text, const char **value);

/* Call it when many products were added in short time, within the transaction or after it: the database then plans for tables of the size that
 * they have now. After the transaction it gives the connection back. A failure ends a transaction, as that of a statement does. */
void cat_db_note_growth(cat_db_t *db);

/* Runs a statement that writes. changed: how many rows it matched; may be NULL. */
apr_status_t cat_db_exec(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *changed);

/* Runs a statement that takes `places` texts, as often as it takes for the texts of the list (const char *); the places that are left get
 * `rest`. */
apr_status_t cat_db_exec_list(cat_db_t *db, cat_sql_t sql, const apr_array_header_t *list, int places,
                              const char *rest);

/* Runs an INSERT of one row; APR_EEXIST when a unique key is taken, whatever the database (its statement says ON
 * CONFLICT DO NOTHING where the database has that). */
apr_status_t cat_db_insert(cat_db_t *db, cat_sql_t sql, const char *const *values, int count);

typedef struct cat_rows_t {
    cat_sql_t sql;
    const char *const *values; /* `width` for each row */
    int width, count;
    int inserted; /* afterwards: how many were, if the statement leaves out those that are there already */
} cat_rows_t;

/*
 * Inserts any number of rows with few statements, in a transaction that the caller has begun. sql: the statement for one
 * row, which db/dialects/sql.def has for 2, 4, 8, 16 and 64 as well (STATEMENTS).
 * APR_EEXIST: one of them is there already.
 */
apr_status_t cat_db_insert_rows(cat_db_t *db, cat_rows_t *rows);

/*
 * Runs work in a transaction that writes. When work returns APR_SUCCESS the transaction is committed; with any other
 * status it is rolled back, and the status returned. After a statement has failed, the remaining statements of the
 * transaction are refused with its status. Work may run several times, because a transaction that lost a conflict is
 * begun anew: so it may only use the database and write what its caller reads. After a failure nothing is stored,
 * unless CAT_EUNSURE says that the reply to the commit was lost. Gives the connection back.
 */
apr_status_t cat_db_transact(cat_db_t *db, cat_work_t *work, void *baton);

/* The same for work that has changed nothing when it fails, unless by a fault of the database: it is refused at once, or not at all. So
 * there is nothing to roll back where writes share a transaction, and the database need not be able to. */
apr_status_t cat_db_transact_at_once(cat_db_t *db, cat_work_t *work, void *baton);

/* The same for work that makes about `writes` writes: where writes share a transaction, none waits for too many. */
apr_status_t cat_db_transact_many(cat_db_t *db, int writes, cat_work_t *work, void *baton);

/* Runs work, a part of a transaction that writes. If it fails, nothing that it wrote is left, and the transaction can
 * go on, even if the database refused a value (CAT_EVALUE, which is logged); but not after another fault of the
 * database. */
apr_status_t cat_db_attempt(cat_db_t *db, cat_work_t *work, void *baton);

/* From now on each transaction of cat_db_transact has the companion; NULL: none has. A single statement of cat_db_exec or
 * cat_db_insert has no companion, so a caller asks whether there is one, and begins a transaction. */
void cat_db_accompany(cat_db_t *db, const cat_companion_t *companion);
int cat_db_is_accompanied(const cat_db_t *db);

/* Runs work, which only reads, in a transaction that sees one state of the database from beginning to end. Work may run
 * several times, as above. */
apr_status_t cat_db_view(cat_db_t *db, cat_work_t *work, void *baton);

/* The same for selects whose texts are made at run time: the database plans them as their texts say. CAT_ESLOW, not
 * logged: they took longer than conf->query_timeout together, and the database has ended the last one. */
apr_status_t cat_db_search(cat_db_t *db, cat_work_t *work, void *baton);

/* The same if one select finds all that the work returns, and the others only help to choose it: these may see a state before. Saves the
 * transaction where the database does not need it for the rest. */
apr_status_t cat_db_search_once(cat_db_t *db, cat_work_t *work, void *baton);

/*
 * As cat_db_view, but if work succeeds the transaction stays open: cat_db_continue_view runs more work that reads the same
 * state, once, and logs its failure. cat_db_release ends the transaction, as does a failure.
 */
apr_status_t cat_db_open_view(cat_db_t *db, cat_work_t *work, void *baton);
apr_status_t cat_db_continue_view(cat_db_t *db, cat_work_t *work, void *baton);

/* Ends the transaction and keeps the connection; the WAL, which grew because of it, is copied to the database. */
void cat_db_end_view(cat_db_t *db);

/* As cat_db_open_view, for a search: the work of each call has conf->query_timeout. */
apr_status_t cat_db_open_search(cat_db_t *db, cat_work_t *work, void *baton);

/* In the work of a transaction: what its statements need is on the pool from now on, so that the caller may clear it
 * when they have ended. Returns the pool of before, which work sets again before it returns. */
apr_pool_t *cat_db_use_pool(cat_db_t *db, apr_pool_t *pool);

/* What is special about the database; NULL before the first connection of this process. */
const cat_dialect_t *cat_db_dialect(const cat_db_t *db);

/* When the server read the configuration that it has now. */
apr_time_t cat_db_configured(const cat_db_t *db);

/* The database as logs and metrics name it, without a secret. */
const char *cat_db_name(const cat_db_t *db);

/* The exports that this child runs from the database. */
cat_exports_t *cat_db_exports(const cat_db_t *db);

/* What sums up the lines of this child about picture files that cannot be written. */
cat_repeats_t *cat_db_image_files(const cat_db_t *db);

/* Notes when the last successful read of ended sessions began (cat_source_revocations_at). */
void cat_db_note_revocations(const cat_db_t *db, apr_time_t began);

/* Notes which parts of the index are complete (catalogue/search/indexes.h); and returns that, 0 if nothing was noted since the
 * time. */
void cat_db_note_complete_parts(const cat_db_t *db, int parts);
int cat_db_complete_parts(const cat_db_t *db, apr_time_t since);

/* Notes what catalogue/product/registry.c has read, which stays until the process ends, unless another thread has noted something since
 * `before` was; and returns that, NULL if nothing was noted yet. since: when the reading began. */
void cat_db_note_registry(const cat_db_t *db, const void *before, const void *registry, apr_time_t since);
const void *cat_db_registry(const cat_db_t *db, apr_time_t *since);

/* Keeps what it has read last, perhaps within a transaction, for the next one that reads the same; and returns that, NULL if there is none. */
void cat_db_keep_registry(const cat_db_t *db, const void *registry);
const void *cat_db_kept_registry(const cat_db_t *db);

/* Notes that products were written once, so that this process knows; and returns when it did, 0: not yet. */
void cat_db_note_written(const cat_db_t *db);
apr_time_t cat_db_written_at(const cat_db_t *db);

/* What the transaction that is open goes by, to be read and filled in; NULL: none is open. */
cat_basis_t *cat_db_basis(const cat_db_t *db);

/* Is a transaction open? */
int cat_db_in_transaction(const cat_db_t *db);

/* Does a statement that writes share its commit with others anyway? Yes in a transaction, and where the database has one
 * writer at a time. 0 before the first connection of this process. */
int cat_db_shares_commits(const cat_db_t *db);

/* Has the database one writer at a time? 0 before the first connection of this process. */
int cat_db_has_one_writer(const cat_db_t *db);

/* Is a statement a round trip to a server, and no part of a transaction? 0 before the first connection of this process. */
int cat_db_asks_server(const cat_db_t *db);

/* A job that asks the hosts of a PostgreSQL database which of them was promoted last. */
cat_job_result_t cat_db_watch_hosts(cat_job_t *job);

/* What keeps the database from taking writes, as far as can be known without one; NULL: nothing. takes_writes: that column of SQL_HEALTH.
 * Of a file, the reason is logged. */
const char *cat_db_find_obstacle(cat_db_t *db, const char *takes_writes);

/* Octets of the file with the WAL that the use's connection has open; 0: there is none. */
apr_off_t cat_db_wal_size(const cat_db_t *db);

/* Gives the connection back; a transaction that is still open is rolled back. The next statement takes another
 * connection. */
void cat_db_release(cat_db_t *db);

#endif
