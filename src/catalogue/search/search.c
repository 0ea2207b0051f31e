/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a list with conditions, words or an order: the rows of a page, its total and its facets, all at one state of the
 * database. Each of the three can be the expensive one, so each comes from what knows it already:
 *
 *      read_stock      the counters of categories and of products in stock, if the list has no other conditions:
 *        |             "category=tea&inStock=true" is a number in a table. A list that is known to be empty ends here,
 *        |             because a walk would look for its products everywhere.
 *      read_products   the plan (plan.c) and its rows, and one row more than the page has: whether it comes tells whether
 *        |             there is a next page. By relevance (relevance.c) the ids come first, and then the rows by these.
 *      read_wide       the same once more with words that the client may have meant (widen.c), if the list has fewer products than a page
 *        |             could have: first for words that begin no word of a product, then for all.
 *      count_facets    the counters of categories and values, where they know the facet; for the others CatalogCountLimit
 *        |             products of the list are read, all if the client wants it exact, and counted by value. If the list has no
 *        |             more, their number is the total; else it is the newest that are counted, whatever the order of the list.
 *      count_rows      what was not found on the way: the end of the list was on the page, so its total is known; or the
 *                      counters know it; or the database counts, up to CatalogCountLimit unless the client wants it exact.
 *
 * The steps work on one search_t, and each leaves in it what the later ones need not ask any more. When the connection is
 * lost on the way, all of them are repeated on another one; begin_rows tells the receiver of the rows.
 */
#include "catalogue/search/search.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/counts.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/product/value_counts.h"
#include "catalogue/search/corrections.h"
#include "catalogue/search/indexes.h"
#include "catalogue/search/looks.h"
#include "catalogue/search/plan.h"
#include "catalogue/search/relevance.h"
#include "catalogue/search/stock.h"
#include "catalogue/search/value_list.h"
#include "db/db.h"
#include "lib/json.h"

/* What the counters have to be asked. */
typedef struct counters_t {
    int decide; /* flag: the list has no other conditions, so they know how many products it has */
    const cat_query_value_t *category; /* one or several; NULL: of any */
    int category_count;
    int in_stock; /* 0 or 1; -1: both */
} counters_t;

typedef struct search_t {
    cat_db_t *db;
    const cat_list_query_t *asked, *query; /* query: the same, or widened */
    const cat_search_rows_t *rows;
    cat_search_end_t *end;
    cat_plan_t plan;
    apr_int64_t offset;
    apr_int64_t passed;           /* rows that were passed on */
    int has_unranked;             /* flag: by relevance: more products match than were ranked */
    int has_category_counts;      /* flag: the counters of categories have all products */
    int are_categories_filled_in; /* flag: they will soon */
    counters_t counters;
    cat_stock_t stock;              /* of all that counters names */
    cat_stock_t *each;              /* of each category that counters names */
    int has_stock;                  /* flag: stock is read, and each */
    const cat_registry_t *registry; /* where there are facets */
    cat_corrections_t *corrections; /* where the list is widened */
} search_t;

/* ---- counters ---- */

static counters_t choose_counters(const cat_list_query_t *query)
{
    counters_t c = {.decide = query->word_count == 0, .in_stock = -1};

    for (int i = 0; i < query->condition_count && c.decide; i++) {
        const cat_query_condition_t *condition = &query->conditions[i];
        if (condition->field == CAT_PRODUCT_CATEGORY && !c.category) {
            c.decide = condition->op == CAT_EQ || condition->op == CAT_IN;
            c.category = condition->values;
            c.category_count = condition->count;
        } else {
            c.decide = condition->field == CAT_PRODUCT_IN_STOCK && condition->op == CAT_EQ && c.in_stock < 0;
            c.in_stock = condition->values->key != 0;
        }
    }
    return c;
}

static int is_facet(const search_t *s, int field)
{
    return cat_field_set_has(&s->query->facets, field);
}

static int is_stock_wanted(const search_t *s)
{
    return s->counters.decide &&
           (s->counters.in_stock >= 0 || is_facet(s, CAT_PRODUCT_CATEGORY) || is_facet(s, CAT_PRODUCT_IN_STOCK));
}

static apr_status_t read_each(search_t *s)
{
    const counters_t *c = &s->counters;
    apr_status_t rv;

    s->each = apr_palloc(s->db->pool, (apr_size_t)c->category_count * sizeof(*s->each));
    rv = cat_stock_get_each(s->db, c->category, c->category_count, s->each);
    s->stock = (cat_stock_t){0, 0};
    for (int i = 0; i < c->category_count; i++) {
        s->stock.products += s->each[i].products;
        s->stock.in_stock += s->each[i].in_stock;
    }
    return rv;
}

