/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers a list: from the response cache, or by reading the database in one of three ways.
 *
 *     GET /products?page=7              list_page.c: all products, newest first, by page
 *     GET /products?cursor=...          read_after_key: the same, below a number, one statement
 *     GET /products?q=tea&sort=-price   search.c: conditions, words, an order of its own, facets
 *
 * The caller gives the format, and each row is written to the body as it is read, so no list is in memory twice. Body and
 * headers are cached together, under a key that derives from the parsed query. What may take long waits for its turn among
 * the searches (cat_db_begin_search); a page near the newest product never waits.
 */
#include "catalogue/list/list.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/list/list_page.h"
#include "catalogue/product/product.h"
#include "db/answer_cache.h"
#include "db/db.h"
#include "lib/number.h"

#define HEADERS_SIZE 256 /* octets: a guess */

/* A reading of the database. */
typedef struct reading_t {
    cat_db_t *db;
    const cat_list_query_t *query;
    const cat_list_format_t *format;
    cat_item_t item; /* the list as the cache keeps it */
    cat_buffer_t text;
    cat_list_end_t end;
    /* After a key: */
    apr_int64_t rows;
    cat_list_position_t last; /* of the last product in the answer, if there are as many as the limit */
    int has_more;
} reading_t;

static apr_status_t add_product(void *baton, const char *const *values, int)
{
    reading_t *r = baton;

    r->format->add(&r->text, r->query, cat_product_read(r->text.pool, r->query->all, values));
    return APR_SUCCESS;
}

/* The statement asks for one row more than the limit: it only tells that there are more. */
static apr_status_t add_product_within_limit(void *baton, const char *const *values, int count)
{
    reading_t *r = baton;

    if (r->rows == r->query->limit) {
        r->has_more = 1;
        return APR_SUCCESS;
    }
    if (++r->rows == r->query->limit) {
        r->last.n = cat_id_number(values[CAT_PRODUCT_ID]);
    }
    return add_product(r, values, count);
}

static apr_status_t read_after_key(cat_db_t *db, reading_t *r)
{
    const cat_list_query_t *query = r->query;
    const char *rows = apr_off_t_toa(db->pool, query->limit + 1);
    apr_status_t rv =
        cat_db_each(db, SQL_PRODUCT_LIST_AFTER, CAT_VALUES(cat_number_write(db->pool, query->after.n), rows),
                    add_product_within_limit, r);

    if (rv != APR_SUCCESS || !r->has_more) {
        return rv;
    }
    r->end.next = cat_query_write_cursor(db->pool, query, &r->last);
    return r->end.next ? APR_SUCCESS : APR_ENOMEM;
}

static apr_status_t read_plain(cat_db_t *db, reading_t *r)
{
    r->end.found.total = -1;
    return r->query->page ? cat_list_page_read(db, r->query, add_product, r, &r->end.found.total)
                          : read_after_key(db, r);
}

/* ---- lists with conditions, words or an order, and what only these can count ---- */

static int is_search(const cat_list_query_t *query)
{
    return !query->is_plain || query->has_facets || (query->count == CAT_COUNT_NONE) == (query->page != 0);
}

static void begin_rows(void *baton)
{
    reading_t *r = baton;

    r->text.length = 0;
    r->format->begin(&r->text);
}

/* The cursor continues the list with the words that it has now. */
static apr_status_t search(cat_db_t *db, reading_t *r)
{
    const cat_search_rows_t rows = {begin_rows, add_product, r};
    cat_search_end_t *end = &r->end.found;
    cat_list_query_t query = *r->query;
    apr_status_t rv = cat_search_read(db, r->query, &rows, end);

    if (rv != APR_SUCCESS || !end->has_next || query.page) {
        return rv;
    }
    query.width = end->width;
    r->end.next = cat_query_write_cursor(db->pool, &query, &end->last);
    return r->end.next ? APR_SUCCESS : APR_ENOMEM;
}

/* Of how many a page is far from the beginning of the list. */
#define FAR 10000

static apr_status_t read_in_turn(cat_db_t *db, reading_t *r)
{
    apr_status_t rv = cat_db_begin_search(db);

    if (rv == APR_SUCCESS) {
        rv = is_search(r->query) ? search(db, r) : read_plain(db, r);
        cat_db_end_search(db);
    }
    return rv;
}

static apr_status_t read_list(reading_t *r)
{
    const cat_list_query_t *query = r->query;
    apr_int64_t skipped = query->page ? cat_query_count_skipped(query) : 0;
    cat_buffer_t headers;
    apr_status_t rv;

    cat_buffer_init(&r->text, r->db->pool, (apr_size_t)query->limit * CAT_PRODUCT_SIZE + HEADERS_SIZE);
    r->format->begin(&r->text);
    rv = is_search(query) || skipped > FAR ? read_in_turn(r->db, r) : read_plain(r->db, r);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    r->format->end(&r->text, query, &r->end);
    cat_buffer_init(&headers, r->db->pool, HEADERS_SIZE);
    r->format->headers(&headers, query, &r->end);
    cat_answer_cache_join(&r->item, &r->text, cat_buffer_text(&headers));
    /* Pages beyond the end are unbounded in number. */
    if (!r->end.found.is_for_now && (!query->page || r->end.found.has_next || skipped < r->end.found.total)) {
        cat_answer_cache_put(r->db, &r->item);
    }
    return APR_SUCCESS;
}

/* Mounts of one database may have other limits and fields, and their readers other conditions. No parameter is without a "=". */
static const char *write_key(const cat_db_t *db, const cat_list_query_t *query)
{
    const char *key = cat_query_write_key(db->pool, query);

    if (key && is_search(query)) {
        key = apr_psprintf(db->pool, "%s&%d&%d", key, db->conf->count_limit, db->conf->query_timeout);
    }
    return key && db->conf->view ? apr_pstrcat(db->pool, key, "&", db->conf->view, NULL) : key;
}

apr_status_t cat_list_get(cat_db_t *db, const cat_list_query_t *query, apr_time_t now, const cat_list_format_t *format,
                          cat_cached_list_t *list)
{
    reading_t r = {.db = db, .query = query, .format = format, .item.key = write_key(db, query)};
    apr_status_t rv = APR_SUCCESS;

    if (!r.item.key) {
        return APR_ENOMEM;
    }
    if (!cat_answer_cache_get(db, NULL, now, &r.item)) {
        rv = read_list(&r);
    }
    if (rv == APR_SUCCESS) {
        *list = cat_answer_cache_split(&r.item);
    }
    return rv;
}
