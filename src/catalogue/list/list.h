/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LIST_H
#define CAT_CATALOGUE_LIST_H

#include "catalogue/query/query.h"
#include "catalogue/search/search.h"
#include "db/answer_cache.h"
#include "db/db.h"
#include "lib/buffer.h"

/* What is known of a list when its last product was read. */
typedef struct cat_list_end_t {
    cat_search_end_t found; /* of a list that is no search: its total, if it is read by page; else total is -1 */
    const char *next;       /* after a key: the cursor that continues the list; NULL: the list ends here */
} cat_list_end_t;

/* How an answer is written, as it would be to the client. */
typedef struct cat_list_format_t {
    void (*begin)(cat_buffer_t *body);
    /* product: a record, in the order of catalogue/product/product.h */
    void (*add)(cat_buffer_t *body, const cat_list_query_t *query, const char *const *product);
    void (*end)(cat_buffer_t *body, const cat_list_query_t *query, const cat_list_end_t *end);
    /* what its headers say of the list, in a text of the format's own */
    void (*headers)(cat_buffer_t *headers, const cat_list_query_t *query, const cat_list_end_t *end);
} cat_list_format_t;

/* The answer to the query: from the response cache, or read from the database, written in the format and cached.
 * A server has one format for all lists. now: the time of the request. */
apr_status_t cat_list_get(cat_db_t *db, const cat_list_query_t *query, apr_time_t now, const cat_list_format_t *format,
                          cat_cached_list_t *list);

#endif