static apr_status_t get_stock(search_t *s)
{
    const counters_t *c = &s->counters;

    if (c->category_count > 1) {
        return read_each(s);
    }
    s->each = &s->stock;
    return cat_stock_get(s->db, c->category ? c->category->text : NULL, &s->stock);
}

static apr_status_t read_stock(search_t *s)
{
    s->has_stock = is_stock_wanted(s);
    return s->has_stock ? get_stock(s) : APR_SUCCESS;
}

/* Products of the list among those that the stock is of. */
static apr_int64_t count_matching(const search_t *s, const cat_stock_t *stock)
{
    return s->counters.in_stock < 0 ? stock->products
           : s->counters.in_stock   ? stock->in_stock
                                    : stock->products - stock->in_stock;
}

/* Where nothing is to be found, a walk would look for it everywhere. */
static int is_known_empty(const search_t *s)
{
    return s->has_stock && count_matching(s, &s->stock) <= 0;
}

/* ---- rows ---- */

static void note_last(search_t *s, const char *const *values)
{
    cat_list_position_t *last = &s->end->last;

    for (int i = 0; i < s->query->sort_count; i++) {
        last->values[i] = apr_pstrdup(s->db->pool, values[CAT_PRODUCT_COLUMNS + i]);
    }
    last->key.created_at = apr_pstrdup(s->db->pool, values[CAT_PRODUCT_CREATED_AT]);
    last->key.id = apr_pstrdup(s->db->pool, values[CAT_PRODUCT_ID]);
}

static apr_status_t pass_row(search_t *s, const char *const *values)
{
    s->passed++;
    if (s->corrections) {
        cat_corrections_note(s->corrections, values);
    }
    return s->rows->add(s->rows->baton, values, CAT_PRODUCT_COLUMNS);
}

/* The statement asks for one row more than the limit: it only tells that there are more. */
static apr_status_t take_row(void *baton, const char *const *values, int)
{
    search_t *s = baton;

    if (s->passed == s->query->limit) {
        s->end->has_next = 1;
        return APR_SUCCESS;
    }
    if (s->passed + 1 == s->query->limit) {
        note_last(s, values);
    }
    return pass_row(s, values);
}

static apr_status_t take_bound(void *baton, const char *const *values, int)
{
    search_t *s = baton;

    s->plan.bound = apr_pstrdup(s->db->pool, values[0]);
    return CAT_ENOUGH;
}

static apr_status_t find_bound(search_t *s, apr_int64_t rows)
{
    cat_select_text_t text;

    cat_select_text_begin(&text, s->db);
    cat_plan_add_bound(&text, &s->plan, rows, s->offset);
    return cat_select_text_run(&text, s->db, take_bound, s);
}

static apr_status_t read_rows(search_t *s)
{
    apr_int64_t rows = s->query->limit + 1;
    cat_select_text_t text;
    apr_status_t rv;

    if (s->offset >= APR_INT64_MAX - rows || cat_plan_is_empty(&s->plan)) { /* above any list's end */
        return APR_SUCCESS;
    }
    rv = cat_plan_needs_bound(&s->plan) ? find_bound(s, rows) : APR_SUCCESS;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_select_text_begin(&text, s->db);
    cat_plan_add_rows(&text, &s->plan, rows, s->offset);
    return cat_select_text_run(&text, s->db, take_row, s);
}

/* ---- rows by relevance ---- */

#define AT_ONCE 100 /* products of one statement */

static apr_status_t keep_row(void *baton, const char *const *values, int count)
{
    apr_hash_t *rows = baton;
    const char *const *row = cat_product_copy(apr_hash_pool_get(rows), values, count);

    apr_hash_set(rows, row[CAT_PRODUCT_ID], APR_HASH_KEY_STRING, row);
    return APR_SUCCESS;
}

/* Passes on the products of these ids, in their order. */
static apr_status_t read_portion(search_t *s, const char *const *ids, int count)
{
    apr_hash_t *rows = apr_hash_make(s->db->pool);
    cat_select_text_t text;
    apr_status_t rv;

    cat_select_text_begin(&text, s->db);
    cat_select_text_add(&text, "SELECT " PRODUCT_COLUMNS_OF_R " FROM products r WHERE r.id IN (", NULL);
    for (int i = 0; i < count; i++) {
        cat_select_text_add(&text, i ? ", " : "", NULL);
        cat_select_text_add_value(&text, ids[i]);
    }
    cat_select_text_add(&text, ")", NULL);
    rv = cat_select_text_run(&text, s->db, keep_row, rows);
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        const char *const *row = apr_hash_get(rows, ids[i], APR_HASH_KEY_STRING);
        if (row) { /* a posting may have none, if another program deleted it */
            rv = pass_row(s, row);
        }
    }
    return rv;
}

