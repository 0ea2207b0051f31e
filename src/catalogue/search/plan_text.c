/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what plan.c has chosen as selects: the rows of a page, the bound of a page that has to be sorted, counts and facets.
 * A select is made of a source, which is what the walk, fetch or stream finds, and of what is read of it. Where a plan is
 * several walks, one for each value, the select is a union of branches; `branch` says which one a function writes, 0 where
 * there is only one. "category[in]=tea,milk", newest first, on SQLite:
 *
 *      SELECT r.id, ... FROM (                                                   the products of the page, by their numbers
 *          SELECT p.n FROM products p INDEXED BY ... WHERE ...    branch 0: tea
 *          UNION ALL SELECT ...                                                  branch 1: milk
 *          ORDER BY p.n DESC LIMIT 11) k
 *      CROSS JOIN products r ON r.n = k.n ORDER BY ...
 */
#include "catalogue/search/plan.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/search/conditions.h"
#include "db/db.h"

/* What a select reads of the products that it finds. */
typedef enum {
    READ_KEYS,     /* not more than their keys and what the conditions ask */
    READ_IN_ORDER, /* all columns, as the walk or stream comes to them */
    LOOK_UP_EACH   /* the same as r, by its number, once the index has told that it is wanted */
} reading_t;

static int count_branches(const cat_plan_t *plan)
{
    if (plan->branch_count) {
        return plan->branch_count;
    }
    return plan->branch_condition ? plan->branch_condition->count : plan->kind == CAT_PLAN_STREAM ? 0 : 1;
}

#define EACH (-1) /* a branch of a stream: that of the word of x */

/* May a product be in several branches? It may have several words or elements of a list, but has one value. */
static int do_branches_overlap(const cat_plan_t *plan)
{
    return plan->kind == CAT_PLAN_STREAM || cat_conditions_is_list(plan->query->all, plan->own);
}

static const char *union_of(const cat_plan_t *plan)
{
    return do_branches_overlap(plan) ? " UNION " : " UNION ALL ";
}

static void add_bound(cat_select_text_t *s, const cat_plan_t *plan)
{
    if (plan->bound && plan->order.columns[0].field == CAT_PRODUCT_CREATED_AT) {
        cat_select_text_add_condition(s);
        cat_conditions_add_time(s, plan->order.columns[0].descending ? CAT_GTE : CAT_LTE, apr_atoi64(plan->bound));
    } else if (plan->bound) {
        cat_select_text_add_condition(s);
        cat_conditions_add_key(s, plan->order.columns[0].field);
        cat_select_text_add(s, plan->order.columns[0].descending ? " >= " : " <= ", NULL);
        if (plan->order.columns[0].is_number) {
            cat_select_text_add_integer(s, plan->bound);
        } else {
            cat_select_text_add_value(s, plan->bound);
        }
    }
}

static void join_product(cat_select_text_t *s, const char *keys)
{
    cat_select_text_add(s, s->dialect->syntax->join, "products r ON r.n = ", keys, ".n", NULL);
}

/* Do postings tell whether a product is found? A long word is found by its first part only. */
static int is_found(const cat_select_text_t *s, const char *word)
{
    return !cat_product_keys_is_cut(word) && !cat_select_text_hides_words(s);
}

/* Does the database read two lists side by side as an INTERSECT, or else as a join? */
static int is_intersection(const cat_select_text_t *s, const cat_plan_t *plan)
{
    return plan->is_merged && !s->dialect->syntax->plan_merge;
}

/* What a fetch finds by itself. Of texts of the built-in fields an index has the folded form, and of several elements the first one. */
static int is_fetched(const cat_plan_t *plan, const cat_query_condition_t *condition)
{
    int is_text = condition->field < CAT_PRODUCT_FIELDS && !cat_conditions_is_number(condition->field);

    return condition->field == plan->field && (!plan->only || plan->only == condition) &&
           cat_conditions_is_indexed(plan->query->all, condition) &&
           !(is_text && (condition->op == CAT_EQ || condition->op == CAT_IN)) &&
           (condition->op != CAT_ALL || condition->count == 1);
}

