/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_SEARCH_H
#define CAT_CATALOGUE_SEARCH_H

#include "catalogue/search/facets.h"
#include "db/db.h"

/* Reads lists with conditions, words of q or an order of their own: all at one state of the database. */

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
