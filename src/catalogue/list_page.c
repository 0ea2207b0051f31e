/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/list_page.h"

#include <apr_strings.h>

#include "db/checkout.h"

/* Reading past so few products costs less than finding the part in which the page begins. */
#define NEAR 50

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
    int is_found;        /* the last level that was read has a part in which the page begins */
} search_t;

/* Parts come newest first. The search passes those before the page and ends at the next one. */
static apr_status_t take_part(void *baton, const char *const *values, int count)
{
    search_t *s = baton;
    cat_list_key_t first = {apr_pstrdup(s->db->pool, values[0]), apr_pstrdup(s->db->pool, values[1])};
    apr_int64_t n = apr_atoi64(values[2]);

    (void)count;
    if (s->newer + n <= s->skip) {
        s->newer += n;
        s->next = first;
        return APR_SUCCESS;
    }
    s->first = first;
    s->between = n;
    s->is_found = 1;
    return CAT_ENOUGH;
}

/* Narrows the search to one part of the level, if the list has so many products. */
static apr_status_t search_level(search_t *s, const char *level)
{
    s->is_found = 0;
    return cat_db_each(s->db, SQL_COUNTS_PARTS,
                       CAT_VALUES(level, s->first.created_at, s->first.id, s->next.created_at, s->next.id), take_part,
                       s);
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

/* Counts up or down to the first product from the nearer end of the part. */
static apr_status_t read_in_part(search_t *s)
{
    apr_int64_t above = s->skip - s->newer, below = s->between - 1 - above;

    if (above <= below) {
        return cat_db_each(s->db, SQL_PRODUCT_LIST_FROM,
                           CAT_VALUES(s->next.created_at, s->next.id, s->limit, apr_off_t_toa(s->db->pool, above)),
                           take_product, s);
    }
    return cat_db_each(s->db, SQL_PRODUCT_LIST_ABOVE,
                       CAT_VALUES(s->first.created_at, s->first.id, apr_off_t_toa(s->db->pool, below), s->limit),
                       take_product, s);
}

static apr_status_t read_by_counts(void *baton)
{
    search_t *s = baton;
    static const char *const levels[] = {"2", "1", "0"};

    s->first = below_all;
    s->next = CAT_LIST_KEY_MAX;
    s->newer = 0;
    s->total = 0;
    for (int i = 0; i < 3; i++) {
        apr_status_t rv = search_level(s, levels[i]);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!s->is_found) { /* the list ends before the page */
            s->total = s->newer;
            return APR_SUCCESS;
        }
    }
    return read_in_part(s);
}

static apr_status_t read_from_the_newest(search_t *s)
{
    return cat_db_each(s->db, SQL_PRODUCT_LIST, CAT_VALUES(s->limit, apr_off_t_toa(s->db->pool, s->skip)), take_product,
                       s);
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
    apr_status_t rv = s.skip <= NEAR ? read_from_the_newest(&s) : APR_SUCCESS;

    if (rv == APR_SUCCESS && !s.total && s.skip > 0) {
        rv = cat_db_view(db, read_by_counts, &s);
    }
    *total = s.total;
    return rv;
}
