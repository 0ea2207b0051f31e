/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as texts. Writes a double with the fewest digits that read back as the same double. Writes it in full where a
 * client could have sent an integer: 1e15 and 1000000000000000 are the same number and have the same text.
 *
 * To find out whether a client's text loses digits, the text and the text that would be stored are both converted to
 * digits and a power of ten, and compared.
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

/* The longest text is "-1.2345678901234567e-308". The array is longer because the compiler assumes as many digits as a
 * double can have. */
typedef char real_t[40];

static int reads_back(real_t text, int digits, double value)
{
    snprintf(text, sizeof(real_t), "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

/* Tries the next decimal away from zero. Only this decimal can read back as the double although another of its length
 * is nearer: above a power of two, doubles are twice as far apart as below it. */
static int reads_back_rounded_up(real_t text, int digits, double value)
{
    int rounding = fegetround();

    fesetround(value > 0 ? FE_UPWARD : FE_DOWNWARD);
    snprintf(text, sizeof(real_t), "%.*g", digits, value);
    fesetround(rounding);
    return strtod(text, NULL) == value;
}

/* Starts with DBL_DIG digits: a normal double holds any decimal of that length, and "%g" drops zeros at the end. */
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

/* Writes "1.5e+17" in full. "%g" writes a non-negative exponent only if it is at least the number of digits, so the
 * value is a whole number. */
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

/* Uses the locale "C", because printf and strtod follow the locale and another module may have set one with a decimal
 * comma. uselocale affects only this thread. APR's printf ignores the locale but does not round exactly. */
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

/* Does not use apr_off_t_toa: in APR 1.7.5 it writes INT64_MIN with characters that are not digits. */
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

    /* jansson would also accept a string, spaces at either end, and an integer of any length */
    if (!length || !strchr("-0123456789", *text) || !strchr(digits, text[length - 1])) {
        return 0;
    }
    number = json_loadb(text, length, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    *value = json_real_value(number);
    *value = *value == 0 ? 0 : *value;
    json_decref(number);
    return number != NULL;
}

#define EXPONENT_LEAST (-APR_INT64_C(1000000000)) /* far below the exponent of any double */

/* Returns digits and a power of ten, such as "1999e-2", without the sign. All texts of a value yield the same result.
 * Zero yields "". */
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

/* Returns the text of the nearest double, on the pool. If `in_full` is true, writes the 17 digits of "%.17g". */
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

/* Does not use apr_snprintf, because each row of a list has integers. */
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

/* newlocale returns the C library's static object for "C", so nothing has to be freed. */
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
