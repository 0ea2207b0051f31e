/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_LINK_HEADER_H
#define CAT_HTTP_LINK_HEADER_H

#include "http/answer.h"

/* Link (RFC 8288): where the other pages of a list are. Targets are a query alone, which stays good behind a proxy that has the
 * mount under another path or host. */

/* first and last, and prev and next where there are such pages; prev of a page beyond the end is the last one. */
void cat_link_header_pages(cat_answer_t *answer, apr_pool_t *pool, apr_int64_t page, apr_int64_t pages,
                           apr_int64_t limit);

/* first, and next where a cursor leads on. next: of characters that need no encoding; NULL: the list ends here. */
void cat_link_header_cursor(cat_answer_t *answer, apr_pool_t *pool, const char *next, apr_int64_t limit);

#endif
