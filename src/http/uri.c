/* SPDX-License-Identifier: Apache-2.0 */
#include "http/uri.h"

#include <string.h>

char *cat_uri_encode_path(apr_pool_t *pool, const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    char *encoded = apr_palloc(pool, 3 * strlen(path) + 1), *end = encoded;

    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (c <= ' ' || c >= 0x7f || strchr("\"#%<>?\\^`{}", c)) {
            *end++ = '%';
            *end++ = digits[c >> 4];
            *end++ = digits[c & 15];
        } else {
            *end++ = *path;
        }
    }
    *end = '\0';
    return encoded;
}
