/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses how a list with conditions, words or an order is read. The databases' own estimates do not know which conditions
 * meet, so each of them has questions for which it reads the whole table. This file asks a few cheap questions instead, and
 * plan_text.c writes a select that leaves the database no choice.
 *
 * There are three ways to read a page. Take "category=tea&price[lt]=5", newest first:
 *
 *      WALK    products_by_category: tea    9  8  7  6  5  4 ...     checks the price of each until the page is full:
 *              is its price below 5?        n  y  n  n  y  y         soon, if many teas are cheap
 *
 *      FETCH   products_by_price: below 5   6  4  1  8  5            reads all that are cheap, checks the category, sorts:
 *              is it a tea?                 n  y  n  y  y            soon, if few products are cheap
 *
 *      STREAM  product_words: kettle        9  7  2  1 ...           for words of q: a walk through the postings of a word,
 *                                                                    which have the order of the list, too
 *
 * A walk that meets no unwanted product is right without a question. Otherwise each condition that has an index is a
 * candidate: how many products does it find? The answer need not be exact. Up to CAT_PLAN_VERY_FEW are counted first; those
 * are fetched. Then up to CAT_PLAN_FEW; those are fetched if the catalogue is so large that a walk would be longer. What
 * finds more is left to the walk, or to the stream. So no list takes more than some thousand rows to plan, and a walk
 * becomes long only where each condition meets many products, and hardly any product meets all; the time limit ends that.
 *
 * For a word of q others may stand, "teakettle" for "kettle" in "tea kettle". Those that begin no word of a product, which the module asks
 * first, are forgotten, and nearly always that is all of them. If some are left, the words that begin with any are streamed; more than
 * CAT_PLAN_WORDS of them are counted and fetched like those of a word without others.
 *
 * Words are not counted at all if each begins only few words of the dictionary. The module reads when each of these was last
 * used, and when it was 200 uses ago: the longer this span, the rarer the word. The rarest is streamed, the next is looked up
 * among its own postings, if it is one word of the dictionary, and all others are checked on the product.
 *
 * docs/decisions/0042-module-chooses-plans.md says what was measured.
 */
#include "catalogue/search/plan.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/product/counts.h"
#include "catalogue/product/own_keys.h"
#include "catalogue/product/product_keys.h"
#include "catalogue/search/conditions.h"
#include "catalogue/search/index_table.h"
#include "catalogue/search/looks.h"
#include "db/db.h"
#include "lib/fold.h"

#define COUNTED_WORDS 8 /* words of q that are counted */
#define CANDIDATES_MAX (CAT_QUERY_CONDITIONS_MAX + COUNTED_WORDS)
_Static_assert(CANDIDATES_MAX < CAT_COLUMNS_MAX, "all candidates are counted by one statement");

/* It has every column of conditions but those of texts that are folded: what a walk passes for a price or a rating is not read. */
static const char by_time[] = "products_by_time";

/* Is it the column n, or its milliseconds? */
static int is_number(const char *column)
{
    return !strcmp(column, "n") || !strcmp(column, "created_at");
}

/* The index by which products are found, or walked, in the order of a column; *not_null: see cat_plan_t. Only that of time is in no part of
 * CatalogIndex, and so not in its table. */
static const char *find_index(const char *column, const char **not_null)
{
    *not_null = NULL;
    for (int i = 0; i < CAT_INDEX_COUNT; i++) {
        if (!strcmp(cat_index_table[i].columns[0], column)) {
            *not_null = cat_index_table[i].not_null;
            return cat_index_table[i].name;
        }
    }
    return is_number(column) ? by_time : NULL;
}

/* The index by which the products that have one value of a field are found, in the order of a column. A list with conditions on several of
 * these fields is walked by that of the first row. */
static const struct {
    int field;
    const char *order;
    const char *index;
    const char *not_null;
} value_indexes[] = {
    {CAT_PRODUCT_CATEGORY, "n", "products_by_category", "category_key"},
    {CAT_PRODUCT_PRICE, "n", "products_by_price", "price_key"},
    {CAT_PRODUCT_RATING, "n", "products_by_rating", "rating_key"},
    {CAT_PRODUCT_CATEGORY, "price_key", "products_by_category_price", "price_key"},
};

#define VALUE_INDEXES (sizeof(value_indexes) / sizeof(value_indexes[0]))

static const cat_query_condition_t *find_condition(const cat_list_query_t *query, int field, cat_operator_t op)
{
    for (int i = 0; i < query->condition_count; i++) {
        if (query->conditions[i].field == field && query->conditions[i].op == op) {
            return &query->conditions[i];
        }
    }
    return NULL;
}

/* ---- walks ---- */

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

/* Products of one category, of one value of inStock or of a field of the shop's own, are not ordered by it. */
static void drop_constants(cat_plan_t *plan)
{
    cat_order_t *order = &plan->order;

    while (plan->sort_count > 0) {
        int field = plan->query->sort[plan->query->sort_count - plan->sort_count].field;
        if ((field != CAT_PRODUCT_CATEGORY && field != CAT_PRODUCT_IN_STOCK && field < CAT_PRODUCT_FIELDS) ||
            !find_condition(plan->query, field, CAT_EQ)) {
            return;
        }
        plan->sort_count--;
        memmove(order->columns, order->columns + 1, (size_t)--order->count * sizeof(order->columns[0]));
    }
}

/* There are several keys, or the times of products with equal ones go the other way, as of sort=-inStock,name with one value of
 * inStock. */
