/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_H
#define FUZZ_H

/*
 * What the fuzz targets share. A target is one file with a function fuzz_one(pool, data, size), which libFuzzer calls with inputs
 * of its own making (make fuzz), and which tests/fuzz/replay.c calls with the committed corpus (make unit). The pool is cleared
 * after each call.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>
#include <apr_strings.h>

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size);

/* A property that no input may break. */
#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The input as a C string on the pool; what follows a NUL is out of its reach, as in a header. */
static inline char *fuzz_text(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    return apr_pstrmemdup(pool, (const char *)data, size);
}

/* Cuts the first line off the input; the rest begins behind its newline. */
static inline char *fuzz_line(apr_pool_t *pool, const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t length = end ? (size_t)(end - *data) : *size;
    char *line = fuzz_text(pool, *data, length);

    *data += length + (end != NULL);
    *size -= length + (end != NULL);
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
