/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the products of a page in the order of relevance. The list is made of classes, each of which is a question of its own about the words of
 * q; plan.c plans it as a list in the order of time. A product belongs to the first class that finds it.
 *
 *      q=red kett    whole        red kett     has both as whole words     names, then others      rank 0, 1
 *                    beginnings   red* kett*   and is not among those      names, then others           2, 3
 *
 * Where words take part that the client has not asked for (widen.c), there are two more: those found inside words, then those with a slip.
 *
 * What is read of a class is its candidates, newest first: the number, and whether the name has all words, which the postings tell
 * (product_words.in_name). So they only have to be parted in two to be in order, and no product is read but those of the page. A class ends with
 * conf->count_limit candidates. It is read no further than the page requires: where names have the words, as in nearly all questions,
 * the page is found among a few candidates, so few are asked for at first.
 */
#include "catalogue/search/relevance.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/search/plan.h"

#define FEW 4 /* times as many candidates as the page needs are asked for at first */

/* ---- the classes ---- */

static const char *make_whole(apr_pool_t *pool, const char *word)
{
    return cat_product_keys_is_whole(word) ? word : apr_pstrcat(pool, word, CAT_PRODUCT_WORD_END, NULL);
}

static int count_others(const char *const *others)
{
    int count = 0;

    while (others && others[count]) {
        count++;
    }
    return count;
}

/* A number without the letters before it is less than the word. */
static const char *const *make_others_whole(apr_pool_t *pool, const char *word, const char *const *others)
{
    const char **whole = apr_pcalloc(pool, (apr_size_t)(count_others(others) + 1) * sizeof(*whole));
    int count = 0;

    for (; others && *others; others++) {
        if (!cat_query_others_is_number(word, *others)) {
            whole[count++] = make_whole(pool, *others);
        }
    }
    return count ? whole : NULL;
}

static void ask_whole(apr_pool_t *pool, cat_list_query_t *query, const cat_list_query_t *asked)
{
    const char **words = apr_pcalloc(pool, CAT_QUERY_WORDS_MAX * sizeof(*words));
    const char *const **others = apr_pcalloc(pool, CAT_QUERY_WORDS_MAX * sizeof(*others));

    for (int i = 0; i < query->word_count; i++) {
        words[i] = make_whole(pool, asked->words[i]);
        others[i] = make_others_whole(pool, asked->words[i], asked->others[i]);
    }
    query->words = words;
    query->others = others;
}

static int is_asked(const char *const *others, const char *word)
{
    while (others && *others && strcmp(*others, word) != 0) {
        others++;
    }
    return others && *others;
}

/* Words that contain one of the question stand for it whole, those that differ by a slip as beginnings (widen.c). */
static void ask_insides(apr_pool_t *pool, cat_list_query_t *query, const cat_list_query_t *asked)
{
    const char *const **others = apr_pcalloc(pool, CAT_QUERY_WORDS_MAX * sizeof(*others));

    for (int i = 0; i < query->word_count; i++) {
        const char *const *wide = query->others[i];
        const char **kept = apr_pcalloc(pool, (apr_size_t)(count_others(wide) + 1) * sizeof(*kept));
        int count = 0;
        for (; wide && *wide; wide++) {
            if (cat_product_keys_is_whole(*wide) || is_asked(asked->others[i], *wide)) {
                kept[count++] = *wide;
            }
        }
        others[i] = count ? kept : NULL;
    }
    query->others = others;
}

/* THE CLASS TABLE, in their order. The last ones have words that the client has not asked for, where such words take part. */
static const struct class_row_t {
    int is_wide;
    void (*change)(apr_pool_t *pool, cat_list_query_t *query, const cat_list_query_t *asked); /* NULL: not at all */
} classes[] = {
    {0, ask_whole},
    {0, NULL}, /* beginnings */
    {1, ask_insides},
    {1, NULL}, /* slips */
};

#define CLASSES ((int)(sizeof(classes) / sizeof(classes[0])))

