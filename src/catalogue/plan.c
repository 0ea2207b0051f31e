/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/plan.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/conditions.h"
#include "catalogue/counts.h"
#include "catalogue/product_keys.h"
#include "db/checkout.h"
#include "db/sql_parts.h"
#include "lib/fold.h"

#define COUNTED_WORDS 8 /* words of q that are counted */
#define CANDIDATES_MAX (CAT_PRODUCT_FIELDS + COUNTED_WORDS)

/* THE INDEX TABLE: by which index products are found, or walked in the order of a field; not_null: see cat_plan_t. */
static const struct {
    int field;
    const char *column;
    const char *index;
    const char *not_null;
} indexes[] = {
    {CAT_PRODUCT_CREATED_AT, "created_at", "products_by_time", NULL},
    {CAT_PRODUCT_NAME, "name_key", "products_by_name", "name_key"},
    {CAT_PRODUCT_PRICE, "price_key", "products_by_price", "price_key"},
    {CAT_PRODUCT_CATEGORY, "category_key", "products_by_category_key", "category_key"},
    {CAT_PRODUCT_RATING, "rating_key", "products_by_rating", "rating_key"},
};

#define INDEXES (sizeof(indexes) / sizeof(indexes[0]))

/* The products of one category, by another column. */
static const struct {
    const char *column;
    const char *index;
    const char *not_null;
} category_indexes[] = {
    {"created_at", "products_by_category", "category_key"},
};

#define CATEGORY_INDEXES (sizeof(category_indexes) / sizeof(category_indexes[0]))

static const cat_query_condition_t *find_condition(const cat_list_query_t *query, int field, cat_operator_t op)
{
    for (int i = 0; i < query->condition_count; i++) {
        if (query->conditions[i].field == field && query->conditions[i].op == op) {
            return &query->conditions[i];
        }
    }
    return NULL;
}

static const cat_query_condition_t *find_category(const cat_list_query_t *query)
{
    const cat_query_condition_t *condition = find_condition(query, CAT_PRODUCT_CATEGORY, CAT_EQ);

    return condition ? condition : find_condition(query, CAT_PRODUCT_CATEGORY, CAT_IN);
}

/* ---- walks ---- */

static void walk_by_column(cat_plan_t *plan, const char *column)
{
    for (size_t i = 0; i < INDEXES; i++) {
        if (!strcmp(indexes[i].column, column)) {
            plan->index = indexes[i].index;
            plan->not_null = indexes[i].not_null;
        }
    }
}

/* 1: the walk passes products of the category only. */
static int walk_in_category(cat_plan_t *plan, const cat_query_condition_t *category, const char *column)
{
    for (size_t i = 0; i < CATEGORY_INDEXES; i++) {
        if (!strcmp(category_indexes[i].column, column) && category->count <= CAT_PLAN_BRANCHES) {
            plan->index = category_indexes[i].index;
            plan->not_null = category_indexes[i].not_null;
            plan->branch_condition = category;
            return 1;
        }
    }
    return 0;
}

/* A walk in the order of in_stock, of which there is no index, is two: of the products that have one value of it, then of
 * the others. */
static void split_by_stock(cat_plan_t *plan)
{
    int is_first_wanted =
        !plan->order.columns[0].after || (plan->order.columns[0].after[0] == '1') == plan->order.columns[0].descending;

    plan->skip = 1;
    if (is_first_wanted) {
        plan->branches[plan->branch_count++] = plan->order.columns[0].descending ? "1" : "0";
    }
    plan->branches[plan->branch_count++] = plan->order.columns[0].descending ? "0" : "1";
}

/* Products of one category, or of one value of inStock, are not ordered by it. */
static void drop_constants(cat_plan_t *plan)
{
    cat_order_t *order = &plan->order;

    while (plan->sort_count > 0) {
        int field = plan->query->sort[plan->query->sort_count - plan->sort_count].field;
        if ((field != CAT_PRODUCT_CATEGORY && field != CAT_PRODUCT_IN_STOCK) ||
            !find_condition(plan->query, field, CAT_EQ)) {
            return;
        }
        plan->sort_count--;
        memmove(order->columns, order->columns + 1, (size_t)--order->count * sizeof(order->columns[0]));
    }
}

/* An index has the first column in order, but not all of them: there are several keys, or the times of products with
 * equal ones go the other way, as of sort=-inStock,name with one value of inStock. */
static int is_index_too_short(const cat_plan_t *plan)
{
    return plan->sort_count > 1 || !cat_order_has_one_direction(&plan->order, 0);
}

