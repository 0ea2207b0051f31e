/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a statement is a round trip to a server, threads that want one row each, by its key, let a leader read the rows of
 * all with one statement: WHERE id IN (...), for 1, 2, 4, 8 or 16 keys. A number in between is made up by repeating a key.
 *
 *     thread 1   join, LEADER   SELECT ... IN (a, b, c, a)   deals the rows out   leaves
 *     thread 2   join, waits .................................................... copies are on its stack: row(b)
 *     thread 3   join, waits .................................................... row(c)
 *
 * The statement is sent after each of its threads has come, so none gets an older row than it would have read by itself.
 */
#include "db/work/read_batch.h"

#include <string.h>

#include "db/pool/checkout.h"
#include "db/work/work.h"

#define COLUMNS_MAX 16
#define TEXTS_MAX 2048

/* A thread that wants a row, on its stack. While the thread sleeps, the leader reads the key and writes the rest. */
typedef struct reader_t {
    cat_group_item_t item; /* first: a list of items is a list of readers */
    const char *key;
    apr_status_t rv;
    int is_too_long; /* flag: the row has no room here */
    int columns;     /* of the row; 0: there is none */
    const char *values[COLUMNS_MAX];
    char texts[TEXTS_MAX]; /* of the values */
} reader_t;

static reader_t *next_reader(const reader_t *reader)
{
    return (reader_t *)reader->item.next;
}

/* ---- rows ---- */

/* The copy of a value, behind those that take the first *used octets; NULL: there is no room. */
static const char *copy_text(reader_t *reader, const char *value, apr_size_t *used)
{
    apr_size_t length = strlen(value) + 1;
    char *copy = reader->texts + *used;

    if (length > TEXTS_MAX - *used) {
        return NULL;
    }
    memcpy(copy, value, length);
    *used += length;
    return copy;
}

static void keep_row(reader_t *reader, const char *const *values, int columns)
{
    apr_size_t used = 0;

    reader->is_too_long = columns > COLUMNS_MAX;
    for (int i = 0; i < columns && !reader->is_too_long; i++) {
        reader->values[i] = values[i] ? copy_text(reader, values[i], &used) : NULL;
        reader->is_too_long = values[i] && !reader->values[i];
    }
    reader->columns = columns;
}

/* Several threads may want the same row. */
static apr_status_t deal_row(void *leader, const char *const *values, int columns)
{
    for (reader_t *reader = leader; reader; reader = next_reader(reader)) {
        if (!strcmp(reader->key, values[0])) {
            keep_row(reader, values, columns);
        }
    }
    return APR_SUCCESS;
}

/* ---- reading ---- */

/* Keys that are there twice make up the number that the statement takes. */
static apr_status_t read_rows(cat_db_t *db, cat_sql_t sql, reader_t *first)
{
    const char *keys[CAT_ROWS_MAX];
    int count = 0, rows = 1, doublings = 0;

    for (const reader_t *reader = first; reader; reader = next_reader(reader)) {
        keys[count++] = reader->key;
    }
    for (; rows < count; rows *= 2) {
        doublings++;
    }
    while (count < rows) {
        keys[count++] = first->key;
    }
    return cat_checkout_select(
        db, &(cat_select_t){
                .sql = sql + (cat_sql_t)doublings, .values = keys, .count = rows, .row = deal_row, .baton = first});
}

/* A connection that hangs holds up all threads of its batch. So the batches together hold up no more threads than there
 * may be connections. */
static int most_rows(const cat_db_t *db)
{
    int share = db->conf->max_connections / CAT_SOURCE_READERS;

    return share < 1 ? 1 : share < CAT_ROWS_MAX ? share : CAT_ROWS_MAX;
}

/* The connection is given back before a thread that needs one is woken. */
static void lead_batch(cat_db_t *db, cat_group_t *group, cat_sql_t sql, reader_t *own)
{
    apr_status_t rv;

    cat_group_collect(group, &own->item, most_rows(db) - 1);
    rv = read_rows(db, sql, own);
    cat_checkout_release(db);
    for (reader_t *reader = own; reader; reader = next_reader(reader)) {
        reader->rv = rv;
    }
    cat_group_leave(group, &own->item);
}

static apr_status_t read_alone(cat_db_t *db, cat_sql_t sql, const char *key, cat_row_t *row, void *baton)
{
    return cat_checkout_select(db, &(cat_select_t){.sql = sql, .values = &key, .count = 1, .row = row, .baton = baton});
}

apr_status_t cat_read_batch_one(cat_db_t *db, cat_sql_t sql, const char *key, cat_row_t *row, void *baton)
{
    cat_source_t *source = db->use->source;
    unsigned turn = atomic_fetch_add_explicit(&source->next_reads, 1, memory_order_relaxed);
    cat_group_t *group = source->reads[turn % CAT_SOURCE_READERS];
    reader_t own;

    own.item.more = 0;
    own.key = key;
    own.is_too_long = 0;
    own.columns = 0;
    switch (cat_checkout_join(db, group, &own.item, apr_time_now() + source->leader_patience)) {
    case CAT_GROUP_WAITING:
        return read_alone(db, sql, key, row, baton);
    case CAT_GROUP_LEADER:
        lead_batch(db, group, sql, &own);
        break;
    case CAT_GROUP_DONE:
        break;
    }
    if (own.rv == APR_SUCCESS && own.is_too_long) {
        return read_alone(db, sql, key, row, baton);
    }
    if (own.rv == APR_SUCCESS && own.columns) {
        own.rv = row(baton, own.values, own.columns);
    }
    return own.rv == CAT_ENOUGH ? APR_SUCCESS : own.rv;
}
