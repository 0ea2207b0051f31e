/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_POSTINGS_H
#define CAT_CATALOGUE_POSTINGS_H

#include "catalogue/query/query.h"
#include "catalogue/search/select_text.h"

/*
 * Lists of products that an index has in the order of time: those with one value of category or of a field of the shop's own, or with a
 * word. Where a query names several of them, which one has the fewest products?
 */
typedef struct cat_posting_t {
    const cat_query_condition_t *condition; /* CAT_EQ or CAT_ALL; NULL: a word */
    int value;                              /* which of its values */
    const char *word, *found; /* of the query, and the only word of the dictionary that begins so; NULL: a condition */
    apr_int64_t
        span; /* from the number of the 200th product to that of the newest; CAT_POSTING_NEVER: there are fewer */
    apr_int64_t count; /* of its products, which may be some seconds old; -1: not known */
} cat_posting_t;

#define CAT_POSTINGS_MAX 8 /* of conditions; others are only checked */
#define CAT_POSTING_NEVER APR_INT64_MAX

/* Those of the query's conditions; the result is their number. */
int cat_postings_list(const cat_list_query_t *query, cat_posting_t *postings);

/* Reads span and count of those that are conditions, and sorts all: the rarest first. */
apr_status_t cat_postings_rank(cat_db_t *db, cat_posting_t *postings, int count);

/* The span between these two numbers of products; CAT_POSTING_NEVER if one is NULL. */
apr_int64_t cat_posting_measure_span(const char *newest, const char *older);

/* Has the second, the more frequent one, at most `times` times the products of the first? */
int cat_postings_are_close(const cat_posting_t *first, const cat_posting_t *second, int times);

/* Is it one of category? */
int cat_postings_is_category(const cat_posting_t *posting);

/* Adds a join that leaves of what the select reads, under s->keys, the products that the posting, not of category, has, too. */
void cat_postings_join(cat_select_text_t *s, const cat_posting_t *posting);

/* Adds the same of a word as a condition, which no database makes a join of. */
void cat_postings_probe(cat_select_text_t *s, const cat_posting_t *posting);

#endif
