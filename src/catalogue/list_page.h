/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LIST_PAGE_H
#define CAT_CATALOGUE_LIST_PAGE_H

#include "db/db.h"

/* A page of the list, wherever it lies, and how many products there are, out of the counts of catalogue/counts.h: without walking there. */
typedef struct cat_list_page_t {
    apr_int64_t skip;  /* products that are newer than the first of the page, at least 0 */
    apr_int64_t limit; /* of the page, at least 1 */
    cat_row_t *row;    /* called for each product, in the column order of SQL_PRODUCT_LIST, the newest first */
    void *baton;
    apr_int64_t total; /* set: all products. It and the rows are of the same moment */
} cat_list_page_t;

apr_status_t cat_list_page_read(apr_pool_t *pool, cat_db_t *db, cat_list_page_t *page);

#endif
