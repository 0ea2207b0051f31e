/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the counts of products, and in the background tidies the blocks that they are counted by.
 *
 * A page far back in the list is found without reading the products before it (catalogue/list/list_page.c), because the
 * list is cut into blocks, and the database stores how many products each has. A block begins at a list key and ends below
 * the first key of the next newer block; the oldest block begins below all products:
 *
 *     newest                                                                                    oldest
 *       ... | 9,800 products           | 12,100 products            | 7,400 products                  |
 *           first key (1763717, 01a3)    first key (1763502, 01a2)    first key (LOWEST, '')
 *
 * How a write is counted depends on the database. Where writers take turns (SQLite), a trigger adds 1 to the block and to
 * the total at once. Elsewhere every writer would wait for the row of the total, so each write only inserts a delta row
 * (product_deltas): a trigger does on PostgreSQL, cat_counts_note on MySQL. Readers add the delta rows to the counts, so
 * every count is exact at any time:
 *
 *     exact count = stored count + sum of its delta rows
 *
 * The maintenance makes reading quick again. In one transaction, which holds the lock SQL_COUNTS_LOCK, it
 *   1. adds delta rows to the blocks, the total and the categories, and deletes them, 1,000 at a time;
 *   2. once few are left, splits blocks of TOO_MANY products or more, and merges those of fewer than TOO_FEW;
 *   3. does the same with the delta rows of values (value_counts.c);
 *   4. folds the names of new categories, by which these are listed.
 * A split needs no count of the newer part: what the older part keeps is known, and the rest is a subtraction.
 *
 * A run that is missed makes lists slower, not wrong. Counts can be wrong only if triggers were switched off or someone
 * wrote to these tables: cat_counts_check finds that, and cat_counts_rebuild counts all products again.
 */
#include "catalogue/product/counts.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/list_key.h"
#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/product/value_counts.h"
#include "db/db.h"
#include "lib/fold.h"
#include "lib/number.h"

/* A block of TOO_MANY products or more is split after SIZE of them; one of fewer than TOO_FEW is merged into the next older
 * one. */
#define SIZE "10000"
#define TOO_MANY 20000
#define TOO_FEW 2500

/* Limits of one transaction: on SQLite, all writers wait for its end. */
#define SPLITS 100
#define BATCHES 4

#define TRANSACTIONS 100 /* limit of one run of the job */

#define BATCH_ROWS 1000  /* delta rows that are applied together */
#define DELETED_ROWS 100 /* delta rows in one SQL_COUNTS_DELETE_DELTAS */

#define LOWEST "-1000000000000000000" /* created_at where the first block begins */

typedef struct block_t {
    cat_list_key_t first;
    apr_int64_t n;
} block_t;

static apr_status_t keep_block(void *baton, const char *const *values, int)
{
    apr_array_header_t *blocks = baton;

    APR_ARRAY_PUSH(blocks, block_t) =
        (block_t){{apr_pstrdup(blocks->pool, values[0]), apr_pstrdup(blocks->pool, values[1])}, apr_atoi64(values[2])};
    return APR_SUCCESS;
}

typedef struct maintenance_t {
    cat_db_t *db;
    const cat_job_t *job; /* NULL: no background job */
    int changed;
} maintenance_t;

/* APR_EINTR, which rolls back: the server stops, and httpd waits only a moment for the work of a transaction. */
static apr_status_t go_on(const maintenance_t *c)
{
    return c->job && cat_job_must_stop(c->job) ? APR_EINTR : APR_SUCCESS;
}

static apr_status_t note_row(void *baton, const char *const *, int)
{
    *(int *)baton = 1;
    return CAT_ENOUGH;
}

/* *first: of the block that the key is in. */
static apr_status_t find_block(maintenance_t *c, const cat_list_key_t *key, cat_list_key_t *first)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(c->db, SQL_COUNTS_FIRST, CAT_VALUES(key->created_at, key->created_at, key->id), &row);

    if (rv == APR_SUCCESS) {
        *first = (cat_list_key_t){row[0], row[1]};
    }
    return rv;
}

static apr_status_t add_to_block(maintenance_t *c, const cat_list_key_t *first, apr_int64_t n)
{
    return cat_db_exec(c->db, SQL_COUNTS_ADD,
                       CAT_VALUES(cat_number_write(c->db->pool, n), first->created_at, first->id), NULL);
}

/* Leaves the oldest products in the block, and inserts one for the rest, which becomes *block. APR_NOTFOUND: delta rows
 * that are still to be applied do not allow a split yet. */
