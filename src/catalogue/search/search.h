/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SEARCH_H
#define CAT_CATALOGUE_SEARCH_H

#include "catalogue/product/value_counts.h"
#include "catalogue/query/query.h"
#include "catalogue/search/widen.h"
#include "db/db.h"

/* Reads lists with conditions, words of q or an order of their own: all at one state of the database. */

typedef struct cat_search_facet_t {
    int field; /* of the mount's fields */
    int count;
    int is_cut;                      /* flag: there are more values than the client asked for */
    const cat_value_count_t *values; /* the most frequent first, then by octets */
} cat_search_facet_t;

typedef struct cat_search_end_t {
    apr_int64_t total;          /* products that match; -1: they were not counted */
    int is_more;                /* flag: total is conf->count_limit, and there are more */
    int has_next;               /* flag: products follow those in the answer */
    cat_list_position_t last;   /* of the last product in the answer, where has_next */
    cat_search_facet_t *facets; /* in the order of the fields */
    int facet_count;
    int is_sample; /* flag: the facets count the newest conf->count_limit of the products only */
    const cat_correction_t
        *corrections;     /* by which words that the client has not asked for products of the answer are found */
    int correction_count; /* 0: by none */
    cat_width_t width;    /* for which words of q there are such words */
    int is_for_now;       /* flag: the counters will know facets that they do not know yet */
} cat_search_end_t;

typedef struct cat_search_rows_t {
    void (*begin)(void *baton); /* called before the first row; again, if what was read is read anew. NULL: no need */
    cat_row_t *add;             /* takes a product, with the columns of catalogue/product/product.h */
    void *baton;
} cat_search_rows_t;

/* The parts query->parts of the index must be complete (catalogue/search/indexes.h): without its part a column is NULL, and
 * products would be missing. Everything in *end is on the pool of db. */
apr_status_t cat_search_read(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                             cat_search_end_t *end);

/* Passes the values that the query's products have of a field, with the number of products of each, as SQL_CATEGORY_LIST does: in no
 * order. Reads all of these products. */
apr_status_t cat_search_values(cat_db_t *db, const cat_list_query_t *query, int field, cat_row_t *row, void *baton);

/* The same as cat_search_read within a search that is open (cat_db_open_search). */
apr_status_t cat_search_read_within(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                                    cat_search_end_t *end);

#endif
