/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PAGE_H
#define CAT_ACCOUNTS_PAGE_H

#include <apr_tables.h>

#include "db/db.h"

/* A page of a list for administrators. */
typedef struct cat_page_t {
    apr_int64_t number, limit; /* of the page, from 1; rows on it: the caller sets both */
    const char *
        after; /* the id of the row before it, "": from the beginning; where it is set, number counts for nothing; NULL: by number */
    apr_int64_t most;  /* rows that are counted: the caller sets it where the list may be long; 0: all */
    apr_int64_t total; /* rows of the whole list; -1: not counted, as by id */
    int is_more,
        has_next; /* flags: total is `most`, and there are more; another page follows, which is known only then */
    apr_array_header_t *rows; /* const char *const *: the columns of each */
} cat_page_t;

/* In the work that reads the page, which may run several times: forgets the rows. They will be on the pool. */
void cat_page_begin(cat_page_t *page, apr_pool_t *pool);

/* Up to how many rows the database is to count, as the value for LIMIT. */
const char *cat_page_count_most(const cat_page_t *page);

/* Notes the total, as the database counts it, and finds the values for LIMIT and OFFSET. 0: the page is behind the end. total NULL: by id. */
int cat_page_find(cat_page_t *page, const char *total, const char **limit, const char **offset);

/* The id below which its rows are; most: what is above all ids. */
const char *cat_page_bound(const cat_page_t *page, const char *most);

/* Copies a row to the page, the baton. One more than the page has room for says that another page follows. */
cat_row_t cat_page_add_row;

#endif
