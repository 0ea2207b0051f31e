/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SEARCH_H
#define CAT_CATALOGUE_SEARCH_H

#include "catalogue/query/query.h"
#include "db/db.h"

/* Reads lists with conditions, words of q or an order of their own: all at one state of the database. */

typedef struct cat_search_value_t {
    const char *value;
    apr_int64_t count;
} cat_search_value_t;

#define CAT_SEARCH_FACET_MAX 50 /* values of a facet: the most frequent; SQL_CATEGORY_LARGEST has as many */

typedef struct cat_search_facet_t {
    int field; /* CAT_PRODUCT_x */
    int count;
    const cat_search_value_t *values; /* the most frequent first, then by octets */
} cat_search_facet_t;

typedef struct cat_search_end_t {
    apr_int64_t total;        /* products that match; -1: they were not counted */
    int is_more;              /* flag: total is conf->count_limit, and there are more */
    int has_next;             /* flag: products follow those in the answer */
    cat_list_position_t last; /* of the last product in the answer, where has_next */
    cat_search_facet_t facets[2];
    int facet_count;
    int is_sample; /* flag: the facets count the first conf->count_limit of the products only */
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

/* Passes the categories of the query's products, with the number of products in each, as SQL_CATEGORY_LIST does: in no order. */
apr_status_t cat_search_categories(cat_db_t *db, const cat_list_query_t *query, cat_row_t *row, void *baton);

/* The same as cat_search_read within a search that is open (cat_db_open_search). */
apr_status_t cat_search_read_within(cat_db_t *db, const cat_list_query_t *query, const cat_search_rows_t *rows,
                                    cat_search_end_t *end);

#endif
