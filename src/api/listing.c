/* SPDX-License-Identifier: Apache-2.0 */
#include "api/listing.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/cursor.h"
#include "catalogue/list_page.h"
#include "catalogue/product.h"
#include "catalogue/recall.h"
#include "http/answer.h"
#include "http/link_header.h"
#include "http/request.h"
#include "http/route.h"
#include "jose/key.h"
#include "jose/keyring.h"
#include "lib/number.h"

static apr_int64_t read_limit(cat_request_t *q)
{
    apr_int64_t limit;

    if (!cat_number_parse_integer(cat_route_query(q->pool, q->query, "limit"), &limit) || limit < 1) {
        limit = q->conf->default_limit;
    }
    return limit < q->conf->max_limit ? limit : q->conf->max_limit;
}

static void begin_list(cat_buffer_t *b, cat_request_t *q, apr_int64_t limit)
{
    cat_buffer_init(b, q->pool, (apr_size_t)limit * CAT_PRODUCT_SIZE);
    CAT_BUFFER_LITERAL(b, "{\"success\":true,\"data\":[");
}

static apr_status_t add_product(void *baton, const char *const *values, int count)
{
    cat_buffer_t *b = baton;
    (void)count;
    if (b->data[b->length - 1] != '[') {
        CAT_BUFFER_LITERAL(b, ",");
    }
    cat_fields_write(b, cat_product_fields, CAT_PRODUCT_FIELDS, values);
    return APR_SUCCESS;
}

static cat_answer_t *make_answer(cat_request_t *q, const cat_item_t *list)
{
    cat_answer_t *answer = cat_answer_text(q->pool, 200, list->body, list->length);
    answer->tag = CAT_TAG_WEAK;
    answer->hash = list->hash;
    return answer;
}

/* What a list is kept as, beside its database: the kind, its size and where it begins. Products are kept as what stands in the path
 * for an id, which never has a slash in it. */
static const char *make_key(cat_request_t *q, const char *kind, apr_int64_t limit, const char *from)
{
    cat_buffer_t b;

    cat_buffer_init(&b, q->pool, 128);
    cat_buffer_add_text(&b, kind);
    cat_buffer_add_int(&b, limit);
    CAT_BUFFER_LITERAL(&b, "/");
    cat_buffer_add_text(&b, from);
    return cat_buffer_text(&b);
}

/* ---- by page ---- */

static apr_int64_t read_page(cat_request_t *q, cat_list_page_t *p)
{
    apr_int64_t page;

    if (!cat_number_parse_integer(cat_route_query(q->pool, q->query, "page"), &page) || page < 1) {
        page = 1;
    }
    p->limit = read_limit(q);
    /* A page that lies beyond all integers lies beyond all products. */
    p->skip = page - 1 > APR_INT64_MAX / p->limit ? APR_INT64_MAX : (page - 1) * p->limit;
    return page;
}

static void add_pagination(cat_buffer_t *b, apr_int64_t page, const cat_list_page_t *p)
{
    CAT_BUFFER_LITERAL(b, "],\"pagination\":{\"page\":");
    cat_buffer_add_int(b, page);
    CAT_BUFFER_LITERAL(b, ",\"limit\":");
    cat_buffer_add_int(b, p->limit);
    CAT_BUFFER_LITERAL(b, ",\"total\":");
    cat_buffer_add_int(b, p->total);
    CAT_BUFFER_LITERAL(b, ",\"pages\":");
    cat_buffer_add_int(b, (p->total + p->limit - 1) / p->limit);
    CAT_BUFFER_LITERAL(b, "}}");
}

/* Of a list that ends in `"pages":12}}`. */
static apr_int64_t read_pages(const cat_item_t *list)
{
    const char *digits = list->body + list->length - strlen("}}");

    while (digits[-1] != ':') {
        digits--;
    }
    return apr_atoi64(digits);
}

/* Beyond the end there are pages without number, which nobody asks for twice. */
static apr_status_t make_page(cat_request_t *q, apr_int64_t page, cat_list_page_t *p, cat_item_t *list)
{
    cat_buffer_t b;
    apr_status_t rv;

    begin_list(&b, q, p->limit);
    p->row = add_product;
    p->baton = &b;
    rv = cat_list_page_read(q->pool, q->db, p);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    add_pagination(&b, page, p);
    list->owner = p->skip < p->total ? list->owner : NULL;
    cat_recall_put(q->db, list, b.data, b.length);
    return APR_SUCCESS;
}

