/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_LINK_HEADER_H
#define CAT_HTTP_LINK_HEADER_H

#include "lib/buffer.h"

/* Both add the value of a list's Link header (RFC 8288) to the buffer. Targets are a query alone, which stays correct
 * behind a proxy that has the mount under another path or host. parameters: what each target has besides page or
 * cursor, encoded, each with "&" before it. */

/* first and last, and prev and next where there are such pages; prev of a page beyond the end is the last one. */
void cat_link_header_pages(cat_buffer_t *b, apr_int64_t page, apr_int64_t pages, const char *parameters);

/* The same where the number of pages is not known: no last. */
void cat_link_header_open_pages(cat_buffer_t *b, apr_int64_t page, int has_next, const char *parameters);

/* first, and next unless the list ends here. next: a cursor, of characters that need no encoding; NULL: the list ends. */
void cat_link_header_cursor(cat_buffer_t *b, const char *next, const char *parameters);

#endif
