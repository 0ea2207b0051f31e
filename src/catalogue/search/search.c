/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a list with conditions, words or an order: the rows of a page, its total and its facets, all at one state of the
 * database. Each of the three can be the expensive one, so each is asked of whoever knows it already:
 *
 *      read_stock      the counters of categories and of products in stock, if the list has no other conditions:
 *        |             "category=tea&inStock=true" is a number in a table. A list that is known to be empty ends here,
 *        |             because a walk would look for its products everywhere.
 *      read_products   the plan (plan.c) and its rows, and one row more than the page has: whether it comes tells whether
 *        |             there is a next page.
 *      count_facets    the counters, where they know the categories; else the first CatalogCountLimit products of the list
 *        |             are read, and counted by value. If the list has no more, their number is the total.
 *      count_rows      what was not found on the way: the end of the list was on the page, so its total is known; or the
 *                      counters know it; or the database counts, up to CatalogCountLimit unless the client wants it exact.
 *
 * The steps work on one search_t, and each leaves in it what the later ones need not ask any more. When the connection is
 * lost on the way, all of them are repeated on another one; begin_rows tells the receiver of the rows.
 */
#include "catalogue/search/search.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/counts.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/search/indexes.h"
#include "catalogue/search/plan.h"
#include "catalogue/search/stock.h"
#include "db/db.h"

/* What the counters have to be asked. */
typedef struct counters_t {
    int decide; /* flag: the list has no other conditions, so they know how many products it has */
    const cat_query_value_t *category; /* one or several; NULL: of any */
    int category_count;
    int in_stock; /* 0 or 1; -1: both */
} counters_t;