static apr_status_t split_block(maintenance_t *c, block_t *block)
{
    const cat_list_key_t *first = &block->first;
    apr_int64_t rest;
    const char *const *row;
    apr_status_t rv =
        cat_db_one(c->db, SQL_COUNTS_SPLIT,
                   CAT_VALUES(first->created_at, first->id, SIZE, first->created_at, first->id, SIZE), &row);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rest = block->n - apr_atoi64(row[2]);
    if (rest < TOO_FEW || block->n - rest < TOO_FEW) {
        return APR_NOTFOUND;
    }
    rv = add_to_block(c, first, -rest);
    *block = (block_t){{row[0], row[1]}, rest};
    return rv == APR_SUCCESS ? cat_db_exec(c->db, SQL_COUNTS_INSERT,
                                           CAT_VALUES(row[0], row[1], cat_number_write(c->db->pool, rest)), NULL)
                             : rv;
}

static apr_status_t split_repeatedly(maintenance_t *c, block_t *block)
{
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && block->n >= TOO_MANY && c->changed < SPLITS) {
        rv = go_on(c);
        rv = rv == APR_SUCCESS ? split_block(c, block) : rv;
        c->changed += rv == APR_SUCCESS;
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* Deletes the block: its products are then in the next older one, which receives its count. */
static apr_status_t merge_block(maintenance_t *c, const block_t *block)
{
    cat_list_key_t older;
    apr_status_t rv = cat_db_exec(c->db, SQL_COUNTS_DELETE, CAT_VALUES(block->first.created_at, block->first.id), NULL);

    if (rv == APR_SUCCESS) {
        rv = find_block(c, &block->first, &older);
    }
    c->changed++;
    return rv == APR_SUCCESS ? add_to_block(c, &older, block->n) : rv;
}

static apr_status_t read_uneven(const maintenance_t *c, cat_row_t *row, void *baton)
{
    return cat_db_each(c->db, SQL_COUNTS_UNEVEN,
                       CAT_VALUES(cat_number_write(c->db->pool, TOO_MANY), cat_number_write(c->db->pool, TOO_FEW)), row,
                       baton);
}

static apr_status_t rebalance(maintenance_t *c)
{
    apr_array_header_t *blocks = apr_array_make(c->db->pool, 8, sizeof(block_t));
    apr_status_t rv = read_uneven(c, keep_block, blocks);

    for (int i = 0; i < blocks->nelts && rv == APR_SUCCESS; i++) {
        block_t *block = &APR_ARRAY_IDX(blocks, i, block_t);
        rv = block->n < TOO_FEW ? merge_block(c, block) : split_repeatedly(c, block);
    }
    return rv;
}

typedef struct delta_t {
    cat_list_key_t key;
    apr_int64_t created_at, delta;
    const char *category; /* NULL: none */
    apr_int64_t category_delta;
    apr_int64_t in_stock;
} delta_t;

typedef struct delta_batch_t {
    apr_pool_t *pool;
    delta_t deltas[BATCH_ROWS];
    int count;
    apr_array_header_t *numbers; /* const char *: of their rows */
} delta_batch_t;

static apr_status_t keep_delta(void *baton, const char *const *values, int)
{
    delta_batch_t *b = baton;

    if (b->count < BATCH_ROWS) {
        APR_ARRAY_PUSH(b->numbers, const char *) = apr_pstrdup(b->pool, values[0]);
        b->deltas[b->count++] = (delta_t){{apr_pstrdup(b->pool, values[1]), apr_pstrdup(b->pool, values[2])},
                                          apr_atoi64(values[1]),
                                          apr_atoi64(values[3]),
                                          apr_pstrdup(b->pool, values[4]),
                                          apr_atoi64(values[5]),
                                          apr_atoi64(values[6])};
    }
    return APR_SUCCESS;
}

static int is_below(const delta_t *d, apr_int64_t created_at, const char *id)
{
    return d->created_at < created_at || (d->created_at == created_at && strcmp(d->key.id, id) < 0);
}

static int newest_first(const void *one, const void *other)
{
    const delta_t *a = one, *b = other;
    return is_below(a, b->created_at, b->key.id) ? 1 : is_below(b, a->created_at, a->key.id) ? -1 : 0;
}

/* Deltas are sorted newest first, so those of one block follow each other, and each block is found and updated once. */
static apr_status_t apply_to_blocks(maintenance_t *c, const delta_batch_t *b)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < b->count && rv == APR_SUCCESS;) {
        cat_list_key_t first;
        apr_int64_t sum = 0;

        if (b->deltas[i].delta == 0) { /* of a category or the stock alone */
            i++;
            continue;
        }
        rv = go_on(c);
        rv = rv == APR_SUCCESS ? find_block(c, &b->deltas[i].key, &first) : rv;
        if (rv == APR_SUCCESS) {
            for (; i < b->count && !is_below(&b->deltas[i], apr_atoi64(first.created_at), first.id); i++) {
                sum += b->deltas[i].delta;
            }
            rv = add_to_block(c, &first, sum);
        }
    }
    return rv;
}