/* Behind the end, and where not all are ranked, the products are counted to know whether further words take part. */
static int is_plan_wanted(const search_t *s)
{
    return s->query->has_facets || (s->query->count != CAT_COUNT_NONE && s->end->total < 0) || s->passed == 0 ||
           (s->has_unranked && s->passed < s->query->limit);
}

/* Whether there are more products than were ranked, only a count tells. */
static void note_ranked(search_t *s, const cat_relevance_page_t *page)
{
    s->has_unranked = page->is_more;
    s->end->has_next = page->has_next;
    s->end->last = page->last;
    if (s->query->count == CAT_COUNT_CAPPED || (s->query->count == CAT_COUNT_EXACT && !page->is_more)) {
        s->end->total = page->total;
        s->end->is_more = page->is_more;
    }
}

static apr_status_t read_by_relevance(search_t *s)
{
    cat_relevance_page_t page;
    apr_status_t rv = cat_relevance_find(s->db, s->asked, s->query, s->offset, &page);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    note_ranked(s, &page);
    for (int done = 0; done < page.ids->nelts && rv == APR_SUCCESS; done += AT_ONCE) {
        int rest = page.ids->nelts - done;
        rv = read_portion(s, (const char *const *)page.ids->elts + done, rest < AT_ONCE ? rest : AT_ONCE);
    }
    return rv == APR_SUCCESS && is_plan_wanted(s) ? cat_plan_choose(s->db, s->query, &s->plan) : rv;
}

/* ---- the total ---- */

static apr_status_t take_number(void *number, const char *const *values, int)
{
    *(apr_int64_t *)number = apr_atoi64(values[0]);
    return CAT_ENOUGH;
}

/* The answer has the end of the list. */
static int is_total_seen(const search_t *s)
{
    return s->query->page && !s->query->is_by_relevance && !s->end->has_next && (s->passed > 0 || s->offset == 0);
}

static int is_unconditional(const cat_list_query_t *query)
{
    return query->condition_count == 0 && query->word_count == 0;
}

static void cap_total(search_t *s)
{
    apr_int64_t most = s->db->conf->count_limit;

    s->end->is_more = s->query->count == CAT_COUNT_CAPPED && s->end->total > most;
    if (s->end->is_more) {
        s->end->total = most;
    }
}

/* Of the list, up to `most`; 0: all. */
static apr_status_t count_products(search_t *s, apr_int64_t most, apr_int64_t *count)
{
    cat_select_text_t text;

    *count = 0;
    if (cat_plan_is_empty(&s->plan)) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&text, s->db);
    cat_plan_add_count(&text, &s->plan, most);
    return cat_select_text_run(&text, s->db, take_number, count);
}

static apr_status_t count_categories(search_t *s)
{
    apr_status_t rv;

    if (s->counters.category_count == 1) {
        return cat_counts_category(s->db, s->counters.category->text, &s->end->total);
    }
    rv = read_each(s);
    s->end->total = s->stock.products;
    return rv;
}

static apr_status_t count_all(search_t *s)
{
    cat_select_text_t text;
    apr_status_t rv;

    if (s->has_stock) {
        s->end->total = count_matching(s, &s->stock);
        return APR_SUCCESS;
    }
    if (s->counters.decide && s->counters.category && s->counters.in_stock < 0) {
        return count_categories(s);
    }
    if (is_unconditional(s->query)) {
        cat_select_text_begin(&text, s->db);
        cat_select_text_add(&text, "SELECT " PRODUCT_TOTAL, NULL);
        return cat_select_text_run(&text, s->db, take_number, &s->end->total);
    }
    rv = count_products(s, s->query->count == CAT_COUNT_CAPPED ? s->db->conf->count_limit + 1 : 0, &s->end->total);
    cap_total(s);
    return rv;
}

static apr_status_t count_rows(search_t *s)
{
    if (s->query->count == CAT_COUNT_NONE || s->end->total >= 0) {
        return APR_SUCCESS;
    }
    if (is_total_seen(s)) {
        s->end->total = s->offset + s->passed;
        return APR_SUCCESS;
    }
    return count_all(s);
}

