/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a page of all products, however far back, and the total.
 *
 * A page near the newest product is one statement: it reads the rows of the first FEW before the page, or the keys of the
 * first NEAR in the index of the list's order, which is cheap, and needs no transaction.
 *
 * Any other page takes three steps in one transaction, so that all see the same products: which block of the list the page
 * begins in, as the counts (catalogue/product/counts.h) say; the list key of its first product, counted in the index from the
 * nearer end of that block; and the products from this key on. A page whose first product is one of the NEAR oldest skips
 * the first step: its block is the whole list.
 *
 *     newest | 0 .. NEAR: one statement | ... first <= the page's first product < next ... | the NEAR oldest | oldest
 */
#include "catalogue/list/list_page.h"

#include <apr_strings.h>

#include "db/db.h"

#define FEW 50
#define NEAR 2000

static const cat_list_key_t below_all = {"-9223372036854775808", ""};

typedef struct search_t {
    cat_db_t *db;
    apr_int64_t skip; /* products before the page */
    const char *limit;
    cat_row_t *row;
    void *baton;
    apr_int64_t total;
    /* The page begins between these two keys: at `first` or above it, and below `next`. */
    cat_list_key_t first, next;
    apr_int64_t newer;   /* products from `next` on */
    apr_int64_t between; /* products between the two */
    int passed;          /* blocks from `next` on */
    apr_int64_t deltas;  /* of the block that comes next */
    int is_found;        /* a block in which the page begins */
} search_t;

/* The sizes of the blocks come newest first, each behind its delta rows, where there are any. The search passes the blocks
 * before the page and ends at the next one. */
static apr_status_t take_size(void *baton, const char *const *values, int count)
{
    search_t *s = baton;
    apr_int64_t n = apr_atoi64(values[0]) + s->deltas;

    if (count > 1 && *values[1] == '0') {
        s->deltas = n;
        return APR_SUCCESS;
    }
    s->deltas = 0;
    if (s->newer + n <= s->skip) {
        s->newer += n;
        s->passed++;
        return APR_SUCCESS;
    }
    s->between = n;
    s->is_found = 1;
    return CAT_ENOUGH;
}

/* The key of the last block that was passed, if any was, then that of the block in which the page begins. */
static apr_status_t take_key(void *baton, const char *const *values, int)
{
    search_t *s = baton;

    if (s->first.created_at != below_all.created_at) {
        s->next = s->first;
    }
    s->first = (cat_list_key_t){apr_pstrdup(s->db->pool, values[0]), apr_pstrdup(s->db->pool, values[1])};
    return APR_SUCCESS;
}

/* APR_NOTFOUND: the blocks end before the page. */
static apr_status_t find_block(search_t *s)
{
    apr_status_t rv = cat_db_each(s->db, SQL_COUNTS_SIZES, CAT_NO_VALUES, take_size, s);

    if (rv != APR_SUCCESS || !s->is_found) {
        return rv == APR_SUCCESS ? APR_NOTFOUND : rv;
    }
    return cat_db_each(s->db, SQL_COUNTS_KEYS,
                       CAT_VALUES(s->passed ? "2" : "1", apr_itoa(s->db->pool, s->passed ? s->passed - 1 : 0)),
                       take_key, s);
}

/* Counts up or down to the first product of the page from the nearer end of the block. */
static apr_status_t find_key(const search_t *s, const char *const **key)
{
    apr_int64_t above = s->skip - s->newer, below = s->between - 1 - above;
    int is_down = above <= below;
    const cat_list_key_t *end = is_down ? &s->next : &s->first;

    return cat_db_one(s->db, is_down ? SQL_PRODUCT_KEY_BELOW : SQL_PRODUCT_KEY_ABOVE,
                      CAT_VALUES(end->created_at, end->id, apr_off_t_toa(s->db->pool, is_down ? above : below)), key);
}

/* The total, and the page unless the list ends before it. */
static apr_status_t read_far(void *baton)
{
    search_t *s = baton;
    const char *const *key;
    apr_status_t rv = cat_db_number(s->db, SQL_PRODUCT_TOTAL, CAT_NO_VALUES, &s->total);

    if (s->skip >= s->total) {
        return rv;
    }
    s->first = below_all;
    s->next = CAT_LIST_KEY_MAX;
    s->newer = 0;
    s->between = s->total;
    s->passed = 0;
    s->deltas = 0;
    s->is_found = 0;
    rv = s->total - s->skip > NEAR ? find_block(s) : APR_SUCCESS;
    rv = rv == APR_SUCCESS ? find_key(s, &key) : rv;
    if (rv == APR_SUCCESS) {
        rv = cat_db_each(s->db, SQL_PRODUCT_LIST_AT, CAT_VALUES(key[0], key[1], s->limit), s->row, s->baton);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv; /* the counts are wrong */
}

/* The last column, the same in each row, is the total. */
static apr_status_t take_product(void *baton, const char *const *values, int count)
{
    search_t *s = baton;

    if (!s->total) {
        s->total = apr_atoi64(values[count - 1]);
    }
    return s->row(s->baton, values, count - 1);
}

/* Without rows the total is not known: the page is beyond the end, or the catalogue is empty. */
apr_status_t cat_list_page_read(cat_db_t *db, const cat_list_query_t *query, cat_row_t *row, void *baton,
                                apr_int64_t *total)
{
    search_t s = {.db = db,
                  .skip = cat_query_count_skipped(query),
                  .limit = apr_off_t_toa(db->pool, query->limit),
                  .row = row,
                  .baton = baton};
    const char *skip = apr_off_t_toa(db->pool, s.skip);
    apr_status_t rv = APR_SUCCESS;

    if (s.skip <= FEW) {
        rv = cat_db_each(db, SQL_PRODUCT_LIST, CAT_VALUES(s.limit, skip), take_product, &s);
    } else if (s.skip <= NEAR) {
        rv = cat_db_each(db, SQL_PRODUCT_LIST_NEAR, CAT_VALUES(skip, s.limit), take_product, &s);
    }
    if (rv == APR_SUCCESS && !s.total && s.skip > 0) {
        rv = cat_db_view(db, read_far, &s);
    }
    *total = s.total;
    return rv;
}
