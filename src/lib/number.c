/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as texts. A double is written with the fewest digits that read back as the same double, and in full where a client could have sent
 * it as an integer: 1e15 and 1000000000000000 are one number, and one text. Whether a text loses anything that way is
 * found by comparing it with what would be written, both spelled as digits and a power of ten.
 */
#include "lib/number.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

/* "-1.2345678901234567e-308" is the longest; the compiler reckons with as many digits as a double can have. */
typedef char real_t[40];

static int reads_back(real_t text, int digits, double value)
{
    snprintf(text, sizeof(real_t), "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

/* The decimal next to the value on the side away from zero. Only there may a decimal that is not the nearest of its length read back:
 * beyond a power of two doubles are twice as far apart as before it. */
static int reads_back_rounded_up(real_t text, int digits, double value)
{
    int rounding = fegetround();

    fesetround(value > 0 ? FE_UPWARD : FE_DOWNWARD);
    snprintf(text, sizeof(real_t), "%.*g", digits, value);
    fesetround(rounding);
    return strtod(text, NULL) == value;
}

/* A normal double holds any decimal of DBL_DIG digits, and "%g" drops zeros at the end, so fewer need not be tried. */
static void write_real(real_t text, double value)
{
    int digits = isnormal(value) ? DBL_DIG : 1;

    while (digits < DBL_DECIMAL_DIG && !reads_back(text, digits, value) &&
           !reads_back_rounded_up(text, digits, value)) {
        digits++;
    }
    if (digits == DBL_DECIMAL_DIG) {
        snprintf(text, sizeof(real_t), "%.*g", digits, value);
    }
}

/* "1.5e+17" in full. An exponent that is not negative is at least that of the last digit. */
static void write_integer(real_t text, double value)
{
    const char *exponent = strchr(text, 'e');
    apr_size_t length = (value < 0) + (exponent ? (apr_size_t)atoi(exponent + 1) : 0) + 1;
    real_t full;
    apr_size_t count = 0;

    if (!exponent || exponent[1] == '-' || fabs(value) >= 0x1p63) {
        return;
    }
    for (const char *from = text; from < exponent; from++) {
        full[count] = *from;
        count += *from != '.';
    }
    memset(full + count, '0', length - count);
    full[length] = '\0';
    memcpy(text, full, length + 1);
}

/* printf and strtod follow the locale, and another module may have set one with a decimal comma; uselocale is for this
 * thread alone. APR's own printf knows no locale, but does not round exactly. */
static const char *format_real(apr_pool_t *pool, double value, int in_full)
{
    real_t text;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c);

    if (in_full) {
        snprintf(text, sizeof(text), "%.*g", DBL_DECIMAL_DIG, value);
    } else {
        write_real(text, value);
        write_integer(text, value);
    }
    uselocale(before);
    freelocale(c);
    return apr_pstrdup(pool, text);
}

const char *cat_number_format(apr_pool_t *pool, const json_t *number)
{
    return json_is_integer(number) ? cat_number_write(pool, json_integer_value(number))
                                   : cat_number_format_real(pool, json_real_value(number));
}

/* APR 1.7.5's apr_off_t_toa writes INT64_MIN with characters that are no digits. */
const char *cat_number_write(apr_pool_t *pool, apr_int64_t number)
{
    char room[CAT_NUMBER_DIGITS + 1];

    return apr_pstrdup(pool, cat_number_write_integer(room, number));
}

const char *cat_number_format_real(apr_pool_t *pool, double number)
{
    return number == 0 ? "0" : format_real(pool, number, 0);
}

int cat_number_parse_integer(const char *text, apr_int64_t *value)
{
    apr_int64_t magnitude = 0;
    int negative = text && *text == '-';
    const char *digit = negative ? text + 1 : text;

    if (!digit || !*digit) {
        return 0;
    }
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9') {
            return 0;
        }
        magnitude = magnitude * 10 + (*digit - '0');
        if (magnitude > CAT_NUMBER_SAFE_MAX) {
            magnitude = CAT_NUMBER_SAFE_MAX;
        }
    }
    *value = negative ? -magnitude : magnitude;
    return 1;
}

