/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PAGINATION_H
#define CAT_API_PAGINATION_H

#include "db/answer_cache.h"
#include "http/answer.h"
#include "http/schema.h"
#include "lib/buffer.h"

/* The part of a list that an answer has. */
typedef struct cat_pagination_t {
    apr_int64_t page;  /* at least 1; 0: the list is read by cursor */
    apr_int64_t limit; /* items in one answer, at least 1 */
    apr_int64_t total; /* items of the list; -1: nobody counted them */
    int is_more;       /* flag: the list has more items than total */
    int has_next;      /* flag: items follow this page. Read by page, where the last page is not known, only */
    const char *next;  /* by cursor: the one that continues the list; NULL: the list ends here */
} cat_pagination_t;

/* Ends the array `data` and writes `pagination` after it. The body stays open: the caller ends it. */
void cat_pagination_end_data(cat_buffer_t *b, const cat_pagination_t *pagination);

/* Writes what the response cache keeps of the headers: "42\n<?page=2>; rel=...", the total, if it is exact, and Link, unless its
 * targets would be too long for a header. parameters: see http/link_header.h. */
void cat_pagination_write_headers(cat_buffer_t *b, const cat_pagination_t *pagination, const char *parameters);

/* Adds the headers that were written so, X-Total-Count and Link. */
void cat_pagination_add_headers(apr_pool_t *pool, cat_answer_t *answer, const char *headers);

/* The answer with a list whose headers were written so. ignored: see cat_answer_name_ignored; NULL: nothing was ignored. */
cat_answer_t *cat_pagination_answer(apr_pool_t *pool, const cat_cached_list_t *list, const apr_array_header_t *ignored);

/* The object that cat_pagination_end_data writes, and the member of an answer that has it. */
extern const cat_shape_t cat_pagination_shape;
#define CAT_PAGINATION_MEMBER {"pagination", &cat_pagination_shape, CAT_ALWAYS, "Which page it is, of how many"}

#endif
