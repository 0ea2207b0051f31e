/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PAGE_H
#define CAT_ACCOUNTS_PAGE_H

#include <apr_tables.h>

#include "db/db.h"

/* A page of a list for administrators. It has a number; or it is behind a row, whose id `after` is, "" at the beginning of the list. */
typedef struct cat_page_t {
    apr_int64_t number, limit; /* of the page, from 1; rows on it: the caller sets both */
    const char *after;         /* NULL: by number */
    apr_int64_t most;          /* rows that are counted: the caller sets it where the list may be long; 0: all */
    apr_int64_t total;         /* rows of the whole list; -1: not counted, as by id */
    int is_more,
        has_next; /* flags: total is `most`, and there are more; another page follows, which is known only then */
    apr_array_header_t *rows; /* const char *const *: the columns of each */
} cat_page_t;

#define CAT_PAGE_VALUES_MAX 8

/* How a page is read: by a statement that counts the rows of the list, and one that selects those of a page. Both take the same values;
 * behind them the first takes up to how many rows it counts, if is_bounded says so, and the second LIMIT and OFFSET. */
typedef struct cat_page_query_t {
    cat_sql_t counts, selects;
    const char *count_text, *select_text; /* the two statements where they are made at run time; otherwise NULL */
    const char *const *values;
    int count;      /* of the values, at most CAT_PAGE_VALUES_MAX */
    int is_bounded; /* flag: page->most is set */
    cat_row_t *add; /* is called with each row, and the page as its baton; NULL: cat_page_add_row */
} cat_page_query_t;

/* Reads the page in one view of the database, onto the pool of db. Behind the end of the list it has no rows. CAT_ESLOW, not logged, of
 * statements that are made at run time: the database has ended it (cat_db_search). */
apr_status_t cat_page_read(cat_db_t *db, const cat_page_query_t *query, cat_page_t *page);

/* Of a list that can be read by cursor, the first of the values: the id below which the page's rows are; most: what is above all ids. */
const char *cat_page_bound(const cat_page_t *page, const char *most);

/* Copies a row to the page, the baton. One more than the page has room for says that another page follows. */
cat_row_t cat_page_add_row;

#endif