int cat_plan_is_index_too_short(const cat_plan_t *plan)
{
    return plan->sort_count - plan->skip > 1 || !cat_order_has_one_direction(&plan->order, plan->skip);
}

/* Several values are a branch each; if their products had to be sorted by more columns, they would have no common bound. */
static const cat_query_condition_t *find_values(const cat_plan_t *plan, int field)
{
    const cat_query_condition_t *one = find_condition(plan->query, field, CAT_EQ);
    const cat_query_condition_t *several = find_condition(plan->query, field, CAT_IN);

    if (one) {
        return one;
    }
    return several && several->count <= CAT_PLAN_BRANCHES && !cat_plan_is_index_too_short(plan) ? several : NULL;
}

/* 0: no condition names the values of such a field, for this order. */
static int walk_values(cat_plan_t *plan)
{
    const char *column = is_number(plan->order.columns[0].column) ? "n" : plan->order.columns[0].column;

    for (size_t i = 0; i < VALUE_INDEXES; i++) {
        int has_order = !strcmp(column, value_indexes[i].order);
        plan->branch_condition = has_order ? find_values(plan, value_indexes[i].field) : NULL;
        if (plan->branch_condition) {
            plan->index = value_indexes[i].index;
            plan->not_null = value_indexes[i].not_null;
            return 1;
        }
    }
    return 0;
}

/* An element of a list that must have all of several: the others are checked. */
static const cat_query_condition_t *find_elements(const cat_plan_t *plan, int field)
{
    return cat_plan_is_index_too_short(plan) ? NULL : find_condition(plan->query, field, CAT_ALL);
}

/* The products that have one key are in the order of time. 0: no condition names the values of a field of the shop's own. */
static int walk_keys_of_values(cat_plan_t *plan)
{
    for (int i = 0; i < plan->query->condition_count && !plan->branch_condition; i++) {
        int field = plan->query->conditions[i].field;
        if (field < CAT_PRODUCT_FIELDS) {
            continue;
        }
        plan->own = field;
        plan->branch_condition = find_values(plan, field);
        if (!plan->branch_condition && (plan->branch_condition = find_elements(plan, field))) {
            plan->branch_count = 1;
        }
    }
    plan->own = plan->branch_condition ? plan->own : 0;
    return plan->own;
}

/* Keys of all products in the order of time: their conditions are checked without reading a product. 0: other conditions have to be
 * checked, too. */
static int walk_keys_by_time(cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;

    for (int i = query->condition_count - 1; i >= 0; i--) {
        int field = query->conditions[i].field;
        if (field < CAT_PRODUCT_FIELDS) {
            plan->own = 0; /* the first ones, as they are in the order of fields */
            break;
        }
        if (cat_conditions_is_indexed(query->all, &query->conditions[i]) &&
            !cat_conditions_is_list(query->all, field)) {
            plan->own = field;
        }
    }
    plan->own = query->word_count ? 0 : plan->own;
    plan->is_by_product = plan->own != 0;
    return plan->own;
}

/* The pair of the field of the condition with the one that orders the list, of a registry that has all its keys; 0: there is none. */
static int find_pair(apr_pool_t *pool, const cat_registry_t *registry, const cat_plan_t *plan,
                     const cat_query_condition_t *condition)
{
    const cat_field_t *fields = plan->query->all->all;
    const char *name =
        apr_pstrcat(pool, fields[condition->field].name, ",", fields[plan->order.columns[0].field].name, NULL);
    int pair = cat_registry_find(registry, name);

    return pair < registry->fields->count && registry->is_complete[pair] &&
                   registry->fields->all[pair].flags & CAT_INDEXED
               ? pair
               : 0;
}

/* The keys of a pair have the order of its second field. */
static void use_order_of_pair(apr_pool_t *pool, const cat_registry_t *registry, cat_plan_t *plan)
{
    const char *begin = cat_own_keys_pair_begin(pool, registry, plan->pair, plan->branch_condition->values[0].text);
    const char *after = plan->order.columns[0].after;

    if (after) {
        after = plan->order.columns[0].is_number ? cat_own_keys_pair_second(pool, after) : after;
        plan->order.columns[0].after = apr_pstrcat(pool, begin, after, NULL);
    }
    plan->order.columns[0].is_number = 0;
}

/* "brand=Acme", by price, where the line of brand has by=price. 0: there is no such pair, or a condition on its second field, which is not in
 * the order of the keys alone. */
static int walk_pair(cat_db_t *db, cat_plan_t *plan)
{
    const cat_list_query_t *query = plan->query;
    const cat_registry_t *registry = cat_select_text_registry(db);
    int by = plan->order.columns[0].field;

    if (!registry || !registry->has_pairs || is_number(plan->order.columns[0].column) ||
        cat_plan_is_index_too_short(plan)) {
        return 0;
    }
    for (int i = 0; i < query->condition_count; i++) {
        const cat_query_condition_t *condition = &query->conditions[i];
        if (condition->field == by) {
            return plan->pair = 0;
        }
        if (!plan->pair && condition->op == CAT_EQ && condition->field >= CAT_PRODUCT_FIELDS) {
            plan->pair = find_pair(db->pool, registry, plan, condition);
            plan->branch_condition = plan->pair ? condition : NULL;
        }
    }
    return plan->pair;
}

