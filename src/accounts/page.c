/* SPDX-License-Identifier: Apache-2.0 */
#include "accounts/page.h"

#include <apr_strings.h>

void cat_page_begin(cat_page_t *page, apr_pool_t *pool)
{
    page->total = 0;
    page->rows = apr_array_make(pool, 16, sizeof(const char *const *));
}

int cat_page_find(cat_page_t *page, const char *total, const char **limit, const char **offset)
{
    apr_pool_t *pool = page->rows->pool;

    page->total = apr_atoi64(total);
    if (page->total == 0 || page->number - 1 > (page->total - 1) / page->limit) {
        return 0;
    }
    *limit = apr_psprintf(pool, "%" APR_INT64_T_FMT, page->limit);
    *offset = apr_psprintf(pool, "%" APR_INT64_T_FMT, (page->number - 1) * page->limit);
    return 1;
}

apr_status_t cat_page_add_row(void *baton, const char *const *values, int count)
{
    const cat_page_t *page = baton;
    apr_pool_t *pool = page->rows->pool;
    const char **row = apr_palloc(pool, (apr_size_t)count * sizeof(*row));

    for (int i = 0; i < count; i++) {
        row[i] = values[i] ? apr_pstrdup(pool, values[i]) : NULL;
    }
    APR_ARRAY_PUSH(page->rows, const char *const *) = row;
    return APR_SUCCESS;
}
