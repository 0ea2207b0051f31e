/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact arithmetic on decimal numbers in text form. Doubles are not exact: 19.99 * 1.1 is 21.989, but
 * 21.989000000000001 with doubles.
 *
 * A number is a whole number times a power of ten: "19.99" is 1999 and -2. An array holds the digits of the whole
 * number, the least significant digit first, so that a carry moves to the next index:
 *
 *     multiply    multiplies the digits and adds the powers
 *     add         appends zeros to the number with the larger power until the powers are equal, then adds the digits
 *     round       drops the digits after the last place, and adds 1 if the first dropped digit is 5 or more
 */
#include "lib/decimal.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/buffer.h"
#include "lib/number.h"

typedef struct decimal_t {
    int is_negative;
    int count;             /* number of digits, not counting leading zeros; 0 for zero */
    unsigned char *digits; /* values 0 to 9, the least significant first */
    int power;
} decimal_t;

/* Bounds that no double exceeds: its decimal exponent, and the digits of its text. They bound the memory of a
 * number. */
#define EXPONENT_MOST 400
#define LENGTH_MOST 1000

static void drop_leading_zeros(decimal_t *d)
{
    while (d->count > 0 && d->digits[d->count - 1] == 0) {
        d->count--;
    }
}

/* Reads the digits of a number up to its exponent. `text` must be a valid number. */
static void read_digits(decimal_t *d, const char *text, apr_size_t length)
{
    int exponent = d->power;

    for (apr_size_t i = length; i-- > 0;) {
        if (text[i] == '.') {
            d->power = exponent - d->count;
        } else if (text[i] != '-') {
            d->digits[d->count++] = (unsigned char)(text[i] - '0');
        }
    }
    drop_leading_zeros(d);
}

static int read_decimal(apr_pool_t *pool, const char *text, decimal_t *d)
{
    apr_size_t length = strcspn(text, "eE");
    apr_int64_t exponent = 0;
    double value;

    if (!cat_number_parse_real(text, &value) || length > LENGTH_MOST) {
        return 0;
    }
    if (text[length]) {
        cat_number_parse_integer(text + length + (text[length + 1] == '+' ? 2 : 1), &exponent);
    }
    if (exponent < -EXPONENT_MOST || exponent > EXPONENT_MOST) {
        return 0;
    }
    *d = (decimal_t){.is_negative = *text == '-', .digits = apr_palloc(pool, length + 1), .power = (int)exponent};
    read_digits(d, text, length);
    return 1;
}

static void add_zeros(cat_buffer_t *b, int count)
{
    for (; count > 0; count--) {
        CAT_BUFFER_LITERAL(b, "0");
    }
}

/* Adds the digits from index `from` down to index `to`. */
static void add_digits(cat_buffer_t *b, const decimal_t *d, int from, int to)
{
    for (int i = from; i >= to; i--) {
        char digit = (char)('0' + d->digits[i]);
        cat_buffer_add(b, &digit, 1);
    }
}

static const char *write_decimal(apr_pool_t *pool, decimal_t d)
{
    cat_buffer_t b;
    int whole;

    drop_leading_zeros(&d);
    for (; d.count > 0 && d.power < 0 && d.digits[0] == 0; d.digits++, d.count--) {
        d.power++;
    }
    if (d.count == 0) {
        return "0";
    }
    whole = d.count + d.power; /* digits before the point */
    cat_buffer_init(&b, pool, 64);
    cat_buffer_add_text(&b, d.is_negative ? "-" : "");
    cat_buffer_add_text(&b, whole > 0 ? "" : "0");
    add_digits(&b, &d, d.count - 1, d.power < 0 ? -d.power : 0);
    add_zeros(&b, d.power);
    if (d.power < 0) {
        CAT_BUFFER_LITERAL(&b, ".");
        add_zeros(&b, -whole);
        add_digits(&b, &d, whole > 0 ? -d.power - 1 : d.count - 1, 0);
    }
    return cat_buffer_text(&b);
}

