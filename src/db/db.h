/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DB_H
#define CAT_DB_DB_H

#include "db/source.h"
#include "db/transaction.h"
#include "lib/conf.h"
#include "lib/log.h"

typedef struct cat_db_t cat_db_t;

/*
 * A request's or a job's use of one database: a connection is taken when the first statement runs and given back by
 * cat_db_release, or with the pool. Used by one thread.
 *
 * All functions give APR_SUCCESS or a status that cat_answer_failure knows (CAT_EBUSY, CAT_ENOTREADY, CAT_EDOWN, CAT_EVALUE), after
 * logging its cause, or one of the two that a caller asks for: APR_NOTFOUND and APR_EEXIST, which are not logged.
 */
cat_db_t *cat_db_make(apr_pool_t *pool, const cat_conf_t *conf, cat_source_t *source, const cat_log_t *log);

/* Values for a statement, and their count: cat_db_exec(db, SQL_PRODUCT_DELETE, CAT_VALUES(id), &changed). */
#define CAT_VALUES(...)                                                                                                \
    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
#define CAT_NO_VALUES NULL, 0

/* The first row, its values copied to the pool; APR_NOTFOUND when there is none. */
apr_status_t cat_db_one(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, const char *const **row);

/* Calls row for each row; see cat_row_t. */
apr_status_t cat_db_each(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, cat_row_t *row,
                         void *baton);

/* To be called before a write that changes or takes away the product id, or makes a new one (NULL), so that what is kept of it and of
 * lists (catalogue/answer_cache.h) is not used any more. One product for a use of the database; id lives as long as that. */
void cat_db_touch(cat_db_t *db, const char *id);

/* Runs a statement that writes. changed: how many rows it matched; may be NULL. */
apr_status_t cat_db_exec(cat_db_t *db, cat_sql_t sql, const char *const *values, int count, int *changed);

/* Runs an INSERT of one row; APR_EEXIST when a unique key is taken, whatever the database (its statement says ON CONFLICT DO
 * NOTHING where it has that). */
apr_status_t cat_db_insert(cat_db_t *db, cat_sql_t sql, const char *const *values, int count);

/*
 * Runs work in a transaction that writes, and commits when it gives APR_SUCCESS; any other status rolls back and is given. It may
 * run several times, for a transaction that gave way to others begins anew: so it does nothing but ask the database and write what
 * its caller reads. After a statement failed in it the rest are refused with the same status. Any failure means that nothing was
 * stored, except CAT_EDOWN, which may hide a commit whose answer was lost. Gives the connection back.
 */
apr_status_t cat_db_transact(cat_db_t *db, cat_work_t *work, void *baton);

/* Runs work, which only reads, in a transaction that sees one state of the database from beginning to end. It may run several times,
 * as above. */
apr_status_t cat_db_view(cat_db_t *db, cat_work_t *work, void *baton);

/* Does a database that is a file take writes, as far as can be told without one? If not, why is logged. 1 where it is a server's. */
int cat_db_takes_writes(cat_db_t *db);

/* Gives the connection back; a transaction that is still open is rolled back. The next statement takes another. */
void cat_db_release(cat_db_t *db);

#endif
