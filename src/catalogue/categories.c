/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/categories.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/answer_cache.h"
#include "db/checkout.h"
#include "lib/fold.h"

typedef struct reading_t {
    const cat_categories_query_t *query;
    apr_array_header_t *list;
} reading_t;

/* An answer that is to be made. */
typedef struct making_t {
    cat_db_t *db;
    const cat_categories_query_t *query;
    const cat_categories_format_t *format;
    cat_item_t item;
} making_t;

/* Products without a category have the empty one, which is not listed. */
static apr_status_t keep_category(void *baton, const char *const *values, int count)
{
    const reading_t *r = baton;
    apr_pool_t *pool = r->list->pool;
    cat_category_t category = {.name = apr_pstrdup(pool, values[0]), .count = apr_atoi64(values[1])};

    (void)count;
    category.key = cat_fold_text(pool, category.name);
    if (*category.name && !strncmp(category.key, r->query->prefix, strlen(r->query->prefix))) {
        APR_ARRAY_PUSH(r->list, cat_category_t) = category;
    }
    return APR_SUCCESS;
}

static int by_name(const void *one, const void *other)
{
    const cat_category_t *a = one, *b = other;
    int order = strcmp(a->key, b->key);

    return order ? order : strcmp(a->name, b->name);
}

static int by_count(const void *one, const void *other)
{
    const cat_category_t *a = one, *b = other;

    return a->count < b->count ? -1 : a->count > b->count ? 1 : by_name(one, other);
}

static int by_name_descending(const void *one, const void *other)
{
    return by_name(other, one);
}

static int by_count_descending(const void *one, const void *other)
{
    const cat_category_t *a = one, *b = other;

    return a->count > b->count ? -1 : a->count < b->count ? 1 : by_name(one, other);
}

apr_status_t cat_categories_list(cat_db_t *db, const cat_categories_query_t *query, apr_array_header_t **list)
{
    static int (*const orders[][2])(const void *, const void *) = {
        [CAT_CATEGORIES_BY_NAME] = {by_name, by_name_descending},
        [CAT_CATEGORIES_BY_COUNT] = {by_count, by_count_descending},
    };
    reading_t r = {query, apr_array_make(db->pool, 64, sizeof(cat_category_t))};
    apr_status_t rv = cat_db_each(db, SQL_CATEGORY_LIST, CAT_NO_VALUES, keep_category, &r);

    qsort(r.list->elts, (size_t)r.list->nelts, sizeof(cat_category_t), orders[query->order][query->descending]);
    *list = r.list;
    return rv;
}

/* Page and limit are numbers, so no other query has the same key. */
static const char *write_key(apr_pool_t *pool, const cat_categories_query_t *query)
{
    return apr_psprintf(pool, "/categories?%" APR_INT64_T_FMT "&%" APR_INT64_T_FMT "&%d%d&%s", query->page,
                        query->limit, query->order, query->descending != 0, query->prefix);
}

/* Do not cache pages without a category: unbounded in number. */
static int is_worth_keeping(const cat_categories_query_t *query, const apr_array_header_t *list)
{
    return query->page - 1 < (list->nelts + query->limit - 1) / query->limit;
}

static apr_status_t make_answer(void *baton)
{
    making_t *m = baton;
    apr_array_header_t *list;
    cat_buffer_t body, link;
    apr_status_t rv = cat_categories_list(m->db, m->query, &list);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_buffer_init(&body, m->db->pool, 1024);
    cat_buffer_init(&link, m->db->pool, 256);
    m->format->body(&body, m->query, list);
    m->format->link(&link, m->query, list);
    cat_answer_cache_join(&m->item, &body, cat_buffer_text(&link));
    if (is_worth_keeping(m->query, list)) {
        cat_answer_cache_put(m->db, &m->item);
    }
    return APR_SUCCESS;
}

apr_status_t cat_categories_answer(cat_db_t *db, const cat_categories_query_t *query, apr_time_t now,
                                   const cat_categories_format_t *format, cat_categories_t *categories)
{
    making_t m = {db, query, format, {.key = write_key(db->pool, query)}};
    apr_status_t rv = cat_answer_cache_read(db, now, &m.item, make_answer, &m);

    if (rv == APR_SUCCESS) {
        *categories = (cat_categories_t){.body = m.item.body, .hash = m.item.hash};
        categories->length = cat_answer_cache_split(&m.item, &categories->link);
    }
    return rv;
}