/* Returns the same number with the power `power`, which must not be larger, in an array of `room` digits. */
static decimal_t lower_power(apr_pool_t *pool, const decimal_t *d, int power, int room)
{
    decimal_t lower = {.is_negative = d->is_negative, .digits = apr_pcalloc(pool, (apr_size_t)room), .power = power};
    int zeros = d->power - power;

    memcpy(lower.digits + zeros, d->digits, (size_t)d->count);
    lower.count = d->count ? d->count + zeros : 0;
    return lower;
}

/* Returns true if the absolute value of `one` is less than that of `other`. Both must have the same power. */
static int is_smaller(const decimal_t *one, const decimal_t *other)
{
    int i = one->count - 1;

    if (one->count != other->count) {
        return one->count < other->count;
    }
    while (i > 0 && one->digits[i] == other->digits[i]) {
        i--;
    }
    return i >= 0 && one->digits[i] < other->digits[i];
}

/* Adds the digits of `other` (sign 1) or subtracts them (sign -1). Both numbers must have the same power. `d` must have
 * room for a carry and, for subtraction, must not be smaller than `other`. */
static void add_number(decimal_t *d, const decimal_t *other, int sign)
{
    int carry = 0;

    for (int i = 0; i < other->count || carry; i++) {
        int digit = (i < d->count ? d->digits[i] : 0) + sign * (i < other->count ? other->digits[i] : 0) + carry;
        carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
        d->digits[i] = (unsigned char)(digit - 10 * carry);
        d->count = i < d->count ? d->count : i + 1;
    }
}

const char *cat_decimal_add(apr_pool_t *pool, const char *one, const char *other)
{
    decimal_t a, b, larger, smaller;
    int power, room;

    if (!read_decimal(pool, one, &a) || !read_decimal(pool, other, &b)) {
        return NULL;
    }
    power = a.power < b.power ? a.power : b.power;
    room = (a.count > b.count ? a.count : b.count) + (a.power > b.power ? a.power : b.power) - power + 1;
    larger = lower_power(pool, &a, power, room);
    smaller = lower_power(pool, &b, power, room);
    if (is_smaller(&larger, &smaller)) {
        decimal_t exchanged = larger;
        larger = smaller;
        smaller = exchanged;
    }
    add_number(&larger, &smaller, larger.is_negative == smaller.is_negative ? 1 : -1);
    return write_decimal(pool, larger);
}

const char *cat_decimal_multiply(apr_pool_t *pool, const char *one, const char *other)
{
    decimal_t a, b, product;

    if (!read_decimal(pool, one, &a) || !read_decimal(pool, other, &b)) {
        return NULL;
    }
    product = (decimal_t){.is_negative = a.is_negative != b.is_negative, .power = a.power + b.power};
    product.count = a.count + b.count;
    product.digits = apr_pcalloc(pool, (apr_size_t)product.count + 1);
    for (int i = 0; i < a.count; i++) {
        int carry = 0;
        for (int k = 0; k < b.count || carry; k++) {
            int digit = product.digits[i + k] + (k < b.count ? a.digits[i] * b.digits[k] : 0) + carry;
            product.digits[i + k] = (unsigned char)(digit % 10);
            carry = digit / 10;
        }
    }
    return write_decimal(pool, product);
}

const char *cat_decimal_round(apr_pool_t *pool, const char *number, int places)
{
    static unsigned char one[] = {1};
    const decimal_t unit = {.count = 1, .digits = one};
    decimal_t d;
    int dropped, is_up;

    if (!read_decimal(pool, number, &d)) {
        return NULL;
    }
    dropped = -places - d.power;
    if (dropped <= 0) {
        return write_decimal(pool, d);
    }
    if (dropped > d.count) {
        return "0";
    }
    is_up = d.digits[dropped - 1] >= 5;
    d = (decimal_t){d.is_negative, d.count - dropped, d.digits + dropped, -places};
    if (is_up) {
        add_number(&d, &unit, 1);
    }
    return write_decimal(pool, d);
}
