/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_H
#define FUZZ_H

/*
 * Helpers of the fuzz targets. A target is one file with a function fuzz_one(pool, data, size). libFuzzer calls it with generated
 * inputs (make fuzz), tests/fuzz/replay.c with the committed corpus (make unit). The caller clears the pool after each call.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>
#include <apr_strings.h>

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size);

/* A property that must hold for every input. */
#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The input as a C string on the pool; ends at the first NUL, like a header. */
static inline char *fuzz_text(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    return apr_pstrmemdup(pool, (const char *)data, size);
}

/* Removes the first line, with its newline, from the input and returns it. */
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
