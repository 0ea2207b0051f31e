/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PAGE_H
#define CAT_ACCOUNTS_PAGE_H

#include <apr_tables.h>

#include "db/db.h"

/* A page of a list for administrators. */
typedef struct cat_page_t {
    apr_int64_t number, limit; /* of the page, from 1; rows on it: the caller sets both */
    apr_int64_t total;         /* rows of the whole list */
    apr_array_header_t *rows;  /* const char *const *: the columns of each */
} cat_page_t;

/* In the work that reads the page, which may run several times: forgets the rows. They will be on the pool. */
void cat_page_begin(cat_page_t *page, apr_pool_t *pool);

/* Notes the total, as the database counts it, and finds the values for LIMIT and OFFSET. 0: the page is behind the end. */
int cat_page_find(cat_page_t *page, const char *total, const char **limit, const char **offset);

/* Copies a row to the page, the baton. */
cat_row_t cat_page_add_row;

#endif