int cat_number_parse_real(const char *text, double *value)
{
    static const char digits[] = "0123456789";
    apr_size_t length = strlen(text);
    json_t *number;

    /* jansson takes a string or a space at either end, and an integer of any length. */
    if (!length || !strchr("-0123456789", *text) || !strchr(digits, text[length - 1])) {
        return 0;
    }
    number = json_loadb(text, length, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    *value = json_real_value(number);
    *value = *value == 0 ? 0 : *value;
    json_decref(number);
    return number != NULL;
}

#define EXPONENT_LEAST (-APR_INT64_C(1000000000)) /* far below what a double can have */

/* Digits and a power of ten, which are the same for all texts of a value but its sign: "1999e-2". "": zero. */
static const char *spell_decimal(apr_pool_t *pool, const char *text, apr_size_t length)
{
    char *digits = apr_palloc(pool, length + 1);
    const char *end = text + length;
    apr_int64_t power = 0, exponent = 0;
    apr_size_t count = 0;
    int is_fraction = 0;

    for (; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text >= '0' && *text <= '9') {
            digits[count] = *text;
            count += count > 0 || *text != '0';
            power -= is_fraction;
        }
        is_fraction |= *text == '.';
    }
    if (text < end) {
        text += text + 1 < end && text[1] == '+' ? 2 : 1;
        cat_number_parse_integer(apr_pstrmemdup(pool, text, (apr_size_t)(end - text)), &exponent);
        exponent = exponent > EXPONENT_LEAST ? exponent : EXPONENT_LEAST;
    }
    for (; count > 0 && digits[count - 1] == '0'; count--) {
        power++;
    }
    digits[count] = '\0';
    return count ? apr_psprintf(pool, "%se%" APR_INT64_T_FMT, digits, power + exponent) : digits;
}

/* The number that is stored, on the pool; in full: with all digits that C programs write of a double. */
static const char *format_nearest(apr_pool_t *pool, const char *text, int in_full)
{
    double value = 0;

    cat_number_parse_real(text, &value);
    return value == 0 ? "0" : format_real(pool, value, in_full);
}

int cat_number_is_exact(apr_pool_t *pool, const char *text, apr_size_t length)
{
    const char *own, *decimal;

    if (length <= DBL_DIG && !memchr(text, 'e', length) && !memchr(text, 'E', length)) {
        return 1;
    }
    own = apr_pstrmemdup(pool, text, length);
    decimal = spell_decimal(pool, own, length);
    for (int in_full = 0; in_full <= 1; in_full++) {
        const char *stored = format_nearest(pool, own, in_full);
        if (!strcmp(decimal, spell_decimal(pool, stored, strlen(stored)))) {
            return 1;
        }
    }
    return 0;
}

int cat_number_is_beyond_integer(const char *text, apr_size_t length)
{
    int is_negative = length > 0 && *text == '-';
    const char *most = is_negative ? "9223372036854775808" : "9223372036854775807";
    apr_size_t count = length - (apr_size_t)is_negative;

    for (apr_size_t i = 0; i < count; i++) {
        if (text[is_negative + i] < '0' || text[is_negative + i] > '9') {
            return 0;
        }
    }
    return count > strlen(most) || (count == strlen(most) && memcmp(text + is_negative, most, count) > 0);
}

const char *cat_number_explain(apr_pool_t *pool, const char *text)
{
    return apr_pstrcat(pool, "must have fewer digits: the nearest number that can be stored is ",
                       format_nearest(pool, text, 0), NULL);
}

/* By hand rather than with apr_snprintf: a list has integers in each row. */
const char *cat_number_write_integer(char room[CAT_NUMBER_DIGITS + 1], apr_int64_t value)
{
    char *begin = room + CAT_NUMBER_DIGITS;
    apr_uint64_t rest = value < 0 ? -(apr_uint64_t)value : (apr_uint64_t)value;

    *begin = '\0';
    do {
        *--begin = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--begin = '-';
    }
    return begin;
}

/* newlocale returns the C library's own object for "C", so there is nothing to free. */
double cat_number_read(const char *text, char **end)
{
    return strtod_l(text, end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

apr_int64_t cat_number_order_key(const char *text)
{
    apr_int64_t key;
    char *end;
    double value;

    if (!text || !*text) {
        return -1;
    }
    value = cat_number_read(text, &end);
    if (*end || isnan(value)) {
        return -1;
    }
    if (!(value > 0)) {
        return 0;
    }
    memcpy(&key, &value, sizeof(key));
    return key;
}