static void plan_walk(cat_plan_t *plan)
{
    const cat_query_condition_t *category = find_category(plan->query);

    plan->kind = CAT_PLAN_WALK;
    if (!strcmp(plan->order.columns[0].column, "in_stock")) {
        split_by_stock(plan);
        category = NULL;
    }
    if (category && category->op == CAT_IN && is_index_too_short(plan)) { /* its branches would have no common bound */
        category = NULL;
    }
    if (!category || !walk_in_category(plan, category, plan->order.columns[0].column)) {
        walk_by_column(plan, plan->order.columns[plan->skip].column);
    }
}

/* Does the walk pass only products that meet the condition, or end when it comes to others? */
static int is_in_walk(const cat_plan_t *plan, const cat_query_condition_t *condition)
{
    const char *walked = plan->order.columns[plan->skip].column;

    return condition == plan->branch_condition ||
           (cat_conditions_is_indexed(condition) && condition->op != CAT_IN &&
            !strcmp(cat_conditions_column(condition->field), walked) &&
            (condition->op != CAT_EQ || condition->field != CAT_PRODUCT_CATEGORY));
}

static int is_walk_sufficient(const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;

    for (int i = 0; i < query->condition_count; i++) {
        if (!is_in_walk(plan, &query->conditions[i])) {
            return 0;
        }
    }
    return query->word_count == 0;
}

/* ---- counts ---- */

typedef struct candidate_t {
    int field;        /* whose conditions are counted; -1: the word */
    const char *word; /* of the query */
    const char *index, *not_null;
    int is_in_walk;
    apr_int64_t count;
} candidate_t;

typedef struct candidates_t {
    apr_int64_t products; /* of the catalogue */
    int count;
    candidate_t all[CANDIDATES_MAX];
} candidates_t;

static void add_not_null(cat_select_text_t *s, const char *column)
{
    if (column) {
        cat_select_text_add_condition(s);
        cat_select_text_add(s, "p.", column, " IS NOT NULL", NULL);
    }
}

void cat_plan_add_words(cat_select_text_t *s, const char *word, const char *after)
{
    const char *begin = cat_fold_cut(s->text.pool, word, CAT_PRODUCT_WORD_SIZE);
    const char *end = cat_conditions_end_of_prefix(s->text.pool, begin);

    cat_select_text_add(s, " FROM product_words w WHERE w.word ", after ? "> " : ">= ", NULL);
    cat_select_text_add_value(s, after ? after : begin);
    if (end) {
        cat_select_text_add(s, " AND w.word < ", NULL);
        cat_select_text_add_value(s, end);
    }
}

/* Adds a select of what the candidate finds, at most `most` and one. */
static void add_candidate(cat_select_text_t *s, const cat_list_query_t *query, const candidate_t *candidate, int most)
{
    cat_select_text_add(s, "SELECT 1 AS one", NULL);
    if (candidate->word) {
        cat_plan_add_words(s, candidate->word, NULL);
    } else {
        cat_select_text_add(s, " FROM ", NULL);
        cat_select_text_add_products(s, candidate->index);
        cat_select_text_begin_where(s);
        for (int i = 0; i < query->condition_count; i++) {
            if (query->conditions[i].field == candidate->field) {
                cat_conditions_add_for_index(s, &query->conditions[i]);
            }
        }
        add_not_null(s, candidate->not_null);
    }
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_number(s, most + 1);
}

static candidate_t *find_candidate(candidates_t *candidates, int field)
{
    for (int i = 0; i < candidates->count; i++) {
        if (candidates->all[i].field == field) {
            return &candidates->all[i];
        }
    }
    return NULL;
}

static void add_field(candidates_t *candidates, const cat_plan_t *plan, const cat_query_condition_t *condition)
{
    candidate_t *found = find_candidate(candidates, condition->field);
    candidate_t *candidate = found ? found : &candidates->all[candidates->count++];
    int is_category = condition->field == CAT_PRODUCT_CATEGORY && (condition->op == CAT_EQ || condition->op == CAT_IN);

    if (!found) {
        *candidate = (candidate_t){.field = condition->field};
        for (size_t i = 0; i < INDEXES; i++) {
            if (indexes[i].field == condition->field) {
                candidate->index = indexes[i].index;
                candidate->not_null = indexes[i].not_null;
            }
        }
    }
    if (is_category) {
        candidate->index = category_indexes[0].index;
        candidate->not_null = category_indexes[0].not_null;
    }
    candidate->is_in_walk |= is_in_walk(plan, condition);
}

static candidates_t list_candidates(const cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    candidates_t candidates = {0};

    for (int i = 0; i < query->condition_count; i++) {
        if (cat_conditions_is_indexed(&query->conditions[i])) {
            add_field(&candidates, plan, &query->conditions[i]);
        }
    }
    for (int i = 0; i < query->word_count && i < COUNTED_WORDS; i++) {
        candidates.all[candidates.count++] = (candidate_t){.field = -1, .word = query->words[i]};
    }
    return candidates;
}

