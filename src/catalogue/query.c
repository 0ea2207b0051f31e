/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/query.h"

#include "catalogue/cursor.h"
#include "http/route.h"
#include "jose/keyring.h"
#include "lib/buffer.h"
#include "lib/number.h"

#define PARAMETERS_SIZE 32 /* octets: a guess of cat_list_query_t's */
#define KEY_SIZE 128       /* octets: a guess of a key with a cursor */

typedef struct parsing_t {
    apr_pool_t *pool;
    const cat_conf_t *conf;
    apr_time_t now;
    cat_list_query_t *query;
} parsing_t;

static cat_query_outcome_t parse_page(const parsing_t *p, const char *value)
{
    apr_int64_t page;

    p->query->page = cat_number_parse_integer(value, &page) && page > 0 ? page : 1;
    return CAT_QUERY_OK;
}

static cat_query_outcome_t parse_cursor(const parsing_t *p, const char *value)
{
    const cat_keys_t *keys;

    if (p->query->page) {
        return CAT_QUERY_CURSOR_AND_PAGE;
    }
    keys = cat_keyring_get(p->conf->keys, p->now, NULL);
    p->query->sealing_key = keys->all[0];
    return value && cat_cursor_read(p->pool, keys, value, &p->query->after) ? CAT_QUERY_OK : CAT_QUERY_CURSOR_INVALID;
}

static cat_query_outcome_t parse_limit(const parsing_t *p, const char *value)
{
    apr_int64_t limit;

    if (cat_number_parse_integer(value, &limit) && limit > 0) {
        p->query->limit = limit < p->conf->max_limit ? limit : p->conf->max_limit;
    }
    return CAT_QUERY_OK;
}

static void add_limit(cat_buffer_t *b, const cat_list_query_t *query)
{
    CAT_BUFFER_LITERAL(b, "&limit=");
    cat_buffer_add_int(b, query->limit);
}

/* THE LIST PARAMETER TABLE: one row a parameter of GET /products, in the order in which they are parsed. */
static const struct parameter_t {
    const char *name;
    /* Is called if the client sent it. value: decoded; NULL: its encoding is broken. */
    cat_query_outcome_t (*parse)(const parsing_t *p, const char *value);
    /* Adds it to the query's parameters, whoever chose its value; NULL: it only says where an answer begins. */
    void (*add)(cat_buffer_t *b, const cat_list_query_t *query);
} parameters[] = {
    {"page", parse_page, NULL},
    {"cursor", parse_cursor, NULL}, /* after page, which it excludes */
    {"limit", parse_limit, add_limit},
};

#define PARAMETERS (sizeof(parameters) / sizeof(parameters[0]))

static cat_query_outcome_t parse_parameters(const parsing_t *p, const char *text)
{
    cat_query_outcome_t outcome = CAT_QUERY_OK;

    for (size_t i = 0; i < PARAMETERS && outcome == CAT_QUERY_OK; i++) {
        const char *value = cat_route_query(p->pool, text, parameters[i].name);
        if (value || cat_route_has_query(text, parameters[i].name)) {
            outcome = parameters[i].parse(p, value);
        }
    }
    return outcome;
}

static const char *write_parameters(apr_pool_t *pool, const cat_list_query_t *query)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, PARAMETERS_SIZE);
    for (size_t i = 0; i < PARAMETERS; i++) {
        if (parameters[i].add) {
            parameters[i].add(&b, query);
        }
    }
    return cat_buffer_text(&b);
}

cat_query_outcome_t cat_query_parse(apr_pool_t *pool, const cat_conf_t *conf, apr_time_t now, const char *text,
                                    cat_list_query_t *query)
{
    parsing_t p = {pool, conf, now, query};
    cat_query_outcome_t outcome;

    *query = (cat_list_query_t){.limit = conf->default_limit};
    outcome = parse_parameters(&p, text);
    if (!query->sealing_key && !query->page) {
        query->page = 1;
    }
    query->parameters = write_parameters(pool, query);
    return outcome;
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
