/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a list with conditions, words or an order: the rows of a page, its total and its facets, all at one state of the
 * database. Each of the three can be the expensive one, so each comes from what knows it already:
 *
 *      cat_counters_read
 *        |             the counters of categories and of products in stock, if the list has no other conditions:
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

#include "catalogue/product/product_keys.h"
#include "catalogue/search/corrections.h"
#include "catalogue/search/indexes.h"
#include "catalogue/search/looks.h"
#include "catalogue/search/plan.h"
#include "catalogue/search/relevance.h"
#include "db/db.h"

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
    cat_counters_t counters;
    const cat_registry_t *registry; /* where there are facets */
    cat_corrections_t *corrections; /* where the list is widened */
} search_t;

/* ---- rows ---- */

static void note_last(search_t *s, const char *const *values)
{
    cat_list_position_t *last = &s->end->last;

    for (int i = 0; i < s->query->sort_count; i++) {
        last->values[i] = apr_pstrdup(s->db->pool, values[CAT_PRODUCT_COLUMNS + i]);
    }
    last->n = cat_id_number(values[CAT_PRODUCT_ID]);
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

    apr_hash_set(rows, cat_id_number_text(apr_hash_pool_get(rows), row[CAT_PRODUCT_ID]), APR_HASH_KEY_STRING, row);
    return APR_SUCCESS;
}

/* Passes on the products of these numbers, in their order. */
static apr_status_t read_portion(search_t *s, const char *const *numbers, int count)
{
    apr_hash_t *rows = apr_hash_make(s->db->pool);
    cat_select_text_t text;
    apr_status_t rv;

    cat_select_text_begin(&text, s->db);
    cat_select_text_add(&text, "SELECT " PRODUCT_COLUMNS_OF_R " FROM products r WHERE r.n IN (", NULL);
    for (int i = 0; i < count; i++) {
        cat_select_text_add(&text, i ? ", " : "", NULL);
        cat_select_text_add_value(&text, numbers[i]);
    }
    cat_select_text_add(&text, ")", NULL);
    rv = cat_select_text_run(&text, s->db, keep_row, rows);
    for (int i = 0; i < count && rv == APR_SUCCESS; i++) {
        const char *const *row = apr_hash_get(rows, numbers[i], APR_HASH_KEY_STRING);
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
    for (int done = 0; done < page.numbers->nelts && rv == APR_SUCCESS; done += AT_ONCE) {
        int rest = page.numbers->nelts - done;
        rv = read_portion(s, (const char *const *)page.numbers->elts + done, rest < AT_ONCE ? rest : AT_ONCE);
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

static apr_status_t count_all(search_t *s)
{
    cat_select_text_t text;
    apr_status_t rv = cat_counters_count(s->db, &s->counters, &s->end->total);

    if (rv != APR_SUCCESS || s->end->total >= 0) {
        return rv;
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
    return s->query->count == CAT_COUNT_NONE || s->end->total >= 0 ? APR_SUCCESS : count_all(s);
}

static apr_status_t count_facets(search_t *s)
{
    cat_facets_t facets = {s->db,
                           s->query,
                           &s->plan,
                           s->end,
                           &s->counters,
                           s->registry,
                           s->has_category_counts,
                           s->are_categories_filled_in};

    if (s->query->count != CAT_COUNT_NONE && s->end->total < 0 && is_total_seen(s)) {
        s->end->total = s->offset + s->passed;
    }
    return s->query->has_facets ? cat_facets_count(&facets) : APR_SUCCESS;
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
    int is_first = s->query->page ? s->offset == 0 : s->query->after.n == CAT_LIST_KEY_MAX;
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
    rv = cat_counters_read(s->db, s->query, &s->counters);
    if (rv == APR_SUCCESS && !cat_counters_are_empty(&s->counters)) {
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
        .counters = cat_counters_choose(query),
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