static cat_list_query_t make_question(apr_pool_t *pool, int number, const cat_list_query_t *asked,
                                      const cat_list_query_t *query)
{
    cat_list_query_t question = classes[number].is_wide ? *query : *asked;

    question.page = 1; /* candidates are read from the newest one on */
    if (classes[number].change) {
        classes[number].change(pool, &question, asked);
    }
    return question;
}

static int are_same_words(const char *const *some, const char *const *others)
{
    for (; some && *some && others && *others && !strcmp(*some, *others); some++) {
        others++;
    }
    return count_others(some) == 0 && count_others(others) == 0;
}

/* Two questions of one list that are the same find the same products. */
static int is_same_question(const cat_list_query_t *one, const cat_list_query_t *other)
{
    int i = 0;

    while (i < one->word_count && !strcmp(one->words[i], other->words[i]) &&
           are_same_words(one->others[i], other->others[i])) {
        i++;
    }
    return i == one->word_count;
}

/* The most products that a list may have. */
static apr_int64_t count_most(const cat_db_t *db)
{
    return (apr_int64_t)CLASSES * db->conf->count_limit;
}

/* ---- the page ---- */

typedef struct candidate_t {
    const char *n; /* the number; NULL: there is none */
    int in_name;   /* flag */
} candidate_t;

typedef struct ranking_t {
    cat_db_t *db;
    const cat_list_query_t *query; /* the client's question, with further words if such take part */
    cat_relevance_page_t *page;
    const cat_list_position_t *after; /* NULL: the page is from its offset on */
    apr_int64_t offset, limit;
    apr_int64_t passed; /* products of the list up to here, behind `after` */
    apr_hash_t *found;  /* of each number that a class but the last has found, that class */
} ranking_t;

/* The candidates of one class. */
typedef struct class_t {
    ranking_t *ranking;
    int number;  /* in the table */
    int rank;    /* of those whose name has all words; of the others, one more */
    int is_last; /* flag: it finds all products of the list */
    apr_int64_t most, read;
    apr_array_header_t *named, *others; /* candidate_t */
    candidate_t current;                /* the last row's. The next row may be of the same product */
    int has_more;                       /* flag: there are more than most */
    int is_enough;                      /* flag: the page needs no more of them */
} class_t;

/* Does the list have it before the page, because of the client's cursor? */
static int is_passed(const ranking_t *r, const candidate_t *candidate, int rank)
{
    int last;

    if (!r->after) {
        return 0;
    }
    last = atoi(r->after->values[0]);
    return rank < last || (rank == last && apr_atoi64(candidate->n) >= r->after->n);
}

/* How many products the page still needs, with one behind it. */
static apr_int64_t count_needed(const ranking_t *r)
{
    return r->offset + r->limit + 1 - r->passed;
}

/* Notes that this class has found it, unless one before has. */
static int is_of_class(const class_t *c, const char *n)
{
    const void *of = apr_hash_get(c->ranking->found, n, APR_HASH_KEY_STRING);

    if (!of && !c->is_last) {
        apr_hash_set(c->ranking->found, n, APR_HASH_KEY_STRING, &classes[c->number]);
    }
    return !of || of == &classes[c->number];
}

static void keep_candidate(class_t *c)
{
    const candidate_t *current = &c->current;

    if (!current->n) {
        return;
    }
    c->read++;
    if (is_of_class(c, current->n) && !is_passed(c->ranking, current, c->rank + !current->in_name)) {
        APR_ARRAY_PUSH(current->in_name ? c->named : c->others, candidate_t) = *current;
    }
    c->is_enough = c->named->nelts >= count_needed(c->ranking);
    c->current.n = NULL;
}

static apr_status_t take_candidate(void *baton, const char *const *values, int)
{
    class_t *c = baton;
    apr_pool_t *pool = c->ranking->db->pool;
    int in_name = *values[1] == '1';

    if (c->current.n && !strcmp(c->current.n, values[0])) {
        c->current.in_name |= in_name;
        return APR_SUCCESS;
    }
    keep_candidate(c);
    c->has_more = c->read == c->most;
    if (c->has_more || c->is_enough) {
        return CAT_ENOUGH;
    }
    c->current = (candidate_t){apr_pstrdup(pool, values[0]), in_name};
    return APR_SUCCESS;
}

