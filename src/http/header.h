/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_HEADER_H
#define CAT_HTTP_HEADER_H

#include <apr_pools.h>
#include <apr_tables.h>

/* Parsers of request headers. */

typedef enum {
    CAT_BEARER_NONE,     /* no header, another scheme, or nothing after the scheme */
    CAT_BEARER_TOKEN,    /* *token is what follows the scheme, valid or not */
    CAT_BEARER_MALFORMED /* characters that are neither a token's (RFC 6750 2.1) nor white space or a comma */
} cat_bearer_t;

/* authorization: NULL if it was not sent. The case of the scheme is ignored. *token is on the pool. White space and
 * commas, which the server puts in when it joins two headers, stay in the token, which then fails its check. */
cat_bearer_t cat_header_bearer(apr_pool_t *pool, const char *authorization, const char **token);

/* The value of a cookie (RFC 6265), the first of this name, on the pool; NULL when cookies is NULL or has none.
 * *is_repeated: flag, there is another of the name. */
const char *cat_header_cookie(apr_pool_t *pool, const char *cookies, const char *name, int *is_repeated);

/* Content-Type: is it one of the types, which ", " separates, without a charset or with utf-8? NULL is none. Parameters of pictures say
 * nothing. */
int cat_header_has_type(const char *content_type, const char *types);

/* The same with one of these charsets, and which one it is: 0, the first, if it names none; -1: another one. */
int cat_header_has_type_of(const char *content_type, const char *types, const char *const *charsets);
int cat_header_charset(const char *content_type, const char *const *charsets);

/* Accept (RFC 9110 12.5.1): the quality of a media type, in thousandths, by the most specific range that has it; 0: none has.
 * The type is in lower case; parameters of a range other than q are ignored, and a range whose q is malformed is too.
 * *is_named (may be NULL): is the range the type itself, without an asterisk? */
int cat_header_quality(const char *accept, const char *type, int *is_named);

/* Accept-Language (RFC 9110 12.5.4): the one of the languages, each as "de", that the client likes best, whatever the region; of those
 * that it likes alike, the one that it names first. NULL: accept is NULL or names none. */
const char *cat_header_language(const char *accept, const apr_array_header_t *languages);

/* Prefer (RFC 7240): is the preference there with this value? value NULL: with any or none. The first preference of a
 * name counts. */
int cat_header_prefers(apr_pool_t *pool, const char *prefer, const char *name, const char *value);

/* Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a String of RFC 8941 3.3.3, without parameters, or the
 * bare text, which then has none of `",;\` and no white space. The text, of 1 to CAT_HEADER_KEY_MAX characters of ASCII, is
 * on the pool. NULL: the header is neither, so also when two headers were joined. */
#define CAT_HEADER_KEY_MAX 255
const char *cat_header_idempotency_key(apr_pool_t *pool, const char *header);

#endif
