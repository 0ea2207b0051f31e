/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/plan.h"

#include <apr_strings.h>
#include <string.h>

#include "catalogue/conditions.h"
#include "catalogue/counts.h"
#include "catalogue/index_table.h"
#include "catalogue/product_keys.h"
#include "db/db.h"
#include "lib/fold.h"

#define COUNTED_WORDS 8 /* words of q that are counted */
#define CANDIDATES_MAX (CAT_PRODUCT_FIELDS + COUNTED_WORDS)
/* A walk is tried on so many products, and on so many more for each row of a page. */
#define TRIED_AT_LEAST 1000
#define TRIED_FOR_ROW 60
#define MERGED_SHARE 3 /* how much more frequent a word may be whose postings are merged with those of another */
#define SHORT_WORD 2   /* octets of a word that begins too many to look them up first */

/* The index by which products are found, or walked, in the order of a column; *not_null: see cat_plan_t. Only that of time is in no part of
 * CatalogIndex, and so not in its table. */
static const char *find_index(const char *column, const char **not_null)
{
    *not_null = NULL;
    for (int i = 0; i < CAT_INDEX_COUNT && strcmp(column, "created_at") != 0; i++) {
        if (!strcmp(cat_index_table[i].columns[0], column)) {
            *not_null = cat_index_table[i].not_null;
            return cat_index_table[i].name;
        }
    }
    return strcmp(column, "created_at") ? NULL : "products_by_time";
}

/* The index by which the products that have one value of a field are found, in the order of time. A list with conditions on several of
 * these fields is walked by that of the first row. */
static const struct {
    int field;
    const char *index;
    const char *not_null;
} value_indexes[] = {
    {CAT_PRODUCT_CATEGORY, "products_by_category", "category_key"},
    {CAT_PRODUCT_PRICE, "products_by_price", "price_key"},
    {CAT_PRODUCT_RATING, "products_by_rating", "rating_key"},
};

#define VALUE_INDEXES (sizeof(value_indexes) / sizeof(value_indexes[0]))

/* The products that have a price, by time, with the columns that conditions on fields other than id and name ask for: what a
 * walk passes is not read. A condition on prices tells that all products have one here. */
static const char by_time_and_price[] = "products_by_time_and_price";

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

static void walk_by_column(cat_plan_t *plan, const char *column)
{
    plan->index = find_index(column, &plan->not_null);
}

static int has_condition_on(const cat_list_query_t *query, int field)
{
    for (int i = 0; i < query->condition_count; i++) {
        if (query->conditions[i].field == field) {
            return 1;
        }
    }
    return 0;
}

