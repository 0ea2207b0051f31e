/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_LINK_HEADER_H
#define CAT_HTTP_LINK_HEADER_H

#include "lib/buffer.h"

/* Add the value of a list's Link header (RFC 8288) to a buffer. A target is only a query, which stays correct if a
 * proxy in front of httpd serves the mount under another path or host. `parameters` are the target's parameters other
 * than page and cursor, encoded, each with "&" before it. */

/* Adds first and last, and prev and next if these pages exist. The prev of a page after the end is the last page. */
void cat_link_header_pages(cat_buffer_t *b, apr_int64_t page, apr_int64_t pages, const char *parameters);

/* Adds first, prev and next for a list whose number of pages is not known, so there is no last. */
void cat_link_header_open_pages(cat_buffer_t *b, apr_int64_t page, int has_next, const char *parameters);

/* Adds first, and next unless the list ends here. `next` is a cursor, whose characters need no encoding, or NULL if the
 * list ends. */
void cat_link_header_cursor(cat_buffer_t *b, const char *next, const char *parameters);

#endif
