/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the history of products.
 *
 * A change has only what it has overwritten (catalogue/product/change_notes.c). So the history of a product is read backwards, from what is
 * there now:
 *
 *     now                                  {"name":"Kettle","price":5}
 *     update, overwrote {"price":4}        before it: {"name":"Kettle","price":4}
 *     update, overwrote {"name":"Ketle"}   before it: {"name":"Ketle","price":4}
 *     create                               before it: nothing
 *
 * What an update has made of a field is what was there after it, on the way. A product that is gone begins with its deletion, which has all of
 * it.
 */
#include "catalogue/changes/changes.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/number.h"
#include "lib/time.h"

#define PORTION 100 /* changes of a product that are read at once */
#define NUMBER_MOST "9223372036854775807"

/* The columns of CHANGE_COLUMNS (db/dialects/sql.def), and behind them, where it is read, the last one. */
enum { NUMBER, SEQ, AT, OP, PRODUCT, BATCH, USER_ID, USERNAME, FORMER };

/* The names are constants, which the caller compares by their texts only. */
static apr_status_t add_change(void *baton, const char *const *row, int count)
{
    apr_array_header_t *changes = baton;
    apr_pool_t *pool = changes->pool;

    APR_ARRAY_PUSH(changes, cat_change_t) = (cat_change_t){
        .seq = apr_atoi64(row[SEQ]),
        .at = cat_time_read(row[AT]),
        .op = apr_pstrdup(pool, row[OP]),
        .id = apr_pstrdup(pool, row[PRODUCT]),
        .user_id = apr_pstrdup(pool, row[USER_ID]),
        .username = apr_pstrdup(pool, row[USERNAME]),
        .batch = apr_atoi64(row[BATCH]),
        .number = apr_atoi64(row[NUMBER]),
        .former = count > FORMER ? apr_pstrdup(pool, row[FORMER]) : NULL,
    };
    return APR_SUCCESS;
}

/* ---- in their order ---- */

typedef struct reading_t {
    cat_db_t *db;
    apr_int64_t since;
    int limit;
    apr_array_header_t *changes;
} reading_t;

apr_status_t cat_changes_find_purged(cat_db_t *db, apr_int64_t *purged)
{
    return cat_db_number(db, SQL_CHANGES_MARK, CAT_VALUES("purged"), purged);
}

/* A change that was deleted may have had a higher number than those that are left. */
apr_status_t cat_changes_find_end(cat_db_t *db, apr_int64_t *end)
{
    apr_int64_t purged;
    apr_status_t rv = cat_changes_find_purged(db, &purged);

    *end = 0;
    rv = rv == APR_SUCCESS ? cat_db_number(db, SQL_CHANGES_END, CAT_NO_VALUES, end) : rv;
    *end = rv == APR_SUCCESS && *end < purged ? purged : *end;
    return rv;
}

/* Nothing comes after `since`. If no change had that number, the database is a copy that was put back. */
static apr_status_t check_end(const reading_t *r)
{
    apr_int64_t end;
    apr_status_t rv = cat_changes_find_end(r->db, &end);

    return rv == APR_SUCCESS && r->since > end ? CAT_EPURGED : rv;
}

/* Runs in one view, so that no change is deleted between the statements. Reads no changes up to `purged`: they are about to be deleted, or only
 * skip the numbers of another database (SQL_CHANGES_SKIP). */
static apr_status_t read_after(void *baton)
{
    reading_t *r = baton;
    apr_pool_t *pool = r->db->pool;
    apr_int64_t purged;
    apr_status_t rv = cat_changes_find_purged(r->db, &purged);

    apr_array_clear(r->changes);
    if (rv == APR_SUCCESS && r->since > 0 && r->since < purged) {
        return CAT_EPURGED;
    }
    rv = rv == APR_SUCCESS ? cat_db_each(r->db, SQL_CHANGES_AFTER,
                                         CAT_VALUES(cat_number_write(pool, r->since > purged ? r->since : purged),
                                                    apr_itoa(pool, r->limit)),
                                         add_change, r->changes)
                           : rv;
    return rv == APR_SUCCESS && r->since > 0 && !r->changes->nelts ? check_end(r) : rv;
}

apr_status_t cat_changes_after(cat_db_t *db, apr_int64_t since, int limit, apr_array_header_t **changes,
                               apr_int64_t *next)
{
    reading_t r = {db, since, limit, apr_array_make(db->pool, 16, sizeof(cat_change_t))};
    apr_status_t rv;

    *changes = r.changes;
    if (since == CAT_CHANGES_END) {
        return cat_changes_find_end(db, next);
    }
    rv = cat_db_view(db, read_after, &r);
    *next = r.changes->nelts ? APR_ARRAY_IDX(r.changes, r.changes->nelts - 1, cat_change_t).seq : since;
    return rv;
}

/* ---- of a batch ---- */

static apr_int64_t read_number(const char *text)
{
    return text ? apr_atoi64(text) : 0;
}