/* ---- facets ---- */

/* The most frequent values of a field, in their order. */
typedef struct facet_t {
    apr_pool_t *pool;
    int most, count;
    int is_cut; /* flag: there are others */
    cat_value_count_t *values;
} facet_t;

static int is_before(const char *value, apr_int64_t count, const cat_value_count_t *other)
{
    return count != other->count ? count > other->count : strcmp(value, other->value) < 0;
}

/* Copies the value, if it belongs to them. */
static void add_value(facet_t *f, const char *value, apr_int64_t count)
{
    int at = f->count;

    if (count <= 0) {
        return;
    }
    while (at > 0 && is_before(value, count, &f->values[at - 1])) {
        at--;
    }
    f->is_cut |= f->count == f->most;
    if (at == f->most) {
        return;
    }
    f->count += f->count < f->most;
    memmove(f->values + at + 1, f->values + at, (size_t)(f->count - at - 1) * sizeof(f->values[0]));
    f->values[at] = (cat_value_count_t){apr_pstrdup(f->pool, value), count};
}

static int count_wanted(const search_t *s, int field)
{
    return s->query->facet_most[field] ? s->query->facet_most[field] : CAT_QUERY_FACET;
}

static facet_t *make_facet(const search_t *s, int field)
{
    facet_t *f = apr_pcalloc(s->db->pool, sizeof(*f));

    f->pool = s->db->pool;
    f->most = count_wanted(s, field);
    f->values = apr_palloc(f->pool, (apr_size_t)f->most * sizeof(f->values[0]));
    return f;
}

static void put_facet(search_t *s, int field, const facet_t *f)
{
    s->end->facets[s->end->facet_count++] = (cat_search_facet_t){field, f->count, f->is_cut, f->values};
}

/* ---- facets that the counters know ---- */

typedef struct listing_t {
    facet_t *facet;
    int in_stock; /* of counters_t */
} listing_t;

/* None of the categories from here on belongs to the facet. */
static int is_facet_full(const facet_t *f, apr_int64_t ceiling)
{
    return f->is_cut && ceiling < f->values[f->count - 1].count;
}

static apr_status_t take_category(void *baton, const char *const *values, int count)
{
    const listing_t *l = baton;
    apr_int64_t products = apr_atoi64(values[1]);

    if (count > 3 && is_facet_full(l->facet, apr_atoi64(values[3]))) {
        return CAT_ENOUGH;
    }
    if (l->in_stock >= 0) {
        apr_int64_t in_stock = apr_atoi64(values[2]);
        products = l->in_stock ? in_stock : products - in_stock;
    }
    add_value(l->facet, values[0], products);
    return APR_SUCCESS;
}

static apr_status_t list_categories(search_t *s)
{
    listing_t l = {make_facet(s, CAT_PRODUCT_CATEGORY), s->counters.in_stock};
    int are_few = l.in_stock < 0 && l.facet->most <= CAT_QUERY_FACET;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < s->counters.category_count; i++) {
        add_value(l.facet, s->counters.category[i].text, count_matching(s, &s->each[i]));
    }
    if (!s->counters.category && !is_known_empty(s)) {
        rv = cat_db_each(s->db, are_few ? SQL_CATEGORY_LARGEST : SQL_CATEGORY_STOCK, CAT_NO_VALUES, take_category, &l);
    }
    put_facet(s, CAT_PRODUCT_CATEGORY, l.facet);
    return rv;
}

static apr_status_t list_stock(search_t *s)
{
    facet_t *f = make_facet(s, CAT_PRODUCT_IN_STOCK);

    if (s->counters.in_stock != 0) {
        add_value(f, "1", s->stock.in_stock);
    }
    if (s->counters.in_stock != 1) {
        add_value(f, "0", s->stock.products - s->stock.in_stock);
    }
    put_facet(s, CAT_PRODUCT_IN_STOCK, f);
    return APR_SUCCESS;
}

/* The values of an own field that the condition names; NULL: the list has no condition. */
static const cat_query_condition_t *condition_of(const search_t *s)
{
    return s->query->condition_count ? s->query->conditions : NULL;
}

static apr_status_t count_values(search_t *s, int field, int known, facet_t *f)
{
    const cat_query_condition_t *condition = condition_of(s);
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < condition->count && rv == APR_SUCCESS; i++) {
        const char *value = condition->values[i].text;
        apr_int64_t count;
        rv = cat_value_counts_get(s->db, s->registry->numbers[known],
                                  cat_value_counts_key(s->db->pool, s->query->all, field, value), value, &count);
        add_value(f, value, count);
    }
    return rv;
}

