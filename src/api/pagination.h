/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_PAGINATION_H
#define CAT_API_PAGINATION_H

#include "lib/buffer.h"

/* How many pages of limit items a list has; limit is at least 1. */
apr_int64_t cat_pagination_count_pages(apr_int64_t total, apr_int64_t limit);

/* Ends the array `data` and the body of a list that is read by page, with `pagination` between the two. */
void cat_pagination_end_page(cat_buffer_t *b, apr_int64_t page, apr_int64_t limit, apr_int64_t total);

#endif
