/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the counts of products: of all, of those in stock, and of each category.
 *
 * Where writers take turns (SQLite), triggers change the counts at once. On the other databases each writer would wait for
 * the row of the total, so a write only inserts a delta row into product_deltas: a trigger does that on PostgreSQL,
 * cat_counts_note on MySQL. Readers add the delta rows to the stored counts, so every count is exact at any time:
 *
 *     exact count = stored count + sum of its delta rows
 *
 * The maintenance job adds delta rows to the stored counts and deletes them, in one transaction that holds the lock
 * SQL_COUNTS_LOCK. It does the same with the delta rows of values (value_counts.c), and folds the names of new categories.
 *
 * A run that is missed makes lists slower, not wrong. Counts can be wrong only if triggers were switched off or another program
 * wrote to these tables: cat_counts_check finds that, and cat_counts_rebuild counts all products again.
 */
#include "catalogue/product/counts.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/product.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/product/value_counts.h"
#include "db/db.h"
#include "lib/fold.h"
#include "lib/number.h"

#define BATCHES 4        /* largest number of batches of delta rows in one transaction */
#define TRANSACTIONS 100 /* limit of one run of the job */

#define BATCH_ROWS 1000  /* delta rows that are applied together */
#define DELETED_ROWS 100 /* delta rows in one SQL_COUNTS_DELETE_DELTAS */

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

typedef struct delta_t {
    apr_int64_t delta;
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
        b->deltas[b->count++] = (delta_t){apr_atoi64(values[1]), apr_pstrdup(b->pool, values[2]), apr_atoi64(values[3]),
                                          apr_atoi64(values[4])};
    }
    return APR_SUCCESS;
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

static apr_status_t apply_to_total(const maintenance_t *c, const delta_batch_t *b)
{
    apr_int64_t sum = 0, in_stock = 0;

    for (int i = 0; i < b->count; i++) {
        sum += b->deltas[i].delta;
        in_stock += b->deltas[i].in_stock;
    }
    return cat_db_exec(c->db, SQL_COUNTS_ADD,
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
    rv = apply_to_total(c, b);
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

/* Returns APR_NOTFOUND, which rolls back, if there was nothing to do. */
static apr_status_t maintain_counts(void *baton)
{
    maintenance_t *c = baton;
    int applied = BATCH_ROWS;
    apr_status_t rv = cat_db_exec(c->db, SQL_COUNTS_LOCK, CAT_NO_VALUES, NULL);

    c->changed = 0;
    for (int i = 0; i < BATCHES && applied == BATCH_ROWS && rv == APR_SUCCESS; i++) {
        rv = go_on(c);
        rv = rv == APR_SUCCESS ? apply_deltas(c, &applied) : rv;
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

    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_COUNTS_RESET, CAT_NO_VALUES, NULL) : rv;
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

#define DELTA_COLUMNS 4

apr_status_t cat_counts_note(cat_db_t *db, const cat_counts_delta_t *deltas, int count)
{
    const char **values;

    if (!cat_counts_by_hand(db)) {
        return APR_SUCCESS;
    }
    values = apr_palloc(db->pool, (apr_size_t)count * DELTA_COLUMNS * sizeof(*values));
    for (int i = 0; i < count; i++) {
        const cat_counts_delta_t *d = &deltas[i];
        const char *row[DELTA_COLUMNS] = {d->delta, d->category, d->category ? d->category_delta : "0", d->in_stock};
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
    apr_status_t rv;

    c->wrong = 0;
    rv = count_wrong(c, SQL_COUNTS_WRONG);
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
