/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/search.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/counts.h"
#include "catalogue/indexes.h"
#include "catalogue/plan.h"
#include "catalogue/product_keys.h"
#include "db/checkout.h"
#include "db/sql_parts.h"

typedef struct search_t {
    cat_db_t *db;
    const cat_list_query_t *query;
    const cat_search_rows_t *rows;
    cat_search_end_t *end;
    const cat_dialect_t *dialect;
    cat_plan_t plan;
    apr_int64_t offset;
    apr_int64_t passed;      /* rows that were passed on */
    int has_category_counts; /* flag: the counters of categories have all products */
} search_t;

/* ---- rows ---- */

static void note_last(search_t *s, const char *const *values)
{
    cat_list_position_t *last = &s->end->last;

    for (int i = 0; i < s->query->sort_count; i++) {
        last->values[i] = apr_pstrdup(s->db->pool, values[CAT_PRODUCT_FIELDS + i]);
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
    return s->rows->add(s->rows->baton, values, CAT_PRODUCT_FIELDS);
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

    cat_select_text_init(&text, s->db->pool, s->dialect);
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
    cat_select_text_init(&text, s->db->pool, s->dialect);
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

/* The category that is the only condition of the list; NULL: it has others, or none. */
static const char *find_only_category(const cat_list_query_t *query)
{
    const cat_query_condition_t *condition = query->conditions;
    int is_alone = query->condition_count == 1 && query->word_count == 0;

    return is_alone && condition->field == CAT_PRODUCT_CATEGORY && condition->op == CAT_EQ ? condition->values->text
                                                                                           : NULL;
}

static apr_status_t count_all(search_t *s)
{
    cat_select_text_t text;
    apr_status_t rv;

    cat_select_text_init(&text, s->db->pool, s->dialect);
    if (find_only_category(s->query)) {
        return cat_counts_category(s->db, find_only_category(s->query), &s->end->total);
    }
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

typedef struct facets_t {
    search_t *search;
    apr_hash_t *values[2]; /* cat_search_value_t * by value: of category, of in_stock */
    apr_int64_t rows;
} facets_t;

static void add_value(facets_t *f, int which, const char *value)
{
    cat_search_value_t *found = apr_hash_get(f->values[which], value, APR_HASH_KEY_STRING);

    if (!found) {
        found = apr_pcalloc(f->search->db->pool, sizeof(*found));
        found->value = apr_pstrdup(f->search->db->pool, value);
        apr_hash_set(f->values[which], found->value, APR_HASH_KEY_STRING, found);
    }
    found->count++;
}

static apr_status_t take_facet_row(void *baton, const char *const *values, int count)
{
    facets_t *f = baton;

    (void)count;
    if (f->rows++ < f->search->db->conf->count_limit) {
        add_value(f, 0, values[0]);
        add_value(f, 1, values[1]);
    }
    return APR_SUCCESS;
}

static int compare_values(const void *a, const void *b)
{
    const cat_search_value_t *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->value, y->value);
}

static void add_facet(facets_t *f, int which, int field)
{
    cat_search_end_t *end = f->search->end;
    unsigned count = apr_hash_count(f->values[which]), n = 0;
    cat_search_value_t *values = apr_palloc(f->search->db->pool, (count + 1) * sizeof(*values));

    if (!(f->search->query->facets & CAT_FIELD_LIST_OF(field))) {
        return;
    }
    for (apr_hash_index_t *i = apr_hash_first(f->search->db->pool, f->values[which]); i; i = apr_hash_next(i)) {
        values[n++] = *(cat_search_value_t *)apr_hash_this_val(i);
    }
    qsort(values, count, sizeof(*values), compare_values);
    end->facets[end->facet_count++] =
        (cat_search_facet_t){field, count < CAT_SEARCH_FACET_MAX ? (int)count : CAT_SEARCH_FACET_MAX, values};
}

static apr_status_t take_category(void *baton, const char *const *values, int count)
{
    facets_t *f = baton;
    cat_search_value_t *value = apr_palloc(f->search->db->pool, sizeof(*value));

    (void)count;
    *value = (cat_search_value_t){apr_pstrdup(f->search->db->pool, values[0]), apr_atoi64(values[1])};
    apr_hash_set(f->values[0], value->value, APR_HASH_KEY_STRING, value);
    return APR_SUCCESS;
}

/* Of a list without conditions the counters know the categories, all of them. */
static int are_categories_counted(const search_t *s)
{
    return s->has_category_counts && is_unconditional(s->query) &&
           s->query->facets == CAT_FIELD_LIST_OF(CAT_PRODUCT_CATEGORY);
}

static apr_status_t list_categories(search_t *s, facets_t *f)
{
    apr_status_t rv = cat_db_each(s->db, SQL_CATEGORY_LIST, CAT_NO_VALUES, take_category, f);

    add_facet(f, 0, CAT_PRODUCT_CATEGORY);
    return rv;
}

/* The same rows tell the total, if there are no more of them. */
static apr_status_t count_facets(search_t *s)
{
    apr_int64_t most = s->db->conf->count_limit;
    facets_t f = {.search = s, .values = {apr_hash_make(s->db->pool), apr_hash_make(s->db->pool)}};
    cat_select_text_t text;
    apr_status_t rv;

    if (!s->query->facets) {
        return APR_SUCCESS;
    }
    if (are_categories_counted(s)) {
        return list_categories(s, &f);
    }
    cat_select_text_init(&text, s->db->pool, s->dialect);
    cat_plan_add_facets(&text, &s->plan, most + 1);
    rv = cat_select_text_run(&text, s->db, take_facet_row, &f);
    if (rv == APR_SUCCESS) {
        add_facet(&f, 0, CAT_PRODUCT_CATEGORY);
        add_facet(&f, 1, CAT_PRODUCT_IN_STOCK);
        s->end->is_sample = f.rows > most;
        if (!s->end->is_sample && s->query->count != CAT_COUNT_NONE) {
            s->end->total = f.rows;
        }
    }
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

/* Rows of a plan that is tried in vain are passed on again, so the receiver must be able to begin anew. */
static apr_status_t try_rows(search_t *s)
{
    apr_int64_t rows = s->rows->begin && s->offset < CAT_PLAN_TRIED ? s->offset + s->query->limit + 1 : 0;
    apr_status_t rv;

    begin_rows(s);
    rv = cat_plan_try(s->db, s->dialect, s->query, rows, &s->plan);
    return rv == APR_SUCCESS ? read_rows(s) : rv;
}

static int is_tried_in_vain(const search_t *s)
{
    return s->plan.tried_from && !s->end->has_next;
}

static apr_status_t read_again(search_t *s)
{
    apr_status_t rv;

    begin_rows(s);
    rv = cat_plan_choose(s->db, s->dialect, s->query, &s->plan);
    return rv == APR_SUCCESS ? read_rows(s) : rv;
}

static apr_status_t read_all(void *baton)
{
    search_t *s = baton;
    apr_status_t rv;

    s->dialect = cat_source_dialect(s->db->source);
    rv = try_rows(s);
    if (rv == APR_SUCCESS && is_tried_in_vain(s)) {
        rv = read_again(s);
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
        .db = db, .query = query, .rows = rows, .end = end, .offset = query->page ? cat_query_count_skipped(query) : 0};
}

apr_status_t cat_search_read(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                             cat_search_end_t *end)
{
    search_t s = make_search(db, query, rows, end);
    cat_indexes_state_t state = {0};
    apr_status_t rv = query->facets ? cat_indexes_check(db, CAT_INDEX_CATEGORY, &state) : APR_SUCCESS;

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