/* What the source finds by itself of conditions and words. Of several elements it may find one or two. */
static cat_found_t list_found(const cat_select_text_t *s, const cat_plan_t *plan)
{
    const cat_query_condition_t *walked = plan->branch_condition;
    const cat_query_condition_t *second = plan->has_second ? plan->second.condition : NULL;
    int finds = walked && walked == second ? 2 : 1;
    cat_found_t found = {0};

    for (int i = 0; i < plan->query->condition_count; i++) {
        const cat_query_condition_t *condition = &plan->query->conditions[i];
        int is_found = ((walked && condition == walked) ||
                        (second && condition == second && !cat_postings_is_category(&plan->second))) &&
                       (condition->op != CAT_ALL || condition->count <= finds);
        if (is_found || (plan->kind == CAT_PLAN_FETCH && is_fetched(plan, condition))) {
            found.conditions |= APR_UINT64_C(1) << i;
        }
    }
    if (plan->kind != CAT_PLAN_WALK && plan->word && is_found(s, plan->word)) {
        found.words[0] = plan->word;
    }
    if (plan->has_second && plan->second.word && is_found(s, plan->second.word)) {
        found.words[1] = plan->second.word;
    }
    return found;
}

static int has_found(const cat_found_t *found, int i)
{
    return (found->conditions & APR_UINT64_C(1) << i) != 0;
}

/* Does the source read the products themselves, by one of their indexes, and not postings or keys? */
static int reads_products(const cat_plan_t *plan)
{
    return plan->kind == CAT_PLAN_WALK && !plan->own;
}

static int joins_second(const cat_select_text_t *s, const cat_plan_t *plan)
{
    return plan->is_merged || plan->kind == CAT_PLAN_STREAM || s->dialect->syntax->joins_keys;
}

/* The table of postings that tells whether the name has the word; NULL: only the row tells. */
static const char *find_posting(const cat_plan_t *plan, const cat_found_t *found, const char *word, int is_joined)
{
    return plan->kind == CAT_PLAN_STREAM && word == found->words[0] ? "w"
           : is_joined && word == found->words[1]                   ? "v"
                                                                    : NULL;
}

/* Does in_name have to be read of the rows? */
static int needs_names(const cat_select_text_t *s, const cat_plan_t *plan, const cat_found_t *found)
{
    for (int i = 0; i < plan->query->word_count && plan->has_names; i++) {
        if (!find_posting(plan, found, plan->query->words[i], joins_second(s, plan))) {
            return 1;
        }
    }
    return 0;
}

/* Does the source have to read products, beside postings or keys? Their keys tell all else, and so do words that are found. */
static int needs_products(const cat_select_text_t *s, const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    cat_found_t found = list_found(s, plan);
    int is_needed =
        query->word_count > (found.words[0] != NULL) + (found.words[1] != NULL) || needs_names(s, plan, &found);

    for (int i = 0; i < query->condition_count; i++) {
        int field = query->conditions[i].field;
        is_needed |= field < CAT_PRODUCT_FIELDS && field != CAT_PRODUCT_CREATED_AT && !has_found(&found, i);
    }
    for (int i = plan->pair ? 1 : 0; i < plan->order.count; i++) {
        int field = plan->order.columns[i].field;
        is_needed |= field < CAT_PRODUCT_FIELDS && field != CAT_PRODUCT_CREATED_AT && field != CAT_PRODUCT_ID;
    }
    return is_needed && !is_intersection(s, plan);
}

static void add_value_of_branch(cat_select_text_t *s, const cat_plan_t *plan, int branch)
{
    const cat_query_condition_t *condition = plan->branch_condition;

    if (plan->pair) {
        cat_select_text_add_condition(s);
        cat_conditions_add_pair(s, plan->pair, condition->values);
    } else if (condition) {
        cat_query_condition_t one = {condition->field, CAT_EQ, 1, condition->values + plan->element + branch};
        cat_select_text_add_condition(s);
        (plan->own ? cat_conditions_add_walked : cat_conditions_add)(s, &one);
    } else if (plan->skip) {
        cat_select_text_add_condition(s);
        cat_select_text_add(s, "p.", plan->order.columns[0].column, " = ", NULL);
        cat_select_text_add_integer(s, plan->branches[branch]);
    }
}

/* Has the index by time what the condition asks? */
static int is_in_index_by_time(const cat_select_text_t *s, const cat_query_condition_t *condition)
{
    switch (condition->field) {
    case CAT_PRODUCT_CATEGORY:
        return !s->dialect->syntax->pads_blanks &&
               (condition->op == CAT_EQ || condition->op == CAT_IN || condition->op == CAT_NE);
    case CAT_PRODUCT_NAME:
    case CAT_PRODUCT_ID:
        return 0;
    default:
        return 1;
    }
}

