/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the keys of fields of the shop's own with the products, some in each step, for catalogctl check and catalogctl index.
 *
 *     product_unique    what it has of the products of the step
 *     for each field that is complete
 *         product_keys  what it has from where the step begins to its oldest product, in the order of the list
 *         each product  its rows are those that its writer would make today; else they are made anew
 *         others        their products are gone, and so must they be
 *
 * A step has as many products as one statement names, however many there are of one time. Of products that are gone it remembers only some:
 * if there are more, mending stays where it is until none is left. What is committed in between is no fault: a product that is there by now
 * is not gone.
 */
#include "catalogue/search/key_check.h"

#include <string.h>

#include <apr_hash.h>
#include <apr_strings.h>

#include "catalogue/product/own_keys.h"
#include "catalogue/product/portion.h"
#include "lib/id.h"
#include "lib/number.h"

#define PORTION CAT_OWN_KEYS_FOUND
#define GONE_MOST 500 /* products that are remembered, and that a step through product_unique has */

typedef struct check_t {
    apr_pool_t *pool;
    cat_db_t *db;
    apr_int64_t from;
    int is_mending;
    const cat_registry_t *registry;
    cat_portion_t products;
    int is_wrong[PORTION];
    apr_hash_t *stored;       /* by number, of one field: an array of cat_own_key_t, of each product of the portion */
    apr_hash_t *owned;        /* by the numbers of field and product: a unique value; "": there are several */
    apr_hash_t *gone;         /* const char *, by itself: the numbers of products that are not in the portion */
    apr_array_header_t *keys; /* to be inserted */
    cat_indexes_portion_t found;
} check_t;

/* ---- the products ---- */

static apr_status_t read_products(check_t *c)
{
    apr_status_t rv =
        cat_portion_read(c->db, c->is_mending ? SQL_INDEX_ROWS : SQL_INDEX_READ, c->from, PORTION, &c->products);

    c->found.rows = c->products.rows->nelts;
    c->found.is_last = c->products.is_last;
    c->found.end.n = c->found.is_last ? CAT_LIST_KEY_MIN : c->products.end;
    return rv;
}

static const char *const *row_of(const check_t *c, int i)
{
    return CAT_PORTION_ROW(&c->products, i);
}

static const char *id_of(const check_t *c, int i)
{
    return row_of(c, i)[CAT_PRODUCT_ID];
}

/* ---- what there is of them ---- */

static const char *join(const check_t *c, const char *one, const char *other)
{
    return apr_pstrcat(c->pool, one, " ", other, NULL);
}

static const char *name_of(const check_t *c, int i)
{
    return cat_id_number_text(c->pool, id_of(c, i));
}

static void note_gone(const check_t *c, const char *n)
{
    if (apr_hash_count(c->gone) < GONE_MOST && !apr_hash_get(c->gone, n, APR_HASH_KEY_STRING)) {
        n = apr_pstrdup(c->pool, n);
        apr_hash_set(c->gone, n, APR_HASH_KEY_STRING, n);
    }
}

static apr_status_t keep_key(void *baton, const char *const *values, int)
{
    const check_t *c = baton;
    apr_array_header_t *keys = apr_hash_get(c->stored, values[0], APR_HASH_KEY_STRING);

    if (!keys) {
        note_gone(c, values[0]);
        return APR_SUCCESS;
    }
    APR_ARRAY_PUSH(keys, cat_own_key_t) = (cat_own_key_t){
        apr_pstrdup(c->pool, values[1]), values[2] ? apr_pstrdup(c->pool, values[2]) : NULL, *values[3] == '1'};
    return APR_SUCCESS;
}

static apr_status_t read_keys(check_t *c, int field)
{
    c->stored = apr_hash_make(c->pool);
    for (int i = 0; i < c->found.rows; i++) {
        apr_hash_set(c->stored, name_of(c, i), APR_HASH_KEY_STRING, apr_array_make(c->pool, 2, sizeof(cat_own_key_t)));
    }
    return cat_db_each(c->db, SQL_KEYS_BETWEEN,
                       CAT_VALUES(c->registry->numbers[field], cat_number_write(c->pool, c->from),
                                  cat_number_write(c->pool, c->found.end.n)),
                       keep_key, c);
}

static apr_status_t keep_value(void *baton, const char *const *values, int)
{
    const check_t *c = baton;
    const char *name = join(c, values[1], values[0]);
    int is_second = apr_hash_get(c->owned, name, APR_HASH_KEY_STRING) != NULL;

    apr_hash_set(c->owned, name, APR_HASH_KEY_STRING, is_second ? "" : apr_pstrdup(c->pool, values[2]));
    return APR_SUCCESS;
}