typedef struct counting_t {
    apr_int64_t *products;
    candidate_t *counted[CANDIDATES_MAX];
    int count;
} counting_t;

static apr_status_t take_counts(void *baton, const char *const *values, int count)
{
    counting_t *c = baton;

    *c->products = apr_atoi64(values[0]);
    for (int i = 1; i < count; i++) {
        c->counted[i - 1]->count = apr_atoi64(values[i]);
    }
    return CAT_ENOUGH;
}

/* The only category that the products of the list may have; NULL: there are several, or other conditions on it. */
static const char *find_counted_category(const cat_list_query_t *query)
{
    const char *category = NULL;

    for (int i = 0; i < query->condition_count; i++) {
        if (query->conditions[i].field != CAT_PRODUCT_CATEGORY) {
            continue;
        }
        if (category || query->conditions[i].op != CAT_EQ) {
            return NULL;
        }
        category = query->conditions[i].values->text;
    }
    return category;
}

/* Counts up to `most` and one, and the products of a category whatever their number, because a counter knows it. */
static apr_status_t count_candidates(cat_db_t *db, const cat_dialect_t *dialect, const cat_plan_t *plan,
                                     candidates_t *candidates, int most)
{
    const char *category = find_counted_category(plan->query);
    counting_t c = {.products = &candidates->products};
    cat_select_text_t s;

    cat_select_text_init(&s, db->pool, dialect);
    cat_select_text_add(&s, "SELECT " PRODUCT_TOTAL, NULL);
    for (int i = 0; i < candidates->count; i++) {
        candidate_t *candidate = &candidates->all[i];
        if (candidate->field == CAT_PRODUCT_CATEGORY && category) {
            apr_status_t rv = candidate->count ? APR_SUCCESS : cat_counts_category(db, category, &candidate->count);
            if (rv != APR_SUCCESS) {
                return rv;
            }
        } else {
            cat_select_text_add(&s, ", (SELECT COUNT(*) FROM (", NULL);
            add_candidate(&s, plan->query, candidate, most);
            cat_select_text_add(&s, ") c)", NULL);
            c.counted[c.count++] = candidate;
        }
    }
    return c.count || !candidates->products ? cat_select_text_run(&s, db, take_counts, &c) : APR_SUCCESS;
}

/* ---- words ---- */

typedef struct dictionary_t {
    apr_pool_t *pool;
    const char *word; /* NULL: there is none */
} dictionary_t;

static apr_status_t take_word(void *baton, const char *const *values, int count)
{
    dictionary_t *d = baton;

    (void)count;
    d->word = apr_pstrdup(d->pool, values[0]);
    return CAT_ENOUGH;
}

/* Finds the words that begin with this one, each by a look into the index, because no database skips from one to the
 * next by itself. *count: CAT_PLAN_BRANCHES + 1 if there are more. */
static apr_status_t find_words(cat_db_t *db, const cat_dialect_t *dialect, const char *word, const char **words,
                               int *count)
{
    apr_status_t rv = APR_SUCCESS;

    for (*count = 0; rv == APR_SUCCESS && *count <= CAT_PLAN_BRANCHES; ++*count) {
        dictionary_t d = {.pool = db->pool};
        cat_select_text_t s;

        cat_select_text_init(&s, db->pool, dialect);
        cat_select_text_add(&s, "SELECT w.word", NULL);
        cat_plan_add_words(&s, word, *count ? words[*count - 1] : NULL);
        cat_select_text_add(&s, " ORDER BY w.word LIMIT 1", NULL);
        rv = cat_select_text_run(&s, db, take_word, &d);
        if (rv != APR_SUCCESS || !d.word) {
            return rv;
        }
        if (*count < CAT_PLAN_BRANCHES) {
            words[*count] = d.word;
        }
    }
    return rv;
}

/* By the first word of the query for which there are few enough in the dictionary; the longest words first would be no
 * better guess of the rarest. */
static apr_status_t plan_stream(cat_db_t *db, const cat_dialect_t *dialect, cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    apr_status_t rv = APR_SUCCESS;
    int count = 0;

    for (int i = 0; i < query->word_count && rv == APR_SUCCESS; i++) {
        const char *words[CAT_PLAN_BRANCHES + 1];
        rv = find_words(db, dialect, query->words[i], words, &count);
        if (rv == APR_SUCCESS && count <= CAT_PLAN_BRANCHES &&
            (plan->kind != CAT_PLAN_STREAM || count < plan->branch_count)) {
            plan->kind = CAT_PLAN_STREAM;
            plan->word = query->words[i];
            plan->index = plan->not_null = NULL;
            plan->branch_condition = NULL;
            plan->branch_count = count;
            memcpy(plan->branches, words, sizeof(plan->branches));
        }
    }
    return rv;
}

