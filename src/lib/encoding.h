/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_ENCODING_H
#define CAT_LIB_ENCODING_H

#include <apr_errno.h>
#include <apr_pools.h>

/* Makes UTF-8 of a text in another encoding, in pieces of any size. */

typedef enum { CAT_UTF_8, CAT_WINDOWS_1252, CAT_UTF_16LE, CAT_UTF_16BE } cat_encoding_t;

/* Their names in lower case, in this order; NULL-terminated. */
extern const char *const cat_encodings[];

typedef struct cat_decoder_t cat_decoder_t;

/* Receives a piece of UTF-8, which is valid until it returns, and has whole characters unless the encoding is UTF-8 itself. Any status but
 * APR_SUCCESS ends the decoding, and is returned. */
typedef apr_status_t cat_decoder_take_t(void *baton, const char *text, apr_size_t length);

/* A byte order mark at the beginning, which is not passed on, says another encoding than this one. */
cat_decoder_t *cat_decoder_make(apr_pool_t *pool, cat_encoding_t encoding, cat_decoder_take_t *take, void *baton);

/* Decodes a piece; length 0: the end. What is in UTF-8 is passed on as it is, valid or not. APR_BADCH: there are octets that the encoding
 * does not have, or only the beginning of a character at the end. APR_ENOTIMPL: the C library cannot convert from the encoding. */
apr_status_t cat_decoder_feed(cat_decoder_t *decoder, const char *data, apr_size_t length);

/* What the mark said, once there was one. */
cat_encoding_t cat_decoder_encoding(const cat_decoder_t *decoder);

/* The octets of the mark. */
apr_size_t cat_decoder_mark(const cat_decoder_t *decoder);

/* How many octets whole characters of UTF-8 have in the encoding. */
apr_size_t cat_encoding_measure(cat_encoding_t encoding, const char *text, apr_size_t length);

#endif
