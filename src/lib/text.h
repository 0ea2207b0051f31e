/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TEXT_H
#define CAT_LIB_TEXT_H

#include <apr_pools.h>

/* Reads the first character of a text of `length` bytes, at least 1, and returns its number of bytes. Reads a byte that
 * is not part of valid UTF-8 as U+FFFD. */
apr_size_t cat_text_read(const char *text, apr_size_t length, apr_int32_t *character);

/* Returns the first `most` characters of a text, on the pool, for databases and pages. `text` may have any bytes.
 * Replaces each byte that is not part of valid UTF-8 by U+FFFD, and each control character by a space. */
const char *cat_text_shorten(apr_pool_t *pool, const char *text, int most);

/* Returns the text in lower case, character by character, on the pool. Replaces each byte that is not part of valid
 * UTF-8 by U+FFFD. */
const char *cat_text_lower(apr_pool_t *pool, const char *text);

/* Returns true if the text, valid UTF-8, has a control character, which a terminal might execute. */
int cat_text_has_control(const char *text);

/* Returns the text of an absolute URL after "://": the host and everything after it. Returns NULL if the text has no
 * "://". */
const char *cat_text_host(const char *url);

/* Returns true if both texts are equal, or both are NULL. */
int cat_text_is_same(const char *one, const char *other);

/* Compares elements of type const char * by the bytes of their texts, for qsort and bsearch. */
int cat_text_compare(const void *one, const void *other);

/* Returns the index of `text` in `words`, which is NULL-terminated. Returns the index of the NULL if no word is
 * equal. */
int cat_text_find(const char *const *words, const char *text);
/* Returns all words as one text, on the pool: "a, b or c". */
const char *cat_text_join(apr_pool_t *pool, const char *const *words);

#endif
