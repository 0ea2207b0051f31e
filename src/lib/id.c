/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/id.h"

#include <apr_general.h>

#define TIME_BYTES 6 /* unix_ts_ms, big-endian */

static char *format(apr_pool_t *pool, const unsigned char bytes[16])
{
    static const char digits[] = "0123456789abcdef";
    char *text = apr_palloc(pool, CAT_ID_LENGTH + 1);
    char *out = text;

    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *out++ = '-';
        }
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 0x0f];
    }
    *out = '\0';
    return text;
}

const char *cat_id_make(apr_pool_t *pool, apr_time_t now)
{
    apr_uint64_t milliseconds = (apr_uint64_t)apr_time_as_msec(now);
    unsigned char bytes[16];

    /* getrandom(2) on Linux: waits for nothing once the system has started. */
    if (apr_generate_random_bytes(bytes + TIME_BYTES, sizeof(bytes) - TIME_BYTES) != APR_SUCCESS) {
        return NULL;
    }
    for (int i = 0; i < TIME_BYTES; i++) {
        bytes[i] = (unsigned char)(milliseconds >> (8 * (TIME_BYTES - 1 - i)));
    }
    bytes[6] = 0x70 | (bytes[6] & 0x0f); /* version */
    bytes[8] = 0x80 | (bytes[8] & 0x3f); /* variant */
    return format(pool, bytes);
}

static int is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static int matches(char c, char form)
{
    switch (form) {
    case 'x':
        return is_digit(c);
    case 'v':
        return c == '8' || c == '9' || c == 'a' || c == 'b';
    default:
        return c == form;
    }
}

int cat_id_check(const char *text)
{
    static const char form[] = "xxxxxxxx-xxxx-7xxx-vxxx-xxxxxxxxxxxx";

    for (int i = 0; i < CAT_ID_LENGTH; i++) {
        if (!matches(text[i], form[i])) {
            return 0;
        }
    }
    return text[CAT_ID_LENGTH] == '\0';
}
