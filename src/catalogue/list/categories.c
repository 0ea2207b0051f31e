/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a page of categories, with the number of products in each, in one of three ways.
 *
 *     by name            one select on the index of folded names in category_counts (catalogue/product/counts.c)
 *     by count           all rows of that table, sorted here: there is no index by count
 *     of some products   those that readers see (CatalogVisible) have no counts: they are read and counted
 *
 * The select adds up the delta rows of just the categories on the page. That is exact unless a delta row brings a category or takes away
 * its last product, or a folded name is not stored yet: then the select returns no row, and the page is made in the second way.
 */
#include "catalogue/list/categories.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/search.h"
#include "catalogue/search/select_text.h"
#include "db/db.h"
#include "lib/fold.h"

/* ---- all categories, sorted here ---- */

typedef struct sorted_t {
    cat_value_count_t category; /* first */
    const char *key;            /* its name, folded */
} sorted_t;

typedef struct reading_t {
    const char *prefix;
    apr_array_header_t *list; /* sorted_t */
} reading_t;

static const char *cut_key(apr_pool_t *pool, const char *folded)
{
    return cat_fold_cut(pool, folded, CAT_PRODUCT_KEY_SIZE);
}

/* Products without a category have the empty one, which is not listed. */
static apr_status_t keep_category(void *baton, const char *const *values, int)
{
    const reading_t *r = baton;
    apr_pool_t *pool = r->list->pool;
    sorted_t sorted = {{apr_pstrdup(pool, values[0]), apr_atoi64(values[1])},
                       cut_key(pool, cat_fold_text(pool, values[0]))};

    if (*values[0] && !strncmp(sorted.key, r->prefix, strlen(r->prefix))) {
        APR_ARRAY_PUSH(r->list, sorted_t) = sorted;
    }
    return APR_SUCCESS;
}

static int by_name(const void *one, const void *other)
{
    const sorted_t *a = one, *b = other;
    int order = strcmp(a->key, b->key);

    return order ? order : strcmp(a->category.value, b->category.value);
}

static int by_count(const void *one, const void *other)
{
    const sorted_t *a = one, *b = other;
    apr_int64_t difference = a->category.count - b->category.count;

    return difference < 0 ? -1 : difference > 0 ? 1 : by_name(one, other);
}

static int by_name_descending(const void *one, const void *other)
{
    return by_name(other, one);
}

static int by_count_descending(const void *one, const void *other)
{
    const sorted_t *a = one, *b = other;
    apr_int64_t difference = a->category.count - b->category.count;

    return difference > 0 ? -1 : difference < 0 ? 1 : by_name(one, other);
}

static apr_status_t read_all(cat_db_t *db, const cat_value_query_t *query, const cat_list_query_t *of,
                             apr_array_header_t *page, apr_int64_t *total)
{
    static int (*const orders[][2])(const void *, const void *) = {
        [CAT_VALUES_BY_VALUE] = {by_name, by_name_descending},
        [CAT_VALUES_BY_COUNT] = {by_count, by_count_descending},
    };
    reading_t r = {cut_key(db->pool, query->prefix), apr_array_make(db->pool, 64, sizeof(sorted_t))};
    apr_status_t rv =
        of ? cat_db_begin_search(db) : cat_db_each(db, SQL_CATEGORY_LIST, CAT_NO_VALUES, keep_category, &r);

    if (of && rv == APR_SUCCESS) {
        rv = cat_search_values(db, of, CAT_PRODUCT_CATEGORY, keep_category, &r);
        cat_db_end_search(db);
    }
    qsort(r.list->elts, (size_t)r.list->nelts, sizeof(sorted_t), orders[query->order][query->descending != 0]);
    *total = r.list->nelts;
    for (apr_int64_t i = query->offset; i < *total && i - query->offset < query->limit; i++) {
        APR_ARRAY_PUSH(page, cat_value_count_t) = APR_ARRAY_IDX(r.list, i, sorted_t).category;
    }
    return rv;
}

/* ---- a page by the index of names ---- */

/* Delta rows add to the counts of the page. There is no row if they bring a category or take one away, or if a folded
 * name is not stored yet: read_all knows what to do then. */
