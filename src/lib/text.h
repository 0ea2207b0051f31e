/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TEXT_H
#define CAT_LIB_TEXT_H

#include <apr_pools.h>

/* The first character of a text of length octets, at least 1: U+FFFD for an octet that is not part of valid UTF-8. Returns the
 * octets that it takes. */
apr_size_t cat_text_read(const char *text, apr_size_t length, apr_int32_t *character);

/* The first `most` characters of a text, on the pool, as every database stores them and every page shows them. text: any
 * octets; each that is not part of valid UTF-8 becomes U+FFFD, and each control character a space. */
const char *cat_text_shorten(apr_pool_t *pool, const char *text, int most);

/* Has the text, of valid UTF-8, a control character, which a terminal may obey? */
int cat_text_has_control(const char *text);

/* What follows the scheme of an absolute URL: its host, and what is behind that; NULL: the text has no "://". */
const char *cat_text_host(const char *url);

/* Are both texts the same, or both NULL? */
int cat_text_is_same(const char *one, const char *other);

/* For qsort and bsearch of texts (const char *), by their octets. */
int cat_text_compare(const void *one, const void *other);

/* Of several words, which end with NULL: the index of the one that the text is, or that of NULL; and all of them, on the pool: "a, b or c". */
int cat_text_find(const char *const *words, const char *text);
const char *cat_text_join(apr_pool_t *pool, const char *const *words);

#endif