/* Has it what the list is ordered by? A walk in another order reads most of the products that it passes. */
static int is_order_in_index_by_time(const cat_plan_t *plan)
{
    for (int i = 0; i < plan->order.count; i++) {
        int field = plan->order.columns[i].field;
        if (field == CAT_PRODUCT_NAME || field == CAT_PRODUCT_CATEGORY ||
            (plan->kind == CAT_PLAN_WALK && i == 0 && field != CAT_PRODUCT_CREATED_AT && field != CAT_PRODUCT_ID)) {
            return 0;
        }
    }
    return 1;
}

/* The index that has what is asked of the products to keys or postings, so that only those are read that are wanted; NULL: none has it, or
 * the database cannot be told. */
static const char *find_index_of_rest(const cat_select_text_t *s, const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    cat_found_t found = list_found(s, plan);

    if (reads_products(plan)) {
        return NULL;
    }
    if (plan->has_second && cat_postings_is_category(&plan->second)) {
        return "products_by_category";
    }
    if (!s->dialect->syntax->use_index || plan->kind == CAT_PLAN_STREAM || query->word_count ||
        !is_order_in_index_by_time(plan)) {
        return NULL;
    }
    for (int i = 0; i < query->condition_count; i++) {
        if (!has_found(&found, i) && !is_in_index_by_time(s, &query->conditions[i])) {
            return NULL;
        }
    }
    return "products_by_time";
}

/* Joins the products to keys or postings. SQLite would else take a bound of their numbers for one of p's as well, and pass all between. */
static void join_checked(cat_select_text_t *s, const cat_plan_t *plan)
{
    const char *index = find_index_of_rest(s, plan);

    cat_select_text_add(s, s->dialect->syntax->join, NULL);
    cat_select_text_add_products(s, index);
    cat_select_text_add(s, " ON p.n = ", index && s->dialect->syntax->use_index ? "+" : "", s->keys, ".n", NULL);
}

/* Is the second list one that is looked up, and not read beside the other or found in an index of products? */
static int looks_second_up(const cat_select_text_t *s, const cat_plan_t *plan)
{
    return plan->has_second && !cat_postings_is_category(&plan->second) && !is_intersection(s, plan);
}

/* Joins what a walk or a stream needs beside what it reads. */
static void join_others(cat_select_text_t *s, const cat_plan_t *plan, reading_t reading)
{
    if (looks_second_up(s, plan) && joins_second(s, plan)) {
        cat_postings_join(s, &plan->second);
    }
    if (!reads_products(plan) && (reading == READ_IN_ORDER || needs_products(s, plan))) {
        join_checked(s, plan);
    }
    if (reading == LOOK_UP_EACH) {
        join_product(s, s->keys);
    }
}

/* After the last product with the first value of the order comes the first one with the second. */
static int continues_in_branch(const cat_plan_t *plan, int branch)
{
    return !plan->skip ||
           (plan->order.columns[0].after && plan->order.columns[0].after[0] == plan->branches[branch][0]);
}

/* Where the list goes on comes before conditions of the same field: SQLite reads an index from the first bound in the text on, and would else
 * pass all that came before. */
static void check_others(cat_select_text_t *s, const cat_plan_t *plan, int branch)
{
    cat_found_t found = list_found(s, plan);

    if (continues_in_branch(plan, branch)) {
        cat_order_add_after(s, &plan->order, plan->skip);
    }
    if (is_intersection(s, plan)) {
        return;
    }
    if (looks_second_up(s, plan) && !joins_second(s, plan)) {
        cat_select_text_add_condition(s);
        cat_postings_probe(s, &plan->second);
    }
    cat_conditions_add_all(s, plan->query, &found);
    if (plan->has_second && cat_postings_is_category(&plan->second)) {
        cat_select_text_add_not_null(s, "category_key");
    }
}

static void add_walk(cat_select_text_t *s, const cat_plan_t *plan, int branch, reading_t reading)
{
    cat_select_text_add(s, " FROM ", NULL);
    if (plan->own) {
        cat_select_text_add_keys(s, "w", plan->is_by_product);
    } else {
        cat_select_text_add_products(s, plan->index);
    }
    join_others(s, plan, reading);
    cat_select_text_begin_where(s);
    if (plan->own && !plan->pair) {
        cat_conditions_add_field(s, "w", plan->own);
    }
    add_value_of_branch(s, plan, branch);
    check_others(s, plan, branch);
    cat_select_text_add_not_null(s, plan->not_null);
    add_bound(s, plan);
}

