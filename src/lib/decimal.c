/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact arithmetic on decimal numbers in text form. Doubles are not exact: 19.99 * 1.1 is 21.989, but
 * 21.989000000000001 with doubles.
 *
 * A number is a whole number (BIGNUM of OpenSSL) times a power of ten: "19.99" is 1999 and -2.
 */
#include "lib/decimal.h"

#include <string.h>

#include <apr_strings.h>
#include <openssl/bn.h>

#include "lib/buffer.h"
#include "lib/number.h"

typedef struct decimal_t {
    BIGNUM *whole; /* on the pool */
    int power;
} decimal_t;

/* Bounds that no double exceeds: its decimal exponent, and the digits of its text. They bound the memory of a number. */
#define EXPONENT_MOST 400
#define LENGTH_MOST 1000

static apr_status_t free_number(void *number)
{
    BN_free(number);
    return APR_SUCCESS;
}

static int read_decimal(apr_pool_t *pool, const char *text, decimal_t *d)
{
    apr_size_t length = strcspn(text, "eE"), before = strcspn(text, ".eE");
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
    *d = (decimal_t){.power = (int)exponent};
    if (before < length) {
        d->power -= (int)(length - before - 1);
        text = apr_psprintf(pool, "%.*s%s", (int)before, text, text + before + 1);
    }
    if (!BN_dec2bn(&d->whole, text)) {
        return 0;
    }
    apr_pool_cleanup_register(pool, d->whole, free_number, apr_pool_cleanup_null);
    return 1;
}

static void add_zeros(cat_buffer_t *b, int count)
{
    for (; count > 0; count--) {
        CAT_BUFFER_LITERAL(b, "0");
    }
}

static const char *write_decimal(apr_pool_t *pool, decimal_t d)
{
    cat_buffer_t b;
    char *digits;
    int before; /* digits before the point */

    for (; d.power < 0 && BN_mod_word(d.whole, 10) == 0; d.power++) {
        BN_div_word(d.whole, 10);
    }
    cat_buffer_init(&b, pool, 64);
    cat_buffer_add_text(&b, BN_is_negative(d.whole) ? "-" : "");
    BN_set_negative(d.whole, 0);
    digits = BN_is_zero(d.whole) ? NULL : BN_bn2dec(d.whole);
    if (!digits) {
        return BN_is_zero(d.whole) ? "0" : NULL;
    }
    before = (int)strlen(digits) + d.power;
    cat_buffer_add_text(&b, before > 0 ? "" : "0");
    cat_buffer_add(&b, digits, d.power < 0 ? (apr_size_t)(before > 0 ? before : 0) : strlen(digits));
    add_zeros(&b, d.power);
    if (d.power < 0) {
        CAT_BUFFER_LITERAL(&b, ".");
        add_zeros(&b, -before);
        cat_buffer_add_text(&b, digits + (before > 0 ? before : 0));
    }
    OPENSSL_free(digits);
    return cat_buffer_text(&b);
}

/* Multiplies the whole number so that the power becomes `power`, which must not be larger. */
static void lower_power(decimal_t *d, int power)
{
    for (; d->power > power; d->power--) {
        BN_mul_word(d->whole, 10);
    }
}

const char *cat_decimal_add(apr_pool_t *pool, const char *one, const char *other)
{
    decimal_t a, b;

    if (!read_decimal(pool, one, &a) || !read_decimal(pool, other, &b)) {
        return NULL;
    }
    lower_power(&a, b.power);
    lower_power(&b, a.power);
    return BN_add(a.whole, a.whole, b.whole) ? write_decimal(pool, a) : NULL;
}

const char *cat_decimal_multiply(apr_pool_t *pool, const char *one, const char *other)
{
    decimal_t a, b;
    BN_CTX *context;
    int is_done;

    if (!read_decimal(pool, one, &a) || !read_decimal(pool, other, &b)) {
        return NULL;
    }
    context = BN_CTX_new();
    is_done = context && BN_mul(a.whole, a.whole, b.whole, context);
    BN_CTX_free(context);
    a.power += b.power;
    return is_done ? write_decimal(pool, a) : NULL;
}

const char *cat_decimal_round(apr_pool_t *pool, const char *number, int places)
{
    decimal_t d;
    BN_ULONG digit = 0; /* the last digit that was dropped */
    int is_negative;

    if (!read_decimal(pool, number, &d)) {
        return NULL;
    }
    is_negative = BN_is_negative(d.whole);
    for (; d.power < -places; d.power++) {
        digit = BN_div_word(d.whole, 10);
    }
    if (digit >= 5) {
        is_negative ? BN_sub_word(d.whole, 1) : BN_add_word(d.whole, 1);
    }
    return write_decimal(pool, d);
}