/* A condition on the second field leaves the pair out. */
static int plan_pair(cat_db_t *db, cat_plan_t *plan)
{
    if (!walk_pair(db, plan)) {
        plan->branch_condition = NULL;
        return 0;
    }
    plan->kind = CAT_PLAN_WALK;
    plan->own = plan->order.columns[0].field;
    use_order_of_pair(db->pool, cat_select_text_registry(db), plan);
    return 1;
}

static void plan_walk(cat_plan_t *plan)
{
    int field;

    plan->kind = CAT_PLAN_WALK;
    if (walk_values(plan) ||
        (is_number(plan->order.columns[0].column) && (walk_keys_of_values(plan) || walk_keys_by_time(plan)))) {
        return;
    }
    if (!strcmp(plan->order.columns[0].column, "in_stock")) {
        split_by_stock(plan);
    }
    field = plan->order.columns[plan->skip].field;
    plan->own = field >= CAT_PRODUCT_FIELDS ? field : 0;
    plan->index = find_index(plan->order.columns[plan->skip].column, &plan->not_null);
}

/* Does the walk pass only products that meet the condition, or end when it comes to others? */
static int is_in_walk(const cat_plan_t *plan, const cat_query_condition_t *condition)
{
    if (condition == plan->branch_condition) {
        return condition->op != CAT_ALL || condition->count == 1;
    }
    return cat_conditions_is_indexed(plan->query->all, condition) && condition->op != CAT_IN &&
           (condition->field == CAT_PRODUCT_CREATED_AT ? is_number(plan->order.columns[plan->skip].column)
                                                       : condition->field == plan->order.columns[plan->skip].field) &&
           (condition->op != CAT_EQ || condition->field != CAT_PRODUCT_CATEGORY);
}

/* Most products of a catalogue are in stock. */
static int is_met_by_most(const cat_query_condition_t *condition)
{
    return condition->field == CAT_PRODUCT_IN_STOCK && condition->op == CAT_EQ && condition->values[0].key;
}

/* Does the walk pass products that are not wanted; with is_rough, more than a few of them? */
static int passes_unwanted(const cat_plan_t *plan, int is_rough)
{
    const cat_list_query_t *query = plan->query;

    for (int i = 0; i < query->condition_count; i++) {
        const cat_query_condition_t *condition = &query->conditions[i];
        if (!is_in_walk(plan, condition) && !(is_rough && is_met_by_most(condition))) {
            return 1;
        }
    }
    return query->word_count > 0;
}

/* ---- counts ---- */

typedef struct candidate_t {
    int field;                         /* whose conditions are counted; -1: the word */
    const cat_query_condition_t *only; /* the only one of them; NULL: all */
    const char *word;                  /* of the query */
    const char *index, *not_null;
    int is_in_walk; /* flag: the walk passes only what the candidate finds */
    apr_int64_t count;
} candidate_t;

typedef struct candidates_t {
    apr_int64_t products; /* of the catalogue */
    int count;
    candidate_t all[CANDIDATES_MAX];
} candidates_t;

/* A word of the query in the dictionary. */
typedef struct word_t {
    const char *found[CAT_PLAN_WORDS]; /* words that begin with it, or with its others */
    int count;                         /* TOO_MANY_WORDS; -1: not looked up */
    apr_int64_t span;                  /* the time in which they were last used CAT_PLAN_VERY_FEW times; NOT_MEASURED */
} word_t;

#define TOO_MANY_WORDS (CAT_PLAN_WORDS + 1) /* to be streamed */
#define NOT_MEASURED (-1)
#define MEASURED_MAX (CAT_COLUMNS_MAX / 2) /* words of the dictionary; the times of each are two columns */

typedef struct words_t {
    int count;
    word_t all[COUNTED_WORDS];
} words_t;

/* Does it stand for one word of the dictionary, whose postings are those of all its products? A long word is found by its
 * first part only. */
static int is_single(const cat_list_query_t *query, const words_t *words, int i)
{
    return words->all[i].count == 1 && !cat_product_keys_is_cut(query->words[i]);
}

void cat_plan_add_is_word(cat_select_text_t *s, const char *word)
{
    const char *begin = cat_product_keys_cut(s->text.pool, word);
    int is_whole = cat_product_keys_is_whole(word);
    const char *end = is_whole ? NULL : cat_conditions_end_of_prefix(s->text.pool, begin);

    cat_select_text_add(s, "w.word ", is_whole ? "= " : ">= ", NULL);
    cat_select_text_add_value(s, begin);
    if (end) {
        cat_select_text_add(s, " AND w.word < ", NULL);
        cat_select_text_add_value(s, end);
    }
}

void cat_plan_add_words(cat_select_text_t *s, const char *word)
{
    cat_select_text_add(s, " FROM product_words w WHERE ", NULL);
    cat_plan_add_is_word(s, word);
}

/* Adds where the candidate is found. */
static void add_candidate(cat_select_text_t *s, const cat_list_query_t *query, const candidate_t *candidate, int most)
{
    const cat_plan_t found = {.query = query,
                              .field = candidate->field,
                              .only = candidate->only,
                              .index = candidate->index,
                              .not_null = candidate->not_null};

    if (candidate->word) {
        cat_plan_add_postings(s, query, candidate->word, "n", most + 1);
    } else {
        cat_plan_add_found(s, &found);
    }
}

/* Adds how many products the candidate finds, up to `most` and one. Passing many takes a third of the time of counting
 * them, so only what has fewer is counted. */