/* Lower bounds come first (conditions.c). */
void cat_plan_add_found(cat_select_text_t *s, const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    int is_own = plan->field >= CAT_PRODUCT_FIELDS;

    cat_select_text_add(s, " FROM ", NULL);
    if (is_own) {
        cat_select_text_read_from(s, "w", "p", plan->field);
        cat_select_text_add_keys(s, "w", 0);
    } else {
        cat_select_text_read_from(s, "p", "p", 0);
        cat_select_text_add_products(s, plan->index);
    }
    cat_select_text_begin_where(s);
    if (is_own) {
        cat_conditions_add_field(s, "w", plan->field);
    }
    for (int i = query->condition_count - 1; i >= 0; i--) {
        const cat_query_condition_t *condition = &query->conditions[i];
        if (condition->field == plan->field && (!plan->only || plan->only == condition)) {
            cat_conditions_add_for_index(s, condition);
        }
    }
    cat_select_text_add_not_null(s, plan->not_null);
}

static const char *const *others_of(const cat_list_query_t *query, const char *word)
{
    int i = 0;

    while (i < query->word_count && query->words[i] != word) {
        i++;
    }
    return i < query->word_count ? query->others[i] : NULL;
}

static void add_postings_of(cat_select_text_t *s, const char *prefix, const char *columns, apr_int64_t most)
{
    cat_select_text_add(s, "SELECT * FROM (SELECT ", columns, NULL);
    cat_plan_add_words(s, prefix);
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_number(s, most);
}

void cat_plan_add_postings(cat_select_text_t *s, const cat_list_query_t *query, const char *word, const char *columns,
                           apr_int64_t most)
{
    const char *const *others = others_of(query, word);

    if (!others) {
        cat_plan_add_words(s, word);
        return;
    }
    cat_select_text_add(s, " FROM (", NULL);
    add_postings_of(s, word, columns, most);
    for (int i = 0; others[i]; i++) {
        cat_select_text_add(s, ") b", NULL);
        cat_select_text_add_number(s, i);
        cat_select_text_add(s, " UNION ALL ", NULL);
        add_postings_of(s, others[i], columns, most);
    }
    cat_select_text_add(s, ") b) u", NULL);
}

static void read_from_source(cat_select_text_t *s, const cat_plan_t *plan)
{
    if (plan->kind == CAT_PLAN_FETCH) {
        cat_select_text_read_from(s, "d", "p", 0);
    } else if (plan->kind == CAT_PLAN_STREAM || plan->own) {
        cat_select_text_read_from(s, "w", "p", plan->own);
    } else {
        cat_select_text_read_from(s, "p", "p", 0);
    }
}

/* Only what an index finds, exactly; here, too, lower bounds come first. */
static void add_fetched_exactly(cat_select_text_t *s, const cat_plan_t *plan)
{
    for (int i = plan->query->condition_count - 1; i >= 0; i--) {
        const cat_query_condition_t *condition = &plan->query->conditions[i];
        if (condition->field >= CAT_PRODUCT_FIELDS && is_fetched(plan, condition)) {
            cat_select_text_add_condition(s);
            cat_conditions_add_walked(s, condition);
        }
    }
}

/* Leaves out nothing; it is there so that no database joins in another order. */
static void add_few(cat_select_text_t *s)
{
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_number(s, CAT_PLAN_FETCHED);
}

static void add_fetch(cat_select_text_t *s, const cat_plan_t *plan, reading_t reading)
{
    const char *keys = plan->word ? "n" : plan->field >= CAT_PRODUCT_FIELDS ? "w.n" : "p.n";

    cat_select_text_add(s, " FROM (SELECT ", plan->word || plan->only ? "DISTINCT " : "", keys, NULL);
    if (plan->word) {
        cat_plan_add_postings(s, plan->query, plan->word, "n", CAT_PLAN_FETCHED);
    } else {
        cat_plan_add_found(s, plan);
        add_fetched_exactly(s, plan);
    }
    add_few(s);
    cat_select_text_add(s, ") d", NULL);
    read_from_source(s, plan);
    join_others(s, plan, reading);
    cat_select_text_begin_where(s);
    check_others(s, plan, 0);
}

