/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common functions for the lists of users, mails, audit entries, webhooks, batches of changes, and for a product's
 * history. These lists are read by page, from the database in every request. Their links repeat the parameters of the
 * request as they were sent. The lists that grow with every request can also be read by cursor, because the database
 * must skip all rows before a page that is selected by its number.
 */
#include "api/admin_list.h"

#include <string.h>

#include "api/failure.h"
#include "api/pagination.h"

#define TEXT_MAX 254 /* bytes */

cat_answer_t *cat_admin_list_parse(cat_request_t *q, cat_parameters_t *p, const cat_parameter_row_t *rows,
                                   cat_admin_list_t *list)
{
    *list = (cat_admin_list_t){.conf = q->conf, .page = {.number = 1, .limit = q->conf->default_limit}};
    cat_buffer_init(&list->link, q->pool, 64);
    cat_parameters_init(p, q->pool, q->strict, q->query);
    cat_parameters_parse(p, rows, list);
    if (p->errors) {
        return cat_answer_invalid(q->pool, CAT_PROBLEM_VALIDATION, p->errors);
    }
    return list->page.after && list->has_page
               ? cat_answer_problem(q->pool, CAT_PROBLEM_CURSOR, "page and cursor cannot be combined; send one of them")
               : NULL;
}

void cat_admin_list_parse_page(void *list, cat_parameters_t *, const cat_parameter_t *parameter)
{
    cat_admin_list_t *l = list;
    l->page.number = cat_parameters_parse_page(parameter);
    l->has_page = 1;
}

void cat_admin_list_parse_cursor(cat_admin_list_t *list, cat_parameters_t *p, const cat_parameter_t *parameter,
                                 cat_admin_list_check_t *check)
{
    list->page.after = parameter->value ? parameter->value : "";
    if (*list->page.after && !check(list->page.after)) {
        cat_parameters_add_error(p, parameter->name, "invalid", "must be the nextCursor of a page, or empty");
    }
}

json_t *cat_admin_list_describe_cursor(const cat_conf_t *)
{
    return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9a-f-]*$");
}

void cat_admin_list_parse_limit(void *list, cat_parameters_t *, const cat_parameter_t *parameter)
{
    cat_admin_list_t *l = list;
    l->page.limit = cat_parameters_parse_limit(parameter, l->conf->default_limit, l->conf->max_limit);
}

void cat_admin_list_keep(cat_admin_list_t *list, const cat_parameter_t *parameter)
{
    CAT_BUFFER_LITERAL(&list->link, "&");
    cat_buffer_add_text(&list->link, parameter->name);
    CAT_BUFFER_LITERAL(&list->link, "=");
    cat_parameters_write(&list->link, parameter->value);
}

const char *cat_admin_list_take_text(cat_admin_list_t *list, cat_parameters_t *p, const cat_parameter_t *parameter)
{
    if (!parameter->value || !*parameter->value || strlen(parameter->value) > TEXT_MAX) {
        cat_parameters_add_error(p, parameter->name, "invalid", "must be a text of 1 to 254 bytes");
        return NULL;
    }
    cat_admin_list_keep(list, parameter);
    return parameter->value;
}

static void write_rows(cat_buffer_t *b, const cat_page_t *page, const cat_field_t *fields, int count)
{
    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":[");
    for (int i = 0; i < page->rows->nelts; i++) {
        if (i) {
            CAT_BUFFER_LITERAL(b, ",");
        }
        cat_fields_write(b, fields, count, APR_ARRAY_IDX(page->rows, i, const char *const *));
    }
}

/* Returns the id of the page's last row, its first column, or NULL if no page follows. */
static const char *find_cursor(const cat_page_t *page)
{
    return page->has_next ? APR_ARRAY_IDX(page->rows, page->rows->nelts - 1, const char *const *)[0] : NULL;
}

static const char *write_headers(const cat_admin_list_t *list, const cat_pagination_t *pagination)
{
    cat_buffer_t parameters, headers;

    cat_buffer_init(&parameters, list->link.pool, list->link.length + 32);
    CAT_BUFFER_LITERAL(&parameters, "&limit=");
    cat_buffer_add_int(&parameters, pagination->limit);
    cat_buffer_add(&parameters, list->link.data, list->link.length);
    cat_buffer_init(&headers, list->link.pool, 256);
    cat_pagination_write_headers(&headers, pagination, cat_buffer_text(&parameters));
    return cat_buffer_text(&headers);
}

cat_answer_t *cat_admin_list_answer(cat_request_t *q, apr_status_t rv, const cat_admin_list_t *list,
                                    const cat_parameters_t *p, const cat_field_t *fields, int count)
{
    const cat_page_t *page = &list->page;
    cat_pagination_t pagination = {.page = page->after ? 0 : page->number,
                                   .limit = page->limit,
                                   .total = page->total,
                                   .is_more = page->is_more,
                                   .has_next = page->has_next,
                                   .next = page->after ? find_cursor(page) : NULL};
    cat_answer_t *answer;
    cat_buffer_t b;

    if (rv != APR_SUCCESS) {
        return cat_failure_answer(q->pool, rv);
    }
    cat_buffer_init(&b, q->pool, 4096);
    write_rows(&b, page, fields, count);
    cat_pagination_end_data(&b, &pagination);
    CAT_BUFFER_LITERAL(&b, "}");
    answer = cat_answer_text(q->pool, 200, b.data, b.length);
    cat_pagination_add_headers(q->pool, answer, write_headers(list, &pagination));
    if (p->ignored) {
        cat_answer_name_ignored(answer, q->pool, p->ignored);
    }
    return answer;
}
