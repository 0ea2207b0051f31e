/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/list_page.h"

#include <apr_strings.h>

#include "catalogue/list_key.h"
#include "catalogue/product.h"
#include "http/answer.h"

/* Of the first products, walking costs less than looking for its key. */
#define NEAR 50

static const cat_list_key_t below_all = {"-9223372036854775808", ""};

typedef struct search_t {
    apr_pool_t *pool;
    cat_db_t *db;
    cat_list_page_t *page;
    /* Where the page begins lies between these two. */
    cat_list_key_t first, next;
    apr_int64_t newer; /* products from next on */
    apr_int64_t between;
    int is_narrow; /* it begins in one part of the level that was looked at last */
} search_t;

/* Of parts, the newest first, those before the page are passed; it begins in the next one. */
static apr_status_t take_part(void *baton, const char *const *values, int count)
{
    search_t *s = baton;
    cat_list_key_t first = {apr_pstrdup(s->pool, values[0]), apr_pstrdup(s->pool, values[1])};
    apr_int64_t n = apr_atoi64(values[2]);

    (void)count;
    if (s->newer + n <= s->page->skip) {
        s->newer += n;
        s->next = first;
        return APR_SUCCESS;
    }
    s->first = first;
    s->between = n;
    s->is_narrow = 1;
    return APR_EOF;
}

/* Narrows the search down to one part of the level, if the list goes so far. */
static apr_status_t narrow(search_t *s, const char *level)
{
    s->is_narrow = 0;
    return cat_db_each(s->db, SQL_COUNTS_PARTS,
                       CAT_VALUES(level, s->first.created_at, s->first.id, s->next.created_at, s->next.id), take_part,
                       s);
}

/* The total stands behind the columns, the same in each row. */
static apr_status_t take_product(void *baton, const char *const *values, int count)
{
    cat_list_page_t *page = baton;

    if (!page->total) {
        page->total = apr_atoi64(values[count - 1]);
    }
    return page->row(page->baton, values, count - 1);
}

/* Walks from the nearer end of the part. */
static apr_status_t walk(search_t *s)
{
    cat_list_page_t *page = s->page;
    apr_int64_t above = page->skip - s->newer, below = s->between - 1 - above;
    const char *limit = apr_off_t_toa(s->pool, page->limit);

    if (above <= below) {
        return cat_db_each(s->db, SQL_PRODUCT_LIST_FROM,
                           CAT_VALUES(s->next.created_at, s->next.id, limit, apr_off_t_toa(s->pool, above)),
                           take_product, page);
    }
    return cat_db_each(s->db, SQL_PRODUCT_LIST_ABOVE,
                       CAT_VALUES(s->first.created_at, s->first.id, apr_off_t_toa(s->pool, below), limit), take_product,
                       page);
}

static apr_status_t find_page(void *baton)
{
    search_t *s = baton;
    static const char *const levels[] = {"2", "1", "0"};

    s->first = below_all;
    s->next = CAT_LIST_KEY_MAX;
    s->newer = 0;
    s->page->total = 0;
    for (int i = 0; i < 3; i++) {
        apr_status_t rv = narrow(s, levels[i]);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (!s->is_narrow) { /* the list ends before it */
            s->page->total = s->newer;
            return APR_SUCCESS;
        }
    }
    return walk(s);
}

apr_status_t cat_list_page_read(apr_pool_t *pool, cat_db_t *db, cat_list_page_t *page)
{
    search_t search = {.pool = pool, .db = db, .page = page};
    apr_status_t rv = APR_SUCCESS;

    page->total = 0;
    if (page->skip <= NEAR) {
        rv = cat_db_each(db, SQL_PRODUCT_LIST,
                         CAT_VALUES(apr_off_t_toa(pool, page->limit), apr_off_t_toa(pool, page->skip)), take_product,
                         page);
    }
    if (rv != APR_SUCCESS || page->total || page->skip == 0) {
        return rv;
    }
    return cat_db_view(db, find_page, &search);
}
