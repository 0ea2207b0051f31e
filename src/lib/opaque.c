/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/opaque.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <utf8proc.h>

static int is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80) {
        text++;
    }
    return *text == '\0';
}

static utf8proc_int32_t map_space(utf8proc_int32_t character, void *)
{
    return utf8proc_category(character) == UTF8PROC_CATEGORY_ZS ? ' ' : character;
}

const char *cat_opaque_prepare(apr_pool_t *pool, const char *text)
{
    utf8proc_uint8_t *prepared = NULL;
    utf8proc_ssize_t length;
    const char *copy;

    if (is_ascii(text)) {
        return text;
    }
    length = utf8proc_map_custom((const utf8proc_uint8_t *)text, 0, &prepared,
                                 UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE, map_space, NULL);
    if (length < 0) {
        return text;
    }
    copy = apr_pstrmemdup(pool, (const char *)prepared, (apr_size_t)length);
    explicit_bzero(prepared, (size_t)length);
    free(prepared);
    return copy;
}
