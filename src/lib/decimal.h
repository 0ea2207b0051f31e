/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_DECIMAL_H
#define CAT_LIB_DECIMAL_H

#include <apr_pools.h>

/*
 * Exact arithmetic with decimal numbers. Operands are texts that follow the JSON grammar for numbers. The result is a
 * text on the pool, without exponent and without trailing zeros in its fraction: "-0.05", "2000", "0". Returns NULL if
 * an operand is not a number, is out of the range of doubles, such as 1e999, or has more than 1,000 characters before
 * its exponent.
 */
const char *cat_decimal_add(apr_pool_t *pool, const char *one, const char *other);
const char *cat_decimal_multiply(apr_pool_t *pool, const char *one, const char *other);

/* Rounds to `places` decimal places, 0 or more, half away from zero. */
const char *cat_decimal_round(apr_pool_t *pool, const char *number, int places);

#endif
