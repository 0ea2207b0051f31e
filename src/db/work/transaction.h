/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_WORK_TRANSACTION_H
#define CAT_DB_WORK_TRANSACTION_H

#include "db/dialects/dialect.h"
#include "db/pool/group.h"
#include "db/pool/use.h"
#include "db/work/work.h"

/* A write, on the stack of its thread: the function `work`, or, where that is NULL, one statement, which is atomic by
 * itself. While the thread sleeps in cat_group_join, the leader uses the write. */
typedef struct cat_write_t {
    cat_group_item_t item; /* first: a list of items is a list of writes */
    cat_db_t *db;
    cat_work_t *work;
    void *baton;            /* work's */
    int is_refused_at_once; /* flag: see cat_db_transact_at_once */
    int is_long;            /* flag: it waited for others like it, and what can be done after the write lock is */
    int is_wal_long;        /* flag, result of a long one: the WAL is to be copied */
    cat_sql_t sql;
    const char *const *values;
    int count;
    int matched; /* result: how many rows the statement matched */
    apr_time_t arrived;
    apr_status_t rv;
} cat_write_t;

/*
 * Runs a write, as cat_db_transact and cat_db_exec say; no transaction may be open on its db. Where the database has
 * one writer at a time, the writes of this child that wait for the write lock share a transaction: the group commit
 * leader, one of their threads, runs all of them on its connection while the others sleep. Each write succeeds or is
 * rolled back by itself, and its thread returns after the commit; all of that is between BEGIN and COMMIT, single
 * statements too. A write that counts as many (item.more) shares with few, or with none, and waits for others like it
 * first. Where the database has several writers, a single statement runs without BEGIN, and the connection is kept.
 */
apr_status_t cat_transaction_write(cat_write_t *w);

/* The same for a write that has work, which the use's companion runs if it has one. Gives the connection back. */
apr_status_t cat_transaction_run(cat_write_t *w);

#endif
