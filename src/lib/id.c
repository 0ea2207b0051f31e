/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UUIDv7: 48 bits of milliseconds, 12 bits of the millisecond's fraction, 62 random bits. So ids sort by the time of their
 * creation, and two servers need not agree on them.
 *
 *     01a1fdf9-d28a        milliseconds since 1970
 *     7                    the version
 *     c59                  the fraction of the millisecond
 *     b8ec-c42b5a960857    two bits that say which variant of UUID it is, then the random ones
 *
 * A product's number is the first 43 bits of time, the fraction and the first 8 random bits: 63 bits that have the order of the ids.
 */
#include "lib/id.h"

#include <apr_general.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#define TIME_BYTES 6 /* unix_ts_ms, big-endian */
#define HEAD_BYTES 8 /* and the version with rand_a, which holds what is left of the time */

static char *format_uuid(apr_pool_t *pool, const unsigned char bytes[16])
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
    unsigned fraction = (unsigned)(now % 1000) * 4096 / 1000; /* 12 bits: each microsecond has a value of its own */
    unsigned char bytes[16];

    /* getrandom(2) on Linux: waits for nothing once the system has started. */
    if (apr_generate_random_bytes(bytes + HEAD_BYTES, sizeof(bytes) - HEAD_BYTES) != APR_SUCCESS) {
        return NULL;
    }
    for (int i = 0; i < TIME_BYTES; i++) {
        bytes[i] = (unsigned char)(milliseconds >> (8 * (TIME_BYTES - 1 - i)));
    }
    bytes[6] = (unsigned char)(0x70 | fraction >> 8); /* version */
    bytes[7] = (unsigned char)fraction;
    bytes[8] = 0x80 | (bytes[8] & 0x3f); /* variant */
    return format_uuid(pool, bytes);
}

static unsigned read_digit(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

apr_int64_t cat_id_number(const char *id)
{
    apr_uint64_t milliseconds = 0, rest = 0;

    if (!id || !cat_id_check(id)) {
        return -1;
    }
    for (int i = 0; i < 13; i++) {
        milliseconds = id[i] == '-' ? milliseconds : milliseconds << 4 | read_digit(id[i]);
    }
    for (int i = 15; i < 18; i++) {
        rest = rest << 4 | read_digit(id[i]);
    }
    rest = rest << 8 | (read_digit(id[19]) & 3) << 6 | read_digit(id[20]) << 2 | read_digit(id[21]) >> 2;
    rest |= milliseconds << CAT_ID_TIME_SHIFT;
    return milliseconds >> (63 - CAT_ID_TIME_SHIFT) || rest == APR_INT64_MAX ? -1 : (apr_int64_t)rest;
}

const char *cat_id_number_text(apr_pool_t *pool, const char *id)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT, cat_id_number(id));
}

apr_array_header_t *cat_id_numbers(apr_pool_t *pool, const apr_array_header_t *ids)
{
    apr_array_header_t *numbers = apr_array_make(pool, ids->nelts, sizeof(const char *));

    for (int i = 0; i < ids->nelts; i++) {
        APR_ARRAY_PUSH(numbers, const char *) = cat_id_number_text(pool, APR_ARRAY_IDX(ids, i, const char *));
    }
    return numbers;
}

const char *cat_id_redraw(apr_pool_t *pool, const char *id)
{
    static const char digits[] = "0123456789abcdef";
    char *redrawn = apr_pstrdup(pool, id);
    unsigned char random;

    if (apr_generate_random_bytes(&random, 1) != APR_SUCCESS) {
        return id;
    }
    redrawn[19] = digits[8 | random >> 6];
    redrawn[20] = digits[random >> 2 & 15];
    redrawn[21] = digits[(random & 3) << 2 | (read_digit(id[21]) & 3)];
    return redrawn;
}

static int matches_form(char c, char form)
{
    switch (form) {
    case 'x':
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
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
        if (!matches_form(text[i], form[i])) {
            return 0;
        }
    }
    return text[CAT_ID_LENGTH] == '\0';
}

/* Flag: the text is an id in either case; folded: in lower case. */
static int fold_id(const char *text, char folded[CAT_ID_LENGTH + 1])
{
    if (strlen(text) != CAT_ID_LENGTH) {
        return 0;
    }
    for (int i = 0; i <= CAT_ID_LENGTH; i++) {
        folded[i] = (char)apr_tolower(text[i]);
    }
    return cat_id_check(folded);
}

int cat_id_has_form(const char *text)
{
    char folded[CAT_ID_LENGTH + 1];

    return fold_id(text, folded);
}

const char *cat_id_fold(apr_pool_t *pool, const char *text)
{
    char folded[CAT_ID_LENGTH + 1];
    const char *at = text;

    while (*at && (*at < 'A' || *at > 'Z')) {
        at++;
    }
    return *at && fold_id(text, folded) ? apr_pstrdup(pool, folded) : text;
}
