/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_DECIMAL_H
#define CAT_LIB_DECIMAL_H

#include <apr_pools.h>

/*
 * Exact arithmetic with decimal numbers. A number is a text, as JSON has it; so is the result, without an exponent and without zeros at
 * its end: "-0.05", "2000", "0". On the pool. NULL: a text is no number that a double can have, such as 1e999.
 */
const char *cat_decimal_add(apr_pool_t *pool, const char *one, const char *other);
const char *cat_decimal_multiply(apr_pool_t *pool, const char *one, const char *other);

/* The number rounded to this number of decimal places, 0 or more, half away from zero. */
const char *cat_decimal_round(apr_pool_t *pool, const char *number, int places);

#endif
