/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a statement is a round trip to a server, threads that want one row each, by its key, let a leader read the rows of
 * all with one statement: WHERE id IN (...), for 1, 2, 4, 8 or 16 keys. A number in between is made up by repeating a key.
 *
 *     thread 1   join, LEADER   SELECT ... IN (a, b, c, a)   deals the rows out   leaves
 *     thread 2   join, waits .................................................... copies are on its stack: row(b)
 *     thread 3   join, waits .................................................... row(c)
 *
 * Keys may be those of something, as the values of one field: WHERE field = ? AND value IN (...). Rows of another field are not among them.
 *
 * The statement is sent after each of its threads has come, so none gets an older row than it would have read by itself.
 */
#include "db/work/read_batch.h"

#include <string.h>

#include <apr_strings.h>

#include "db/pool/checkout.h"
#include "db/work/work.h"

#define COLUMNS_MAX 16
#define TEXTS_MAX 2048

/* A thread that wants a row, on its stack. While the thread sleeps, the leader reads the key, writes the rest, and may use the pool. */
typedef struct reader_t {
    cat_group_item_t item; /* first: a list of items is a list of readers */
    const cat_row_key_t *wanted;
    apr_pool_t *pool; /* of the thread */
    apr_status_t rv;
    int is_left; /* flag: the thread has to read alone, as its row is of something else than the leader's */
    int columns; /* of the row; 0: there is none */
    const char *values[COLUMNS_MAX];
    char texts[TEXTS_MAX]; /* of the values, as far as there is room */
} reader_t;

static reader_t *next_reader(const reader_t *reader)
{
    return (reader_t *)reader->item.next;
}

/* ---- rows ---- */

/* The copy of a value, behind those that take the first *used octets, or on the pool. */
static const char *copy_text(reader_t *reader, const char *value, apr_size_t *used)
{
    apr_size_t length = strlen(value) + 1;
    char *copy = reader->texts + *used;

    if (length > TEXTS_MAX - *used) {
        return apr_pmemdup(reader->pool, value, length);
    }
    memcpy(copy, value, length);
    *used += length;
    return copy;
}

static void keep_row(reader_t *reader, const char *const *values, int columns)
{
    apr_size_t used = 0;

    reader->is_left = columns > COLUMNS_MAX;
    for (int i = 0; i < columns && !reader->is_left; i++) {
        reader->values[i] = values[i] ? copy_text(reader, values[i], &used) : NULL;
    }
    reader->columns = columns;
}

static int is_of_same(const reader_t *one, const reader_t *other)
{
    return one->wanted->of == other->wanted->of ||
           (one->wanted->of && other->wanted->of && !strcmp(one->wanted->of, other->wanted->of));
}

/* Several threads may want the same row. */
static apr_status_t deal_row(void *leader, const char *const *values, int columns)
{
    for (reader_t *reader = leader; reader; reader = next_reader(reader)) {
        if (!reader->is_left && !strcmp(reader->wanted->key, values[0])) {
            keep_row(reader, values, columns);
        }
    }
    return APR_SUCCESS;
}

/* ---- reading ---- */

/* Keys that are there twice make up the number that the statement takes. */
static apr_status_t read_rows(cat_db_t *db, reader_t *first)
{
    const char *values[1 + CAT_ROWS_MAX] = {first->wanted->of};
    const char **keys = first->wanted->of ? values + 1 : values;
    int count = 0, rows = 1, doublings = 0;

    for (reader_t *reader = first; reader; reader = next_reader(reader)) {
        reader->is_left = !is_of_same(reader, first);
        if (!reader->is_left) {
            keys[count++] = reader->wanted->key;
        }
    }
    for (; rows < count; rows *= 2) {
        doublings++;
    }
    while (count < rows) {
        keys[count++] = first->wanted->key;
    }
    return cat_checkout_select(db, &(cat_select_t){.sql = first->wanted->sql + (cat_sql_t)doublings,
                                                   .values = values,
                                                   .count = rows + (first->wanted->of != NULL),
                                                   .row = deal_row,
                                                   .baton = first});
}

/* A connection that hangs holds up all threads of its batch. So the batches of ids together hold up no more threads
 * than there may be connections, and so do those with `of`. */
static int most_rows(const cat_db_t *db)
{
    int share = db->conf->max_connections / CAT_SOURCE_READERS;

    return share < 1 ? 1 : share < CAT_ROWS_MAX ? share : CAT_ROWS_MAX;
}

/* The connection is given back before a thread that needs one is woken. */
static void lead_batch(cat_db_t *db, cat_group_t *group, reader_t *own)
{
    apr_status_t rv;

    cat_group_collect(group, &own->item, most_rows(db) - 1);
    rv = read_rows(db, own);
    cat_checkout_release(db);
    for (reader_t *reader = own; reader; reader = next_reader(reader)) {
        reader->rv = rv;
    }
    cat_group_leave(group, &own->item);
}

static apr_status_t read_alone(cat_db_t *db, const cat_row_key_t *wanted, cat_row_t *row, void *baton)
{
    const char *const values[] = {wanted->of ? wanted->of : wanted->key, wanted->key};

    return cat_checkout_select(
        db,
        &(cat_select_t){.sql = wanted->sql, .values = values, .count = wanted->of ? 2 : 1, .row = row, .baton = baton});
}

apr_status_t cat_read_batch_one(cat_db_t *db, const cat_row_key_t *wanted, cat_row_t *row, void *baton)
{
    cat_source_t *source = db->use->source;
    unsigned turn = atomic_fetch_add_explicit(&source->next_reads, 1, memory_order_relaxed);
    cat_group_t *group = source->reads[wanted->of != NULL][turn % CAT_SOURCE_READERS];
    reader_t own;

    own.item.more = 0;
    own.wanted = wanted;
    own.pool = db->pool;
    own.is_left = 0;
    own.columns = 0;
    switch (cat_checkout_join(db, group, &own.item, apr_time_now() + source->leader_patience)) {
    case CAT_GROUP_WAITING:
        return read_alone(db, wanted, row, baton);
    case CAT_GROUP_LEADER:
        lead_batch(db, group, &own);
        break;
    case CAT_GROUP_DONE:
        break;
    }
    if (own.rv == APR_SUCCESS && own.is_left) {
        return read_alone(db, wanted, row, baton);
    }
    if (own.rv == APR_SUCCESS && own.columns) {
        own.rv = row(baton, own.values, own.columns);
    }
    return own.rv == CAT_ENOUGH ? APR_SUCCESS : own.rv;
}
