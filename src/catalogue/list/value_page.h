/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_VALUE_PAGE_H
#define CAT_CATALOGUE_VALUE_PAGE_H

#include "catalogue/query/query.h"
#include "catalogue/search/value_list.h"
#include "db/answer_cache.h"
#include "lib/buffer.h"

/* Pages of the values of a field, with how many products have each. */

typedef struct cat_value_page_query_t {
    int field; /* of the mount's: CAT_PRODUCT_CATEGORY, without the empty one, or one with the option `facet` */
    cat_values_order_t order;
    int descending;             /* flag */
    const char *prefix;         /* of the folded text; "": all */
    const cat_list_query_t *of; /* the products that are counted; NULL: all */
    apr_int64_t page, limit;    /* at least 1 */
} cat_value_page_query_t;

typedef struct cat_value_page_t {
    apr_array_header_t *values; /* cat_value_count_t, on the pool of db */
    apr_int64_t total;          /* on all pages */
    int is_more;                /* flag: total is conf->count_limit, and there are more */
    int has_next;               /* flag: others follow the page, where total does not tell */
} cat_value_page_t;

/* How an answer is written, as it would be to the client. */
typedef struct cat_value_page_format_t {
    void (*body)(cat_buffer_t *body, const cat_fields_t *fields, const cat_value_page_query_t *query,
                 const cat_value_page_t *page);
    /* what its headers say of the list, in a text of the format's own */
    void (*headers)(cat_buffer_t *headers, const cat_value_page_query_t *query, const cat_value_page_t *page);
} cat_value_page_format_t;

/* *is_ready: whether all values of the field are counted, so that pages can be read; percent: of the products, if not. */
apr_status_t cat_value_page_check(cat_db_t *db, int field, int *is_ready, int *percent);

/* The answer to the query: from the response cache, or read from the database, written in the format and cached. A server has one format.
 * now: the time of the request. */
apr_status_t cat_value_page_answer(cat_db_t *db, const cat_value_page_query_t *query, apr_time_t now,
                                   const cat_value_page_format_t *format, cat_cached_list_t *answer);

#endif