static const char *fold_category(apr_pool_t *pool, const char *category)
{
    return cat_fold_cut(pool, cat_fold_text(pool, category), CAT_PRODUCT_KEY_SIZE);
}

static apr_status_t add_to_category(const maintenance_t *c, const char *category, apr_int64_t n, apr_int64_t in_stock)
{
    const char *sum = cat_number_write(c->db->pool, n), *stock = cat_number_write(c->db->pool, in_stock);
    int changed;
    apr_status_t rv = cat_db_exec(c->db, SQL_CATEGORY_ADD, CAT_VALUES(sum, stock, category), &changed);

    if (rv == APR_SUCCESS && !changed) {
        rv = cat_db_exec(c->db, SQL_CATEGORY_INSERT,
                         CAT_VALUES(category, sum, stock, fold_category(c->db->pool, category)), NULL);
    }
    return rv == APR_SUCCESS && n < 0 ? cat_db_exec(c->db, SQL_CATEGORY_PRUNE, CAT_VALUES(category), NULL) : rv;
}

static int by_category(const void *one, const void *other)
{
    return strcmp(((const delta_t *)one)->category, ((const delta_t *)other)->category);
}

/* Each category is updated once. */
static apr_status_t apply_to_categories(maintenance_t *c, const delta_batch_t *b)
{
    delta_t *deltas = apr_palloc(c->db->pool, (apr_size_t)b->count * sizeof(*deltas));
    int count = 0;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < b->count; i++) {
        if (b->deltas[i].category) {
            deltas[count++] = b->deltas[i];
        }
    }
    qsort(deltas, (size_t)count, sizeof(*deltas), by_category);
    for (int i = 0; i < count && rv == APR_SUCCESS;) {
        const delta_t *first = &deltas[i];
        apr_int64_t sum = 0, in_stock = 0;
        for (; i < count && !by_category(first, &deltas[i]); i++) {
            sum += deltas[i].category_delta;
            in_stock += deltas[i].in_stock;
        }
        rv = sum || in_stock ? add_to_category(c, first->category, sum, in_stock) : APR_SUCCESS;
    }
    return rv;
}

static apr_status_t apply_to_all(const maintenance_t *c, const delta_batch_t *b)
{
    apr_int64_t sum = 0, in_stock = 0;

    for (int i = 0; i < b->count; i++) {
        sum += b->deltas[i].delta;
        in_stock += b->deltas[i].in_stock;
    }
    return cat_db_exec(c->db, SQL_COUNTS_ADD_ALL,
                       CAT_VALUES(cat_number_write(c->db->pool, sum), cat_number_write(c->db->pool, in_stock)), NULL);
}

/* Applies one batch of product_deltas to the counts. *count: its rows. */
static apr_status_t apply_deltas(maintenance_t *c, int *count)
{
    delta_batch_t *b = apr_pcalloc(c->db->pool, sizeof(*b));
    apr_status_t rv;

    b->pool = c->db->pool;
    b->numbers = apr_array_make(c->db->pool, 64, sizeof(const char *));
    rv = cat_db_each(c->db, SQL_COUNTS_DELTAS, CAT_VALUES(apr_itoa(c->db->pool, BATCH_ROWS)), keep_delta, b);
    *count = b->count;
    if (rv != APR_SUCCESS || b->count == 0) {
        return rv;
    }
    c->changed++;
    qsort(b->deltas, (size_t)b->count, sizeof(b->deltas[0]), newest_first);
    rv = apply_to_blocks(c, b);
    rv = rv == APR_SUCCESS ? apply_to_all(c, b) : rv;
    rv = rv == APR_SUCCESS ? apply_to_categories(c, b) : rv;
    /* By number: a DELETE with a range would wait for writers on MySQL. */
    return rv == APR_SUCCESS ? cat_db_exec_list(c->db, SQL_COUNTS_DELETE_DELTAS, b->numbers, DELETED_ROWS, "0") : rv;
}