/* Reads up to `most` rows of candidates, and one that tells whether there are more. */
static apr_status_t read_candidates(class_t *c, const cat_plan_t *plan, apr_int64_t most)
{
    cat_db_t *db = c->ranking->db;
    cat_select_text_t s;
    apr_status_t rv;

    c->most = most;
    c->read = 0;
    c->has_more = c->is_enough = 0;
    c->named = apr_array_make(db->pool, 16, sizeof(candidate_t));
    c->others = apr_array_make(db->pool, 16, sizeof(candidate_t));
    if (cat_plan_is_empty(plan)) {
        return APR_SUCCESS;
    }
    cat_select_text_begin(&s, db);
    cat_plan_add_candidates(&s, plan, most + 1);
    rv = cat_select_text_run(&s, db, take_candidate, c);
    keep_candidate(c);
    return rv;
}

/* Appends what the page has of these products. */
static void append_candidates(ranking_t *r, const apr_array_header_t *candidates, int rank)
{
    for (int i = 0; i < candidates->nelts && count_needed(r) > 0; i++) {
        const candidate_t *candidate = &APR_ARRAY_IDX(candidates, i, candidate_t);
        r->passed++;
        if (count_needed(r) == 0) {
            r->page->has_next = 1;
        } else if (r->passed > r->offset) {
            APR_ARRAY_PUSH(r->page->numbers, const char *) = candidate->n;
            r->page->last.n = apr_atoi64(candidate->n);
            r->page->last.values[0] = apr_itoa(r->db->pool, rank);
        }
    }
}

/* What a class tells of the number of products that the last one finds. */
static void note_total(const class_t *c)
{
    cat_relevance_page_t *page = c->ranking->page;

    if (c->has_more && c->most == c->ranking->db->conf->count_limit) {
        page->total = c->most;
        page->is_more = 1;
    } else if (c->is_last && !c->has_more && !c->is_enough) {
        page->total = c->read;
    }
}

static apr_status_t read_class(ranking_t *r, int number, const cat_list_query_t *question)
{
    class_t c = {.ranking = r, .number = number, .rank = 2 * number, .is_last = is_same_question(question, r->query)};
    apr_int64_t most = r->db->conf->count_limit, needed = count_needed(r);
    apr_int64_t few = needed < most / FEW ? FEW * needed : most;
    cat_plan_t plan;
    apr_status_t rv;

    rv = cat_plan_choose(r->db, question, &plan);
    if (rv == APR_SUCCESS) {
        rv = read_candidates(&c, &plan, few);
    }
    if (rv == APR_SUCCESS && c.has_more && !c.is_enough && few < most) {
        rv = read_candidates(&c, &plan, most);
    }
    if (rv == APR_SUCCESS) {
        append_candidates(r, c.named, c.rank);
        append_candidates(r, c.others, c.rank + 1);
        note_total(&c);
    }
    return rv;
}

apr_status_t cat_relevance_find(cat_db_t *db, const cat_list_query_t *asked, const cat_list_query_t *query,
                                apr_int64_t offset, cat_relevance_page_t *page)
{
    ranking_t r = {.db = db, .query = query, .page = page, .limit = query->limit};
    cat_list_query_t question, before;
    apr_status_t rv = APR_SUCCESS;

    r.offset = offset < count_most(db) ? offset : count_most(db); /* a client may ask for any page */
    r.after = query->page || query->after.n == CAT_LIST_KEY_MAX ? NULL : &query->after;
    r.found = apr_hash_make(db->pool);
    *page = (cat_relevance_page_t){.numbers = apr_array_make(db->pool, 16, sizeof(const char *)), .total = -1};
    for (int i = 0; i < CLASSES && rv == APR_SUCCESS && count_needed(&r) > 0; i++) {
        question = make_question(db->pool, i, asked, query);
        if (i == 0 || !is_same_question(&question, &before)) {
            rv = read_class(&r, i, &question);
        }
        before = question;
    }
    return rv;
}