/* ---- the choice ---- */

static void plan_fetch(cat_plan_t *plan, const candidate_t *candidate)
{
    plan->kind = CAT_PLAN_FETCH;
    plan->index = candidate->index;
    plan->not_null = candidate->not_null;
    plan->field = candidate->field;
    plan->word = candidate->word;
    plan->branch_condition = NULL;
    plan->branch_count = 0;
    plan->skip = 0;
}

/* A list of several categories is one look into the index for each, which no database makes of what a walk checks. */
static int has_category_list(const cat_list_query_t *query)
{
    return find_condition(query, CAT_PRODUCT_CATEGORY, CAT_IN) != NULL;
}

static void plan_count(cat_plan_t *plan, const candidates_t *candidates)
{
    const candidate_t *best = NULL;

    for (int i = 0; i < candidates->count; i++) {
        const candidate_t *candidate = &candidates->all[i];
        if (candidate->index && (candidate->field != CAT_PRODUCT_CATEGORY || !has_category_list(plan->query)) &&
            (!best || candidate->count < best->count)) {
            best = candidate;
        }
    }
    if (best && !plan->branch_condition) {
        plan->count_index = best->index;
        plan->count_not_null = best->not_null;
    }
}

static int is_by_time(const cat_plan_t *plan)
{
    return !strcmp(plan->order.columns[0].column, "created_at") && !is_index_too_short(plan);
}

/* Among equals, one that the walk passes alone. */
static const candidate_t *find_best(const candidates_t *candidates)
{
    const candidate_t *best = &candidates->all[0];

    for (int i = 1; i < candidates->count; i++) {
        const candidate_t *candidate = &candidates->all[i];
        if (candidate->count < best->count || (candidate->count == best->count && candidate->is_in_walk)) {
            best = candidate;
        }
    }
    return best;
}

static int is_fetched(const candidate_t *candidate, apr_int64_t products)
{
    return !candidate->is_in_walk && candidate->count <= CAT_PLAN_FEW &&
           (candidate->count <= CAT_PLAN_VERY_FEW || products > CAT_PLAN_SHARE * candidate->count);
}

/* Few are fetched and sorted, unless the walk passes no more. First counts up to CAT_PLAN_VERY_FEW, because counting more
 * takes as long as many a walk. */
static apr_status_t choose_by_counts(cat_db_t *db, const cat_dialect_t *dialect, cat_plan_t *plan,
                                     candidates_t *candidates)
{
    apr_status_t rv = count_candidates(db, dialect, plan, candidates, CAT_PLAN_VERY_FEW);
    const candidate_t *best = find_best(candidates);

    if (rv == APR_SUCCESS && best->count > CAT_PLAN_VERY_FEW) {
        rv = count_candidates(db, dialect, plan, candidates, CAT_PLAN_FEW);
        best = find_best(candidates);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    plan_count(plan, candidates);
    if (is_fetched(best, candidates->products)) {
        plan_fetch(plan, best);
        return APR_SUCCESS;
    }
    return is_by_time(plan) && !best->is_in_walk && plan->query->word_count ? plan_stream(db, dialect, plan)
                                                                            : APR_SUCCESS;
}

apr_status_t cat_plan_choose(cat_db_t *db, const cat_dialect_t *dialect, const cat_list_query_t *query,
                             cat_plan_t *plan)
{
    candidates_t candidates;

    *plan = (cat_plan_t){.query = query, .order = cat_order_make(query), .sort_count = query->sort_count, .field = -1};
    drop_constants(plan);
    plan_walk(plan);
    if (find_condition(query, CAT_PRODUCT_ID, CAT_EQ) || find_condition(query, CAT_PRODUCT_ID, CAT_IN)) {
        plan_fetch(plan, &(candidate_t){.field = CAT_PRODUCT_ID});
        return APR_SUCCESS;
    }
    if (query->word_count == 1 && query->condition_count == 0 && is_by_time(plan)) { /* whatever their number */
        apr_status_t rv = plan_stream(db, dialect, plan);
        if (rv != APR_SUCCESS || plan->kind == CAT_PLAN_STREAM) {
            return rv;
        }
    }
    candidates = list_candidates(plan);
    return is_walk_sufficient(plan) || !candidates.count ? APR_SUCCESS
                                                         : choose_by_counts(db, dialect, plan, &candidates);
}

int cat_plan_needs_bound(const cat_plan_t *plan)
{
    return plan->kind == CAT_PLAN_WALK && !plan->branch_count && is_index_too_short(plan);
}