static void add_stream(cat_select_text_t *s, const cat_plan_t *plan, int branch, reading_t reading)
{
    cat_select_text_add(s, " FROM product_words w", NULL);
    join_others(s, plan, reading);
    cat_select_text_begin_where(s);
    cat_select_text_add_condition(s);
    if (branch == EACH) {
        cat_select_text_add(s, "w.word = x.word", NULL);
    } else {
        cat_select_text_add(s, "w.word = ", NULL);
        cat_select_text_add_value(s, plan->branches[branch]);
    }
    check_others(s, plan, branch);
}

static void add_source(cat_select_text_t *s, const cat_plan_t *plan, int branch, reading_t reading)
{
    read_from_source(s, plan);
    switch (plan->kind) {
    case CAT_PLAN_WALK:
        add_walk(s, plan, branch, reading);
        break;
    case CAT_PLAN_FETCH:
        add_fetch(s, plan, reading);
        break;
    default:
        add_stream(s, plan, branch, reading);
    }
}

/* ---- the rows ---- */

static void add_limit(cat_select_text_t *s, apr_int64_t rows, apr_int64_t offset)
{
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_value(s, apr_psprintf(s->text.pool, "%" APR_INT64_T_FMT, rows));
    if (offset) {
        cat_select_text_add(s, " OFFSET ", NULL);
        cat_select_text_add_value(s, apr_psprintf(s->text.pool, "%" APR_INT64_T_FMT, offset));
    }
}

static void add_branch(cat_select_text_t *s, const cat_plan_t *plan, int branch, reading_t reading)
{
    add_source(s, plan, branch, reading);
    cat_order_add(s, &plan->order, plan->skip, NULL);
}

/* 1 if the name has all words, each told by its posting or by the row. */
static void add_in_name(cat_select_text_t *s, const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    const cat_found_t found = list_found(s, plan);

    for (int i = 0; i < query->word_count; i++) {
        const char *posting = find_posting(plan, &found, query->words[i], joins_second(s, plan));
        cat_select_text_add(s, i ? " AND " : ", CASE WHEN ", NULL);
        if (posting) {
            cat_select_text_add(s, posting, ".in_name IN (1, 3)", NULL);
        } else {
            cat_select_text_add_word_of_name(s, query->words[i], query->others[i]);
        }
    }
    cat_select_text_add(s, " THEN 1 ELSE 0 END AS in_name", NULL);
}

static void select_columns(cat_select_text_t *s, const cat_plan_t *plan)
{
    read_from_source(s, plan);
    cat_select_text_add(s, "SELECT ", NULL);
    cat_order_add_columns(s, &plan->order);
    if (plan->has_names) {
        add_in_name(s, plan);
    }
}

/* The database reads all branches at once, each in its order, until it has enough. */
static void add_ordered_union(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    for (int branch = 0; branch < count_branches(plan); branch++) {
        cat_select_text_add(s, branch ? union_of(plan) : "", NULL);
        select_columns(s, plan);
        add_source(s, plan, branch, READ_KEYS);
    }
    cat_order_add(s, &plan->order, 0, NULL);
    add_limit(s, rows, offset);
}

/* The same of two lists, of which the database leaves what both have. */
static void add_intersection(cat_select_text_t *s, const cat_plan_t *plan)
{
    cat_plan_t second = *plan;

    cat_plan_drive(&second, &plan->second);
    select_columns(s, plan);
    add_source(s, plan, 0, READ_KEYS);
    cat_select_text_add(s, " INTERSECT ", NULL);
    select_columns(s, &second);
    add_source(s, &second, 0, READ_KEYS);
    cat_order_add(s, &plan->order, 0, NULL);
}

static void add_limited_branch(cat_select_text_t *s, const cat_plan_t *plan, int branch, apr_int64_t rows)
{
    select_columns(s, plan);
    add_branch(s, plan, branch, READ_KEYS);
    add_limit(s, rows, 0);
    cat_select_text_add(s, ")", NULL);
}

/* Each branch a select. */
static void add_selects(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows)
{
    for (int branch = 0; branch < count_branches(plan); branch++) {
        cat_select_text_add(s, branch ? union_of(plan) : "", s->dialect->syntax->limited, NULL);
        add_limited_branch(s, plan, branch, rows);
    }
}

