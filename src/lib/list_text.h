/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_LIST_TEXT_H
#define CAT_LIB_LIST_TEXT_H

#include <apr_tables.h>
#include <jansson.h>

#include "lib/buffer.h"

/*
 * Several texts in one text, for cells of CSV and lines of the configuration: "red|dark blue". A backslash before a
 * separator, a backslash, or a blank at either end makes that character part of the text. Other blanks around a text,
 * and empty texts, are ignored.
 */

/* Returns the texts (const char *), on the pool. The array is empty if there are none. */
apr_array_header_t *cat_list_text_split(apr_pool_t *pool, const char *text, char mark);

/* Returns the texts as a JSON array of strings, a new reference. Returns NULL if one of the texts is not UTF-8. */
json_t *cat_list_text_json(apr_pool_t *pool, const char *text, char mark);

/* Adds one text with the backslashes that cat_list_text_split requires. The caller adds the separators. */
void cat_list_text_add(cat_buffer_t *b, const char *text, char mark);

#endif
