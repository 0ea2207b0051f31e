/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the position of a page in its list, to the body and to the headers:
 *
 *     by page      "pagination": {"page": 2, "limit": 10, "total": 42, "pages": 5}
 *                  X-Total-Count: 42    Link: first, prev, next, last
 *     by cursor    "pagination": {"limit": 10, "nextCursor": "..."}
 *                  Link: first, next
 *
 * The response cache stores the headers of a list as one text. So the headers are first written to a text, from which
 * each response gets them.
 */
#include "api/pagination.h"

#include <apr_strings.h>
#include <string.h>

#include "http/link_header.h"

/* Largest number of bytes of the parameters in each target of Link. Longer headers exceed the buffers of proxies. */
#define LINK_PARAMETERS_MAX 1024

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

static void write_link(cat_buffer_t *b, const cat_pagination_t *pagination, const char *parameters)
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

void cat_pagination_write_headers(cat_buffer_t *b, const cat_pagination_t *pagination, const char *parameters)
{
    if (pagination->total >= 0 && !pagination->is_more) {
        cat_buffer_add_int(b, pagination->total);
    }
    CAT_BUFFER_LITERAL(b, "\n");
    write_link(b, pagination, parameters);
}

void cat_pagination_add_headers(apr_pool_t *pool, cat_answer_t *answer, const char *headers)
{
    apr_size_t length = strcspn(headers, "\n");
    const char *link = headers + length + strlen("\n");

    if (length) {
        cat_answer_header(answer, pool, "X-Total-Count", apr_pstrmemdup(pool, headers, length));
    }
    if (*link) {
        cat_answer_header(answer, pool, "Link", link);
    }
}

cat_answer_t *cat_pagination_answer(apr_pool_t *pool, const cat_cached_list_t *list, const apr_array_header_t *ignored)
{
    cat_answer_t *answer = cat_answer_text(pool, 200, list->body, list->length);

    answer->tag = CAT_TAG_WEAK;
    answer->hash = list->hash;
    cat_pagination_add_headers(pool, answer, list->headers);
    if (ignored) {
        cat_answer_name_ignored(answer, pool, ignored);
    }
    return answer;
}

static const cat_member_t members[] = {
    {"page", &cat_schema_whole, CAT_USUALLY, "The number of this page; absent by cursor"},
    {"limit", &cat_schema_whole, CAT_ALWAYS, "How many elements a page has"},
    {"total", &cat_schema_whole, CAT_USUALLY, "How many elements the whole list has; absent if nothing was counted"},
    {"pages", &cat_schema_whole, CAT_USUALLY, "How many pages it has"},
    {"totalRelation", &cat_schema_gte, CAT_RARELY,
     "`gte`: the list has more than `total` elements, which were not counted"},
    {"nextCursor", &cat_schema_text, CAT_RARELY, "By cursor: what continues the list; absent at its end"},
    CAT_MEMBER_END,
};
const cat_shape_t cat_pagination_shape = {.kind = CAT_SHAPE_OBJECT, .name = "Pagination", .members = members};