/* Facets whose values are read together. */
typedef struct tops_t {
    int count;
    int fields[CAT_FIELDS_MAX];
    cat_value_query_t queries[CAT_FIELDS_MAX];
} tops_t;

/* Of a list without conditions. The same statement tells the total, if nothing else has. */
static apr_status_t list_tops(search_t *s, const tops_t *tops)
{
    cat_value_list_t *lists = apr_palloc(s->db->pool, (apr_size_t)tops->count * sizeof(*lists));
    apr_int64_t *total = s->has_stock || s->query->count == CAT_COUNT_NONE ? NULL : &s->end->total;
    apr_status_t rv = tops->count
                          ? cat_value_list_read_first(s->db, s->registry, tops->queries, tops->count, lists, total)
                          : APR_SUCCESS;

    for (int i = 0; i < tops->count && rv == APR_SUCCESS; i++) {
        const apr_array_header_t *values = lists[i].values;
        put_facet(s, tops->fields[i],
                  &(facet_t){.values = (cat_value_count_t *)values->elts,
                             .count = values->nelts,
                             .is_cut = lists[i].has_more});
    }
    return rv;
}

static apr_status_t list_own(search_t *s, int field, tops_t *tops)
{
    int known = cat_registry_find_field(s->registry, s->query->all, field);
    facet_t *f;
    apr_status_t rv = APR_SUCCESS;

    if (!is_known_empty(s) && !condition_of(s)) {
        tops->fields[tops->count] = field;
        tops->queries[tops->count++] =
            (cat_value_query_t){known, CAT_VALUES_BY_COUNT, 1, "", 0, count_wanted(s, field)};
        return APR_SUCCESS;
    }
    f = make_facet(s, field);
    rv = is_known_empty(s) ? APR_SUCCESS : count_values(s, field, known, f);
    put_facet(s, field, f);
    return rv;
}

/* Of a list, a product with one of the values has others, too. */
static int decides_own(const search_t *s, int field)
{
    const cat_query_condition_t *condition = condition_of(s);

    return s->query->word_count == 0 && (!condition || (s->query->condition_count == 1 && condition->field == field &&
                                                        (condition->op == CAT_EQ || condition->op == CAT_IN) &&
                                                        s->query->all->all[field].kind != CAT_LIST));
}

static int is_own_counted(const search_t *s, int field)
{
    int known = cat_registry_find_field(s->registry, s->query->all, field);
    int is_ready = cat_registry_has_counts(s->registry, known);

    if (!decides_own(s, field)) {
        return 0;
    }
    s->end->is_for_now |= !is_ready;
    return is_ready;
}

/* Do the counters know the facet? */
static int is_counted(const search_t *s, int field)
{
    if (is_known_empty(s)) {
        return 1;
    }
    s->end->is_for_now |= field == CAT_PRODUCT_CATEGORY && s->are_categories_filled_in;
    return field >= CAT_PRODUCT_FIELDS
               ? is_own_counted(s, field)
               : s->counters.decide && (field != CAT_PRODUCT_CATEGORY || s->has_category_counts);
}

static apr_status_t list_facet(search_t *s, int field, tops_t *tops)
{
    return field >= CAT_PRODUCT_FIELDS     ? list_own(s, field, tops)
           : field == CAT_PRODUCT_IN_STOCK ? list_stock(s)
                                           : list_categories(s);
}

/* ---- facets of products that are read ---- */

typedef struct sample_t {
    search_t *search;
    cat_field_set_t fields;             /* facets that the counters do not know */
    apr_hash_t *values[CAT_FIELDS_MAX]; /* apr_int64_t by value, of these */
    apr_int64_t rows, most;             /* how many were read, and are counted; most 0: all */
    const cat_plan_t *plan;
    int is_newest;    /* flag: those that the plan has first are counted */
    apr_pool_t *pool; /* of one row */
} sample_t;

static void count_value(sample_t *sample, int field, const char *value)
{
    apr_pool_t *pool = sample->search->db->pool;
    apr_int64_t *n = apr_hash_get(sample->values[field], value, APR_HASH_KEY_STRING);

    if (!n) {
        n = apr_pcalloc(pool, sizeof(*n));
        apr_hash_set(sample->values[field], apr_pstrdup(pool, value), APR_HASH_KEY_STRING, n);
    }
    ++*n;
}

