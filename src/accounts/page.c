/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a page of a list by number or by cursor. By number: counts the rows of the list, then selects the rows of the
 * page with an OFFSET. By cursor, for long lists: the id of the last row before the page is a condition of the
 * statement, so the database neither counts nor skips rows.
 */
#include "accounts/page.h"

#include <apr_strings.h>

#include "lib/number.h"

const char *cat_page_bound(const cat_page_t *page, const char *most)
{
    return page->after && *page->after ? page->after : most;
}

apr_status_t cat_page_add_row(void *baton, const char *const *values, int count)
{
    cat_page_t *page = baton;
    apr_pool_t *pool = page->rows->pool;
    const char **row;

    if (page->rows->nelts == page->limit) {
        page->has_next = 1;
        return APR_SUCCESS;
    }
    row = apr_palloc(pool, (apr_size_t)count * sizeof(*row));
    for (int i = 0; i < count; i++) {
        row[i] = apr_pstrdup(pool, values[i]);
    }
    APR_ARRAY_PUSH(page->rows, const char *const *) = row;
    return APR_SUCCESS;
}

typedef struct reading_t {
    cat_db_t *db;
    const cat_page_query_t *query;
    cat_page_t *page;
    const char *values[CAT_PAGE_VALUES_MAX + 2]; /* The values of the query, then the limit, or LIMIT and OFFSET. */
    const char *total;                           /* Number of rows, decimal. */
} reading_t;

/* Deletes the rows of an earlier run, because cat_db_view and cat_db_search may run read_page several times. */
static void begin(reading_t *r)
{
    r->page->total = 0;
    r->page->is_more = r->page->has_next = 0;
    r->page->rows = apr_array_make(r->db->pool, 16, sizeof(const char *const *));
    for (int i = 0; i < r->query->count; i++) {
        r->values[i] = r->query->values[i];
    }
}

static apr_status_t keep_total(void *baton, const char *const *row, int)
{
    reading_t *r = baton;

    r->total = apr_pstrdup(r->db->pool, row[0]);
    return APR_SUCCESS;
}

static apr_status_t count_rows(reading_t *r)
{
    const cat_page_query_t *query = r->query;
    int count = query->count + query->is_bounded;

    r->total = "0";
    r->values[query->count] = cat_number_write(r->db->pool, r->page->most + 1);
    return query->count_text ? cat_db_each_text(r->db, query->count_text, r->values, count, keep_total, r)
                             : cat_db_each(r->db, query->counts, r->values, count, keep_total, r);
}

static apr_status_t select_rows(reading_t *r, apr_int64_t limit, apr_int64_t offset)
{
    const cat_page_query_t *query = r->query;
    cat_row_t *add = query->add ? query->add : cat_page_add_row;
    int count = query->count + 2;

    r->values[query->count] = cat_number_write(r->db->pool, limit);
    r->values[query->count + 1] = cat_number_write(r->db->pool, offset);
    return query->select_text ? cat_db_each_text(r->db, query->select_text, r->values, count, add, r->page)
                              : cat_db_each(r->db, query->selects, r->values, count, add, r->page);
}

/* Sets page->total and page->is_more. Returns 0 if the page is after the end of the list, or so far from its start that
 * the OFFSET would overflow. */
static int set_total(cat_page_t *page, const char *total)
{
    page->total = apr_atoi64(total);
    page->is_more = page->most && page->total > page->most;
    page->total = page->is_more ? page->most : page->total;
    return page->is_more ? page->number <= APR_INT64_MAX / page->limit
                         : page->number <= (page->total + page->limit - 1) / page->limit;
}

static apr_status_t read_by_number(reading_t *r)
{
    cat_page_t *page = r->page;
    apr_status_t rv = count_rows(r);

    return rv == APR_SUCCESS && set_total(page, r->total)
               ? select_rows(r, page->limit + page->is_more, (page->number - 1) * page->limit)
               : rv;
}

static apr_status_t read_page(void *baton)
{
    reading_t *r = baton;

    begin(r);
    if (!r->page->after) {
        return read_by_number(r);
    }
    r->page->total = -1;
    return select_rows(r, r->page->limit + 1, 0);
}

apr_status_t cat_page_read(cat_db_t *db, const cat_page_query_t *query, cat_page_t *page)
{
    reading_t r = {.db = db, .query = query, .page = page};

    return query->select_text ? cat_db_search(db, read_page, &r) : cat_db_view(db, read_page, &r);
}