#define COUNT_WITH_DELTAS                                                                                              \
    "c.n + COALESCE((SELECT SUM(d.category_delta) FROM product_deltas d WHERE d.category = c.category), 0)"
#define PAGE_IS_EXACT                                                                                                  \
    "NOT EXISTS (SELECT 1 FROM category_counts u WHERE u.category_key IS NULL)"                                        \
    " AND NOT EXISTS (SELECT 1 FROM (SELECT category, SUM(category_delta) AS n FROM product_deltas"                    \
    " WHERE category IS NOT NULL GROUP BY category) d LEFT JOIN category_counts k ON k.category = d.category"          \
    " WHERE COALESCE(k.n, 0) <= 0 OR k.n + d.n <= 0)"

static void add_range(cat_select_text_t *s, const char *table, const char *prefix)
{
    const char *end = cat_conditions_end_of_prefix(s->text.pool, prefix);

    cat_select_text_add(s, table, ".category_key >= ", NULL);
    cat_select_text_add_value(s, prefix);
    if (end) {
        cat_select_text_add(s, " AND ", table, ".category_key < ", NULL);
        cat_select_text_add_value(s, end);
    }
}

/* All of them are counted without a condition, which SQLite does by the pages of the index. */
static void add_total(cat_select_text_t *s, const char *prefix)
{
    cat_select_text_add(s, "(SELECT COUNT(*) FROM category_counts t", NULL);
    if (*prefix) {
        cat_select_text_add(s, " WHERE ", NULL);
        add_range(s, "t", prefix);
    }
    cat_select_text_add(s, ") - (SELECT COUNT(*) FROM category_counts e WHERE e.category = ''", NULL);
    if (*prefix) {
        cat_select_text_add(s, " AND ", NULL);
        add_range(s, "e", prefix);
    }
    cat_select_text_add(s, ")", NULL);
}

typedef struct page_t {
    apr_array_header_t *values; /* cat_value_count_t */
    apr_int64_t total;
} page_t;

static apr_status_t keep_row(void *baton, const char *const *values, int)
{
    page_t *page = baton;

    APR_ARRAY_PUSH(page->values, cat_value_count_t) =
        (cat_value_count_t){apr_pstrdup(page->values->pool, values[0]), apr_atoi64(values[1])};
    page->total = apr_atoi64(values[2]);
    return APR_SUCCESS;
}

static apr_status_t read_by_index(cat_db_t *db, const cat_value_query_t *query, page_t *page)
{
    const char *prefix = cut_key(db->pool, query->prefix), *way = query->descending ? " DESC" : "";
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    cat_select_text_add(&s, "SELECT c.category, " COUNT_WITH_DELTAS ", ", NULL);
    add_total(&s, prefix);
    cat_select_text_add(&s, " FROM category_counts c WHERE ", NULL);
    add_range(&s, "c", prefix);
    cat_select_text_add(&s, " AND c.category <> '' AND " PAGE_IS_EXACT " ORDER BY c.category_key", way, ", c.category",
                        way, " LIMIT ", NULL);
    cat_select_text_add_value(&s, apr_off_t_toa(db->pool, query->limit));
    cat_select_text_add(&s, " OFFSET ", NULL);
    cat_select_text_add_value(&s, apr_off_t_toa(db->pool, query->offset));
    return cat_select_text_run(&s, db, keep_row, page);
}

apr_status_t cat_categories_read(cat_db_t *db, const cat_value_query_t *query, const cat_list_query_t *of,
                                 cat_value_list_t *list, apr_int64_t *total)
{
    page_t page = {apr_array_make(db->pool, 16, sizeof(cat_value_count_t)), 0};
    int has_dialect = cat_db_dialect(db) != NULL; /* not before the first connection of this process */
    apr_status_t rv = APR_SUCCESS;

    if (has_dialect && !of && query->order == CAT_VALUES_BY_VALUE) {
        rv = read_by_index(db, query, &page);
    }
    if (rv == APR_SUCCESS && !page.values->nelts) {
        rv = read_all(db, query, of, page.values, &page.total);
    }
    *list = (cat_value_list_t){.values = page.values};
    *total = page.total;
    return rv;
}
