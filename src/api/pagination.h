/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PAGINATION_H
#define CAT_API_PAGINATION_H

#include "db/answer_cache.h"
#include "http/answer.h"
#include "http/schema.h"
#include "lib/buffer.h"

/* Position of a page in its list. */
typedef struct cat_pagination_t {
    apr_int64_t page;  /* Number of the page, at least 1. 0 if the list is read by cursor. */
    apr_int64_t limit; /* Largest number of items on a page, at least 1. */
    apr_int64_t total; /* Number of items of the list. -1 if they were not counted. */
    int is_more;       /* True if the list has more items than `total`. */
    int has_next;      /* True if another page follows. Used for a page by number if the number of pages is unknown. */
    const char *next;  /* Cursor of the next page. NULL if the list ends here or is read by page. */
} cat_pagination_t;

/* Ends the array `data` and writes the member `pagination`. Does not write the final brace of the body. */
void cat_pagination_end_data(cat_buffer_t *b, const cat_pagination_t *pagination);

/* Writes the headers as one text for the response cache: "42\n<?page=2>; rel=...". The first line is the total, or
 * empty if the total is not exact. The rest is the value of Link, or empty if its targets would be too long for a
 * header. `parameters` are the parameters of the links (http/link_header.h). */
void cat_pagination_write_headers(cat_buffer_t *b, const cat_pagination_t *pagination, const char *parameters);

/* Adds the headers X-Total-Count and Link from a text that cat_pagination_write_headers has written. */
void cat_pagination_add_headers(apr_pool_t *pool, cat_answer_t *answer, const char *headers);

/* Returns the response with a cached list; list->headers comes from cat_pagination_write_headers. `ignored` are the
 * names for cat_answer_name_ignored, or NULL. */
cat_answer_t *cat_pagination_answer(apr_pool_t *pool, const cat_cached_list_t *list, const apr_array_header_t *ignored);

/* Shape of the object that cat_pagination_end_data writes, and the member of a response that has this shape. */
extern const cat_shape_t cat_pagination_shape;
#define CAT_PAGINATION_MEMBER {"pagination", &cat_pagination_shape, CAT_ALWAYS, "Which page it is, of how many"}

#endif
