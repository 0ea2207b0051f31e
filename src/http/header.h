/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_HEADER_H
#define CAT_HTTP_HEADER_H

#include <apr_pools.h>
#include <apr_tables.h>

/* Parsers of request headers. */

typedef enum {
    CAT_BEARER_NONE,  /* There is no header, another scheme, or nothing after the scheme. */
    CAT_BEARER_TOKEN, /* *token is the text after the scheme, valid or not. */
    /* The text has characters that are neither those of a token (RFC 6750 2.1) nor white space or a comma. */
    CAT_BEARER_MALFORMED
} cat_bearer_t;

/* Reads the bearer token of an Authorization header. `authorization` is NULL if the header was not sent. Ignores the
 * case of the scheme. *token is on the pool. White space and commas, which the server inserts when it joins two
 * headers, stay in the token; its verification then fails. */
cat_bearer_t cat_header_bearer(apr_pool_t *pool, const char *authorization, const char **token);

/* Returns the value of the first cookie with this name (RFC 6265), on the pool. Returns NULL if `cookies` is NULL or
 * has no such cookie. Sets *is_repeated to true if there is another cookie with the name. */
const char *cat_header_cookie(apr_pool_t *pool, const char *cookies, const char *name, int *is_repeated);

/* Returns true if a Content-Type is one of the types, which are separated by ", ", with charset utf-8 or without a
 * charset. Ignores the parameters of pictures. Returns false if `content_type` is NULL. */
int cat_header_has_type(const char *content_type, const char *types);

/* The first function returns true if a Content-Type is one of the types, with one of the charsets or without one. The
 * second returns the index of its charset: 0 if it names none, -1 if the charset is not in the list. `charsets` ends
 * with NULL. */
int cat_header_has_type_of(const char *content_type, const char *types, const char *const *charsets);
int cat_header_charset(const char *content_type, const char *const *charsets);

/* Returns the quality of a media type in an Accept header (RFC 9110 12.5.1), in thousandths, from the most specific
 * range that includes the type. Returns 0 if no range does. `type` must be in lower case. Ignores parameters of a range
 * other than q, and a range whose q is malformed. Sets *is_named, if is_named is not NULL, to true if that range is the
 * type itself, without an asterisk. */
int cat_header_quality(const char *accept, const char *type, int *is_named);

/* Returns the language that an Accept-Language header (RFC 9110 12.5.4) prefers, ignoring regions; `languages` has
 * const char *, such as "de". If the header prefers two languages equally, returns the one that it names first. Returns
 * NULL if `accept` is NULL or names none of the languages. */
const char *cat_header_language(const char *accept, const apr_array_header_t *languages);

/* Returns true if a Prefer header (RFC 7240) contains the preference with this value. If `value` is NULL, the
 * preference may have any value, or none. Only the first preference with the name counts. */
int cat_header_prefers(apr_pool_t *pool, const char *prefer, const char *name, const char *value);

/* Reads an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a String of RFC 8941 3.3.3 without parameters,
 * or bare text, which may contain neither white space nor `",;\`. Returns its text, 1 to CAT_HEADER_KEY_MAX ASCII
 * characters, on the pool. Returns NULL if the header has neither form, for example because two headers were joined. */
#define CAT_HEADER_KEY_MAX 255
const char *cat_header_idempotency_key(apr_pool_t *pool, const char *header);

#endif
