/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/products.h"

#include <string.h>

#include "catalogue/counts.h"
#include "catalogue/answer_cache.h"
#include "db/batch.h"
#include "http/etag.h"
#include "lib/id.h"

/* ---- reading ---- */

typedef struct product_read_t {
    cat_products_represent_t *represent;
    void *baton;
    const char *body; /* NULL: there is no such product */
    apr_size_t length;
} product_read_t;

static apr_status_t represent_row(void *baton, const char *const *values, int count)
{
    product_read_t *r = baton;

    (void)count;
    r->represent(r->baton, values, &r->body, &r->length);
    return CAT_ENOUGH;
}

apr_status_t cat_products_get_one(cat_db_t *db, const char *id, apr_time_t now, cat_products_represent_t *represent,
                                  void *baton, cat_item_t *item)
{
    product_read_t r = {.represent = represent, .baton = baton};
    apr_status_t rv;

    *item = (cat_item_t){.key = id};
    if (cat_answer_cache_get(db, id, now, item)) { /* then it is an id: the key of a list has a slash */
        return APR_SUCCESS;
    }
    if (!cat_id_check(id)) {
        return APR_NOTFOUND;
    }
    rv = cat_db_each(db, SQL_PRODUCT_GET, CAT_VALUES(id), represent_row, &r);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (!r.body) {
        return APR_NOTFOUND;
    }
    item->body = r.body;
    item->length = r.length;
    item->hash = cat_etag_hash(r.body, r.length);
    cat_answer_cache_put(db, item);
    return APR_SUCCESS;
}

/* ---- writing ---- */

typedef struct product_write_t {
    cat_db_t *db;
    const char *id;
    const cat_input_t *input;                  /* of an update */
    const cat_products_condition_t *condition; /* NULL: none */
    const char *const *product;                /* what the update made of it */
} product_write_t;

static apr_status_t insert_products(cat_db_t *db, const void *const *items, int count)
{
    const char *const *const *products = (const char *const *const *)items;
    const char *values[CAT_ROWS_MAX * CAT_PRODUCT_FIELDS];
    apr_status_t rv = APR_SUCCESS;

    for (int done = 0, rows; done < count && rv == APR_SUCCESS; done += rows) {
        rows = count - done < CAT_ROWS_MAX ? count - done : CAT_ROWS_MAX;
        for (int i = 0; i < rows; i++) {
            memcpy(values + i * CAT_PRODUCT_FIELDS, products[done + i], CAT_PRODUCT_FIELDS * sizeof(*values));
        }
        rv = cat_db_insert_rows(db, SQL_PRODUCT_INSERT, values, CAT_PRODUCT_FIELDS, rows);
    }
    return rv == APR_SUCCESS ? cat_counts_note_inserts(db, products, count) : rv;
}

/* Where a product and its delta row make a transaction, products that come at once share one. */
apr_status_t cat_products_insert_one(cat_db_t *db, const char *const *product)
{
    cat_db_touch(db, NULL);
    return cat_counts_needs_transaction(db) ? cat_batch_write(db, insert_products, product)
                                            : cat_db_insert(db, SQL_PRODUCT_INSERT, product, CAT_PRODUCT_FIELDS);
}

apr_status_t cat_products_insert_many(cat_db_t *db, const char *const *const *products, int count, int *inserted)
{
    cat_db_touch(db, NULL);
    for (*inserted = 0; *inserted < count; ++*inserted) {
        apr_status_t rv = cat_db_insert(db, SQL_PRODUCT_INSERT, products[*inserted], CAT_PRODUCT_FIELDS);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    return cat_counts_note_inserts(db, products, count);
}

static apr_status_t judge_condition(const product_write_t *w)
{
    const char *const *stored;
    apr_status_t rv;

    if (!w->condition) {
        return APR_SUCCESS;
    }
    rv = cat_db_one(w->db, SQL_PRODUCT_LOCK, CAT_VALUES(w->id), &stored);
    return rv == APR_SUCCESS ? w->condition->judge(w->condition->baton, stored) : rv;
}

#define UPDATE_VALUES (2 * CAT_PRODUCT_FIELDS + 1) /* at most */

/* The values of SQL_PRODUCT_UPDATE, and their count. It takes a value, NULL to keep the old one, for each field that a
 * client may set, in the order of the field table; before that of a clearable field, "1" to clear it, else "0"; and the
 * id. */
static int list_update_values(const product_write_t *w, const char *values[UPDATE_VALUES])
{
    const cat_input_t *input = w->input;
    int count = 0;

    for (int i = 0; i < CAT_PRODUCT_FIELDS; i++) {
        int flags = cat_product_fields[i].flags;
        if (flags & CAT_SERVER) {
            continue;
        }
        if (flags & CAT_CLEARABLE) {
            values[count++] = input->cleared[i] ? "1" : "0";
        }
        values[count++] = input->values[i];
    }
    values[count++] = w->id;
    return count;
}

/* Read in the same transaction, the product is as this update left it. */
static apr_status_t update_product(void *baton)
{
    product_write_t *w = baton;
    const char *values[UPDATE_VALUES];
    int changed, count = list_update_values(w, values);
    apr_status_t rv = judge_condition(w);

    if (rv != APR_SUCCESS || (rv = cat_db_exec(w->db, SQL_PRODUCT_UPDATE, values, count, &changed)) != APR_SUCCESS) {
        return rv;
    }
    return changed ? cat_db_one(w->db, SQL_PRODUCT_GET, CAT_VALUES(w->id), &w->product) : APR_NOTFOUND;
}

apr_status_t cat_products_update_one(cat_db_t *db, const char *id, const cat_input_t *input,
                                     const cat_products_condition_t *condition, const char *const **product)
{
    product_write_t w = {.db = db, .id = id, .input = input, .condition = condition};
    apr_status_t rv;

    cat_db_touch(db, id);
    rv = cat_db_transact(db, update_product, &w);
    *product = w.product;
    return rv;
}

/* APR_NOTFOUND rolls the delta row back. */
static apr_status_t delete_product(void *baton)
{
    const product_write_t *w = baton;
    int deleted;
    apr_status_t rv = judge_condition(w);

    if (rv != APR_SUCCESS || (rv = cat_counts_note_delete(w->db, w->id)) != APR_SUCCESS) {
        return rv;
    }
    rv = cat_db_exec(w->db, SQL_PRODUCT_DELETE, CAT_VALUES(w->id), &deleted);
    return rv == APR_SUCCESS && !deleted ? APR_NOTFOUND : rv;
}

apr_status_t cat_products_delete_one(cat_db_t *db, const char *id, const cat_products_condition_t *condition)
{
    product_write_t w = {.db = db, .id = id, .condition = condition};

    cat_db_touch(db, id);
    return condition || cat_counts_needs_transaction(db) ? cat_db_transact(db, delete_product, &w) : delete_product(&w);
}
