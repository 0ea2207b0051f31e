/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_PLAN_H
#define CAT_CATALOGUE_PLAN_H

#include "catalogue/query/query.h"
#include "catalogue/search/order.h"
#include "catalogue/search/postings.h"
#include "catalogue/search/select_text.h"

/*
 * How a list is read. The module decides that by counts that end at CAT_PLAN_FEW, and leaves the database no choice:
 * each of them has plans that read the whole table for a page.
 */
#define CAT_PLAN_FEW 2000     /* products that may be fetched and sorted for a page */
#define CAT_PLAN_FETCHED 4000 /* the same when they are fetched: others may have come since they were counted */
#define CAT_PLAN_VERY_FEW 200 /* products that are counted in less time than a page takes */
#define CAT_PLAN_SHARE 100    /* one of so many products is not few: a walk soon meets a page of them */
#define CAT_PLAN_BRANCHES 8   /* lists that may be merged into one */
#define CAT_PLAN_WORDS 200    /* the same of those of a word of q for which others may stand */

typedef enum {
    CAT_PLAN_WALK,  /* in the order of an index, and checks the conditions on each product, until the page is full */
    CAT_PLAN_FETCH, /* all products that meet one condition, of which there are few; checks and sorts them */
    CAT_PLAN_STREAM /* the products that have a word, by time, and checks the conditions and other words on each */
} cat_plan_kind_t;

typedef struct cat_plan_t {
    const cat_list_query_t *query;
    cat_order_t order; /* without leading columns that have one value in the whole list */
    int sort_count;    /* columns of the order that the client chose; 0: by time */
    cat_plan_kind_t kind;
    const char *index;    /* of products, to walk, or to find what is fetched; NULL: the primary key, or words */
    const char *not_null; /* the column that the index leaves out rows without; NULL: none */

    /* CAT_PLAN_WALK: the field of the shop's own whose keys are walked, in their order or that of time; 0: products are. Where the keys
     * have one value each, their order is that of time as well. */
    int own;
    int pair; /* a pair of the registry, whose keys are walked in the order of own, which may be a built-in field; 0: none */
    int is_by_product; /* flag: by the index of the keys that has the order of time */

    int field;                         /* CAT_PLAN_FETCH: whose conditions the index finds; -1: word is what is found */
    const cat_query_condition_t *only; /* the only one of them that is found; NULL: all are */
    const char *word;                  /* of the query, that is fetched or streamed; NULL: none */

    /* By time: the list that is read, where the query names several of which it is the rarest, and the next one, which is looked up for each
     * product of it; or, where both are about as long, read beside it. */
    cat_posting_t first, second;
    int has_second; /* flag */
    int is_merged;  /* flag: they are read side by side. The query asks nothing else */
    int has_names;  /* flag: keys are read together with in_name, 1 if the name alone has all words of the query */

    /* A walk or stream may be the union of several, one for each value: */
    const cat_query_condition_t *branch_condition; /* whose values they are; NULL: none of the conditions' */
    int element;                                   /* the first of these values */
    int skip;                                      /* 1: the values are those of the order's first column, in order */
    const char *branches[CAT_PLAN_WORDS];
    int branch_count; /* 0: one that is not a union */

    int wants_most; /* CAT_PLAN_WALK: flag: most of the products that it passes are wanted */

    /* CAT_PLAN_WALK: what passes fewer products when their order does not matter; NULL: nothing. */
    const struct cat_plan_t *counts;

    const char *bound; /* the last page's value of the order's first column; NULL: not known */
} cat_plan_t;

/* Chooses; runs the counts that it needs. */
apr_status_t cat_plan_choose(cat_db_t *db, const cat_list_query_t *query, cat_plan_t *plan);

/* Makes the plan one that reads the posting alone, in the order of time. */
void cat_plan_drive(cat_plan_t *plan, const cat_posting_t *posting);

/* Adds " FROM ... WHERE ...", all that an index finds of conditions of the query: those of the plan's field, or the only one. */
void cat_plan_add_found(cat_select_text_t *s, const cat_plan_t *plan);

/* Adds " FROM product_words w WHERE ...", for the words that begin with this one; or the condition alone. */
void cat_plan_add_words(cat_select_text_t *s, const char *word);
void cat_plan_add_is_word(cat_select_text_t *s, const char *word);

/* Adds " FROM ...", which has these columns of product_words for the words of products that this word of the query or one of its
 * others begins; of each of them, at most `most` rows, if there are others. */
void cat_plan_add_postings(cat_select_text_t *s, const cat_list_query_t *query, const char *word, const char *columns,
                           apr_int64_t most);

/* Does the index that is walked give only a part of the order, so that what it finds must be sorted? */
int cat_plan_is_index_too_short(const cat_plan_t *plan);

/* Does the text of the rows have to know the value of the first column at the end of the page? Adds the select that
 * finds it: one row, or none if the list ends before. */
int cat_plan_needs_bound(const cat_plan_t *plan);
void cat_plan_add_bound(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset);

/* Is it known that the list has no product, as a word of q begins no word of a product? There are no selects of such a list. */
int cat_plan_is_empty(const cat_plan_t *plan);

/* Adds the select of the products, with the columns of catalogue/product/product.h and those of the sort behind them. */
void cat_plan_add_rows(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows, apr_int64_t offset);

/* Adds the select of n and in_name of the newest products of the list, which is in the order of time: at least `rows`, if it has
 * as many. A product may be there twice, once with each in_name. */
void cat_plan_add_candidates(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t rows);

/* Adds the select of how many products the list has. It may stop when it has counted `most`; 0: it counts all. */
void cat_plan_add_count(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most);

/* Adds the select of category and in_stock of the products of the list, at most `most`; 0: of all. If the query has facets of the shop's
 * own fields, extra is behind them. is_first: of the first ones of the list's order; otherwise of any. */
void cat_plan_add_facets(cat_select_text_t *s, const cat_plan_t *plan, apr_int64_t most, int is_first);

#endif
