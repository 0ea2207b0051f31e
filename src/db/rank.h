/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_RANK_H
#define CAT_DB_RANK_H

#include "db/db.h"

/* A page of the list, wherever it lies, and how many products there are, out of the counts of db/counts.h: without walking there. */
typedef struct cat_rank_page_t {
    apr_int64_t skip;  /* products that are newer than the first of the page, at least 0 */
    apr_int64_t limit; /* of the page, at least 1 */
    cat_row_t *row;    /* called for each product, in the column order of SQL_PRODUCT_LIST, the newest first */
    void *baton;
    apr_int64_t total; /* set: all products. It and the rows are of the same moment */
} cat_rank_page_t;

apr_status_t cat_rank_page(apr_pool_t *pool, cat_db_t *db, cat_rank_page_t *page);

#endif