/* As value_counts has them. */
static void count_own_value(sample_t *sample, int field, const char *value)
{
    if (value && strlen(value) <= CAT_VALUE_SIZE) {
        count_value(sample, field, value);
    }
}

static void count_list(sample_t *sample, int field, const char *text)
{
    const char *why;
    const json_t *list = cat_json_parse(sample->pool, text, strlen(text), &why);
    size_t i;
    json_t *element;

    json_array_foreach (list, i, element) {
        count_own_value(sample, field, json_string_value(element));
    }
}

static void count_own(sample_t *sample, const char *extra)
{
    const cat_fields_t *all = sample->search->query->all;
    const char *row[CAT_PRODUCT_COLUMNS] = {[CAT_PRODUCT_EXTRA] = extra};
    const char *const *record = cat_product_read(sample->pool, all, row);

    for (int i = CAT_PRODUCT_FIELDS; i < all->count; i++) {
        if (!cat_field_set_has(&sample->fields, i) || !record[i]) {
            continue;
        }
        if (all->all[i].kind == CAT_LIST) {
            count_list(sample, i, record[i]);
        } else {
            count_own_value(sample, i, record[i]);
        }
    }
}

static apr_status_t take_facet_row(void *baton, const char *const *values, int count)
{
    sample_t *sample = baton;

    if (sample->rows++ >= sample->most && sample->most) {
        return APR_SUCCESS;
    }
    if (sample->values[CAT_PRODUCT_CATEGORY]) {
        count_value(sample, CAT_PRODUCT_CATEGORY, values[0]);
    }
    if (sample->values[CAT_PRODUCT_IN_STOCK]) {
        count_value(sample, CAT_PRODUCT_IN_STOCK, values[1]);
    }
    if (count > 2 && values[2]) {
        count_own(sample, values[2]);
        apr_pool_clear(sample->pool);
    }
    return APR_SUCCESS;
}

static void put_sample(sample_t *sample, int field)
{
    search_t *s = sample->search;
    facet_t *f = make_facet(s, field);

    for (apr_hash_index_t *i = apr_hash_first(s->db->pool, sample->values[field]); i; i = apr_hash_next(i)) {
        add_value(f, apr_hash_this_key(i), *(apr_int64_t *)apr_hash_this_val(i));
    }
    put_facet(s, field, f);
}

/* Were there more than are counted? */
static int is_cut(const sample_t *sample)
{
    return sample->most && sample->rows > sample->most;
}

static void put_samples(sample_t *sample)
{
    search_t *s = sample->search;

    for (int i = 0; i < s->query->all->count; i++) {
        if (sample->values[i]) {
            put_sample(sample, i);
        }
    }
    s->end->is_sample = is_cut(sample);
    if (!s->end->is_sample && s->query->count != CAT_COUNT_NONE) {
        s->end->total = sample->rows;
    } else if (s->query->count == CAT_COUNT_CAPPED && s->end->total < 0 && !is_total_seen(s)) {
        s->end->total = sample->most;
        s->end->is_more = 1;
    }
}

static apr_status_t read_sample(sample_t *sample)
{
    search_t *s = sample->search;
    cat_select_text_t text;
    apr_status_t rv;

    sample->rows = 0;
    for (int i = 0; i < s->query->all->count; i++) {
        sample->values[i] = cat_field_set_has(&sample->fields, i) ? apr_hash_make(s->db->pool) : NULL;
    }
    if (cat_plan_is_empty(sample->plan)) {
        return APR_SUCCESS;
    }
    apr_pool_create(&sample->pool, s->db->pool);
    cat_select_text_begin(&text, s->db);
    cat_plan_add_facets(&text, sample->plan, sample->most ? sample->most + 1 : 0, sample->is_newest);
    rv = cat_select_text_run(&text, s->db, take_facet_row, sample);
    apr_pool_destroy(sample->pool);
    return rv;
}

static int is_newest_first(const cat_list_query_t *query)
{
    return query->sort_count == 1 && query->sort[0].field == CAT_PRODUCT_CREATED_AT && query->sort[0].descending;
}

/* Counts the newest products, as the first of another order would depend on it, and the first of none on the database. */
static apr_status_t read_newest(sample_t *sample)
{
    search_t *s = sample->search;
    cat_list_query_t *query = apr_pmemdup(s->db->pool, s->query, sizeof(*query));
    cat_plan_t *plan = apr_palloc(s->db->pool, sizeof(*plan));
    apr_status_t rv = APR_SUCCESS;

    if (!is_newest_first(query)) {
        query->page = 1;
        query->sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, 1};
        query->sort_count = 1;
        rv = cat_plan_choose(s->db, query, plan);
        sample->plan = plan;
    }
    sample->is_newest = 1;
    return rv == APR_SUCCESS ? read_sample(sample) : rv;
}

