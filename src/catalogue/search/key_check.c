/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the keys of fields of the shop's own with the products, some in each step, for catalogctl check and catalogctl index.
 *
 *     for each field that is complete
 *         product_keys      what it has from the newest to the oldest product of the step, by product
 *         product_unique    who has the values of these products
 *         each product      its rows are those that its writer would make today; else they are made anew
 */
#include "catalogue/search/key_check.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/product/own_keys.h"
#include "catalogue/product/product.h"

#define PORTION CAT_OWN_KEYS_FOUND
#define PORTION_TEXT APR_STRINGIFY(CAT_OWN_KEYS_FOUND)

typedef struct check_t {
    apr_pool_t *pool;
    cat_db_t *db;
    const cat_list_key_t *from;
    int is_mending;
    const cat_registry_t *registry;
    const char **rows[PORTION];
    int is_wrong[PORTION];
    apr_hash_t *stored;       /* by id, of one field: an array of cat_own_key_t */
    apr_array_header_t *keys; /* to be inserted */
    cat_indexes_portion_t found;
} check_t;

/* ---- what there is ---- */

static apr_status_t keep_row(void *baton, const char *const *values, int count)
{
    check_t *c = baton;
    const char **row;

    (void)count;
    if (c->found.rows == PORTION) {
        return CAT_ENOUGH;
    }
    row = c->rows[c->found.rows++] = apr_palloc(c->pool, CAT_PRODUCT_COLUMNS * sizeof(char *));
    for (int i = 0; i < CAT_PRODUCT_COLUMNS; i++) {
        row[i] = values[i] ? apr_pstrdup(c->pool, values[i]) : NULL;
    }
    return APR_SUCCESS;
}

