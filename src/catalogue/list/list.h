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
    apr_int64_t total; /* of a page: all products of the list; -1, or after a key: they were not counted */
    int is_more;       /* flag: the list has more products than total */
    int has_next;      /* flag: products follow those of the page, where the total does not tell */
    const char *next;  /* after a key: the cursor that continues the list; NULL: the list ends here */
    const cat_search_facet_t *facets; /* in the order of the fields */
    int facet_count;                  /* 0: the client did not ask */
    int is_for_now;                   /* flag: the facets will be exact soon, without a write */
    int is_sample;                    /* flag: the facets count the newest products of the list only */
    const cat_correction_t
        *corrections; /* words by which products are found although the client has not asked for them */
    int correction_count;
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