typedef struct search_t {
    cat_db_t *db;
    const cat_list_query_t *query;
    const cat_search_rows_t *rows;
    cat_search_end_t *end;
    cat_plan_t plan;
    apr_int64_t offset;
    apr_int64_t passed;      /* rows that were passed on */
    int has_category_counts; /* flag: the counters of categories have all products */
    counters_t counters;
    cat_stock_t stock; /* of all that counters names */
    cat_stock_t *each; /* of each category that counters names */
    int has_stock;     /* flag: stock is read, and each */
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

static int is_stock_wanted(const search_t *s)
{
    return s->counters.decide && (s->counters.in_stock >= 0 || s->query->has_facets);
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

/* The statement asks for one row more than the limit: it only tells that there are more. */
static apr_status_t take_row(void *baton, const char *const *values, int count)
{
    search_t *s = baton;

    (void)count;
    if (s->passed == s->query->limit) {
        s->end->has_next = 1;
        return APR_SUCCESS;
    }
    if (++s->passed == s->query->limit) {
        note_last(s, values);
    }
    return s->rows->add(s->rows->baton, values, CAT_PRODUCT_COLUMNS);
}

static apr_status_t take_bound(void *baton, const char *const *values, int count)
{
    search_t *s = baton;

    (void)count;
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

    if (s->offset >= APR_INT64_MAX - rows) { /* above any list's end */
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

/* ---- the total ---- */

static apr_status_t take_number(void *number, const char *const *values, int count)
{
    (void)count;
    *(apr_int64_t *)number = apr_atoi64(values[0]);
    return CAT_ENOUGH;
}

/* The answer has the end of the list. */
static int is_total_seen(const search_t *s)
{
    return s->query->page && !s->end->has_next && (s->passed > 0 || s->offset == 0);
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
    cat_select_text_begin(&text, s->db);
    if (is_unconditional(s->query)) {
        cat_select_text_add(&text, "SELECT " PRODUCT_TOTAL, NULL);
        return cat_select_text_run(&text, s->db, take_number, &s->end->total);
    }
    cat_plan_add_count(&text, &s->plan, s->query->count == CAT_COUNT_CAPPED ? s->db->conf->count_limit + 1 : 0);
    rv = cat_select_text_run(&text, s->db, take_number, &s->end->total);
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
    int count;
    cat_search_value_t values[CAT_SEARCH_FACET_MAX];
} facet_t;

static int is_before(const char *value, apr_int64_t count, const cat_search_value_t *other)
{
    return count != other->count ? count > other->count : strcmp(value, other->value) < 0;
}

/* Copies the value, if it belongs to them. */
static void add_value(facet_t *f, const char *value, apr_int64_t count)
{
    int at = f->count;

    while (at > 0 && is_before(value, count, &f->values[at - 1])) {
        at--;
    }
    if (count <= 0 || at == CAT_SEARCH_FACET_MAX) {
        return;
    }
    f->count += f->count < CAT_SEARCH_FACET_MAX;
    memmove(f->values + at + 1, f->values + at, (size_t)(f->count - at - 1) * sizeof(f->values[0]));
    f->values[at] = (cat_search_value_t){apr_pstrdup(f->pool, value), count};
}

static facet_t *make_facet(const search_t *s)
{
    facet_t *f = apr_palloc(s->db->pool, sizeof(*f));

    f->pool = s->db->pool;
    f->count = 0;
    return f;
}

static int is_facet(const search_t *s, int field)
{
    return cat_field_set_has(&s->query->facets, field);
}

static void put_facet(search_t *s, int field, const facet_t *f)
{
    s->end->facets[s->end->facet_count++] = (cat_search_facet_t){field, f->count, f->values};
}

/* ---- facets that the counters know ---- */

static int are_facets_counted(const search_t *s)
{
    return s->counters.decide && (s->has_category_counts || !is_facet(s, CAT_PRODUCT_CATEGORY));
}

typedef struct listing_t {
    facet_t *facet;
    int in_stock; /* of counters_t */
} listing_t;

/* None of the categories from here on belongs to the facet. */
static int is_facet_full(const facet_t *f, apr_int64_t ceiling)
{
    return f->count == CAT_SEARCH_FACET_MAX && ceiling < f->values[f->count - 1].count;
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
    listing_t l = {make_facet(s), s->counters.in_stock};
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < s->counters.category_count; i++) {
        add_value(l.facet, s->counters.category[i].text, count_matching(s, &s->each[i]));
    }
    if (!s->counters.category && !is_known_empty(s)) {
        rv = cat_db_each(s->db, l.in_stock < 0 ? SQL_CATEGORY_LARGEST : SQL_CATEGORY_STOCK, CAT_NO_VALUES,
                         take_category, &l);
    }
    put_facet(s, CAT_PRODUCT_CATEGORY, l.facet);
    return rv;
}

static void list_stock(search_t *s)
{
    facet_t *f = make_facet(s);

    if (s->counters.in_stock != 0) {
        add_value(f, "1", s->stock.in_stock);
    }
    if (s->counters.in_stock != 1) {
        add_value(f, "0", s->stock.products - s->stock.in_stock);
    }
    put_facet(s, CAT_PRODUCT_IN_STOCK, f);
}

static apr_status_t list_facets(search_t *s)
{
    apr_status_t rv = is_facet(s, CAT_PRODUCT_CATEGORY) ? list_categories(s) : APR_SUCCESS;

    if (is_facet(s, CAT_PRODUCT_IN_STOCK)) {
        list_stock(s);
    }
    return rv;
}

/* ---- facets of products that are read ---- */

typedef struct sample_t {
    search_t *search;
    apr_hash_t *values[2]; /* apr_int64_t by value: of category, of in_stock */
    apr_int64_t rows;
} sample_t;

static void count_value(sample_t *sample, int which, const char *value)
{
    apr_pool_t *pool = sample->search->db->pool;
    apr_int64_t *n = apr_hash_get(sample->values[which], value, APR_HASH_KEY_STRING);

    if (!n) {
        n = apr_pcalloc(pool, sizeof(*n));
        apr_hash_set(sample->values[which], apr_pstrdup(pool, value), APR_HASH_KEY_STRING, n);
    }
    ++*n;
}

static apr_status_t take_facet_row(void *baton, const char *const *values, int count)
{
    sample_t *sample = baton;

    (void)count;
    if (sample->rows++ < sample->search->db->conf->count_limit) {
        count_value(sample, 0, values[0]);
        count_value(sample, 1, values[1]);
    }
    return APR_SUCCESS;
}

static void put_sample(sample_t *sample, int which, int field)
{
    search_t *s = sample->search;
    facet_t *f;

    if (!is_facet(s, field)) {
        return;
    }
    f = make_facet(s);
    for (apr_hash_index_t *i = apr_hash_first(s->db->pool, sample->values[which]); i; i = apr_hash_next(i)) {
        add_value(f, apr_hash_this_key(i), *(apr_int64_t *)apr_hash_this_val(i));
    }
    put_facet(s, field, f);
}

/* The same rows tell the total, if there are no more of them. */
static apr_status_t read_facets(search_t *s)
{
    apr_int64_t most = s->db->conf->count_limit;
    sample_t sample = {.search = s, .values = {apr_hash_make(s->db->pool), apr_hash_make(s->db->pool)}};
    cat_select_text_t text;
    apr_status_t rv;

    cat_select_text_begin(&text, s->db);
    cat_plan_add_facets(&text, &s->plan, most + 1);
    rv = cat_select_text_run(&text, s->db, take_facet_row, &sample);
    if (rv == APR_SUCCESS) {
        put_sample(&sample, 0, CAT_PRODUCT_CATEGORY);
        put_sample(&sample, 1, CAT_PRODUCT_IN_STOCK);
        s->end->is_sample = sample.rows > most;
        if (!s->end->is_sample && s->query->count != CAT_COUNT_NONE) {
            s->end->total = sample.rows;
        }
    }
    return rv;
}

/* ---- categories of products that are read ---- */

static apr_status_t take_category_row(void *baton, const char *const *values, int count)
{
    (void)count;
    count_value(baton, 0, values[0]);
    return APR_SUCCESS;
}

/* The work of a search. */
static apr_status_t read_categories(void *baton)
{
    sample_t *sample = baton;
    search_t *s = sample->search;
    cat_select_text_t text;
    apr_status_t rv = cat_plan_choose(s->db, s->query, &s->plan);

    sample->values[0] = apr_hash_make(s->db->pool);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    cat_select_text_begin(&text, s->db);
    cat_plan_add_facets(&text, &s->plan, APR_INT64_MAX);
    return cat_select_text_run(&text, s->db, take_category_row, sample);
}

apr_status_t cat_search_categories(cat_db_t *db, const cat_list_query_t *query, cat_row_t *row, void *baton)
{
    search_t s = {.db = db, .query = query};
    sample_t sample = {.search = &s};
    apr_status_t rv = cat_db_search(db, read_categories, &sample);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (apr_hash_index_t *i = apr_hash_first(db->pool, sample.values[0]); i && rv == APR_SUCCESS;
         i = apr_hash_next(i)) {
        const char *values[] = {apr_hash_this_key(i), apr_off_t_toa(db->pool, *(apr_int64_t *)apr_hash_this_val(i))};
        rv = row(baton, values, 2);
    }
    return rv;
}

static apr_status_t count_facets(search_t *s)
{
    if (!s->query->has_facets) {
        return APR_SUCCESS;
    }
    return are_facets_counted(s) || is_known_empty(s) ? list_facets(s) : read_facets(s);
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
    apr_status_t rv = cat_plan_choose(s->db, s->query, &s->plan);

    return rv == APR_SUCCESS ? read_rows(s) : rv;
}

static apr_status_t read_all(void *baton)
{
    search_t *s = baton;
    apr_status_t rv;

    begin_rows(s);
    rv = read_stock(s);
    if (rv == APR_SUCCESS && !is_known_empty(s)) {
        rv = read_products(s);
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
        .query = query,
        .rows = rows,
        .end = end,
        .offset = query->page ? cat_query_count_skipped(query) : 0,
        .counters = choose_counters(query),
    };
}

apr_status_t cat_search_read(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                             cat_search_end_t *end)
{
    search_t s = make_search(db, query, rows, end);
    cat_indexes_state_t state = {0};
    apr_status_t rv = query->has_facets ? cat_indexes_check(db, CAT_INDEX_CATEGORY, &state) : APR_SUCCESS;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    s.has_category_counts = !state.absent && !state.filling;
    return cat_db_search(db, read_all, &s);
}

apr_status_t cat_search_read_within(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                                    cat_search_end_t *end)
{
    search_t s = make_search(db, query, rows, end);

    return read_all(&s);
}