/* One select for all words of a stream: of many selects, beginning takes as long as reading. */
static void add_joined_words(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows)
{
    for (int branch = 0; branch < count_branches(plan); branch++) {
        cat_select_text_add(s, branch ? "), (" : "SELECT DISTINCT l.* FROM (VALUES (", NULL);
        cat_select_text_add_value(s, plan->branches[branch]);
    }
    cat_select_text_add(s, ")) x (word) CROSS JOIN LATERAL (", NULL);
    add_limited_branch(s, plan, EACH, rows);
    cat_select_text_add(s, " l", NULL);
}

/* The database reads as much of each branch as the page could need, and sorts that. */
static void add_sorted_union(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    int are_joined = s->dialect->syntax->joins_lateral && plan->kind == CAT_PLAN_STREAM;

    cat_select_text_add(s, "SELECT u.* FROM (", NULL);
    (are_joined ? add_joined_words : add_selects)(s, plan, rows + offset);
    cat_select_text_add(s, ") u", NULL);
    cat_order_add(s, &plan->order, 0, "u");
    add_limit(s, rows, offset);
}

static void add_union(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    if (s->dialect->syntax->orders_union && !cat_plan_is_index_too_short(plan)) {
        add_ordered_union(s, plan, rows, offset);
    } else {
        add_sorted_union(s, plan, rows, offset);
    }
}

/* All that is fetched is sorted. Where products are joined, PostgreSQL would walk them in the order of one of their indexes instead, unless they
 * are sorted by a select of its own. */
static void add_sorted_fetch(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    int is_joined = needs_products(s, plan);

    cat_select_text_add(s, is_joined ? "SELECT u.* FROM (" : "", NULL);
    select_columns(s, plan);
    add_source(s, plan, 0, READ_KEYS);
    if (is_joined) {
        add_few(s);
        cat_select_text_add(s, ") u", NULL);
    }
    cat_order_add(s, &plan->order, 0, is_joined ? "u" : NULL);
    add_limit(s, rows, offset);
}

static void add_keys(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    if (plan->kind == CAT_PLAN_FETCH) {
        add_sorted_fetch(s, plan, rows, offset);
        return;
    }
    if (count_branches(plan) > 1) {
        add_union(s, plan, rows, offset);
        return;
    }
    if (is_intersection(s, plan)) {
        add_intersection(s, plan);
    } else {
        select_columns(s, plan);
        add_branch(s, plan, 0, READ_KEYS);
    }
    add_limit(s, rows, offset);
}

/* Keys first, and then the products of the page by these, so that none is read that the offset leaves out, or that is sorted behind the
 * page; else in one pass. A stream reads the products that it finds anyway, and so does a walk that looks for words, which no index of
 * products has, unless that takes longer for those that it passes. */
static reading_t choose_reading(const cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t offset)
{
    int reads_products = plan->kind == CAT_PLAN_STREAM || plan->wants_most || plan->query->word_count > 0 ||
                         (plan->own && needs_products(s, plan));

    if (plan->kind == CAT_PLAN_FETCH || count_branches(plan) > 1 || plan->bound || offset || plan->is_merged ||
        (s->dialect->syntax->copies_rows && plan->kind == CAT_PLAN_WALK && plan->query->word_count) ||
        (reads_products && find_index_of_rest(s, plan))) {
        return READ_KEYS;
    }
    return reads_products ? READ_IN_ORDER : LOOK_UP_EACH;
}

int cat_plan_is_empty(const cat_plan_t *plan)
{
    return count_branches(plan) == 0;
}

static void add_wanted(cat_select_text_t *s, const cat_plan_t *plan, reading_t reading)
{
    int has_keys = reading == LOOK_UP_EACH && plan->own;

    cat_select_text_add(s, reading == READ_IN_ORDER ? "SELECT " PRODUCT_COLUMNS_OF_P : "SELECT " PRODUCT_COLUMNS_OF_R,
                        NULL);
    if (reading == READ_IN_ORDER) {
        read_from_source(s, plan);
    } else {
        cat_select_text_read_from(s, has_keys ? "w" : "r", "r", has_keys ? plan->own : 0);
    }
    if (plan->pair) { /* cursors have the second field's own keys */
        s->own = 0;
    }
    for (int i = 0; i < plan->query->sort_count; i++) {
        cat_select_text_add(s, ", ", NULL);
        cat_conditions_add_key(s, plan->query->sort[i].field);
    }
}