static void add_candidate_count(cat_select_text_t *s, const cat_list_query_t *query, const candidate_t *candidate,
                                int most)
{
    int is_passed_first = most > CAT_PLAN_VERY_FEW;

    cat_select_text_add(s, ", ", NULL);
    if (is_passed_first) {
        cat_select_text_add(s, "COALESCE((SELECT ", NULL);
        cat_select_text_add_number(s, most + 1);
        add_candidate(s, query, candidate, most);
        cat_select_text_add(s, " LIMIT 1 OFFSET ", NULL);
        cat_select_text_add_number(s, most);
        cat_select_text_add(s, "), ", NULL);
    }
    cat_select_text_add(s, "(SELECT COUNT(*) FROM (SELECT 1 AS one", NULL);
    add_candidate(s, query, candidate, most);
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_number(s, most + 1);
    cat_select_text_add(s, is_passed_first ? ") c))" : ") c)", NULL);
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
    int is_list = cat_conditions_is_list(plan->query->all, condition->field);
    candidate_t *found = is_list ? NULL : find_candidate(candidates, condition->field);
    candidate_t *candidate = found ? found : &candidates->all[candidates->count];
    int names_values = condition->op == CAT_EQ || condition->op == CAT_IN;

    if (!found && candidates->count == CAT_QUERY_CONDITIONS_MAX) {
        return; /* CatalogVisible has added some: enough are counted */
    }
    if (!found) {
        candidates->count++;
        *candidate = (candidate_t){.field = condition->field, .only = is_list ? condition : NULL};
    }
    if (!found && condition->field < CAT_PRODUCT_FIELDS) {
        candidate->index = find_index(cat_conditions_column(condition->field), &candidate->not_null);
    }
    for (size_t i = 0; i < VALUE_INDEXES && names_values; i++) {
        if (value_indexes[i].field == condition->field && !strcmp(value_indexes[i].order, "n")) {
            candidate->index = value_indexes[i].index;
            candidate->not_null = value_indexes[i].not_null;
        }
    }
    candidate->is_in_walk = (!found || candidate->is_in_walk) && is_in_walk(plan, condition);
}

/* Words whose postings are streamed need not be counted. */
static candidates_t list_candidates(const cat_plan_t *plan, const words_t *words)
{
    const cat_list_query_t *query = plan->query;
    candidates_t candidates = {0};

    for (int i = 0; i < query->condition_count; i++) {
        if (cat_conditions_is_indexed(query->all, &query->conditions[i])) {
            add_field(&candidates, plan, &query->conditions[i]);
        }
    }
    for (int i = 0; i < words->count; i++) {
        if (!is_single(query, words, i)) {
            candidates.all[candidates.count++] = (candidate_t){.field = -1, .word = query->words[i]};
        }
    }
    return candidates;
}

typedef struct counting_t {
    candidates_t *candidates;
    candidate_t *counted[CANDIDATES_MAX];
    int count;
} counting_t;

