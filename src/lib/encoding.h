/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_ENCODING_H
#define CAT_LIB_ENCODING_H

#include <apr_errno.h>
#include <apr_pools.h>

/* Converts text from another encoding to UTF-8, in pieces of any size. */

typedef enum { CAT_UTF_8, CAT_WINDOWS_1252, CAT_UTF_16LE, CAT_UTF_16BE } cat_encoding_t;

/* Names of the encodings in lower case, indexed by cat_encoding_t; NULL-terminated. */
extern const char *const cat_encodings[];

typedef struct cat_decoder_t cat_decoder_t;

/* Receives a piece of UTF-8 that is valid until the function returns. The piece has whole characters, unless the
 * encoding is UTF-8 itself. A status other than APR_SUCCESS stops the decoder, and cat_decoder_feed returns it. */
typedef apr_status_t cat_decoder_take_t(void *baton, const char *text, apr_size_t length);

/* Creates a decoder on the pool. A byte order mark at the beginning of the text overrides `encoding` and is not passed
 * on. */
cat_decoder_t *cat_decoder_make(apr_pool_t *pool, cat_encoding_t encoding, cat_decoder_take_t *take, void *baton);

/* Decodes a piece. Length 0 marks the end of the text. Passes UTF-8 on unchanged, valid or not. Returns APR_BADCH if
 * bytes are invalid in the encoding, or if the text ends within a character or a byte order mark. Returns APR_ENOTIMPL
 * if the C library cannot convert from the encoding. */
apr_status_t cat_decoder_feed(cat_decoder_t *decoder, const char *data, apr_size_t length);

/* Returns the encoding of the byte order mark. Returns the encoding given to cat_decoder_make before a mark is found,
 * or if the text has none. */
cat_encoding_t cat_decoder_encoding(const cat_decoder_t *decoder);

/* Returns the length of the byte order mark in bytes. Returns 0 if none was found. */
apr_size_t cat_decoder_mark(const cat_decoder_t *decoder);

/* Returns the number of bytes that `text`, whole characters of UTF-8, has in the encoding. */
apr_size_t cat_encoding_measure(cat_encoding_t encoding, const char *text, apr_size_t length);

#endif
