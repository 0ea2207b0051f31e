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

const char *cat_page_count_most(const cat_page_t *page)
{
    return cat_number_write(page->rows->pool, page->most + 1);
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