static apr_status_t take_counts(void *baton, const char *const *values, int)
{
    counting_t *c = baton;

    c->candidates->products = apr_atoi64(values[0]);
    for (int i = 0; i < c->count; i++) {
        c->counted[i]->count = apr_atoi64(values[i + 1]);
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

/* Counts up to `most` and one, and the products of a category whatever their number, because a counter knows it. */
static apr_status_t count_candidates(cat_db_t *db, const cat_plan_t *plan, candidates_t *candidates, int most)
{
    const char *category = find_counted_category(plan->query);
    counting_t c = {.candidates = candidates};
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    cat_select_text_add(&s, "SELECT " PRODUCT_TOTAL, NULL);
    for (int i = 0; i < candidates->count; i++) {
        candidate_t *candidate = &candidates->all[i];
        if (candidate->field == CAT_PRODUCT_CATEGORY && category) {
            apr_status_t rv = candidate->count ? APR_SUCCESS : cat_counts_category(db, category, &candidate->count);
            if (rv != APR_SUCCESS) {
                return rv;
            }
        } else {
            add_candidate_count(&s, plan->query, candidate, most);
            c.counted[c.count++] = candidate;
        }
    }
    return c.count || find_best(candidates)->count <= CAT_PLAN_FEW ? cat_select_text_run(&s, db, take_counts, &c)
                                                                   : APR_SUCCESS;
}

typedef struct choice_t {
    cat_db_t *db;
    cat_plan_t *plan;   /* a walk */
    cat_plan_t streams; /* what to do instead; a walk, too: no word can be streamed */

    /* What conditions name, and words of the dictionary where the list is by time. */
    cat_posting_t postings[CAT_POSTINGS_MAX + COUNTED_WORDS];
    int posting_count;
} choice_t;

/* ---- two lists in the order of time ---- */

void cat_plan_drive(cat_plan_t *plan, const cat_posting_t *posting)
{
    const cat_query_condition_t *condition = posting->condition;
    int is_own = condition && !cat_postings_is_category(posting);

    plan->kind = condition ? CAT_PLAN_WALK : CAT_PLAN_STREAM;
    plan->index = is_own || !condition ? NULL : value_indexes[0].index;
    plan->not_null = is_own || !condition ? NULL : value_indexes[0].not_null;
    plan->own = is_own ? condition->field : 0;
    plan->pair = 0;
    plan->is_by_product = plan->skip = 0;
    plan->branch_condition = condition;
    plan->element = posting->value;
    plan->branch_count = 1;
    plan->branches[0] = posting->found;
    plan->word = posting->word;
}

/* Are two conditions or words all that the query asks? */
static int is_pair_all(const cat_list_query_t *query)
{
    int count = query->word_count;

    for (int i = 0; i < query->condition_count; i++) {
        count += query->conditions[i].count;
    }
    return count == 2;
}

/* Where words are hidden, each product has to be read. */
static int can_merge(const cat_db_t *db, const cat_plan_t *plan)
{
    int times = cat_db_dialect(db)->syntax->merges_up_to;
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    return times && !(plan->query->word_count && cat_select_text_hides_words(&s)) &&
           cat_postings_are_close(&plan->first, &plan->second, times);
}

/* Where no join of keys can be trusted, the second is looked up by a subselect, as all others are; a word among its postings. */
static cat_plan_t make_pair(const choice_t *c)
{
    cat_plan_t plan = *c->plan;

    plan.first = c->postings[0];
    plan.second = c->postings[1];
    cat_plan_drive(&plan, &plan.first);
    plan.is_merged = is_pair_all(plan.query) && can_merge(c->db, &plan);
    plan.has_second = plan.is_merged || plan.second.word || cat_db_dialect(c->db)->syntax->joins_keys;
    return plan;
}

/* ---- words ---- */

_Static_assert(CAT_LOOKS_WORDS > CAT_PLAN_BRANCHES, "looks tell whether there are too many words to stream");

static int is_by_time(const cat_plan_t *plan)
{
    return !strcmp(plan->order.columns[0].column, "n") && !cat_plan_is_index_too_short(plan);
}

static void add_use(cat_select_text_t *s, const char *before, const char *word, int offset)
{
    cat_select_text_add(s, before, "(SELECT w.n FROM product_words w WHERE w.word = ", NULL);
    cat_select_text_add_value(s, word);
    cat_select_text_add(s, " ORDER BY w.n DESC LIMIT 1 OFFSET ", NULL);
    cat_select_text_add_number(s, offset);
    cat_select_text_add(s, ")", NULL);
}

/* Adds the times of the newest posting, and of the last one of its span. */
static void add_span(cat_select_text_t *s, const char *before, const char *word)
{
    add_use(s, before, word, 0);
    add_use(s, ", ", word, CAT_PLAN_VERY_FEW);
}

static words_t list_words(const cat_list_query_t *query)
{
    words_t words = {.count = query->word_count < COUNTED_WORDS ? query->word_count : COUNTED_WORDS};

    for (int i = 0; i < words.count; i++) {
        words.all[i].count = -1;
        words.all[i].span = NOT_MEASURED;
    }
    return words;
}

static int is_word_alone(const cat_list_query_t *query)
{
    return query->word_count == 1 && query->condition_count == 0;
}

typedef struct measuring_t {
    word_t *words[MEASURED_MAX]; /* by column: of which word of the query it is one */
    int count;
} measuring_t;

/* Of words that were used so often in these times each, the time in which they were together. */
static apr_int64_t add_spans(apr_int64_t one, apr_int64_t other)
{
    double sum = (double)one + (double)other;

    return one == CAT_POSTING_NEVER     ? other
           : other == CAT_POSTING_NEVER ? one
           : sum > 0                    ? (apr_int64_t)((double)one * (double)other / sum)
                                        : 0;
}

static apr_status_t take_spans(void *baton, const char *const *values, int)
{
    const measuring_t *m = baton;

    for (int i = 0; i < m->count; i++) {
        m->words[i]->span = add_spans(m->words[i]->span, cat_posting_measure_span(values[2 * i], values[2 * i + 1]));
    }
    return CAT_ENOUGH;
}

static void add_spans_of_word(cat_select_text_t *s, measuring_t *m, word_t *word)
{
    word->span = CAT_POSTING_NEVER;
    for (int i = 0; i < word->count; i++) {
        add_span(s, m->count ? ", " : "SELECT ", word->found[i]);
        m->words[m->count++] = word;
    }
}

/* The rarer of two words was used the same number of times in a longer span, which is read faster than either is counted. Where a word finds
 * nothing, no other one matters. */
static apr_status_t find_spans(cat_db_t *db, words_t *words)
{
    measuring_t m = {.count = 0};
    cat_select_text_t s;

    cat_select_text_begin(&s, db);
    for (int i = 0; i < words->count; i++) {
        word_t *word = &words->all[i];
        if (!word->count) {
            return APR_SUCCESS;
        }
        if (word->count <= CAT_PLAN_BRANCHES && m.count + word->count <= MEASURED_MAX) {
            add_spans_of_word(&s, &m, word);
        }
    }
    return m.count ? cat_select_text_run(&s, db, take_spans, &m) : APR_SUCCESS;
}

/* Adds the look for the text to `wanted`, unless something was looked for before. */
static void want_look(apr_array_header_t *wanted, apr_array_header_t *looks, const char *text)
{
    cat_look_t *look = cat_looks_get(looks, text);

    if (look->from && !look->found->nelts) {
        APR_ARRAY_PUSH(wanted, cat_look_t *) = look;
    }
}

/* Those of the others, and of the words that are streamed. */
static apr_array_header_t *list_wanted(const cat_list_query_t *query, apr_array_header_t *looks, int streamed)
{
    apr_array_header_t *wanted = apr_array_make(looks->pool, CAT_QUERY_WORDS_MAX, sizeof(cat_look_t *));

    for (int i = 0; i < query->word_count; i++) {
        if (i < streamed) {
            want_look(wanted, looks, query->words[i]);
        }
        for (const char *const *other = query->others[i]; other && *other; other++) {
            want_look(wanted, looks, *other);
        }
    }
    return wanted;
}

static int count_found(cat_look_t *const *looks, int count)
{
    int found = 0;

    for (int i = 0; i < count; i++) {
        found += looks[i]->found->nelts;
    }
    return found;
}

static int are_open(cat_look_t *const *looks, int count)
{
    int i = 0;

    while (i < count && !looks[i]->from) {
        i++;
    }
    return i < count;
}

/* All words by which the word of the query is found, if they are not too many. */
static apr_status_t find_words(cat_db_t *db, const cat_list_query_t *query, int i, apr_array_header_t *looks,
                               word_t *word)
{
    cat_look_t *all[1 + CAT_QUERY_OTHERS_MAX] = {cat_looks_get(looks, query->words[i])};
    int count = 1, most = query->others[i] ? CAT_PLAN_WORDS : CAT_PLAN_BRANCHES;
    apr_status_t rv = APR_SUCCESS;

    for (const char *const *other = query->others[i]; other && *other; other++) {
        all[count++] = cat_looks_get(looks, *other);
    }
    while (count_found(all, count) <= most && are_open(all, count) && rv == APR_SUCCESS) {
        rv = cat_look_for_words(db, all, count, CAT_LOOKS_WORDS);
    }
    word->count = count_found(all, count) <= most ? 0 : TOO_MANY_WORDS;
    for (int k = 0; k < count && word->count != TOO_MANY_WORDS; k++) {
        for (int n = 0; n < all[k]->found->nelts; n++) {
            word->found[word->count++] = APR_ARRAY_IDX(all[k]->found, n, const char *);
        }
    }
    return rv;
}

static apr_status_t look_up_words(cat_db_t *db, const cat_list_query_t *query, apr_array_header_t *looks,
                                  words_t *words)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < words->count && rv == APR_SUCCESS; i++) {
        rv = find_words(db, query, i, looks, &words->all[i]);
    }
    return rv == APR_SUCCESS && !is_word_alone(query) ? find_spans(db, words) : rv;
}

