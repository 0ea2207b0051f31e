/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_LIST_TEXT_H
#define CAT_LIB_LIST_TEXT_H

#include <apr_tables.h>
#include <jansson.h>

#include "lib/buffer.h"

/*
 * Several texts in one, as a cell of CSV and a line of the configuration have them: "red|dark blue". A backslash before a character
 * makes it part of the text: of a mark, of a backslash, or of a blank at either end. Blanks around the texts, and texts without
 * anything, are nothing that anybody wanted to say.
 */

/* The texts (const char *), on the pool; never NULL. */
apr_array_header_t *cat_list_text_split(apr_pool_t *pool, const char *text, char mark);

/* The same as an array of strings, a new reference; NULL: one of them is not UTF-8. */
json_t *cat_list_text_json(apr_pool_t *pool, const char *text, char mark);

/* Adds one of the texts, with backslashes where the split needs them; the caller adds the marks. */
void cat_list_text_add(cat_buffer_t *b, const char *text, char mark);

#endif
