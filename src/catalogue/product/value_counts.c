/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the values of fields with the option `facet`.
 *
 *     product_keys   field  value_key  id   value   counted           value_counts   field  value   n
 *                    brand  acme       01   Acme    1                                brand  Acme    2
 *                    brand  acme       02   Acme    1                                tags   red     1
 *                    brand             03           0   it has none
 *                    tags   red        01   red     1
 *
 * A count is the number of rows of product_keys that have the value and are marked as counted. Row, mark and count change in one
 * transaction, and a writer that deletes a row looks at its mark first (catalogue/product/own_keys.c): so a row is counted once, however
 * often it is written anew, and whichever server writes it.
 *
 * That requires that all servers that write rows of the field look at the marks before the first row gets one. So a field that no server
 * knew is counted from the beginning. A field that becomes a facet where there are products is counted later: each server learns of it within
 * a second, and then looks at the marks, but sets none. Some seconds later the job that fills in the keys (catalogue/search/key_filler.c) notes
 * in catalog_fields that values are counted. When each server has had the time to read that, the job goes through the products, and gives each
 * the mark that it lacks. From then on every row of the field has it.
 *
 * As with the other counts (catalogue/product/counts.c), the row of a common value would make writers wait for each other. Where they take
 * turns anyway, on SQLite, they change it at once; elsewhere they insert rows into value_deltas, which readers add to the counts, and the
 * maintenance takes out.
 */
#include "catalogue/product/value_counts.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "lib/fold.h"
#include "lib/number.h"

#define COLUMNS 4   /* of SQL_VALUES_NOTE */
#define DELETED 100 /* delta rows of one SQL_VALUES_DELETE_DELTAS */

const char *cat_value_counts_key(apr_pool_t *pool, const cat_fields_t *fields, int field, const char *value)
{
    /* Numbers are whole. Added up, none is below 0, so their digits have their order. */
    return fields->all[field].kind == CAT_NUMBER
               ? apr_psprintf(pool, "%017" APR_INT64_T_FMT, apr_atoi64(value) + CAT_NUMBER_SAFE_MAX)
               : cat_fold_cut(pool, cat_fold_text(pool, value), CAT_VALUE_SIZE);
}

/* ---- changes ---- */

void cat_value_counts_add(apr_array_header_t *changes, const cat_registry_t *registry, int field, const char *value,
                          int delta)
{
    apr_pool_t *pool = changes->pool;

    APR_ARRAY_PUSH(changes, cat_value_change_t) =
        (cat_value_change_t){registry->numbers[field], cat_value_counts_key(pool, registry->fields, field, value),
                             apr_pstrdup(pool, value), delta};
}

static int compare_changes(const void *one, const void *other)
{
    const cat_value_change_t *a = one, *b = other;
    int order = strcmp(a->number, b->number);

    order = order ? order : strcmp(a->key, b->key);
    return order ? order : strcmp(a->value, b->value);
}

/* Sorts them, and makes one of those of a value, none if nothing is left of them. In their order no two writers wait for each other. */
static void sum_up(apr_array_header_t *changes)
{
    cat_value_change_t *all = (cat_value_change_t *)changes->elts;
    int kept = 0;

    qsort(all, (size_t)changes->nelts, sizeof(*all), compare_changes);
    for (int i = 0, next; i < changes->nelts; i = next) {
        apr_int64_t sum = 0;
        for (next = i; next < changes->nelts && !compare_changes(&all[i], &all[next]); next++) {
            sum += all[next].delta;
        }
        if (sum) {
            all[kept] = all[i];
            all[kept++].delta = sum;
        }
    }
    changes->nelts = kept;
}

static apr_status_t change_count(cat_db_t *db, const cat_value_change_t *change)
{
    const char *delta = cat_number_write(db->pool, change->delta);
    int changed;
    apr_status_t rv =
        cat_db_exec(db, SQL_VALUES_ADD, CAT_VALUES(delta, change->number, change->key, change->value), &changed);

    if (rv == APR_SUCCESS && !changed) {
        rv = cat_db_exec(db, SQL_VALUES_INSERT, CAT_VALUES(delta, change->number, change->key, change->value), NULL);
    }
    return rv == APR_SUCCESS && change->delta < 0
               ? cat_db_exec(db, SQL_VALUES_PRUNE, CAT_VALUES(change->number, change->key, change->value), NULL)
               : rv;
}

static apr_status_t change_counts(cat_db_t *db, apr_array_header_t *changes)
{
    apr_status_t rv = APR_SUCCESS;

    sum_up(changes);
    for (int i = 0; i < changes->nelts && rv == APR_SUCCESS; i++) {
        rv = change_count(db, &APR_ARRAY_IDX(changes, i, cat_value_change_t));
    }
    return rv;
}

