/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pagination.h"

apr_int64_t cat_pagination_count_pages(apr_int64_t total, apr_int64_t limit)
{
    return (total + limit - 1) / limit;
}

void cat_pagination_end_page(cat_buffer_t *b, apr_int64_t page, apr_int64_t limit, apr_int64_t total)
{
    CAT_BUFFER_LITERAL(b, "],\"pagination\":{\"page\":");
    cat_buffer_add_int(b, page);
    CAT_BUFFER_LITERAL(b, ",\"limit\":");
    cat_buffer_add_int(b, limit);
    CAT_BUFFER_LITERAL(b, ",\"total\":");
    cat_buffer_add_int(b, total);
    CAT_BUFFER_LITERAL(b, ",\"pages\":");
    cat_buffer_add_int(b, cat_pagination_count_pages(total, limit));
    CAT_BUFFER_LITERAL(b, "}}");
}
