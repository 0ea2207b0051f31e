/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_LINK_HEADER_H
#define CAT_HTTP_LINK_HEADER_H

#include "lib/buffer.h"

/* The value of Link (RFC 8288) of a list, added to the buffer: where its other answers are. Targets are a query alone, which stays good
 * behind a proxy that has the mount under another path or host. parameters: what each target has beside page or cursor, encoded, each
 * with "&" before it. */

/* first and last, and prev and next where there are such pages; prev of a page beyond the end is the last one. */
void cat_link_header_pages(cat_buffer_t *b, apr_int64_t page, apr_int64_t pages, const char *parameters);

/* first, and next where a cursor continues the list. next: of characters that need no encoding; NULL: the list ends here. */
void cat_link_header_cursor(cat_buffer_t *b, const char *next, const char *parameters);

#endif