/* The others of one word, whose words are found. */
static const char *const *keep_others(apr_pool_t *pool, const char *const *others, apr_array_header_t *found)
{
    const char **kept = apr_palloc(pool, (CAT_QUERY_OTHERS_MAX + 1) * sizeof(*kept));
    int count = 0;

    for (; others && *others; others++) {
        if (cat_looks_get(found, *others)->found->nelts) {
            kept[count++] = *others;
        }
    }
    kept[count] = NULL;
    return count ? kept : NULL;
}

/* Does the word, or one that repeats it, stand for itself alone, as no product has one of its others? Then that says all. */
static int stands_alone(const cat_list_query_t *query, const char *const *const *kept, int i)
{
    int same = 0;

    while (same < query->word_count && (kept[same] || strcmp(query->words[same], query->words[i]) != 0)) {
        same++;
    }
    return same < query->word_count;
}

/* kept: the others of each word, which stay with those that are left. */
static void drop_repeated(apr_pool_t *pool, cat_list_query_t *query, const char *const **kept)
{
    const char **words = apr_palloc(pool, (apr_size_t)query->word_count * sizeof(*words));
    const char *const **others = apr_palloc(pool, (apr_size_t)query->word_count * sizeof(*others));
    int asked = query->word_count - query->repeated_count, count = 0;

    for (int i = 0; i < query->word_count; i++) {
        int is_alone = query->repeated_count && stands_alone(query, kept, i);
        if (i < asked || !is_alone) {
            words[count] = query->words[i];
            others[count++] = is_alone ? NULL : kept[i];
        }
    }
    query->words = words;
    query->others = others;
    query->repeated_count = count - asked;
    query->word_count = count;
}

/* Leaves out of *query the others that no product has, as nearly all are. */
static void drop_others(apr_pool_t *pool, const cat_list_query_t **query, apr_array_header_t *looks)
{
    const char *const **kept = apr_palloc(pool, (apr_size_t)(*query)->word_count * sizeof(*kept));
    cat_list_query_t *without = apr_pmemdup(pool, *query, sizeof(**query));

    for (int i = 0; i < without->word_count; i++) {
        kept[i] = keep_others(pool, without->others[i], looks);
    }
    drop_repeated(pool, without, kept);
    *query = without;
}

/* Looks for the words of the query where they may be streamed, and for their others, which it drops unless a product has them. */
static apr_status_t look_for_words(cat_db_t *db, cat_plan_t *plan, apr_array_header_t *looks)
{
    int is_streamed = is_by_time(plan);
    apr_array_header_t *wanted = list_wanted(plan->query, looks, is_streamed ? COUNTED_WORDS : 0);
    apr_status_t rv =
        cat_look_for_words(db, (cat_look_t *const *)wanted->elts, wanted->nelts, is_streamed ? CAT_LOOKS_WORDS : 1);

    if (rv == APR_SUCCESS && plan->query->word_count) {
        drop_others(db->pool, &plan->query, looks);
    }
    return rv;
}

/* How a word ranks for being streamed: one that no product has, then those that were measured, the rarest first. */
static int is_rarer(const words_t *words, int one, int other)
{
    const word_t *a = &words->all[one], *b = &words->all[other];

    return a->count && b->count && a->span != b->span ? a->span > b->span : a->count < b->count;
}

