/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/query.h"

#include <string.h>

#include "catalogue/cursor.h"
#include "http/parameters.h"
#include "jose/keyring.h"
#include "lib/buffer.h"
#include "lib/number.h"

#define PARAMETERS_SIZE 32 /* octets: a guess of cat_list_query_t's */
#define KEY_SIZE 128       /* octets: a guess of a key with a cursor */

typedef struct parsing_t {
    cat_parameters_t parameters;
    const cat_conf_t *conf;
    cat_list_query_t *query;
    const char *cursor;      /* the client's; NULL: none, or its encoding is broken */
    unsigned sent, repeated; /* bits: the rows of the table that were sent, that were sent twice */
} parsing_t;

static void parse_page(parsing_t *p, const cat_parameter_t *parameter)
{
    apr_int64_t page;

    p->query->page = cat_number_parse_integer(parameter->value, &page) && page > 0 ? page : 1;
}

static void parse_cursor(parsing_t *p, const cat_parameter_t *parameter)
{
    p->cursor = parameter->value;
}

static void parse_fields(parsing_t *p, const cat_parameter_t *parameter)
{
    p->query->fields = cat_field_list_parse(&p->parameters, parameter, CAT_FIELD_LIST_ALL);
}

static void add_fields(cat_buffer_t *b, const cat_list_query_t *query)
{
    if (query->fields != CAT_FIELD_LIST_ALL) {
        CAT_BUFFER_LITERAL(b, "&fields=");
        cat_field_list_write(b, query->fields);
    }
}

static void parse_limit(parsing_t *p, const cat_parameter_t *parameter)
{
    apr_int64_t limit;

    if (cat_number_parse_integer(parameter->value, &limit) && limit > 0) {
        p->query->limit = limit < p->conf->max_limit ? limit : p->conf->max_limit;
    }
}

static void add_limit(cat_buffer_t *b, const cat_list_query_t *query)
{
    CAT_BUFFER_LITERAL(b, "&limit=");
    cat_buffer_add_int(b, query->limit);
}

enum { ROW_PAGE, ROW_CURSOR };

/* THE LIST PARAMETER TABLE: one row a parameter of GET /products, in the order in which links have them. */
static const struct parameter_row_t {
    const char *name;
    /* Called if the client sent it, for the first one. Its value is NULL if its encoding is broken. */
    void (*parse)(parsing_t *p, const cat_parameter_t *parameter);
    /* Adds it to the query's parameters, whoever chose its value; NULL: it only says where an answer begins. */
    void (*add)(cat_buffer_t *b, const cat_list_query_t *query);
    int may_repeat; /* flag: a second one is no fault */
} rows[] = {
    [ROW_PAGE] = {"page", parse_page, NULL, 1},
    [ROW_CURSOR] = {"cursor", parse_cursor, NULL, 0},
    {"fields", parse_fields, add_fields, 0},
    {"limit", parse_limit, add_limit, 1},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static size_t find_row(const char *name)
{
    size_t i = 0;

    while (i < ROWS && strcmp(rows[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void refuse_repeated(parsing_t *p, size_t row)
{
    if (!rows[row].may_repeat && !(p->repeated & 1U << row)) {
        cat_parameters_add_repeated(&p->parameters, rows[row].name);
    }
    p->repeated |= 1U << row;
}

static void parse_parameter(parsing_t *p, const cat_parameter_t *parameter)
{
    size_t row = find_row(parameter->name);

    if (row == ROWS) {
        cat_parameters_add_unknown(&p->parameters, parameter->name);
    } else if (p->sent & 1U << row) {
        refuse_repeated(p, row);
    } else {
        p->sent |= 1U << row;
        rows[row].parse(p, parameter);
    }
}

static const char *write_parameters(apr_pool_t *pool, const cat_list_query_t *query)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, PARAMETERS_SIZE);
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].add) {
            rows[i].add(&b, query);
        }
    }
    return cat_buffer_text(&b);
}

static cat_query_outcome_t read_cursor(const parsing_t *p, apr_time_t now)
{
    cat_list_query_t *query = p->query;
    const cat_keys_t *keys;

    if (query->page) {
        return CAT_QUERY_CURSOR_AND_PAGE;
    }
    keys = cat_keyring_get(p->conf->keys, now, NULL);
    query->sealing_key = keys->all[0];
    return p->cursor && cat_cursor_read(p->parameters.pool, keys, p->cursor, &query->after) ? CAT_QUERY_OK
                                                                                            : CAT_QUERY_CURSOR_INVALID;
}

cat_query_outcome_t cat_query_parse(apr_pool_t *pool, const cat_conf_t *conf, apr_time_t now, int strict,
                                    const char *text, cat_list_query_t *query)
{
    parsing_t p = {.conf = conf, .query = query};
    cat_parameter_t parameter;

    *query = (cat_list_query_t){.limit = conf->default_limit, .fields = CAT_FIELD_LIST_ALL};
    cat_parameters_init(&p.parameters, pool, strict, text);
    while (cat_parameters_next(&p.parameters, &parameter)) {
        parse_parameter(&p, &parameter);
    }
    query->errors = p.parameters.errors;
    query->ignored = p.parameters.ignored;
    if (query->errors) {
        return CAT_QUERY_INVALID;
    }
    query->parameters = write_parameters(pool, query);
    if (p.sent & 1U << ROW_CURSOR) {
        return read_cursor(&p, now);
    }
    query->page = query->page ? query->page : 1;
    return CAT_QUERY_OK;
}

apr_int64_t cat_query_count_skipped(const cat_list_query_t *query)
{
    apr_int64_t pages = query->page - 1;

    return pages > APR_INT64_MAX / query->limit ? APR_INT64_MAX : pages * query->limit;
}

const char *cat_query_write_cursor(apr_pool_t *pool, const cat_list_query_t *query, const cat_list_key_t *after)
{
    return cat_cursor_write(pool, query->sealing_key, after);
}

/* The answer contains a cursor sealed with today's key; so does its name, whichever key sealed the client's cursor. */
const char *cat_query_write_key(apr_pool_t *pool, const cat_list_query_t *query)
{
    const char *cursor;
    cat_buffer_t b;

    cat_buffer_init(&b, pool, KEY_SIZE);
    if (query->page) {
        CAT_BUFFER_LITERAL(&b, "/?page=");
        cat_buffer_add_int(&b, query->page);
    } else {
        cursor = cat_query_write_cursor(pool, query, &query->after);
        if (!cursor) {
            return NULL;
        }
        CAT_BUFFER_LITERAL(&b, "/?cursor=");
        cat_buffer_add_text(&b, cursor);
    }
    cat_buffer_add_text(&b, query->parameters);
    return cat_buffer_text(&b);
}