/* Of rows that SQL_CATEGORY_BEGIN or a trigger has inserted. */
static apr_status_t fold_categories(maintenance_t *c)
{
    apr_array_header_t *names = apr_array_make(c->db->pool, 64, sizeof(const char *));
    apr_status_t rv = cat_db_each(c->db, SQL_CATEGORY_UNFOLDED, CAT_NO_VALUES, cat_db_add_texts, names);

    for (int i = 0; i < names->nelts && rv == APR_SUCCESS; i++) {
        const char *name = APR_ARRAY_IDX(names, i, const char *);
        rv = cat_db_exec(c->db, SQL_CATEGORY_FOLD, CAT_VALUES(fold_category(c->db->pool, name), name), NULL);
        c->changed++;
    }
    return rv;
}

static apr_status_t apply_values(maintenance_t *c)
{
    int applied = BATCH_ROWS;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < BATCHES && applied == BATCH_ROWS && rv == APR_SUCCESS; i++) {
        rv = go_on(c);
        rv = rv == APR_SUCCESS ? cat_value_counts_apply(c->db, BATCH_ROWS, &applied) : rv;
        c->changed += rv == APR_SUCCESS ? applied : 0;
    }
    return rv;
}

/* APR_NOTFOUND rolls back, if nothing could be done yet. Blocks are rebalanced only once few delta rows are left,
 * because each split reads all of them. */
static apr_status_t maintain_counts(void *baton)
{
    maintenance_t *c = baton;
    int applied = BATCH_ROWS;
    apr_status_t rv = cat_db_exec(c->db, SQL_COUNTS_LOCK, CAT_NO_VALUES, NULL);

    c->changed = 0;
    for (int i = 0; i < BATCHES && applied == BATCH_ROWS && rv == APR_SUCCESS; i++) {
        rv = apply_deltas(c, &applied);
    }
    if (rv == APR_SUCCESS && applied < BATCH_ROWS) {
        rv = rebalance(c);
    }
    rv = rv == APR_SUCCESS ? apply_values(c) : rv;
    rv = rv == APR_SUCCESS ? fold_categories(c) : rv;
    return rv == APR_SUCCESS && !c->changed ? APR_NOTFOUND : rv;
}

static apr_status_t maintain(cat_db_t *db, const cat_job_t *job, int *changed)
{
    maintenance_t c = {.db = db, .job = job};
    int due = 0;
    apr_status_t rv = cat_db_each(db, SQL_COUNTS_DELTAS, CAT_VALUES("1"), note_row, &due);

    /* Only reads, so that writers do not wait if there is nothing to do. */
    rv = rv == APR_SUCCESS ? cat_db_each(db, SQL_VALUES_DELTAS, CAT_VALUES("1"), note_row, &due) : rv;
    rv = rv == APR_SUCCESS ? read_uneven(&c, note_row, &due) : rv;
    rv = rv == APR_SUCCESS ? cat_db_each(db, SQL_CATEGORY_UNFOLDED, CAT_NO_VALUES, note_row, &due) : rv;
    if (rv == APR_SUCCESS && due) {
        rv = cat_db_transact(db, maintain_counts, &c);
    }
    *changed = c.changed;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

apr_status_t cat_counts_maintain(cat_db_t *db, int *changed)
{
    return maintain(db, NULL, changed);
}

/* What a transaction has read is not kept for the next one: an import may have left deltas for all of them. */
cat_job_result_t cat_counts_run(cat_job_t *job)
{
    apr_pool_t *pool;
    int changed = 1;
    apr_status_t rv = APR_SUCCESS;

    apr_pool_create(&pool, job->pool);
    for (int i = 0; i < TRANSACTIONS && changed && rv == APR_SUCCESS && !cat_job_must_stop(job); i++) {
        cat_db_t *db = cat_db_make(pool, job->conf, job->source, job->log);
        rv = maintain(db, job, &changed);
        apr_pool_clear(pool);
    }
    apr_pool_destroy(pool);
    return rv == APR_SUCCESS || rv == APR_EINTR ? CAT_JOB_DONE : CAT_JOB_FAILED;
}

apr_status_t cat_counts_rebuild(cat_db_t *db)
{
    apr_status_t rv = cat_db_exec(db, SQL_COUNTS_LOCK, CAT_NO_VALUES, NULL);

    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_COUNTS_CLEAR, CAT_NO_VALUES, NULL) : rv;
    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_COUNTS_BEGIN, CAT_NO_VALUES, NULL) : rv;
    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_CATEGORY_CLEAR, CAT_NO_VALUES, NULL) : rv;
    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_CATEGORY_BEGIN, CAT_NO_VALUES, NULL) : rv;
    return rv == APR_SUCCESS ? cat_value_counts_rebuild(db) : rv;
}

/* ---- delta rows ---- */

/* Before the first connection of this process the dialect is unknown; in a transaction it never is. */
int cat_counts_by_hand(const cat_db_t *db)
{
    return !cat_db_dialect(db) || cat_db_dialect(db)->counts_by_hand;
}

