/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a page of all products, and the total.
 *
 * A page near the newest product is one statement: it reads the rows of the first FEW before the page, or the numbers of the
 * first NEAR in the index of the list's order, which is cheap, and needs no transaction.
 *
 * Any other page takes three statements in one transaction, so that all see the same products: the total; the number of
 * the last product before the page, counted in the index from the nearer end of the list; and the products below this number.
 *
 *     newest | 0 .. NEAR: one statement | counted from the newest | counted from the oldest | oldest
 */
#include "catalogue/list/list_page.h"

#include <apr_strings.h>

#include "db/db.h"
#include "lib/number.h"

#define FEW 50
#define NEAR 2000

typedef struct search_t {
    cat_db_t *db;
    apr_int64_t skip; /* products before the page */
    const char *limit;
    cat_row_t *row;
    void *baton;
    apr_int64_t total;
} search_t;

/* Reads the number of the last product before the page, of which there is one. Returns APR_NOTFOUND if the list ends before the page, because the total does not count the
 * writes of other programs. */
static apr_status_t find_key(const search_t *s, const char *const **key)
{
    apr_int64_t newer = s->skip - 1, older = s->total - s->skip;
    int is_newer = newer <= older;
    apr_int64_t end = is_newer ? CAT_LIST_KEY_MAX : CAT_LIST_KEY_MIN;

    return cat_db_one(
        s->db, is_newer ? SQL_PRODUCT_KEY_BELOW : SQL_PRODUCT_KEY_ABOVE,
        CAT_VALUES(cat_number_write(s->db->pool, end), apr_off_t_toa(s->db->pool, is_newer ? newer : older)), key);
}

/* Reads the total, and the page unless the list ends before it. */
static apr_status_t read_far(void *baton)
{
    search_t *s = baton;
    const char *const *key;
    apr_status_t rv = cat_db_number(s->db, SQL_PRODUCT_TOTAL, CAT_NO_VALUES, &s->total);

    if (rv != APR_SUCCESS || s->skip >= s->total) {
        return rv;
    }
    rv = find_key(s, &key);
    if (rv == APR_SUCCESS) {
        rv = cat_db_each(s->db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(key[0], s->limit), s->row, s->baton);
    }
    return rv == APR_NOTFOUND ? APR_SUCCESS : rv;
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
