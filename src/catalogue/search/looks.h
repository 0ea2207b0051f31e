/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LOOKS_H
#define CAT_CATALOGUE_LOOKS_H

#include <apr_tables.h>

#include "db/db.h"

#define CAT_LOOKS_WORDS 9 /* of each look that a list needs at once */

/* Looks for the words in product_words that begin with a text; or for the word itself, where CAT_PRODUCT_WORD_END is behind it. */
typedef struct cat_look_t {
    const char *text;
    const char *from, *until;  /* where further words may be; from NULL: all are found */
    apr_array_header_t *found; /* const char *, in their order */
} cat_look_t;

/* The look for the text among looks, which are cat_look_t *; a new one, if there was none. */
cat_look_t *cat_looks_get(apr_array_header_t *looks, const char *text);

/* Notes that a product has the word, whose text has CAT_PRODUCT_WORD_END behind it, so that nobody looks for it. */
void cat_looks_note(apr_array_header_t *looks, const char *text);

/* Finds further words of each look that has not found all: at least one, and up to `most`, if there are any. In a transaction. */
apr_status_t cat_look_for_words(cat_db_t *db, cat_look_t *const *looks, int count, int most);

#endif