/* -1: none. except: not this one, unless it is -1. */
static int find_rarest(const cat_list_query_t *query, const words_t *words, int except)
{
    int rarest = -1;

    for (int i = 0; i < words->count; i++) {
        int can_be = except < 0 ? words->all[i].count >= 0 && words->all[i].count != TOO_MANY_WORDS
                                : i != except && is_single(query, words, i);
        if (can_be && (rarest < 0 || is_rarer(words, i, rarest))) {
            rarest = i;
        }
    }
    return rarest;
}

static cat_posting_t post_word(const cat_list_query_t *query, const words_t *words, int i)
{
    const word_t *word = &words->all[i];

    return (cat_posting_t){.word = query->words[i], .found = word->found[0], .span = word->span, .count = -1};
}

/* 0: every word begins too many. */
static int plan_stream(choice_t *c, const words_t *words)
{
    cat_plan_t *plan = &c->streams;
    const cat_list_query_t *query = plan->query;
    int rarest = find_rarest(query, words, -1), second;

    if (rarest < 0) {
        return 0;
    }
    second = find_rarest(query, words, rarest);
    plan->first = post_word(query, words, rarest);
    cat_plan_drive(plan, &plan->first);
    plan->branch_count = words->all[rarest].count;
    memcpy(plan->branches, words->all[rarest].found, sizeof(plan->branches));
    if (second >= 0) {
        plan->second = post_word(query, words, second);
        plan->has_second = 1;
        plan->is_merged = is_single(query, words, rarest) && is_pair_all(query) && can_merge(c->db, plan);
    }
    return 1;
}

/* No condition can find fewer products than the streamed word does. */
static int is_stream_best(const cat_list_query_t *query, const words_t *words)
{
    const word_t *rarest = &words->all[find_rarest(query, words, -1)];

    if (is_word_alone(query) || rarest->count == 0 || (rarest->count == 1 && rarest->span == CAT_POSTING_NEVER)) {
        return 1;
    }
    for (int i = 0; i < words->count; i++) {
        if (words->all[i].span == NOT_MEASURED) {
            return 0;
        }
    }
    for (int i = 0; i < query->condition_count; i++) {
        if (cat_conditions_is_indexed(query->all, &query->conditions[i])) {
            return 0;
        }
    }
    return 1;
}

/* ---- the choice ---- */

static void plan_fetch(apr_pool_t *pool, cat_plan_t *plan, const candidate_t *candidate)
{
    if (plan->pair) { /* what is fetched has the keys of the field itself */
        plan->order = cat_order_make(pool, plan->query);
        plan->sort_count = plan->query->sort_count;
        drop_constants(plan);
    }
    plan->kind = CAT_PLAN_FETCH;
    plan->index = candidate->index;
    plan->not_null = candidate->not_null;
    plan->field = candidate->field;
    plan->only = candidate->only;
    plan->word = candidate->word;
    plan->has_second = plan->is_merged = plan->pair = 0;
    plan->own = 0;
    plan->branch_condition = NULL;
    plan->branch_count = 0;
    plan->skip = 0;
}

/* A list of several categories is one look into the index for each, which no database makes of what a walk checks. */
static int has_category_list(const cat_list_query_t *query)
{
    return find_condition(query, CAT_PRODUCT_CATEGORY, CAT_IN) != NULL;
}

/* Of a list, the products that have one of several elements are found more than once. */
static int is_countable(const candidate_t *candidate)
{
    return candidate->index ||
           (candidate->field >= CAT_PRODUCT_FIELDS && (!candidate->only || candidate->only->op == CAT_EQ));
}

/* All products are passed by what finds the fewest, as their order does not matter: instead of by what a walk in an order passes, or of the
 * many that have one value. */
static void plan_count(choice_t *c, const candidates_t *candidates)
{
    cat_plan_t *plan = c->plan, *counts;
    const candidate_t *best = NULL;

    for (int i = 0; i < candidates->count; i++) {
        const candidate_t *candidate = &candidates->all[i];
        if (is_countable(candidate) && (candidate->field != CAT_PRODUCT_CATEGORY || !has_category_list(plan->query)) &&
            (!best || candidate->count < best->count)) {
            best = candidate;
        }
    }
    if (best && (!plan->branch_condition || (best->count <= CAT_PLAN_FEW && !best->is_in_walk))) {
        plan->counts = counts = apr_pmemdup(c->db->pool, plan, sizeof(*plan));
        counts->index = best->index;
        counts->not_null = best->not_null;
        counts->own = best->index ? 0 : best->field;
        counts->branch_condition = best->only;
        counts->branch_count = counts->pair = 0;
        counts->element = 0;
    }
}

/* Few are fetched and sorted, unless the walk passes no more. */
static int is_fetched(const candidate_t *candidate, apr_int64_t products)
{
    return !candidate->is_in_walk && candidate->count <= CAT_PLAN_FEW &&
           (candidate->count <= CAT_PLAN_VERY_FEW || products > CAT_PLAN_SHARE * candidate->count);
}

/* A walk that reads no rows meets a page sooner than all are fetched and sorted, unless these are fewer than the square root of the
 * catalogue. */
static int is_walk_sooner(const cat_plan_t *plan, const candidates_t *candidates)
{
    const candidate_t *only = &candidates->all[0];
    int is_in_index = plan->index == by_time ? only->field == CAT_PRODUCT_PRICE || only->field == CAT_PRODUCT_RATING
                                             : plan->is_by_product;

    return candidates->count == 1 && is_in_index && only->count * only->count > candidates->products;
}

/* A walk of fewer products than a word may have. */
static int is_walked(const candidate_t *candidate)
{
    return candidate->is_in_walk && candidate->count <= CAT_PLAN_FEW + 1;
}