static apr_status_t note_changes(cat_db_t *db, apr_array_header_t *changes)
{
    const char **values, **at;

    sum_up(changes);
    values = at = apr_palloc(db->pool, (apr_size_t)changes->nelts * COLUMNS * sizeof(*values));
    for (int i = 0; i < changes->nelts; i++) {
        const cat_value_change_t *change = &APR_ARRAY_IDX(changes, i, cat_value_change_t);
        *at++ = cat_number_write(db->pool, change->delta);
        *at++ = change->number;
        *at++ = change->key;
        *at++ = change->value;
    }
    return cat_db_insert_rows(db, &(cat_rows_t){SQL_VALUES_NOTE, values, COLUMNS, changes->nelts, 0});
}

apr_status_t cat_value_counts_write(cat_db_t *db, apr_array_header_t *changes)
{
    return cat_db_has_one_writer(db) ? change_counts(db, changes) : note_changes(db, changes);
}

apr_status_t cat_value_counts_get(cat_db_t *db, const char *number, const char *key, const char *value,
                                  apr_int64_t *count)
{
    return cat_db_number(db, SQL_VALUES_COUNT, CAT_VALUES(number, key, value, number, key, value), count);
}

/* ---- maintenance ---- */

typedef struct batch_t {
    apr_array_header_t *numbers; /* const char *: of the delta rows */
    apr_array_header_t *changes;
} batch_t;

static apr_status_t keep_delta(void *baton, const char *const *values, int)
{
    const batch_t *b = baton;
    apr_pool_t *pool = b->changes->pool;

    APR_ARRAY_PUSH(b->numbers, const char *) = apr_pstrdup(pool, values[0]);
    APR_ARRAY_PUSH(b->changes, cat_value_change_t) =
        (cat_value_change_t){apr_pstrdup(pool, values[1]), apr_pstrdup(pool, values[2]), apr_pstrdup(pool, values[3]),
                             apr_atoi64(values[4])};
    return APR_SUCCESS;
}

static apr_array_header_t *make_changes(const cat_db_t *db)
{
    return apr_array_make(db->pool, 64, sizeof(cat_value_change_t));
}

apr_status_t cat_value_counts_apply(cat_db_t *db, int most, int *count)
{
    batch_t b = {apr_array_make(db->pool, 64, sizeof(const char *)), make_changes(db)};
    apr_status_t rv = cat_db_each(db, SQL_VALUES_DELTAS, CAT_VALUES(apr_itoa(db->pool, most)), keep_delta, &b);

    *count = b.numbers->nelts;
    rv = rv == APR_SUCCESS ? change_counts(db, b.changes) : rv;
    /* By number: a DELETE with a range would wait for writers on MySQL. */
    return rv == APR_SUCCESS ? cat_db_exec_list(db, SQL_VALUES_DELETE_DELTAS, b.numbers, DELETED, "0") : rv;
}

/* The lock keeps the maintenance from adding delta rows that it has just read. */
apr_status_t cat_value_counts_drop(cat_db_t *db, const char *number)
{
    apr_status_t rv = cat_db_exec(db, SQL_COUNTS_LOCK, CAT_NO_VALUES, NULL);

    if (rv == APR_SUCCESS && !cat_db_has_one_writer(db)) {
        rv = cat_db_exec(db, SQL_VALUES_DROP_DELTAS, CAT_VALUES(number), NULL);
    }
    return rv == APR_SUCCESS ? cat_db_exec(db, SQL_VALUES_DROP, CAT_VALUES(number), NULL) : rv;
}

/* ---- counting anew ---- */

typedef struct recount_t {
    const cat_registry_t *registry;
    apr_array_header_t *changes;
} recount_t;

static apr_status_t keep_count(void *baton, const char *const *values, int)
{
    const recount_t *r = baton;
    int field = cat_registry_find_number(r->registry, values[0]);

    if (field < r->registry->fields->count) {
        cat_value_counts_add(r->changes, r->registry, field, values[1], 0);
        APR_ARRAY_IDX(r->changes, r->changes->nelts - 1, cat_value_change_t).delta = apr_atoi64(values[2]);
    }
    return APR_SUCCESS;
}

apr_status_t cat_value_counts_rebuild(cat_db_t *db)
{
    recount_t r = {.changes = make_changes(db)};
    apr_status_t rv = cat_registry_get(db, &r.registry);

    rv = rv == APR_SUCCESS ? cat_db_exec(db, SQL_VALUES_CLEAR, CAT_NO_VALUES, NULL) : rv;
    rv = rv == APR_SUCCESS ? cat_db_each(db, SQL_VALUES_COUNTED, CAT_NO_VALUES, keep_count, &r) : rv;
    return rv == APR_SUCCESS ? change_counts(db, r.changes) : rv;
}
