/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/page.h"

#include <apr_strings.h>

void cat_page_begin(cat_page_t *page, apr_pool_t *pool)
{
    page->total = 0;
    page->is_more = page->has_next = 0;
    page->rows = apr_array_make(pool, 16, sizeof(const char *const *));
}

static const char *write_number(const cat_page_t *page, apr_int64_t number)
{
    return apr_psprintf(page->rows->pool, "%" APR_INT64_T_FMT, number);
}

const char *cat_page_count_most(const cat_page_t *page)
{
    return write_number(page, page->most + 1);
}

int cat_page_find(cat_page_t *page, const char *total, const char **limit, const char **offset)
{
    apr_int64_t last;

    if (!total) {
        page->total = -1;
        *limit = write_number(page, page->limit + 1);
        *offset = "0";
        return 1;
    }
    page->total = apr_atoi64(total);
    page->is_more = page->most && page->total > page->most;
    page->total = page->is_more ? page->most : page->total;
    last = page->is_more ? APR_INT64_MAX / page->limit : (page->total + page->limit - 1) / page->limit;
    if (page->number > last) {
        return 0;
    }
    *limit = write_number(page, page->limit + page->is_more);
    *offset = write_number(page, (page->number - 1) * page->limit);
    return 1;
}

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
        row[i] = values[i] ? apr_pstrdup(pool, values[i]) : NULL;
    }
    APR_ARRAY_PUSH(page->rows, const char *const *) = row;
    return APR_SUCCESS;
}
