/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pagination.h"

#include <string.h>

#include "http/link_header.h"

/* Longer ones would make the header too large for the buffers of proxies. */
#define LINK_PARAMETERS_MAX 1024 /* octets, of each target */

static apr_int64_t count_pages(const cat_pagination_t *pagination)
{
    return (pagination->total + pagination->limit - 1) / pagination->limit;
}

static void add_total(cat_buffer_t *b, const cat_pagination_t *pagination)
{
    CAT_BUFFER_LITERAL(b, ",\"total\":");
    cat_buffer_add_int(b, pagination->total);
    if (pagination->page) {
        CAT_BUFFER_LITERAL(b, ",\"pages\":");
        cat_buffer_add_int(b, count_pages(pagination));
    }
    if (pagination->is_more) {
        CAT_BUFFER_LITERAL(b, ",\"totalRelation\":\"gte\"");
    }
}

void cat_pagination_end_data(cat_buffer_t *b, const cat_pagination_t *pagination)
{
    CAT_BUFFER_LITERAL(b, "],\"pagination\":{");
    if (pagination->page) {
        CAT_BUFFER_LITERAL(b, "\"page\":");
        cat_buffer_add_int(b, pagination->page);
        CAT_BUFFER_LITERAL(b, ",");
    }
    CAT_BUFFER_LITERAL(b, "\"limit\":");
    cat_buffer_add_int(b, pagination->limit);
    if (pagination->total >= 0) {
        add_total(b, pagination);
    }
    if (pagination->next) {
        CAT_BUFFER_LITERAL(b, ",\"nextCursor\":\"");
        cat_buffer_add_text(b, pagination->next);
        CAT_BUFFER_LITERAL(b, "\"");
    }
    CAT_BUFFER_LITERAL(b, "}");
}

void cat_pagination_write_link(cat_buffer_t *b, const cat_pagination_t *pagination, const char *parameters)
{
    if (strlen(parameters) > LINK_PARAMETERS_MAX) {
        return;
    }
    if (!pagination->page) {
        cat_link_header_cursor(b, pagination->next, parameters);
    } else if (pagination->total < 0 || pagination->is_more) {
        cat_link_header_open_pages(b, pagination->page, pagination->has_next, parameters);
    } else {
        cat_link_header_pages(b, pagination->page, count_pages(pagination), parameters);
    }
}
