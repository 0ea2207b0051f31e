/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_PAGE_H
#define CAT_ACCOUNTS_PAGE_H

#include <apr_tables.h>

#include "db/db.h"

/* A page of a list for administrators. The caller selects it by its number, or by a cursor: the id of the last row
 * before the page. */
typedef struct cat_page_t {
    /* Set by the caller: */
    apr_int64_t number; /* Number of the page, from 1. */
    apr_int64_t limit;  /* Largest number of rows on the page. */
    const char *after;  /* Id of the last row before the page, "" for the first page. NULL to select by number. */
    apr_int64_t most;   /* Largest number of rows that are counted, for lists that may be long. 0 to count all. */

    /* Set by cat_page_read: */
    apr_int64_t total; /* Number of rows of the whole list, at most `most`. -1 if the page was selected by cursor. */
    int is_more;       /* True if the list has more rows than `most`. */
    int has_next;      /* True if another page follows. Always false for a page by number if is_more is false. */
    apr_array_header_t *rows; /* The columns of each row (const char *const *). */
} cat_page_t;

#define CAT_PAGE_VALUES_MAX 8

/* Two statements: one counts the rows of the list, the other selects the rows of a page. Both take `values`. After
 * these values, the first takes a limit if is_bounded is true: one more than the number of rows to count. The second
 * takes LIMIT and OFFSET. */
typedef struct cat_page_query_t {
    cat_sql_t counts, selects;
    const char *count_text, *select_text; /* The statements if they are made at run time. Otherwise both are NULL. */
    const char *const *values;
    int count;      /* Number of values, at most CAT_PAGE_VALUES_MAX. */
    int is_bounded; /* True if page->most is set. */
    cat_row_t *add; /* Called for each row, with the page as its baton. NULL for cat_page_add_row. */
} cat_page_query_t;

/* Reads the page onto the pool of `db`. Both statements see the same state of the database. A page after the end of the
 * list has no rows. Returns CAT_ESLOW, not logged, if the statements are made at run time and take longer than
 * CatalogQueryTimeout (cat_db_search). */
apr_status_t cat_page_read(cat_db_t *db, const cat_page_query_t *query, cat_page_t *page);

/* Returns the upper bound of a cursor page: every id on the page is less than the bound. Returns `most`, a string
 * greater than any id, for the first page and for pages by number. */
const char *cat_page_bound(const cat_page_t *page, const char *most);

/* Copies a row to the page, which is the baton. If the page is full, sets has_next instead. */
cat_row_t cat_page_add_row;

#endif
