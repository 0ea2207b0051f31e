/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may stand for the words of q. All that a plan, a check on a row, and an order by relevance know is a list of words, joined by AND, for each
 * of which others may stand, joined by OR. That is enough for synonyms of several words, too, by multiplying out. With the file
 *
 *     tv => television set        tv OR (television AND set)    is   (tv OR television) AND (tv OR set)
 *     dining table => esstisch    (dining AND table) OR esstisch  is  (dining OR esstisch) AND (table OR esstisch)
 *
 * a word for which one of two words may stand is asked twice. The clauses that repeat a word are behind those of the client's words. There are
 * never more than CAT_QUERY_WORDS_MAX: a synonym that would need more takes no part.
 */
#include "catalogue/query/query_clauses.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/product/product_keys.h"
#include "catalogue/query/query_others.h"

typedef struct clause_t {
    cat_query_others_t others;
    int of; /* which of the client's words it is */
} clause_t;

typedef struct clauses_t {
    apr_pool_t *pool;
    const char *const *words; /* the client's */
    int count;
    apr_array_header_t *all; /* clause_t; the first ones are of these words */
} clauses_t;

static clause_t *clause_at(const clauses_t *c, int i)
{
    return &APR_ARRAY_IDX(c->all, i, clause_t);
}

/* other: NULL for none. */
static void add_other(clause_t *clause, const char *other)
{
    if (other) {
        cat_query_others_add(&clause->others, other);
    }
}

/* Without its number: who writes a model into the file means that model. */
static void add_word(clause_t *clause, const cat_words_asked_t *term, int i)
{
    add_other(clause, term->words[i]);
    add_other(clause, term->joined[i]);
}

/* Adds a clause for each word of the term but the first one, which the clause itself gets. */
static void multiply_clause(const clauses_t *c, int i, const cat_words_asked_t *term)
{
    for (int k = 1; k < term->count; k++) {
        clause_t copy = *clause_at(c, i);
        copy.others.word = apr_pstrdup(c->pool, copy.others.word); /* words are told apart by their address */
        copy.others.all = apr_array_copy(c->pool, copy.others.all);
        add_word(&copy, term, k);
        APR_ARRAY_PUSH(c->all, clause_t) = copy;
    }
    add_word(clause_at(c, i), term, 0);
}

/* Lets the term stand for the client's words from `from` to the one before `end`. */
static void add_term(const clauses_t *c, int from, int end, const cat_words_asked_t *term)
{
    int count = c->all->nelts, of_them = 0;

    for (int i = 0; i < count; i++) {
        of_them += clause_at(c, i)->of >= from && clause_at(c, i)->of < end;
    }
    if (count + of_them * (term->count - 1) > CAT_QUERY_WORDS_MAX) {
        return;
    }
    for (int i = 0; i < count; i++) {
        if (clause_at(c, i)->of >= from && clause_at(c, i)->of < end) {
            multiply_clause(c, i, term);
        }
    }
}

/* Those of terms that these words of the client begin with; they are the client's words from `from` on, or two of these, joined. */
static void add_synonyms(const clauses_t *c, const cat_synonym_t *s, const char *const *words, int from, int *left)
{
    int is_joined = words != c->words + from, count = is_joined ? 1 : c->count - from;

    for (; s; s = s->next) {
        int end = from + (is_joined ? 2 : s->term.count);
        for (int i = 0; i < s->others->nelts && *left && cat_synonyms_is_there(&s->term, words, count);
             i++, (*left)--) {
            add_term(c, from, end, &APR_ARRAY_IDX(s->others, i, cat_words_asked_t));
        }
    }
}

/* The words from one to another one of the client's without what is between them; NULL: nobody writes them as one. */
static const char *join_words(const clauses_t *c, const cat_words_asked_t *asked, int from, int to)
{
    const char *text = asked->joined[to];

    for (int i = to - 1; i > from && text; i--) {
        text =
            asked->joined[i] ? apr_pstrcat(c->pool, cat_product_keys_cut(c->pool, c->words[i - 1]), text, NULL) : NULL;
    }
    return text && strlen(text) <= CAT_WORDS_JOINED_MAX + strlen(CAT_PRODUCT_WORD_END) ? text : NULL;
}

/* The word, or it together with the one before it, or without the letters before a number. If it has to be whole it does not find what it begins, nor
 * what the one before it begins, so it is also asked with one or two others, on either side. */
static void add_clause(const clauses_t *c, const cat_words_asked_t *asked, int i)
{
    clause_t *clause = &APR_ARRAY_PUSH(c->all, clause_t);

    *clause = (clause_t){cat_query_others_begin(c->pool, c->words[i]), i};
    add_other(clause, asked->joined[i]);
    add_other(clause, asked->numbers[i]);
    for (int from = i < 2 ? 0 : i - 2; from <= i && cat_product_keys_is_whole(c->words[i]); from++) {
        for (int to = from == i ? i + 1 : i; to <= from + 2 && to < c->count; to++) {
            add_other(clause, join_words(c, asked, from, to));
        }
    }
}

static cat_query_clauses_t end_clauses(const clauses_t *c)
{
    const char **words = apr_palloc(c->pool, (apr_size_t)c->all->nelts * sizeof(*words));
    const char *const **others = apr_palloc(c->pool, (apr_size_t)c->all->nelts * sizeof(*others));

    for (int i = 0; i < c->all->nelts; i++) {
        words[i] = clause_at(c, i)->others.word;
        others[i] = cat_query_others_end(&clause_at(c, i)->others);
    }
    return (cat_query_clauses_t){words, others, c->all->nelts};
}

cat_query_clauses_t cat_query_clauses_make(apr_pool_t *pool, const cat_words_asked_t *asked,
                                           const cat_synonyms_t *synonyms)
{
    const clauses_t c = {pool, asked->words, asked->count, apr_array_make(pool, asked->count + 4, sizeof(clause_t))};
    const char *const *joined = asked->joined;
    int left = CAT_SYNONYMS_ALL_MAX;

    for (int i = 0; i < c.count; i++) {
        add_clause(&c, asked, i);
    }
    for (int i = 0; i < c.count; i++) {
        add_synonyms(&c, cat_synonyms_find(synonyms, c.words[i]), c.words + i, i, &left);
        if (joined[i]) {
            add_synonyms(&c, cat_synonyms_find(synonyms, joined[i]), joined + i, i - 1, &left);
        }
    }
    return end_clauses(&c);
}
