/* SPDX-License-Identifier: Apache-2.0 */
#include "db/rank.h"

#include <apr_strings.h>
#include <stdlib.h>

#include "lib/answer.h"

/* Of the first products, walking costs less than looking for the place. */
#define NEAR 50

typedef struct place_t {
    const char *created_at, *id;
} place_t;

static const place_t below_all = {"-9223372036854775808", ""}, above_all = {"9223372036854775807", ""};

static const char *number(apr_pool_t *pool, apr_int64_t n)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT, n);
}

typedef struct search_t {
    apr_pool_t *pool;
    cat_db_t *db;
    cat_rank_page_t *page;
    /* Where the page begins lies between these two. */
    place_t first, next;
    apr_int64_t newer; /* products from next on */
} search_t;

/* Of parts, the newest first, passes those that lie before the page. Returns how many products they all have. */
static apr_int64_t pass(search_t *s, const char *parts, int *passed)
{
    apr_int64_t sum = s->newer;
    char *end;

    *passed = 0;
    for (const char *part = parts; part && *part; part = *end ? end + 1 : end) {
        sum += strtoll(part, &end, 10);
        if (sum <= s->page->skip) {
            s->newer = sum;
            ++*passed;
        }
    }
    return sum;
}

/* Keys come from the newest on: that of the last part that was passed, if one was, and that of the part behind it. */
typedef struct keys_t {
    search_t *search;
    int row;
} keys_t;

static apr_status_t take_key(void *baton, const char *const *values, int count)
{
    keys_t *keys = baton;
    search_t *s = keys->search;
    place_t *const end[] = {&s->next, &s->first};

    (void)count;
    if (keys->row < 2) {
        *end[keys->row++] = (place_t){apr_pstrdup(s->pool, values[0]), apr_pstrdup(s->pool, values[1])};
    }
    return APR_SUCCESS;
}

/* Narrows the search down to one part of the level. *total: the products of all parts of it that were in question. */
static apr_status_t narrow(search_t *s, const char *level, apr_int64_t *total)
{
    const char *const *parts;
    keys_t keys = {.search = s};
    int passed;
    apr_status_t rv =
        cat_db_one(s->db, SQL_COUNTS_PARTS,
                   CAT_VALUES(level, s->first.created_at, s->first.id, s->next.created_at, s->next.id), &parts);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    *total = pass(s, parts[0], &passed);
    keys.row = passed ? 0 : 1;
    return cat_db_each(s->db, SQL_COUNTS_KEYS,
                       CAT_VALUES(level, s->first.created_at, s->first.id, s->next.created_at, s->next.id,
                                  number(s->pool, passed ? passed - 1 : 0)),
                       take_key, &keys);
}

static apr_status_t find_page(void *baton)
{
    search_t *s = baton;
    cat_rank_page_t *page = s->page;
    apr_int64_t rest;
    apr_status_t rv;

    s->first = below_all;
    s->next = above_all;
    s->newer = 0;
    rv = narrow(s, "1", &page->total);
    if (rv != APR_SUCCESS || page->skip >= page->total) {
        return rv;
    }
    rv = narrow(s, "0", &rest);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    return cat_db_each(s->db, SQL_PRODUCT_LIST_FROM,
                       CAT_VALUES(s->next.created_at, s->next.id, number(s->pool, page->limit),
                                  number(s->pool, page->skip - s->newer)),
                       page->row, page->baton);
}

/* The total stands behind the columns. */
static apr_status_t take_near(void *baton, const char *const *values, int count)
{
    cat_rank_page_t *page = baton;

    page->total = apr_atoi64(values[count - 1]);
    return page->row(page->baton, values, count - 1);
}

apr_status_t cat_rank_page(apr_pool_t *pool, cat_db_t *db, cat_rank_page_t *page)
{
    search_t search = {.pool = pool, .db = db, .page = page};
    apr_status_t rv = APR_SUCCESS;

    page->total = 0;
    if (page->skip <= NEAR) {
        rv = cat_db_each(db, SQL_PRODUCT_LIST, CAT_VALUES(number(pool, page->limit), number(pool, page->skip)),
                         take_near, page);
    }
    if (rv != APR_SUCCESS || page->total || page->skip == 0) {
        return rv;
    }
    return cat_db_view(db, find_page, &search);
}