/* The places that are left repeat a number. */
static apr_status_t read_values(check_t *c)
{
    const char *numbers[PORTION];

    c->owned = apr_hash_make(c->pool);
    for (int i = 0; i < PORTION; i++) {
        numbers[i] = c->found.rows ? name_of(c, i < c->found.rows ? i : 0) : "";
    }
    return c->registry->has_unique && c->found.rows
               ? cat_db_each(c->db, SQL_UNIQUE_OF_100, numbers, PORTION, keep_value, c)
               : APR_SUCCESS;
}

/* ---- a field ---- */

/* Are the product's rows of product_keys those that it should have, and its value in product_unique? */
static int is_right(const check_t *c, int field, int i)
{
    const char *const *row = row_of(c, i);
    const char *text, *owned;

    if (!cat_own_keys_match(c->pool, c->registry, field, row,
                            apr_hash_get(c->stored, name_of(c, i), APR_HASH_KEY_STRING))) {
        return 0;
    }
    if (!(c->registry->fields->all[field].flags & CAT_UNIQUE)) {
        return 1;
    }
    text = cat_product_read(c->pool, c->registry->fields, row)[field];
    owned = apr_hash_get(c->owned, join(c, c->registry->numbers[field], name_of(c, i)), APR_HASH_KEY_STRING);
    return text ? owned && !strcmp(owned, cat_own_keys_unique(c->pool, text)) : !owned;
}

static apr_status_t report_equal(const check_t *c, int field, const char *const *row)
{
    const char *text = cat_product_read(c->pool, c->registry->fields, row)[field], *owner;
    apr_status_t rv = cat_own_keys_find(c->db, c->registry->numbers[field], text, &owner);

    if (rv == APR_SUCCESS) {
        cat_log(c->db->log, CAT_LOG_ERROR, 0,
                "CAT096: %s: the products %s and %s have the same value in the unique field %s; give %s another "
                "value",
                cat_db_name(c->db), row[CAT_PRODUCT_ID], owner, c->registry->fields->all[field].name,
                row[CAT_PRODUCT_ID]);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

static apr_status_t mend_keys(check_t *c, int field, int i)
{
    const char *const *row = row_of(c, i);
    apr_status_t rv = cat_own_keys_renew(c->db, c->registry, field, row, 1, c->keys);

    return rv == APR_EEXIST ? report_equal(c, field, row) : rv;
}

static apr_status_t check_field(check_t *c, int field)
{
    apr_status_t rv = read_keys(c, field);

    for (int i = 0; i < c->found.rows && rv == APR_SUCCESS; i++) {
        int is_wrong = !is_right(c, field, i);
        c->is_wrong[i] |= is_wrong;
        rv = is_wrong && c->is_mending ? mend_keys(c, field, i) : APR_SUCCESS;
    }
    return rv;
}

/* ---- products that are gone ---- */

static void count_gone(check_t *c, const char *n)
{
    c->found.gone++;
    c->found.example = c->found.wrong ? c->found.example : n;
}

/* It may be there by now; once it is not, it does not come back. */
static apr_status_t forget_product(check_t *c, const char *n)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(c->db, SQL_PRODUCT_READ, CAT_VALUES(n), &row);

    if (rv != APR_NOTFOUND) {
        return rv;
    }
    count_gone(c, n);
    return cat_own_keys_delete(c->db, c->registry, n, NULL);
}

static apr_status_t deal_with_gone(check_t *c)
{
    apr_status_t rv = APR_SUCCESS;

    for (apr_hash_index_t *i = apr_hash_first(c->pool, c->gone); i && rv == APR_SUCCESS; i = apr_hash_next(i)) {
        const char *n = apr_hash_this_val(i);
        if (c->is_mending) {
            rv = forget_product(c, n);
        } else {
            count_gone(c, n);
        }
    }
    return rv;
}

/* ---- keys that are filled in ---- */

/* has_keys: by product of the portion; gets a flag for those that have a key of the field, or of a pair that it is in. */
static apr_status_t find_keys(check_t *c, int field, unsigned char *has_keys)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = CAT_PRODUCT_FIELDS; i < c->registry->fields->count && rv == APR_SUCCESS; i++) {
        if (i != field && !cat_own_keys_is_of_pair(c->registry, i, field)) {
            continue;
        }
        rv = read_keys(c, i);
        for (int j = 0; j < c->found.rows; j++) {
            const apr_array_header_t *keys = apr_hash_get(c->stored, name_of(c, j), APR_HASH_KEY_STRING);
            has_keys[j] |= keys->nelts > 0;
        }
    }
    return rv;
}

/* There may be more of them than are remembered. */
static apr_status_t forget_gone(check_t *c, int field, unsigned char *has_keys)
{
    apr_status_t rv;

    do {
        c->found.gone = 0;
        c->gone = apr_hash_make(c->pool);
        rv = find_keys(c, field, has_keys);
        rv = rv == APR_SUCCESS ? deal_with_gone(c) : rv;
    } while (rv == APR_SUCCESS && c->found.gone && apr_hash_count(c->gone) == GONE_MOST);
    return rv;
}

