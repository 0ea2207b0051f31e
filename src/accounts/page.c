/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/page.h"

#include <apr_strings.h>

#include "lib/number.h"

void cat_page_begin(cat_page_t *page, apr_pool_t *pool)
{
    page->total = 0;
    page->is_more = page->has_next = 0;
    page->rows = apr_array_make(pool, 16, sizeof(const char *const *));
}

int cat_page_find(cat_page_t *page, const char *total, const char **limit, const char **offset)
{
    apr_int64_t last;

    page->total = apr_atoi64(total);
    page->is_more = page->most && page->total > page->most;
    page->total = page->is_more ? page->most : page->total;
    last = page->is_more ? APR_INT64_MAX / page->limit : (page->total + page->limit - 1) / page->limit;
    if (page->number > last) {
        return 0;
    }
    *limit = cat_number_write(page->rows->pool, page->limit + page->is_more);
    *offset = cat_number_write(page->rows->pool, (page->number - 1) * page->limit);
    return 1;
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
} reading_t;

static apr_status_t read_page(void *baton)
{
    const reading_t *r = baton;
    const cat_page_query_t *query = r->query;
    const char *values[CAT_PAGE_VALUES_MAX + 2], **behind = values + query->count, *const * row;
    apr_status_t rv;

    cat_page_begin(r->page, r->db->pool);
    for (int i = 0; i < query->count; i++) {
        values[i] = query->values[i];
    }
    behind[0] = cat_number_write(r->db->pool, r->page->most + 1);
    rv = cat_db_one(r->db, query->counts, values, query->count + query->is_bounded, &row);
    if (rv != APR_SUCCESS || !cat_page_find(r->page, row[0], &behind[0], &behind[1])) {
        return rv;
    }
    return cat_db_each(r->db, query->selects, values, query->count + 2, query->add ? query->add : cat_page_add_row,
                       r->page);
}

apr_status_t cat_page_read(cat_db_t *db, const cat_page_query_t *query, cat_page_t *page)
{
    reading_t r = {db, query, page};

    return cat_db_view(db, read_page, &r);
}