/* Nearly all lists have few products, so these are read in no order first, unless the plan has them in that order anyway. The same rows tell the
 * total, if there are no more of them. */
static apr_status_t read_facets(search_t *s, const cat_field_set_t *fields)
{
    sample_t sample = {.search = s, .fields = *fields, .plan = &s->plan};
    apr_status_t rv;

    sample.most = s->query->count == CAT_COUNT_EXACT ? 0 : s->db->conf->count_limit;
    sample.is_newest = sample.most && is_newest_first(s->query) && !s->plan.counts;
    rv = read_sample(&sample);
    if (rv == APR_SUCCESS && is_cut(&sample) && !sample.is_newest) {
        rv = read_newest(&sample);
    }
    if (rv == APR_SUCCESS) {
        put_samples(&sample);
    }
    return rv;
}

/* The work of a search. */
static apr_status_t sample_all(void *baton)
{
    sample_t *sample = baton;
    search_t *s = sample->search;
    apr_status_t rv = cat_plan_choose(s->db, s->query, &s->plan);

    return rv == APR_SUCCESS ? read_sample(sample) : rv;
}

apr_status_t cat_search_values(cat_db_t *db, const cat_list_query_t *query, int field, cat_row_t *row, void *baton)
{
    cat_list_query_t asked = *query;
    search_t s = {.db = db, .query = &asked};
    sample_t sample = {.search = &s, .plan = &s.plan};
    apr_status_t rv;

    asked.facets = (cat_field_set_t){{0}};
    cat_field_set_add(&asked.facets, field);
    sample.fields = asked.facets;
    rv = cat_db_search(db, sample_all, &sample);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (apr_hash_index_t *i = apr_hash_first(db->pool, sample.values[field]); i && rv == APR_SUCCESS;
         i = apr_hash_next(i)) {
        const char *values[] = {apr_hash_this_key(i), apr_off_t_toa(db->pool, *(apr_int64_t *)apr_hash_this_val(i))};
        rv = row(baton, values, 2);
    }
    return rv;
}

static int by_field(const void *one, const void *other)
{
    return ((const cat_search_facet_t *)one)->field - ((const cat_search_facet_t *)other)->field;
}

static apr_status_t count_facets(search_t *s)
{
    cat_field_set_t others = {{0}};
    tops_t *tops;
    apr_status_t rv = APR_SUCCESS;

    if (!s->query->has_facets) {
        return APR_SUCCESS;
    }
    tops = apr_pcalloc(s->db->pool, sizeof(*tops));
    s->end->facets = apr_palloc(s->db->pool, CAT_FIELDS_MAX * sizeof(*s->end->facets));
    for (int i = 0; i < s->query->all->count && rv == APR_SUCCESS; i++) {
        if (is_facet(s, i) && is_counted(s, i)) {
            rv = list_facet(s, i, tops);
        } else if (is_facet(s, i)) {
            cat_field_set_add(&others, i);
        }
    }
    rv = rv == APR_SUCCESS ? list_tops(s, tops) : rv;
    if (rv == APR_SUCCESS && !cat_field_set_is_empty(&others)) {
        rv = read_facets(s, &others);
    }
    qsort(s->end->facets, (size_t)s->end->facet_count, sizeof(*s->end->facets), by_field);
    return rv;
}

/* ---- the whole ---- */

static void begin_rows(search_t *s)
{
    *s->end = (cat_search_end_t){.total = -1};
    s->passed = 0;
    if (s->rows->begin) {
        s->rows->begin(s->rows->baton);
    }
}

static apr_status_t read_products(search_t *s)
{
    apr_status_t rv = s->query->is_by_relevance ? read_by_relevance(s) : cat_plan_choose(s->db, s->query, &s->plan);

    return rv == APR_SUCCESS && !s->query->is_by_relevance ? read_rows(s) : rv;
}

/* Are there fewer products than `than`? */
static apr_status_t count_fewer(search_t *s, apr_int64_t than, int *are_fewer)
{
    apr_int64_t count;
    apr_status_t rv = count_products(s, than, &count);

    *are_fewer = count < than;
    return rv;
}

/* Do fewer products match than an answer may have, so that further words take part? The first answer tells, unless it has fewer because no more
 * were ranked. Behind the end of the list they are counted. A list by cursor that goes on has the words of its beginning. */