static void walk_by_time_and_price(cat_plan_t *plan)
{
    plan->index = by_time_and_price;
    plan->not_null = "price_key";
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

/* 0: no condition names the values of such a field. */
static int walk_values_by_time(cat_plan_t *plan)
{
    for (size_t i = 0; i < VALUE_INDEXES && !plan->branch_condition; i++) {
        plan->branch_condition = find_values(plan, value_indexes[i].field);
        plan->index = value_indexes[i].index;
        plan->not_null = value_indexes[i].not_null;
    }
    return plan->branch_condition != NULL;
}

static void plan_walk(cat_plan_t *plan)
{
    plan->kind = CAT_PLAN_WALK;
    if (!strcmp(plan->order.columns[0].column, "created_at") && walk_values_by_time(plan)) {
        return;
    }
    if (!strcmp(plan->order.columns[0].column, "in_stock")) {
        split_by_stock(plan);
    }
    if (!strcmp(plan->order.columns[plan->skip].column, "created_at") &&
        has_condition_on(plan->query, CAT_PRODUCT_PRICE)) {
        walk_by_time_and_price(plan);
    } else {
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
    int field;        /* whose conditions are counted; -1: the word */
    const char *word; /* of the query */
    const char *index, *not_null;
    int is_in_walk; /* flag: the walk passes only what the candidate finds */
    apr_int64_t count;
} candidate_t;

typedef struct candidates_t {
    apr_int64_t products;   /* of the catalogue */
    const char *tried_from; /* where the products that are tried begin; NULL: not known, or there are no others */
    int count;
    candidate_t all[CANDIDATES_MAX];
} candidates_t;

/* A word of the query in the dictionary. */
typedef struct word_t {
    const char *found[CAT_PLAN_BRANCHES]; /* words that begin with it */
    int count;                            /* CAT_PLAN_BRANCHES + 1: more; -1: not looked up */
    apr_int64_t span; /* of a word that begins one only: the time in which it was last used CAT_PLAN_VERY_FEW times */
} word_t;

#define NEVER APR_INT64_MAX /* a span: it was used less often */

typedef struct words_t {
    int count;
    word_t all[COUNTED_WORDS];
} words_t;

/* Does it stand for one word of the dictionary, whose postings are those of all its products? A long word is found by its
 * first part only. */
static int is_single(const cat_list_query_t *query, const words_t *words, int i)
{
    return words->all[i].count == 1 && strlen(query->words[i]) <= CAT_PRODUCT_WORD_SIZE;
}

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

/* Adds where the candidate is found. */
static void add_candidate(cat_select_text_t *s, const cat_list_query_t *query, const candidate_t *candidate)
{
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
}

/* Adds how many products the candidate finds, up to `most` and one. Passing that many takes a third of the time of counting
 * them, so only what has fewer is counted. */
static void add_candidate_count(cat_select_text_t *s, const cat_list_query_t *query, const candidate_t *candidate,
                                int most)
{
    cat_select_text_add(s, ", COALESCE((SELECT ", NULL);
    cat_select_text_add_number(s, most + 1);
    add_candidate(s, query, candidate);
    cat_select_text_add(s, " LIMIT 1 OFFSET ", NULL);
    cat_select_text_add_number(s, most);
    cat_select_text_add(s, "), (SELECT COUNT(*) FROM (SELECT 1 AS one", NULL);
    add_candidate(s, query, candidate);
    cat_select_text_add(s, " LIMIT ", NULL);
    cat_select_text_add_number(s, most);
    cat_select_text_add(s, ") c))", NULL);
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
    int names_values = condition->op == CAT_EQ || condition->op == CAT_IN;

    if (!found) {
        *candidate = (candidate_t){.field = condition->field};
        candidate->index = find_index(cat_conditions_column(condition->field), &candidate->not_null);
    }
    for (size_t i = 0; i < VALUE_INDEXES && names_values; i++) {
        if (value_indexes[i].field == condition->field) {
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
        if (cat_conditions_is_indexed(&query->conditions[i])) {
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
    apr_pool_t *pool;
    candidates_t *candidates;
    candidate_t *counted[CANDIDATES_MAX];
    int count;
} counting_t;

static apr_status_t take_counts(void *baton, const char *const *values, int count)
{
    counting_t *c = baton;

    c->candidates->products = apr_atoi64(values[0]);
    for (int i = 0; i < c->count; i++) {
        c->counted[i]->count = apr_atoi64(values[i + 1]);
    }
    if (count > c->count + 1 && values[c->count + 1]) {
        c->candidates->tried_from = apr_pstrdup(c->pool, values[c->count + 1]);
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

/* Adds the time of the product that is so many behind the position of the query. */
static void add_tried(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t tried)
{
    cat_select_text_add(s, ", (SELECT p.created_at FROM ", NULL);
    cat_select_text_add_products(s, "products_by_time");
    if (plan->order.columns[0].after) {
        cat_select_text_add(s, " WHERE p.created_at <= ", NULL);
        cat_select_text_add_integer(s, plan->order.columns[0].after);
    }
    cat_select_text_add(s, " ORDER BY p.created_at DESC, p.id DESC LIMIT 1 OFFSET ", NULL);
    cat_select_text_add_number(s, tried);
    cat_select_text_add(s, ")", NULL);
}

/* Counts up to `most` and one, and the products of a category whatever their number, because a counter knows it. tried:
 * how many products may be tried; 0: none. */
static apr_status_t count_candidates(cat_db_t *db, const cat_dialect_t *dialect, const cat_plan_t *plan,
                                     candidates_t *candidates, int most, apr_int64_t tried)
{
    const char *category = find_counted_category(plan->query);
    counting_t c = {.pool = db->pool, .candidates = candidates};
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
            add_candidate_count(&s, plan->query, candidate, most);
            c.counted[c.count++] = candidate;
        }
    }
    if (tried) {
        add_tried(&s, plan, tried);
    }
    return c.count || find_best(candidates)->count <= CAT_PLAN_FEW ? cat_select_text_run(&s, db, take_counts, &c)
                                                                   : APR_SUCCESS;
}

/* ---- words ---- */

static void add_word_after(cat_select_text_t *s, const char *text, const char *after)
{
    cat_select_text_add(s, "SELECT w.word", NULL);
    cat_plan_add_words(s, text, after);
    cat_select_text_add(s, " ORDER BY w.word LIMIT 1", NULL);
}

typedef struct found_word_t {
    apr_pool_t *pool;
    const char *word; /* NULL: there is none */
} found_word_t;

static apr_status_t take_word(void *baton, const char *const *values, int count)
{
    found_word_t *f = baton;

    (void)count;
    f->word = apr_pstrdup(f->pool, values[0]);
    return CAT_ENOUGH;
}

/* Finds the words that begin with this one and follow those that are found, each by a look into the index, because no
 * database skips from one to the next by itself. */
static apr_status_t find_more_words(cat_db_t *db, const cat_dialect_t *dialect, const char *text, word_t *word)
{
    apr_status_t rv = APR_SUCCESS;

    for (; rv == APR_SUCCESS && word->count <= CAT_PLAN_BRANCHES; word->count++) {
        found_word_t f = {.pool = db->pool};
        cat_select_text_t s;

        cat_select_text_init(&s, db->pool, dialect);
        add_word_after(&s, text, word->found[word->count - 1]);
        rv = cat_select_text_run(&s, db, take_word, &f);
        if (rv != APR_SUCCESS || !f.word) {
            return rv;
        }
        if (word->count < CAT_PLAN_BRANCHES) {
            word->found[word->count] = f.word;
        }
    }
    return rv;
}

static void add_use(cat_select_text_t *s, const char *before, const char *word, int offset)
{
    cat_select_text_add(s, before, "(SELECT w.created_at FROM product_words w WHERE w.word = ", NULL);
    cat_select_text_add_value(s, word);
    cat_select_text_add(s, " ORDER BY w.created_at DESC, w.id DESC LIMIT 1 OFFSET ", NULL);
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
    }
    return words;
}

static int is_word_alone(const cat_list_query_t *query)
{
    return query->word_count == 1 && query->condition_count == 0;
}

enum { LOOK_FIRST, LOOK_LONGER, LOOK_NEWEST, LOOK_OLDER, LOOK_COLUMNS };
_Static_assert(COUNTED_WORDS *LOOK_COLUMNS <= CAT_COLUMNS_MAX, "all words are looked up by one statement");

typedef struct look_t {
    apr_pool_t *pool;
    const cat_list_query_t *query;
    words_t *words;
    int are_ranked;                /* flag: spans are read */
    int has_longer[COUNTED_WORDS]; /* the word itself is there, and others that it begins */
} look_t;

static apr_int64_t measure_span(const char *newest, const char *older)
{
    return newest && older ? apr_atoi64(newest) - apr_atoi64(older) : NEVER;
}

/* What is read of each word at once is enough for one that is a word of the dictionary, and begins no others. */
static apr_status_t take_look(void *baton, const char *const *values, int count)
{
    look_t *l = baton;

    for (int i = 0; i < l->words->count; i++, values += count / l->words->count) {
        word_t *word = &l->words->all[i];
        word->count = values[LOOK_FIRST] != NULL;
        if (word->count) {
            word->found[0] = apr_pstrdup(l->pool, values[LOOK_FIRST]);
            l->has_longer[i] = values[LOOK_LONGER] != NULL;
            word->span = l->are_ranked ? measure_span(values[LOOK_NEWEST], values[LOOK_OLDER]) : 0;
        }
    }
    return CAT_ENOUGH;
}

static apr_status_t look_at_words(cat_db_t *db, const cat_dialect_t *dialect, look_t *l)
{
    cat_select_text_t s;

    cat_select_text_init(&s, db->pool, dialect);
    for (int i = 0; i < l->words->count; i++) {
        const char *text = l->query->words[i], *cut = cat_fold_cut(db->pool, text, CAT_PRODUCT_WORD_SIZE);
        cat_select_text_add(&s, i ? ", (" : "SELECT (", NULL);
        add_word_after(&s, text, NULL);
        cat_select_text_add(&s, "), (", NULL);
        add_word_after(&s, text, cut);
        cat_select_text_add(&s, ")", NULL);
        if (l->are_ranked) {
            add_span(&s, ", ", cut);
        }
    }
    return cat_select_text_run(&s, db, take_look, l);
}

static apr_status_t take_span(void *baton, const char *const *values, int count)
{
    (void)count;
    *(apr_int64_t *)baton = measure_span(values[0], values[1]);
    return CAT_ENOUGH;
}

/* The rarer of two words was used the same number of times in a longer span, which is read faster than either is counted. */
static apr_status_t find_span(cat_db_t *db, const cat_dialect_t *dialect, word_t *word)
{
    cat_select_text_t s;

    cat_select_text_init(&s, db->pool, dialect);
    add_span(&s, "SELECT ", word->found[0]);
    return cat_select_text_run(&s, db, take_span, &word->span);
}

static apr_status_t look_up_words(cat_db_t *db, const cat_dialect_t *dialect, const cat_list_query_t *query,
                                  words_t *words)
{
    look_t look = {.pool = db->pool, .query = query, .words = words, .are_ranked = !is_word_alone(query)};
    apr_status_t rv = look_at_words(db, dialect, &look);

    for (int i = 0; i < words->count && rv == APR_SUCCESS; i++) {
        word_t *word = &words->all[i];
        int is_itself = word->count && !strncmp(word->found[0], query->words[i], strlen(word->found[0]));
        if (!word->count || (is_itself && !look.has_longer[i])) {
            continue;
        }
        rv = find_more_words(db, dialect, query->words[i], word);
        if (rv == APR_SUCCESS && word->count == 1 && look.are_ranked) {
            rv = find_span(db, dialect, word);
        }
    }
    return rv;
}

/* How a word ranks for being streamed: one that no product has, then those of one word of the dictionary, the rarest first. */
static int is_rarer(const cat_list_query_t *query, const words_t *words, int one, int other)
{
    const word_t *a = &words->all[one], *b = &words->all[other];

    if (is_single(query, words, one) && is_single(query, words, other)) {
        return a->span > b->span;
    }
    return a->count < b->count;
}

/* -1: none. except: not this one, unless it is -1. */
static int find_rarest(const cat_list_query_t *query, const words_t *words, int except)
{
    int rarest = -1;

    for (int i = 0; i < words->count; i++) {
        int can_be = except < 0 ? words->all[i].count >= 0 && words->all[i].count <= CAT_PLAN_BRANCHES
                                : i != except && is_single(query, words, i);
        if (can_be && (rarest < 0 || is_rarer(query, words, i, rarest))) {
            rarest = i;
        }
    }
    return rarest;
}

/* To pass a posting of each word costs a fifth of looking one up, so the second may be some times as frequent. */
static int is_merged(const cat_list_query_t *query, const word_t *rarest, const word_t *second)
{
    return query->word_count == 2 && query->condition_count == 0 && rarest->count == 1 && rarest->span != NEVER &&
           rarest->span / MERGED_SHARE <= second->span;
}

/* 0: every word begins too many. */
static int plan_stream(cat_plan_t *plan, const words_t *words, int can_merge)
{
    const cat_list_query_t *query = plan->query;
    int rarest = find_rarest(query, words, -1), second;

    if (rarest < 0) {
        return 0;
    }
    second = find_rarest(query, words, rarest);
    plan->kind = CAT_PLAN_STREAM;
    plan->word = query->words[rarest];
    plan->index = plan->not_null = NULL;
    plan->branch_condition = NULL;
    plan->branch_count = words->all[rarest].count;
    memcpy(plan->branches, words->all[rarest].found, sizeof(plan->branches));
    if (second >= 0) {
        plan->second = query->words[second];
        plan->second_found = words->all[second].found[0];
        plan->is_merged = can_merge && is_merged(query, &words->all[rarest], &words->all[second]);
    }
    return 1;
}

/* No condition can find fewer products than the streamed word does. */
static int is_stream_best(const cat_list_query_t *query, const words_t *words)
{
    const word_t *rarest = &words->all[find_rarest(query, words, -1)];

    if (is_word_alone(query) || rarest->count == 0 || (rarest->count == 1 && rarest->span == NEVER)) {
        return 1;
    }
    for (int i = 0; i < words->count; i++) {
        if (!is_single(query, words, i)) {
            return 0;
        }
    }
    for (int i = 0; i < query->condition_count; i++) {
        if (cat_conditions_is_indexed(&query->conditions[i])) {
            return 0;
        }
    }
    return 1;
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
    return !strcmp(plan->order.columns[0].column, "created_at") && !cat_plan_is_index_too_short(plan);
}

/* Few are fetched and sorted, unless the walk passes no more. */
static int is_fetched(const candidate_t *candidate, apr_int64_t products)
{
    return !candidate->is_in_walk && candidate->count <= CAT_PLAN_FEW &&
           (candidate->count <= CAT_PLAN_VERY_FEW || products > CAT_PLAN_SHARE * candidate->count);
}

/* So few that a walk need not be tried. One that reads no rows passes some fifteen products in the time in which one is fetched, so
 * it meets a page sooner than all are fetched, unless they are fewer than the square root of the catalogue. */
static int is_very_few(const cat_plan_t *plan, const candidate_t *candidate, apr_int64_t products)
{
    return candidate->count <= CAT_PLAN_VERY_FEW &&
           (plan->index != by_time_and_price || candidate->count * candidate->count <= products);
}

/* A walk of fewer products than a word may have. */
static int is_walked(const candidate_t *candidate)
{
    return candidate->is_in_walk && candidate->count <= CAT_PLAN_FEW + 1;
}

/* How many products a walk is tried on, for one word that begins many, or a range of prices; 0: none. Other fields
 * are counted in less time than a walk in vain takes. */
static apr_int64_t count_tried(const cat_plan_t *plan, const candidates_t *candidates, apr_int64_t rows)
{
    int is_one = candidates->count == 1 && (candidates->all[0].word || plan->index == by_time_and_price);
    int is_whole_list = is_by_time(plan) && plan->order.columns[0].descending && !plan->branch_condition;

    return is_one && is_whole_list && rows > 0 && rows <= CAT_PLAN_TRIED ? TRIED_AT_LEAST + TRIED_FOR_ROW * rows : 0;
}

typedef struct choice_t {
    cat_db_t *db;
    const cat_dialect_t *dialect;
    cat_plan_t *plan;   /* a walk */
    cat_plan_t streams; /* what to do instead; a walk, too: no word can be streamed */
    apr_int64_t rows;   /* that a walk may be tried for; 0: none */
} choice_t;

/* First counts up to CAT_PLAN_VERY_FEW, because counting more takes as long as many a walk. */
static apr_status_t choose_by_counts(choice_t *c, candidates_t *candidates)
{
    int is_stream = c->streams.kind == CAT_PLAN_STREAM;
    apr_int64_t tried = is_stream ? 0 : count_tried(c->plan, candidates, c->rows);
    apr_status_t rv = count_candidates(c->db, c->dialect, c->plan, candidates, CAT_PLAN_VERY_FEW, tried);
    const candidate_t *best = find_best(candidates);
    int is_tried = candidates->tried_from && !is_very_few(c->plan, best, candidates->products);

    if (rv == APR_SUCCESS && best->count > CAT_PLAN_VERY_FEW && !is_tried) {
        rv = count_candidates(c->db, c->dialect, c->plan, candidates, CAT_PLAN_FEW, 0);
        best = find_best(candidates);
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    plan_count(c->plan, candidates);
    if (is_tried) {
        c->plan->tried_from = candidates->tried_from;
    } else if (is_fetched(best, candidates->products)) {
        plan_fetch(c->plan, best);
    } else if (is_stream && !is_walked(best)) {
        *c->plan = c->streams;
    }
    return APR_SUCCESS;
}

/* A short word begins so many that a walk is tried without looking them up. */
static int is_walk_likely(const choice_t *c)
{
    const cat_list_query_t *query = c->plan->query;

    return c->rows && is_word_alone(query) && strlen(query->words[0]) <= SHORT_WORD;
}

static apr_status_t choose(choice_t *c)
{
    const cat_list_query_t *query = c->plan->query;
    words_t words = list_words(query);
    candidates_t candidates;

    if (words.count && is_by_time(c->plan) && !is_walk_likely(c)) {
        apr_status_t rv = look_up_words(c->db, c->dialect, query, &words);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (plan_stream(&c->streams, &words, c->dialect->syntax->ends_intersect) && is_stream_best(query, &words)) {
            *c->plan = c->streams;
            return APR_SUCCESS;
        }
    }
    candidates = list_candidates(c->plan, &words);
    return candidates.count ? choose_by_counts(c, &candidates) : APR_SUCCESS;
}

apr_status_t cat_plan_try(cat_db_t *db, const cat_dialect_t *dialect, const cat_list_query_t *query, apr_int64_t rows,
                          cat_plan_t *plan)
{
    choice_t c = {.db = db, .dialect = dialect, .plan = plan, .rows = rows};

    *plan = (cat_plan_t){.query = query, .order = cat_order_make(query), .sort_count = query->sort_count, .field = -1};
    drop_constants(plan);
    plan_walk(plan);
    if (find_condition(query, CAT_PRODUCT_ID, CAT_EQ) || find_condition(query, CAT_PRODUCT_ID, CAT_IN)) {
        plan_fetch(plan, &(candidate_t){.field = CAT_PRODUCT_ID});
        return APR_SUCCESS;
    }
    plan->wants_most = !passes_unwanted(plan, 1);
    c.streams = *plan;
    return passes_unwanted(plan, 0) ? choose(&c) : APR_SUCCESS;
}

apr_status_t cat_plan_choose(cat_db_t *db, const cat_dialect_t *dialect, const cat_list_query_t *query,
                             cat_plan_t *plan)
{
    return cat_plan_try(db, dialect, query, 0, plan);
}

int cat_plan_needs_bound(const cat_plan_t *plan)
{
    return plan->kind == CAT_PLAN_WALK && !plan->branch_count && cat_plan_is_index_too_short(plan);
}