/* A portion that is locked may lack products that others have deleted meanwhile: see catalogue/search/key_filler.c. */
static apr_status_t read_products(check_t *c)
{
    const char *created_at = c->from->created_at, *id = c->from->id, *const * next;
    apr_status_t rv = cat_db_each(c->db, c->is_mending ? SQL_INDEX_ROWS : SQL_INDEX_READ,
                                  CAT_VALUES(created_at, id, PORTION_TEXT), keep_row, c);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (c->found.rows) {
        const char *const *oldest = (const char *const *)c->rows[c->found.rows - 1];
        c->found.end = (cat_list_key_t){oldest[CAT_PRODUCT_CREATED_AT], oldest[CAT_PRODUCT_ID]};
        return APR_SUCCESS;
    }
    rv = cat_db_one(c->db, SQL_INDEX_READ, CAT_VALUES(created_at, id, "1"), &next);
    c->found.is_last = rv == APR_NOTFOUND;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static apr_status_t keep_key(void *baton, const char *const *values, int count)
{
    const check_t *c = baton;
    apr_array_header_t *keys = apr_hash_get(c->stored, values[0], APR_HASH_KEY_STRING);

    (void)count;
    if (!keys) {
        keys = apr_array_make(c->pool, 2, sizeof(cat_own_key_t));
        apr_hash_set(c->stored, apr_pstrdup(c->pool, values[0]), APR_HASH_KEY_STRING, keys);
    }
    APR_ARRAY_PUSH(keys, cat_own_key_t) = (cat_own_key_t){
        apr_pstrdup(c->pool, values[1]), values[2] ? apr_pstrdup(c->pool, values[2]) : NULL, *values[3] == '1'};
    return APR_SUCCESS;
}

static apr_status_t read_keys(check_t *c, int field)
{
    c->stored = apr_hash_make(c->pool);
    return cat_db_each(c->db, SQL_KEYS_BETWEEN,
                       CAT_VALUES(c->registry->numbers[field], c->rows[0][CAT_PRODUCT_CREATED_AT],
                                  c->rows[c->found.rows - 1][CAT_PRODUCT_CREATED_AT]),
                       keep_key, c);
}

/* ---- a field ---- */

/* What is wrong: the product's rows of product_keys, or who has its value. */
static apr_status_t compare_keys(check_t *c, int field, int is_wrong[PORTION])
{
    apr_status_t rv = read_keys(c, field);

    for (int i = 0; i < c->found.rows && rv == APR_SUCCESS; i++) {
        const apr_array_header_t *keys = apr_hash_get(c->stored, c->rows[i][CAT_PRODUCT_ID], APR_HASH_KEY_STRING);
        is_wrong[i] |= !cat_own_keys_match(c->pool, c->registry, field, (const char *const *)c->rows[i], keys);
    }
    return rv;
}

static apr_status_t compare_owners(check_t *c, int field, int is_wrong[PORTION])
{
    const char *texts[PORTION], *owners[PORTION];
    apr_status_t rv;

    for (int i = 0; i < c->found.rows; i++) {
        texts[i] = cat_product_read(c->pool, c->registry->fields, (const char *const *)c->rows[i])[field];
    }
    rv = cat_own_keys_find_many(c->db, c->registry->numbers[field], texts, c->found.rows, owners);
    for (int i = 0; i < c->found.rows && rv == APR_SUCCESS; i++) {
        is_wrong[i] |= texts[i] && (!owners[i] || strcmp(owners[i], c->rows[i][CAT_PRODUCT_ID]) != 0);
    }
    return rv;
}

static apr_status_t mend_keys(check_t *c, int field, int i)
{
    const char *const *row = (const char *const *)c->rows[i];
    apr_status_t rv = cat_own_keys_renew(c->db, c->registry, field, row, c->keys);

    if (rv == APR_EEXIST) {
        cat_log(c->db->log, CAT_LOG_ERROR, 0,
                "CAT096: %s: the product %s has the value of another one in the unique field %s; change one of them",
                cat_db_name(c->db), row[CAT_PRODUCT_ID], c->registry->fields->all[field].name);
        return APR_SUCCESS;
    }
    return rv;
}

static apr_status_t check_field(check_t *c, int field)
{
    int is_wrong[PORTION] = {0};
    apr_status_t rv = compare_keys(c, field, is_wrong);

    if (rv == APR_SUCCESS && c->registry->fields->all[field].flags & CAT_UNIQUE) {
        rv = compare_owners(c, field, is_wrong);
    }
    for (int i = 0; i < c->found.rows && rv == APR_SUCCESS; i++) {
        c->is_wrong[i] |= is_wrong[i];
        rv = is_wrong[i] && c->is_mending ? mend_keys(c, field, i) : APR_SUCCESS;
    }
    return rv;
}

/* ---- a portion ---- */

static void count_wrong(check_t *c)
{
    for (int i = 0; i < c->found.rows; i++) {
        if (c->is_wrong[i]) {
            c->found.wrong++;
            c->found.example = c->rows[i][CAT_PRODUCT_ID];
        }
    }
}

static apr_status_t check_portion(void *baton)
{
    check_t *c = baton;
    apr_status_t rv = cat_registry_get(c->db, &c->registry);

    c->found = (cat_indexes_portion_t){.end = *c->from};
    c->keys = cat_own_keys_begin(c->pool);
    memset(c->is_wrong, 0, sizeof(c->is_wrong));
    rv = rv == APR_SUCCESS ? read_products(c) : rv;
    for (int i = CAT_PRODUCT_FIELDS; rv == APR_SUCCESS && c->found.rows && i < c->registry->fields->count; i++) {
        if (c->registry->fields->all[i].flags & CAT_INDEXED && c->registry->is_complete[i]) {
            rv = check_field(c, i);
        }
    }
    count_wrong(c);
    return rv == APR_SUCCESS && c->keys->nelts ? cat_own_keys_insert(c->db, c->keys) : rv;
}

static check_t *make_check(apr_pool_t *pool, cat_db_t *db, const cat_list_key_t *from, int is_mending)
{
    check_t *c = apr_pcalloc(pool, sizeof(*c));

    c->pool = pool;
    c->db = db;
    c->from = from;
    c->is_mending = is_mending;
    return c;
}

apr_status_t cat_key_check_compare(apr_pool_t *pool, cat_db_t *db, const cat_list_key_t *from,
                                   cat_indexes_portion_t *portion)
{
    check_t *c = make_check(pool, db, from, 0);
    apr_status_t rv = check_portion(c);

    *portion = c->found;
    return rv;
}

apr_status_t cat_key_check_mend(apr_pool_t *pool, cat_db_t *db, const cat_list_key_t *from,
                                cat_indexes_portion_t *portion)
{
    check_t *c = make_check(pool, db, from, 1);
    apr_status_t rv = cat_db_transact(db, check_portion, c);

    *portion = c->found;
    return rv;
}