static cat_answer_t *list_page(cat_request_t *q)
{
    cat_list_page_t p;
    apr_int64_t page = read_page(q, &p);
    cat_item_t list = {.key = make_key(q, "page/", p.limit, apr_off_t_toa(q->pool, page))};
    cat_answer_t *answer;
    apr_status_t rv;

    if (!cat_recall_get(q->db, NULL, q->now, &list) && (rv = make_page(q, page, &p, &list)) != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    answer = make_answer(q, &list);
    cat_link_header_pages(answer, q->pool, page, read_pages(&list), p.limit);
    return answer;
}

/* ---- by cursor ---- */

typedef struct walk_t {
    cat_buffer_t b;
    apr_int64_t limit, rows;
    cat_list_key_t last; /* of the rows that are shown */
    int more;
} walk_t;

/* One row more than is shown was asked for: it tells whether there are more. */
static apr_status_t add_walked(void *baton, const char *const *values, int count)
{
    walk_t *w = baton;

    if (w->rows == w->limit) {
        w->more = 1;
        return APR_SUCCESS;
    }
    if (++w->rows == w->limit) {
        w->last.created_at = apr_pstrdup(w->b.pool, values[CAT_PRODUCT_CREATED_AT]);
        w->last.id = apr_pstrdup(w->b.pool, values[CAT_PRODUCT_ID]);
    }
    return add_product(&w->b, values, count);
}

static void add_next(cat_buffer_t *b, apr_int64_t limit, const char *next)
{
    CAT_BUFFER_LITERAL(b, "],\"pagination\":{\"limit\":");
    cat_buffer_add_int(b, limit);
    if (next) {
        CAT_BUFFER_LITERAL(b, ",\"nextCursor\":\"");
        cat_buffer_add_text(b, next);
        CAT_BUFFER_LITERAL(b, "\"");
    }
    CAT_BUFFER_LITERAL(b, "}}");
}

/* Of a list that ends in `"nextCursor":"..."}}`; NULL: it does not. */
static const char *read_next(cat_request_t *q, const cat_item_t *list)
{
    const char *end = list->body + list->length - strlen("\"}}"), *start = end;

    if (*end != '"') {
        return NULL;
    }
    while (start[-1] != '"') {
        start--;
    }
    return apr_pstrmemdup(q->pool, start, (apr_size_t)(end - start));
}

static apr_status_t make_walk(cat_request_t *q, const cat_key_t *key, const cat_list_key_t *after, cat_item_t *list)
{
    walk_t w = {.limit = read_limit(q)};
    const char *most = apr_off_t_toa(q->pool, w.limit + 1), *next = NULL;
    apr_status_t rv;

    begin_list(&w.b, q, w.limit);
    rv = cat_db_each(q->db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(after->created_at, after->id, most), add_walked, &w);
    if (rv == APR_SUCCESS && w.more) {
        next = cat_cursor_write(q->pool, key, &w.last);
        rv = next ? APR_SUCCESS : APR_ENOMEM;
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    add_next(&w.b, w.limit, next);
    cat_recall_put(q->db, list, w.b.data, w.b.length);
    return APR_SUCCESS;
}

/* What is kept has a cursor in it that is sealed with today's key: so has its name. */
static cat_answer_t *list_after(cat_request_t *q, const cat_key_t *key, const cat_list_key_t *after)
{
    apr_int64_t limit = read_limit(q);
    const char *here = cat_cursor_write(q->pool, key, after);
    cat_item_t list = {.key = here ? make_key(q, "after/", limit, here) : NULL};
    cat_answer_t *answer;
    apr_status_t rv;

    if (!here) {
        return cat_answer_failure(q->pool, APR_ENOMEM);
    }
    if (!cat_recall_get(q->db, NULL, q->now, &list) && (rv = make_walk(q, key, after, &list)) != APR_SUCCESS) {
        return cat_answer_failure(q->pool, rv);
    }
    answer = make_answer(q, &list);
    cat_link_header_cursor(answer, q->pool, read_next(q, &list), limit);
    return answer;
}

static cat_answer_t *list_by_cursor(cat_request_t *q)
{
    const cat_keys_t *keys = cat_keyring_get(q->conf->keys, q->now, NULL);
    const char *text = cat_route_query(q->pool, q->query, "cursor");
    cat_list_key_t after;

    if (cat_route_has_query(q->query, "page")) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_CURSOR, "a cursor leaves no choice of a page");
    }
    if (!text || !cat_cursor_read(q->pool, keys, text, &after)) {
        return cat_answer_problem(q->pool, CAT_PROBLEM_CURSOR, NULL);
    }
    return list_after(q, keys->all[0], &after);
}

cat_answer_t *cat_listing_get(cat_request_t *q)
{
    return cat_route_has_query(q->query, "cursor") ? list_by_cursor(q) : list_page(q);
}
