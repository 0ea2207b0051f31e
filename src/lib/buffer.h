/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_BUFFER_H
#define CAT_LIB_BUFFER_H

#include <string.h>

#include <apr_pools.h>

/* Bytes that grow on a pool. Not NUL-terminated until cat_buffer_text. Used by one thread at a time. */
typedef struct cat_buffer_t {
    apr_pool_t *pool;
    char *data;
    apr_size_t length; /* bytes in use */
    apr_size_t size;   /* bytes allocated */
} cat_buffer_t;

/* size: initial bytes, an estimate of the final length; at least 1. */
void cat_buffer_init(cat_buffer_t *b, apr_pool_t *pool, apr_size_t size);

/* Makes room for more bytes after those in use. */
void cat_buffer_reserve(cat_buffer_t *b, apr_size_t more);

/* Inline, because a list consists of some hundred small pieces; for a literal the compiler leaves a store or two. */
static inline void cat_buffer_add(cat_buffer_t *b, const char *data, apr_size_t length)
{
    if (length > b->size - b->length) {
        cat_buffer_reserve(b, length);
    }
    memcpy(b->data + b->length, data, length);
    b->length += length;
}

void cat_buffer_add_text(cat_buffer_t *b, const char *text);
void cat_buffer_add_int(cat_buffer_t *b, apr_int64_t value);

/* Adds a string literal without counting it at run time. */
#define CAT_BUFFER_LITERAL(b, literal) cat_buffer_add((b), "" literal, sizeof(literal) - 1)

/* The bytes, terminated by a NUL that length does not count; on the buffer's pool. */
char *cat_buffer_text(cat_buffer_t *b);

#endif