/* Adds " FROM ...", the products themselves, p or r. */
static void add_products(cat_select_text_t *s, const cat_plan_t *plan, reading_t reading, apr_int64_t rows,
                         apr_int64_t offset)
{
    s->merges = plan->is_merged;
    if (reading == READ_KEYS) {
        s->leaves_choice = plan->bound != NULL; /* what is up to the bound is sorted, so the order forces no index */
        cat_select_text_add(s, " FROM (", NULL);
        add_keys(s, plan, rows, offset);
        cat_select_text_add(s, ") k", NULL);
        join_product(s, "k");
        cat_order_add(s, &plan->order, 0, "k");
    } else {
        add_branch(s, plan, 0, reading);
        add_limit(s, rows, 0);
    }
}

void cat_plan_add_rows(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    reading_t reading = choose_reading(s, plan, offset);

    add_wanted(s, plan, reading);
    add_products(s, plan, reading, rows, offset);
}

/* An INTERSECT has no more columns than those that both lists have. Of a union, each product takes up to two rows. */
void cat_plan_add_candidates(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows)
{
    cat_plan_t candidates = *plan;

    candidates.has_names = 1;
    candidates.is_merged &= !is_intersection(s, plan);
    s->merges = candidates.is_merged;
    add_keys(s, &candidates, count_branches(plan) > 1 ? 2 * rows : rows, 0);
}

void cat_plan_add_bound(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset)
{
    int is_by_time = plan->order.columns[0].field == CAT_PRODUCT_CREATED_AT;

    read_from_source(s, plan);
    cat_select_text_add(s, "SELECT ", NULL);
    cat_conditions_add_key(s, plan->order.columns[0].field);
    add_source(s, plan, 0, READ_KEYS);
    cat_select_text_add(s, " ORDER BY ", NULL);
    cat_conditions_add_key(s, is_by_time ? CAT_PRODUCT_ID : plan->order.columns[0].field);
    cat_select_text_add(s, plan->order.columns[0].descending ? " DESC" : "", NULL);
    add_limit(s, 1, rows + offset - 1);
}

/* ---- counts ---- */

/* MariaDB makes one select of two that have no limit, and does not find the columns of what is fetched when it runs that again. */
static void add_most(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most)
{
    if (most) {
        cat_select_text_add(s, " LIMIT ", NULL);
        cat_select_text_add_number(s, most);
    } else if (plan->kind == CAT_PLAN_FETCH) {
        add_few(s);
    }
}

/* All that the plan reads, whatever is first; but what is read side by side must have its order. */
static cat_plan_t make_whole(const cat_plan_t *plan)
{
    cat_plan_t whole = plan->counts && plan->kind == CAT_PLAN_WALK ? *plan->counts : *plan;

    for (int i = 0; i < whole.order.count; i++) {
        whole.order.columns[i].after = NULL;
    }
    whole.order.count = whole.is_merged ? whole.order.count : 0;
    whole.bound = NULL;
    whole.is_by_product = 0;
    if (whole.skip) {
        whole.skip = 0;
        whole.branch_count = 0;
    }
    return whole;
}

/* The same for a text that reads other columns as well, and so no two lists side by side. */
static cat_plan_t make_whole_of_rows(const cat_select_text_t *s, const cat_plan_t *plan)
{
    cat_plan_t whole = make_whole(plan);

    whole.has_second &= !whole.is_merged || s->dialect->syntax->joins_keys;
    whole.is_merged = 0;
    whole.order.count = 0;
    return whole;
}

/* Adds a select of all products of the plan, in no order. UNION mixes the branches, so that the first ones are not all of one. */
static void add_all(cat_select_text_t *s, const cat_plan_t *plan, const char *what, reading_t reading, apr_int64_t most)
{
    cat_plan_t whole = make_whole_of_rows(s, plan);

    read_from_source(s, &whole);
    for (int branch = 0; branch < count_branches(&whole); branch++) {
        cat_select_text_add(s, branch ? " UNION " : "", "SELECT * FROM (SELECT ", s->keys, ".n", what, NULL);
        add_source(s, &whole, branch, reading);
        add_most(s, plan, most);
        cat_select_text_add(s, ") b", NULL);
        cat_select_text_add_number(s, branch);
    }
}

