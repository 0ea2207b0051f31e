/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CATEGORIES_H
#define CAT_CATALOGUE_CATEGORIES_H

#include <apr_tables.h>

#include "catalogue/query/query.h"
#include "db/answer_cache.h"
#include "db/db.h"
#include "lib/buffer.h"

/* A category and its number of indexed products, which is at least 1. */
typedef struct cat_category_t {
    const char *name;
    apr_int64_t count;
} cat_category_t;

typedef enum { CAT_CATEGORIES_BY_NAME, CAT_CATEGORIES_BY_COUNT } cat_categories_order_t;

typedef struct cat_categories_query_t {
    const char *prefix; /* of the folded name; "": all */
    cat_categories_order_t order;
    int descending;             /* flag */
    apr_int64_t page, limit;    /* at least 1 */
    const cat_list_query_t *of; /* only of these products, as readers see no others; NULL: of all */
} cat_categories_query_t;

/* A page of the categories that match, on the pool of db. */
typedef struct cat_categories_page_t {
    apr_array_header_t *list; /* cat_category_t */
    apr_int64_t total;        /* on all pages */
} cat_categories_page_t;

/* How an answer is written, as it would be to the client. */
typedef struct cat_categories_format_t {
    void (*body)(cat_buffer_t *body, const cat_categories_query_t *query, const cat_categories_page_t *page);
    /* what its headers say of the list, in a text of the format's own */
    void (*headers)(cat_buffer_t *headers, const cat_categories_query_t *query, const cat_categories_page_t *page);
} cat_categories_format_t;

/* The answer to the query: from the response cache, or read from the database, written in the format and cached. A server
 * has one format. now: the time of the request. The part CAT_INDEX_CATEGORY of the index must be complete
 * (catalogue/search/indexes.h). */
apr_status_t cat_categories_answer(cat_db_t *db, const cat_categories_query_t *query, apr_time_t now,
                                   const cat_categories_format_t *format, cat_cached_list_t *categories);

/* *page: without the empty category. Names are in the order of their folded form, of which the first
 * CAT_PRODUCT_KEY_SIZE octets count, then of their octets; equal counts in the order of names. Reads the database. */
apr_status_t cat_categories_read(cat_db_t *db, const cat_categories_query_t *query, cat_categories_page_t *page);

#endif
