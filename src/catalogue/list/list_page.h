/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LIST_PAGE_H
#define CAT_CATALOGUE_LIST_PAGE_H

#include "catalogue/query/query.h"
#include "db/db.h"

/*
 * Reads the query's page, and the products before it only in the index of the list's order. Calls `row` for each product of the page, newest
 * first, with the columns of catalogue/product/product.h. Sets *total to the number of all products, at the same moment as the rows.
 */
apr_status_t cat_list_page_read(cat_db_t *db, const cat_list_query_t *query, cat_row_t *row, void *baton,
                                apr_int64_t *total);

#endif
