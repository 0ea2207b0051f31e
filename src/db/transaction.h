/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_TRANSACTION_H
#define CAT_DB_TRANSACTION_H

#include "db/dialect.h"
#include "db/group_commit.h"

typedef struct cat_db_t cat_db_t;

/* What is done in a transaction; see cat_db_transact and cat_db_view. */
typedef apr_status_t cat_work_t(void *baton);

/* A write, on the stack of the thread that wants it: work, or, where that is NULL, one statement, which is atomic by itself. While that
 * thread sleeps in cat_group_commit_join, its leader uses the write. */
typedef struct cat_write_t {
    cat_group_commit_item_t item; /* first: a list of items is one of writes */
    cat_db_t *db;
    cat_work_t *work;
    void *baton;
    cat_sql_t sql;
    const char *const *values;
    int count;
    int matched; /* rows, by the statement */
    apr_time_t came;
    apr_status_t rv;
} cat_write_t;

/*
 * Runs a write, as cat_db_transact and cat_db_exec say; no transaction is open on its db. Where the database has one writer at a
 * time, the writes that wait in this child for the write lock share a transaction: the group commit leader, one of their threads,
 * runs them all on its connection while the others sleep. Each is kept or rolled back by itself, and returns after the commit. There,
 * all is between BEGIN and COMMIT, single statements too. May keep the connection where there is no write lock.
 */
apr_status_t cat_transaction_write(cat_write_t *w);

/* Runs work as cat_db_view says. */
apr_status_t cat_transaction_view(cat_db_t *db, cat_work_t *work, void *baton);

#endif
