/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_RELEVANCE_H
#define CAT_CATALOGUE_RELEVANCE_H

#include <apr_tables.h>

#include "catalogue/query/query.h"
#include "db/db.h"

/*
 * The order of sort=relevance. Each product that a search finds belongs to the first class whose question finds it: it has all words of q as
 * whole words, or as beginnings, or by words that contain them, or by slips. The list has the classes one after the other; of each, the newest
 * conf->count_limit products take part, those whose name has all words before the others, each newest first.
 */
typedef struct cat_relevance_page_t {
    apr_array_header_t *numbers; /* const char *: those of the products of the page, in their order */
    int has_next;                /* flag: products follow them */
    cat_list_position_t last;    /* of the last one, where has_next: its only value is its rank */
    apr_int64_t total;           /* products that match; -1: there may be more than were read */
    int is_more;                 /* flag: conf->count_limit, and there are more */
} cat_relevance_page_t;

/* Finds the products of a page of the question, within a search. query: the same with words that the client has not asked for
 * (catalogue/search/widen.h), or asked itself. offset: how many products of the list are before it, where it has a page. *page is on the pool
 * of db. */
apr_status_t cat_relevance_find(cat_db_t *db, const cat_list_query_t *asked, const cat_list_query_t *query,
                                apr_int64_t offset, cat_relevance_page_t *page);

#endif