apr_status_t cat_key_check_fill(cat_db_t *db, const cat_registry_t *registry, int field, apr_int64_t from,
                                const cat_portion_t *products, apr_array_header_t *rows)
{
    check_t c = {
        .pool = db->pool, .db = db, .from = from, .is_mending = 1, .registry = registry, .products = *products};
    unsigned char *has_keys = apr_pcalloc(db->pool, (apr_size_t)products->rows->nelts + 1);
    apr_status_t rv;

    c.found.rows = products->rows->nelts;
    c.found.end.n = products->is_last ? CAT_LIST_KEY_MIN : products->end;
    rv = forget_gone(&c, field, has_keys);
    for (int i = 0; i < c.found.rows && rv == APR_SUCCESS; i++) {
        rv = cat_own_keys_renew(db, registry, field, row_of(&c, i), has_keys[i], rows);
    }
    return rv;
}

/* ---- a portion ---- */

static void count_wrong(check_t *c)
{
    for (int i = 0; i < c->found.rows; i++) {
        if (c->is_wrong[i]) {
            c->found.wrong++;
            c->found.example = id_of(c, i);
        }
    }
}

/* There may be more than were remembered. */
static void stay_until_gone(check_t *c)
{
    if (c->is_mending && c->found.gone && apr_hash_count(c->gone) == GONE_MOST) {
        c->found.end.n = c->from;
        c->found.rows = c->found.wrong = c->found.is_last = 0;
    }
}

static apr_status_t check_portion(void *baton)
{
    check_t *c = baton;
    apr_status_t rv = cat_registry_get(c->db, &c->registry);

    c->found = (cat_indexes_portion_t){.end.n = c->from};
    c->gone = apr_hash_make(c->pool);
    c->keys = cat_own_keys_begin(c->pool);
    memset(c->is_wrong, 0, sizeof(c->is_wrong));
    rv = rv == APR_SUCCESS ? read_products(c) : rv;
    rv = rv == APR_SUCCESS ? read_values(c) : rv;
    for (int i = CAT_PRODUCT_FIELDS; rv == APR_SUCCESS && i < c->registry->fields->count; i++) {
        if (c->registry->fields->all[i].flags & CAT_INDEXED && c->registry->is_complete[i]) {
            rv = check_field(c, i);
        }
    }
    count_wrong(c);
    rv = rv == APR_SUCCESS ? deal_with_gone(c) : rv;
    stay_until_gone(c);
    return rv == APR_SUCCESS && c->keys->nelts ? cat_own_keys_insert(c->db, c->keys) : rv;
}

/* ---- unique values ---- */

static apr_status_t keep_owner(void *baton, const char *const *values, int)
{
    check_t *c = baton;

    c->found.is_last = 0;
    c->found.end.n = apr_atoi64(values[0]);
    if (!values[1]) {
        note_gone(c, values[0]);
    }
    return APR_SUCCESS;
}

static apr_status_t check_owners(void *baton)
{
    check_t *c = baton;
    apr_status_t rv = cat_registry_get(c->db, &c->registry);

    c->found = (cat_indexes_portion_t){.end.n = c->from, .is_last = 1};
    c->gone = apr_hash_make(c->pool);
    rv = rv == APR_SUCCESS
             ? cat_db_each(c->db, SQL_UNIQUE_OWNERS,
                           CAT_VALUES(cat_number_write(c->pool, c->from), APR_STRINGIFY(GONE_MOST)), keep_owner, c)
             : rv;
    return rv == APR_SUCCESS ? deal_with_gone(c) : rv;
}

/* ---- steps ---- */

static apr_status_t run_step(cat_work_t *work, check_t check, cat_indexes_portion_t *portion)
{
    apr_status_t rv = check.is_mending ? cat_db_transact(check.db, work, &check) : work(&check);

    *portion = check.found;
    return rv;
}

apr_status_t cat_key_check_compare(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                                   cat_indexes_portion_t *portion)
{
    return run_step(check_portion, (check_t){.pool = pool, .db = db, .from = from->n}, portion);
}

apr_status_t cat_key_check_mend(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                                cat_indexes_portion_t *portion)
{
    return run_step(check_portion, (check_t){.pool = pool, .db = db, .from = from->n, .is_mending = 1}, portion);
}

apr_status_t cat_key_check_compare_owners(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                                          cat_indexes_portion_t *portion)
{
    return run_step(check_owners, (check_t){.pool = pool, .db = db, .from = from->n}, portion);
}

apr_status_t cat_key_check_mend_owners(apr_pool_t *pool, cat_db_t *db, const cat_indexes_position_t *from,
                                       cat_indexes_portion_t *portion)
{
    return run_step(check_owners, (check_t){.pool = pool, .db = db, .from = from->n, .is_mending = 1}, portion);
}
