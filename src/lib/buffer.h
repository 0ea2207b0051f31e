/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_BUFFER_H
#define CAT_LIB_BUFFER_H

#include <string.h>

#include <apr_pools.h>

/* Growing byte string on a pool. Has no NUL at its end until cat_buffer_text adds one. Only one thread at a time may
 * use a buffer. */
typedef struct cat_buffer_t {
    apr_pool_t *pool;
    char *data;
    apr_size_t length; /* bytes in use */
    apr_size_t size;   /* bytes allocated */
} cat_buffer_t;

/* Initializes a buffer. `size` is the number of bytes to allocate first, at least 1: an estimate of the final
 * length. */
void cat_buffer_init(cat_buffer_t *b, apr_pool_t *pool, apr_size_t size);

/* Ensures that `more` bytes fit after the bytes in use. Moves `data` if they do not. */
void cat_buffer_reserve(cat_buffer_t *b, apr_size_t more);

/* Appends bytes. Inline because a JSON list consists of several hundred short pieces; a literal compiles to one or two
 * stores. */
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

/* Appends a string literal. Its length is known at compile time. */
#define CAT_BUFFER_LITERAL(b, literal) cat_buffer_add((b), "" literal, sizeof(literal) - 1)

/* Returns the contents with a NUL after the last byte, on the buffer's pool. `length` does not count the NUL. */
char *cat_buffer_text(cat_buffer_t *b);

#endif