apr_status_t cat_changes_get_batch(cat_db_t *db, apr_int64_t id, cat_change_batch_t *batch)
{
    const char *const *row;
    apr_status_t rv = cat_db_one(db, SQL_BATCHES_GET, CAT_VALUES(cat_number_write(db->pool, id)), &row);

    if (rv == APR_SUCCESS) {
        *batch = (cat_change_batch_t){
            .id = id,
            .at = cat_time_read(row[1]),
            .user_id = row[2],
            .source = row[3],
            .row_count = read_number(row[4]),
            .after_number = read_number(row[5]),
            .is_complete = *row[6] == '1',
            .undoes = read_number(row[7]),
            .undone_by = read_number(row[8]),
        };
    }
    return rv;
}

/* ---- of a product ---- */

apr_status_t cat_changes_count(cat_db_t *db, const char *id, apr_int64_t *count)
{
    return cat_db_number(db, SQL_CHANGES_COUNT, CAT_VALUES(id), count);
}

apr_status_t cat_changes_find(cat_db_t *db, const char *id, apr_int64_t seq, apr_int64_t *number)
{
    return cat_db_number(db, SQL_CHANGES_FIND, CAT_VALUES(id, cat_number_write(db->pool, seq)), number);
}

typedef struct walk_t {
    cat_db_t *db;
    const char *id;
    cat_changes_step_t *step;
    void *baton;
    apr_pool_t *pool, *other; /* of the portion, and of the next one */
    const char *const *row;   /* the product after the change that is next; NULL: there was none */
    const char *below;        /* the number of the change before */
    int count;                /* of the portion */
} walk_t;

static apr_status_t read_present(walk_t *w)
{
    const cat_basis_t *basis = cat_db_basis(w->db);
    cat_sql_t sql = basis && basis->is_writing ? SQL_PRODUCT_LOCK : SQL_PRODUCT_GET;
    apr_status_t rv = cat_db_one(w->db, sql, CAT_PRODUCT_IS(w->db->pool, w->id), &w->row);

    w->row = rv == APR_SUCCESS ? w->row : NULL;
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
}

/* A deletion has all of the product. Where an update finds none, its deletion was not noted, because CatalogHistory was Off then, or is in
 * another mount: so nobody knows what the product was, before that and at any time further back. */
static const char *const *revert_change(const walk_t *w, const cat_change_t *change)
{
    int is_deletion = !strcmp(change->op, CAT_CHANGE_DELETE);

    return is_deletion || w->row ? cat_change_notes_revert(w->pool, w->id, is_deletion ? NULL : w->row, change->former)
                                 : NULL;
}

static apr_status_t walk_portion(walk_t *w)
{
    apr_array_header_t *changes = apr_array_make(w->pool, PORTION, sizeof(cat_change_t));
    apr_status_t rv = cat_db_each(w->db, SQL_CHANGES_OF_PRODUCT, CAT_VALUES(w->id, w->below, APR_STRINGIFY(PORTION)),
                                  add_change, changes);

    w->count = changes->nelts;
    for (int i = 0; i < changes->nelts && rv == APR_SUCCESS; i++) {
        const cat_change_t *change = &APR_ARRAY_IDX(changes, i, cat_change_t);
        const char *const *before = revert_change(w, change);
        rv = w->step(w->baton, change, before, w->row);
        w->row = before;
        w->below = cat_number_write(w->other, change->number);
    }
    return rv;
}

/* What the next portion begins with goes to its pool. */
static void change_pools(walk_t *w)
{
    apr_pool_t *pool = w->pool;

    w->row = w->row ? cat_product_copy(w->other, w->row, CAT_PRODUCT_COLUMNS) : NULL;
    apr_pool_clear(pool);
    w->pool = w->other;
    w->other = pool;
}

apr_status_t cat_changes_walk(cat_db_t *db, const char *id, cat_changes_step_t *step, void *baton)
{
    walk_t w = {.db = db, .id = id, .step = step, .baton = baton, .below = NUMBER_MOST};
    apr_pool_t *before = db->pool;
    apr_status_t rv;

    apr_pool_create(&w.pool, before);
    apr_pool_create(&w.other, before);
    cat_db_use_pool(db, w.pool);
    rv = read_present(&w);
    do {
        cat_db_use_pool(db, w.pool);
        rv = rv == APR_SUCCESS ? walk_portion(&w) : rv;
        change_pools(&w);
    } while (rv == APR_SUCCESS && w.count == PORTION);
    cat_db_use_pool(db, before);
    apr_pool_destroy(w.pool);
    apr_pool_destroy(w.other);
    return rv == CAT_ENOUGH ? APR_SUCCESS : rv;
}

typedef struct search_t {
    apr_pool_t *pool;
    apr_int64_t number;
    int is_found;
    const char *const *row;
} search_t;

static apr_status_t find_before(void *baton, const cat_change_t *change, const char *const *before, const char *const *)
{
    search_t *s = baton;

    if (change->number != s->number) {
        return APR_SUCCESS;
    }
    s->is_found = 1;
    s->row = before ? cat_product_copy(s->pool, before, CAT_PRODUCT_COLUMNS) : NULL;
    return CAT_ENOUGH;
}

apr_status_t cat_changes_read_before(cat_db_t *db, const char *id, apr_int64_t number, const char *const **row)
{
    search_t s = {.pool = db->pool, .number = number};
    apr_status_t rv = cat_changes_walk(db, id, find_before, &s);

    *row = s.row;
    return rv == APR_SUCCESS && !s.is_found ? APR_NOTFOUND : rv;
}
