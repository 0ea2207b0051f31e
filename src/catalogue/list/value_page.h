/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_VALUE_PAGE_H
#define CAT_CATALOGUE_VALUE_PAGE_H

#include "catalogue/query/query.h"
#include "catalogue/search/value_list.h"
#include "db/answer_cache.h"
#include "lib/buffer.h"

/* Pages of the values of a field, with how many products have each. */

typedef struct cat_value_page_query_t cat_value_page_query_t;
typedef struct cat_value_page_t cat_value_page_t;

/* A resource that has such pages: its words, and how an answer to a client is written. */
typedef struct cat_value_page_resource_t {
    const char *member; /* what an answer, and the parameter sort, call the value; no two resources call it the same */
    const char *prefix; /* the parameter with which the values begin, as a link has it */
    void (*body)(cat_buffer_t *body, const cat_value_page_query_t *query, const cat_value_page_t *page);
    /* What its headers say of the list, in a text of the resource's own. */
    void (*headers)(cat_buffer_t *headers, const cat_value_page_query_t *query, const cat_value_page_t *page);
} cat_value_page_resource_t;

struct cat_value_page_query_t {
    const cat_value_page_resource_t *resource;
    const cat_fields_t *fields; /* the mount's */
    int field; /* of these: CAT_PRODUCT_CATEGORY, without the empty one, or one with the option `facet` */
    cat_values_order_t order;
    int descending;             /* flag */
    const char *prefix;         /* of the folded text; "": all */
    const cat_list_query_t *of; /* the products that are counted; NULL: all */
    apr_int64_t page, limit;    /* at least 1 */
};

struct cat_value_page_t {
    apr_array_header_t *values; /* cat_value_count_t, on the pool of db */
    apr_int64_t total;          /* on all pages */
    int is_more;                /* flag: total is conf->count_limit, and there are more */
    int has_next;               /* flag: others follow the page, where total does not tell */
};

/* *is_ready: whether all values of the field are counted, so that pages can be read; percent: of the products, if not. */
apr_status_t cat_value_page_check(cat_db_t *db, int field, int *is_ready, int *percent);

/* The answer to the query: from the response cache, or read from the database, written as the resource says, and cached. now: the time of the
 * request. Where the field is CAT_PRODUCT_CATEGORY, the part CAT_INDEX_CATEGORY of the index must be complete
 * (catalogue/search/indexes.h). */
apr_status_t cat_value_page_answer(cat_db_t *db, const cat_value_page_query_t *query, apr_time_t now,
                                   cat_cached_list_t *answer);

#endif