/* One word that begins many: the first so many products among the postings are found sooner than by a walk. */
static int is_counted_by_words(const cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most)
{
    const cat_list_query_t *query = plan->query;

    return most && s->dialect->syntax->ends_distinct && plan->kind == CAT_PLAN_WALK && query->condition_count == 0 &&
           query->word_count == 1 && is_found(s, query->words[0]);
}

static void add_counted(cat_select_text_t *s, const cat_plan_t *plan, const cat_plan_t *whole, apr_int64_t most)
{
    if (is_counted_by_words(s, plan, most)) {
        cat_select_text_add(s, "SELECT DISTINCT n", NULL);
        cat_plan_add_postings(s, plan->query, plan->query->words[0], "DISTINCT n", most);
    } else if (is_intersection(s, whole)) {
        add_intersection(s, whole);
    } else if (count_branches(whole) == 1) {
        cat_select_text_add(s, "SELECT 1 AS one", NULL);
        add_source(s, whole, 0, READ_KEYS);
    } else {
        cat_select_text_add(s, "SELECT * FROM (", NULL);
        add_all(s, plan, "", READ_KEYS, most);
        cat_select_text_add(s, ") a", NULL);
    }
    add_most(s, plan, most);
}

/* Each branch is counted by itself, because a database stores what it reads of a union. */
static void add_sum(cat_select_text_t *s, const cat_plan_t *whole, apr_int64_t most)
{
    for (int branch = 0; branch < count_branches(whole); branch++) {
        cat_select_text_add(s, branch ? " + " : "SELECT ", "(SELECT COUNT(*) FROM (SELECT 1 AS one", NULL);
        add_source(s, whole, branch, READ_KEYS);
        add_most(s, whole, most);
        cat_select_text_add(s, ") b", NULL);
        cat_select_text_add_number(s, branch);
        cat_select_text_add(s, ")", NULL);
    }
}

/* Can a walk in no order use the index of one condition or of another? */
static int has_choice(const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;

    for (int i = 1; i < query->condition_count && plan->kind == CAT_PLAN_WALK; i++) {
        if (query->conditions[i].field != query->conditions[0].field) {
            return 1;
        }
    }
    return 0;
}

void cat_plan_add_count(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most)
{
    cat_plan_t whole = make_whole(plan);

    s->leaves_choice = has_choice(plan);
    s->merges = whole.is_merged;
    if (count_branches(&whole) > 1 && !do_branches_overlap(plan)) {
        add_sum(s, &whole, most);
    } else {
        cat_select_text_add(s, "SELECT COUNT(*) FROM (", NULL);
        add_counted(s, plan, &whole, most);
        cat_select_text_add(s, ") c", NULL);
    }
}

/* Without own fields, an index has all that is read. */
static int has_own_facets(const cat_list_query_t *query)
{
    int i = CAT_PRODUCT_FIELDS;

    while (i < query->all->count && !cat_field_set_has(&query->facets, i)) {
        i++;
    }
    return i < query->all->count;
}

/* The first ones of the list, from its beginning on. A walk that is in an index with all that is read need not look up each product. */
static void add_first_facets(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most, int has_own)
{
    cat_plan_t first = *plan;
    reading_t reading;
    const char *from;

    for (int i = 0; i < first.order.count; i++) {
        first.order.columns[i].after = NULL;
    }
    reading = choose_reading(s, &first, 0);
    reading = reading == LOOK_UP_EACH && !has_own ? READ_IN_ORDER : reading;
    from = reading == READ_IN_ORDER ? "p" : "r";
    cat_select_text_add(s, "SELECT ", from, ".category, ", from, ".in_stock", NULL);
    if (has_own) {
        cat_select_text_add(s, ", ", from, ".extra", NULL);
    }
    add_products(s, &first, reading, most, 0);
}

void cat_plan_add_facets(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most, int is_first)
{
    int has_own = has_own_facets(plan->query);

    if (is_first) {
        add_first_facets(s, plan, most, has_own);
        return;
    }
    s->leaves_choice = has_choice(plan);
    cat_select_text_add(s, "SELECT a.category, a.in_stock", has_own ? ", a.extra" : "", " FROM (", NULL);
    add_all(s, plan, has_own ? ", p.category, p.in_stock, p.extra" : ", p.category, p.in_stock", READ_IN_ORDER, most);
    cat_select_text_add(s, ") a", NULL);
    add_most(s, plan, most);
}
