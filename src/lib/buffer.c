/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/buffer.h"

#include "lib/number.h"

/* Doubles the size, so that the old copies left on the pool take less space together than the final one. */
void cat_buffer_reserve(cat_buffer_t *b, apr_size_t more)
{
    apr_size_t size = b->size;
    char *data;

    if (more <= size - b->length) {
        return;
    }
    while (size - b->length < more) {
        size *= 2;
    }
    data = apr_palloc(b->pool, size);
    memcpy(data, b->data, b->length);
    b->data = data;
    b->size = size;
}

void cat_buffer_init(cat_buffer_t *b, apr_pool_t *pool, apr_size_t size)
{
    b->pool = pool;
    b->data = apr_palloc(pool, size);
    b->length = 0;
    b->size = size;
}

void cat_buffer_add_text(cat_buffer_t *b, const char *text)
{
    cat_buffer_add(b, text, strlen(text));
}

void cat_buffer_add_int(cat_buffer_t *b, apr_int64_t value)
{
    char room[CAT_NUMBER_DIGITS + 1];
    const char *digits = cat_number_write_integer(room, value);
    cat_buffer_add(b, digits, (apr_size_t)(room + CAT_NUMBER_DIGITS - digits));
}

char *cat_buffer_text(cat_buffer_t *b)
{
    cat_buffer_reserve(b, 1);
    b->data[b->length] = '\0';
    return b->data;
}