static apr_status_t look_whether_short(search_t *s, int *is_short)
{
    int is_first = s->query->page ? s->offset == 0 : !*s->query->after.key.id;
    int may_be = is_first ? s->passed < s->query->limit : s->query->page && s->passed == 0;

    *is_short = may_be;
    return may_be && (!is_first || s->has_unranked) ? count_fewer(s, s->query->limit, is_short) : APR_SUCCESS;
}

/* Where there are no further such words, the answer stays what it is. */
static apr_status_t read_wide(search_t *s, cat_width_t width, cat_widened_t *widened)
{
    int before = widened->count;
    apr_status_t rv = cat_widen_query(s->db, s->asked, width, widened);

    if (rv != APR_SUCCESS || widened->count == before) {
        return rv;
    }
    begin_rows(s);
    s->query = widened->query;
    s->corrections = cat_corrections_begin(s->db, s->asked, widened);
    rv = read_products(s);
    s->end->width = widened->width;
    s->end->correction_count = cat_corrections_end(s->corrections, &s->end->corrections);
    return rv;
}

/* A list that goes on has the width of its beginning. */
static apr_status_t read_as_before(search_t *s, cat_widened_t *widened)
{
    apr_status_t rv = read_wide(s, s->asked->width, widened);

    return rv == APR_SUCCESS && !widened->count ? read_products(s) : rv;
}

static apr_status_t read_words(search_t *s)
{
    cat_widened_t *widened = apr_pcalloc(s->db->pool, sizeof(*widened));
    int is_short = 0;
    apr_status_t rv;

    if (s->asked->width != CAT_WIDTH_ASKED) {
        return read_as_before(s, widened);
    }
    rv = read_products(s);
    rv = rv == APR_SUCCESS ? look_whether_short(s, &is_short) : rv;
    if (rv == APR_SUCCESS && is_short) {
        rv = read_wide(s, CAT_WIDTH_UNKNOWN, widened);
    }
    if (rv == APR_SUCCESS && is_short && !widened->is_last) {
        rv = look_whether_short(s, &is_short);
    }
    return rv == APR_SUCCESS && is_short && !widened->is_last ? read_wide(s, CAT_WIDTH_ALL, widened) : rv;
}

static apr_status_t read_all(void *baton)
{
    search_t *s = baton;
    cat_list_query_t *asked = apr_pmemdup(s->db->pool, s->asked, sizeof(*asked));
    apr_status_t rv;

    asked->looks = apr_array_make(s->db->pool, CAT_QUERY_WORDS_MAX, sizeof(cat_look_t *));
    s->asked = s->query = asked;
    s->corrections = NULL;
    begin_rows(s);
    rv = read_stock(s);
    if (rv == APR_SUCCESS && !is_known_empty(s)) {
        rv = s->asked->can_widen ? read_words(s) : read_products(s);
    }
    if (rv == APR_SUCCESS) {
        rv = count_facets(s);
    }
    return rv == APR_SUCCESS ? count_rows(s) : rv;
}

static search_t make_search(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                            cat_search_end_t *end)
{
    return (search_t){
        .db = db,
        .asked = query,
        .query = query,
        .rows = rows,
        .end = end,
        .offset = query->page ? cat_query_count_skipped(query) : 0,
        .counters = choose_counters(query),
    };
}

/* Nothing is counted that has to agree with the rows, no bound is read for them (cat_plan_needs_bound), and no ids (relevance.c): a product that
 * was hidden in between would be passed on. */
static int is_of_one_select(const cat_list_query_t *query)
{
    return query->count == CAT_COUNT_NONE && !query->has_facets && query->sort_count < 2 && !query->is_by_relevance;
}

apr_status_t cat_search_read(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                             cat_search_end_t *end)
{
    search_t s = make_search(db, query, rows, end);
    cat_indexes_state_t state = {0};
    apr_status_t rv = query->has_facets ? cat_indexes_check(db, CAT_INDEX_CATEGORY, &state) : APR_SUCCESS;

    if (rv == APR_SUCCESS && query->has_facets) {
        rv = cat_registry_get_filled(db, &s.registry);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    s.has_category_counts = !state.absent && !state.filling;
    s.are_categories_filled_in = state.filling != 0;
    return is_of_one_select(query) ? cat_db_search_once(db, read_all, &s) : cat_db_search(db, read_all, &s);
}

apr_status_t cat_search_read_within(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                                    cat_search_end_t *end)
{
    search_t s = make_search(db, query, rows, end);

    return read_all(&s);
}
