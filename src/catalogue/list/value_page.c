/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers a page of the values of a field, with how many products have each: from the response cache, or read in one of three ways.
 *
 *     GET /categories                 categories.c: the table category_counts
 *     GET /fields/brand/values        value_list.c: the table value_counts
 *     the same, with CatalogVisible   the products that readers see are read, and counted here: no table knows how many they are
 *
 * The values of `category` are those of GET /categories in other words: the resource of the query has the words, so an answer is cached by
 * them as well.
 */
#include "catalogue/list/value_page.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/list/categories.h"
#include "catalogue/search/search.h"
#include "catalogue/search/key_filler.h"
#include "lib/fold.h"

/* ---- is it there yet? ---- */

apr_status_t cat_value_page_check(cat_db_t *db, int field, int *is_ready, int *percent)
{
    const cat_registry_t *registry;
    apr_status_t rv = cat_registry_get_filled(db, &registry);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    *is_ready =
        cat_registry_has_counts(registry, cat_registry_find_field(registry, cat_product_fields_of(db->conf), field));
    *percent = 0;
    return *is_ready ? APR_SUCCESS : cat_key_filler_percent(db, percent);
}

/* ---- a page ---- */

/* An answer that is being made. */
typedef struct making_t {
    cat_db_t *db;
    const cat_value_page_query_t *query;
    const cat_registry_t *registry;
    cat_value_page_t page;
} making_t;

/* Of a page behind all others the offset might be no number. */
#define OFFSET_MAX (APR_INT64_C(1) << 62)

static cat_value_query_t make_query(const making_t *m, int field)
{
    const cat_value_page_query_t *query = m->query;
    apr_int64_t pages = query->page - 1;

    return (cat_value_query_t){field,
                               query->order,
                               query->descending,
                               cat_fold_cut(m->db->pool, query->prefix, CAT_VALUE_SIZE),
                               pages > OFFSET_MAX / query->limit ? OFFSET_MAX : pages * query->limit,
                               query->limit};
}

/* A category may be longer than the values that are cut off. */
static apr_status_t read_categories(making_t *m)
{
    cat_value_query_t wanted = make_query(m, CAT_PRODUCT_CATEGORY);
    cat_value_list_t list;
    apr_status_t rv;

    wanted.prefix = m->query->prefix;
    rv = cat_categories_read(m->db, &wanted, m->query->of, &list, &m->page.total);
    m->page.values = list.values;
    return rv;
}

static apr_status_t keep_value(void *baton, const char *const *values, int)
{
    apr_array_header_t *counted = baton;

    APR_ARRAY_PUSH(counted, cat_value_count_t) =
        (cat_value_count_t){apr_pstrdup(counted->pool, values[0]), apr_atoi64(values[1])};
    return APR_SUCCESS;
}

/* Of some products there are no counts: all of these are read. */
static apr_status_t count_some(making_t *m)
{
    const cat_value_query_t wanted = make_query(m, m->query->field);
    apr_array_header_t *counted = apr_array_make(m->db->pool, 64, sizeof(cat_value_count_t));
    cat_value_list_t list;
    apr_status_t rv = cat_db_begin_search(m->db);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_search_values(m->db, m->query->of, m->query->field, keep_value, counted);
    cat_db_end_search(m->db);
    if (rv == APR_SUCCESS) {
        cat_value_list_take(m->query->fields, &wanted, counted, &list, &m->page.total);
        m->page.values = list.values;
    }
    return rv;
}

static apr_status_t read_values(void *baton)
{
    making_t *m = baton;
    const cat_value_query_t wanted =
        make_query(m, cat_registry_find_field(m->registry, m->query->fields, m->query->field));
    apr_int64_t most = m->db->conf->count_limit;
    cat_value_list_t list;
    apr_status_t rv = cat_value_list_read(m->db, m->registry, &wanted, &list);

    if (rv == APR_SUCCESS) {
        m->page = (cat_value_page_t){.values = list.values, .has_next = list.has_more};
        rv = cat_value_list_count(m->db, m->registry, &wanted, most + 1, &m->page.total);
    }
    if (m->page.total > most) {
        m->page.total = most;
        m->page.is_more = 1;
    }
    return rv;
}

static apr_status_t read_page(making_t *m)
{
    apr_status_t rv;

    m->page = (cat_value_page_t){.values = apr_array_make(m->db->pool, 16, sizeof(cat_value_count_t))};
    if (m->query->field < CAT_PRODUCT_FIELDS) {
        return read_categories(m);
    }
    if (m->query->of) {
        return count_some(m);
    }
    rv = cat_registry_get(m->db, &m->registry);
    return rv == APR_SUCCESS ? cat_db_view(m->db, read_values, m) : rv;
}

/* ---- answers ---- */

/* Mounts of one database may have other limits. Page and limit are numbers, and the view has no "&", so no other query has the same key. */
static const char *write_key(const cat_db_t *db, const cat_value_page_query_t *query)
{
    return apr_psprintf(db->pool, "/%s/%s?%" APR_INT64_T_FMT "&%" APR_INT64_T_FMT "&%d%d&%d&%s&%s",
                        query->resource->member, query->fields->all[query->field].name, query->page, query->limit,
                        query->order, query->descending != 0, db->conf->count_limit, query->of ? db->conf->view : "",
                        query->prefix);
}

static apr_status_t make_answer(making_t *m, cat_item_t *item)
{
    cat_buffer_t body, headers;
    apr_status_t rv = read_page(m);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_buffer_init(&body, m->db->pool, 1024);
    cat_buffer_init(&headers, m->db->pool, 256);
    m->query->resource->body(&body, m->query, &m->page);
    m->query->resource->headers(&headers, m->query, &m->page);
    cat_answer_cache_join(item, &body, cat_buffer_text(&headers));
    if (m->page.values->nelts > 0) { /* pages without a value are unbounded in number */
        cat_answer_cache_put(m->db, item);
    }
    return APR_SUCCESS;
}

apr_status_t cat_value_page_answer(cat_db_t *db, const cat_value_page_query_t *query, apr_time_t now,
                                   cat_cached_list_t *answer)
{
    making_t m = {.db = db, .query = query};
    cat_item_t item = {.key = write_key(db, query)};
    apr_status_t rv = cat_answer_cache_get(db, NULL, now, &item) ? APR_SUCCESS : make_answer(&m, &item);

    if (rv == APR_SUCCESS) {
        *answer = cat_answer_cache_split(&item);
    }
    return rv;
}