int cat_counts_needs_transaction(const cat_db_t *db)
{
    return !cat_db_in_transaction(db) && cat_counts_by_hand(db);
}

#define DELTA_COLUMNS 6

apr_status_t cat_counts_note(cat_db_t *db, const cat_counts_delta_t *deltas, int count)
{
    const char **values;

    if (!cat_counts_by_hand(db)) {
        return APR_SUCCESS;
    }
    values = apr_palloc(db->pool, (apr_size_t)count * DELTA_COLUMNS * sizeof(*values));
    for (int i = 0; i < count; i++) {
        const cat_counts_delta_t *d = &deltas[i];
        const char *row[DELTA_COLUMNS] = {
            d->created_at, d->id, d->delta, d->category, d->category ? d->category_delta : "0", d->in_stock};
        memcpy(values + i * DELTA_COLUMNS, row, sizeof(row));
    }
    return cat_db_insert_rows(db, &(cat_rows_t){SQL_COUNTS_NOTE, values, DELTA_COLUMNS, count, 0});
}

apr_status_t cat_counts_category(cat_db_t *db, const char *category, apr_int64_t *n)
{
    return cat_db_number(db, SQL_CATEGORY_COUNT, CAT_VALUES(category, category), n);
}

/* ---- the check ---- */

typedef struct check_t {
    cat_db_t *db;
    int wrong;
} check_t;

/* next: the next newer block; NULL: there is none. */
static apr_status_t check_block(check_t *c, const block_t *block, const block_t *next)
{
    const cat_list_key_t *first = &block->first, *end = next ? &next->first : &CAT_LIST_KEY_MAX;
    apr_int64_t n;
    apr_status_t rv =
        cat_db_number(c->db, SQL_COUNTS_COUNT, CAT_VALUES(first->created_at, first->id, end->created_at, end->id), &n);

    c->wrong += rv == APR_SUCCESS && n != block->n;
    return rv;
}

/* The counts of the blocks must add up to the count of all products, too. */
static apr_status_t check_blocks(check_t *c, apr_int64_t total)
{
    apr_array_header_t *blocks = apr_array_make(c->db->pool, 1024, sizeof(block_t));
    apr_int64_t sum = 0;
    apr_status_t rv = cat_db_each(c->db, SQL_COUNTS_STORED, CAT_NO_VALUES, keep_block, blocks);
    const block_t *block = (const block_t *)blocks->elts;

    c->wrong += blocks->nelts == 0 || strcmp(block->first.created_at, LOWEST) != 0;
    for (int i = 0; i < blocks->nelts && rv == APR_SUCCESS; i++) {
        rv = check_block(c, &block[i], i + 1 < blocks->nelts ? &block[i + 1] : NULL);
        sum += block[i].n;
    }
    c->wrong += sum != total;
    return rv;
}

static apr_status_t check_key(void *baton, const char *const *values, int)
{
    check_t *c = baton;

    c->wrong += strcmp(values[1], fold_category(c->db->pool, values[0])) != 0;
    return APR_SUCCESS;
}

/* Adds the number that the statement finds. */
static apr_status_t count_wrong(check_t *c, cat_sql_t sql)
{
    apr_int64_t n;
    apr_status_t rv = cat_db_number(c->db, sql, CAT_NO_VALUES, &n);

    c->wrong += (int)n;
    return rv;
}

static apr_status_t check_counts(void *baton)
{
    check_t *c = baton;
    apr_int64_t total;
    apr_status_t rv = cat_db_number(c->db, SQL_COUNTS_ALL, CAT_NO_VALUES, &total);

    c->wrong = 0;
    if (rv == APR_SUCCESS || rv == APR_NOTFOUND) {
        rv = check_blocks(c, rv == APR_SUCCESS ? total : -1);
    }
    rv = rv == APR_SUCCESS ? count_wrong(c, SQL_STOCK_WRONG) : rv;
    rv = rv == APR_SUCCESS ? count_wrong(c, SQL_CATEGORY_WRONG) : rv;
    rv = rv == APR_SUCCESS ? count_wrong(c, SQL_VALUES_WRONG) : rv;
    return rv == APR_SUCCESS ? cat_db_each(c->db, SQL_CATEGORY_KEYS, CAT_NO_VALUES, check_key, c) : rv;
}

apr_status_t cat_counts_check(cat_db_t *db, int *wrong)
{
    check_t c = {.db = db};
    apr_status_t rv = cat_db_view(db, check_counts, &c);

    *wrong = c.wrong;
    return rv;
}