/* Does the query name nothing else than what is ranked, so that no count tells more? */
static int are_postings_all(const choice_t *c)
{
    const cat_list_query_t *query = c->plan->query;
    int count = query->word_count;

    for (int i = 0; i < query->condition_count; i++) {
        count += query->conditions[i].count;
    }
    return count == c->posting_count;
}

/* Two lists are in the order of time. In another order products are only counted by them. */
static void use_pair(choice_t *c)
{
    cat_plan_t pair = make_pair(c);
    cat_list_query_t by_time = {.page = 1, .sort_count = 1};

    if (is_by_time(c->plan)) {
        *c->plan = pair;
        return;
    }
    by_time.sort[0] = (cat_query_sort_t){CAT_PRODUCT_CREATED_AT, 1};
    pair.order = cat_order_make(c->db->pool, &by_time);
    pair.counts = NULL;
    c->plan->counts = apr_pmemdup(c->db->pool, &pair, sizeof(pair));
}

/* In another order than that of time, a range that few products meet counts them sooner than two lists do. */
static int is_pair_best(const choice_t *c, const candidate_t *best)
{
    return is_by_time(c->plan) || best->count > CAT_PLAN_FEW || find_condition(c->plan->query, best->field, CAT_EQ) ||
           find_condition(c->plan->query, best->field, CAT_ALL);
}

/* First counts up to CAT_PLAN_VERY_FEW, because counting more takes as long as many a walk. */
static apr_status_t choose_by_counts(choice_t *c, candidates_t *candidates)
{
    int is_stream = c->streams.kind == CAT_PLAN_STREAM, is_pair = c->posting_count > 1;
    apr_status_t rv = count_candidates(c->db, c->plan, candidates, CAT_PLAN_VERY_FEW);
    const candidate_t *best = find_best(candidates);

    if (rv == APR_SUCCESS && best->count > CAT_PLAN_VERY_FEW) {
        rv = is_pair ? cat_postings_rank(c->db, c->postings, c->posting_count) : APR_SUCCESS;
        rv = rv == APR_SUCCESS ? count_candidates(c->db, c->plan, candidates, CAT_PLAN_FEW) : rv;
        best = find_best(candidates);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    plan_count(c, candidates);
    if (is_fetched(best, candidates->products) && !is_walk_sooner(c->plan, candidates)) {
        plan_fetch(c->db->pool, c->plan, best);
    } else if (is_pair && best->count > CAT_PLAN_VERY_FEW && is_pair_best(c, best)) {
        use_pair(c);
    } else if (is_stream && !is_walked(best)) {
        *c->plan = c->streams;
    }
    return APR_SUCCESS;
}

static void list_postings(choice_t *c, const words_t *words)
{
    const cat_list_query_t *query = c->plan->query;

    c->posting_count = cat_postings_list(query, c->postings);
    for (int i = 0; i < words->count; i++) {
        if (is_single(query, words, i)) {
            c->postings[c->posting_count++] = post_word(query, words, i);
        }
    }
}

static apr_status_t choose(choice_t *c, apr_array_header_t *looks)
{
    const cat_list_query_t *query = c->plan->query;
    words_t words = list_words(query);
    candidates_t candidates;

    if (words.count && is_by_time(c->plan)) {
        apr_status_t rv = look_up_words(c->db, query, looks, &words);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (plan_stream(c, &words) && is_stream_best(query, &words)) {
            *c->plan = c->streams;
            return APR_SUCCESS;
        }
    }
    candidates = list_candidates(c->plan, &words);
    list_postings(c, &words);
    if (c->posting_count > 1 && is_by_time(c->plan) && are_postings_all(c)) { /* their ranks tell all */
        apr_status_t rv = cat_postings_rank(c->db, c->postings, c->posting_count);
        if (rv == APR_SUCCESS) {
            use_pair(c);
        }
        return rv;
    }
    return candidates.count ? choose_by_counts(c, &candidates) : APR_SUCCESS;
}

apr_status_t cat_plan_choose(cat_db_t *db, const cat_list_query_t *query, cat_plan_t *plan)
{
    choice_t c = {.db = db, .plan = plan};
    apr_array_header_t *looks =
        query->looks ? query->looks : apr_array_make(db->pool, CAT_QUERY_WORDS_MAX, sizeof(cat_look_t *));
    apr_status_t rv = cat_conditions_prepare(db, query);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    *plan = (cat_plan_t){
        .query = query, .order = cat_order_make(db->pool, query), .sort_count = query->sort_count, .field = -1};
    drop_constants(plan);
    rv = look_for_words(db, plan, looks);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    query = plan->query;
    if (!plan_pair(db, plan)) {
        plan_walk(plan);
    }
    if (find_condition(query, CAT_PRODUCT_ID, CAT_EQ) || find_condition(query, CAT_PRODUCT_ID, CAT_IN)) {
        plan_fetch(db->pool, plan, &(candidate_t){.field = CAT_PRODUCT_ID});
        return APR_SUCCESS;
    }
    plan->wants_most = !passes_unwanted(plan, 1);
    c.streams = *plan;
    return passes_unwanted(plan, 0) ? choose(&c, looks) : APR_SUCCESS;
}

int cat_plan_needs_bound(const cat_plan_t *plan)
{
    return plan->kind == CAT_PLAN_WALK && !plan->branch_count && cat_plan_is_index_too_short(plan);
}
