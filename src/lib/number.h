/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_NUMBER_H
#define CAT_LIB_NUMBER_H

#include <apr_pools.h>
#include <jansson.h>

/*
 * Returns the text in which a JSON number is stored and sent, on the pool. The text is a valid JSON number in every
 * locale. Integers are written in full, real numbers with the fewest digits that read back as the same double: 19.99 is
 * "19.99". All spellings of a number have the same text: 1e15 is "1000000000000000". Only numbers beyond 64-bit
 * integers have an exponent. Negative zero is "0". `number` must be a JSON integer or a finite JSON real.
 */
const char *cat_number_format(apr_pool_t *pool, const json_t *number);

/* Returns the same text for a finite double. */
const char *cat_number_format_real(apr_pool_t *pool, double number);

/* Returns the decimal text of an integer, on the pool. */
const char *cat_number_write(apr_pool_t *pool, apr_int64_t number);

/* Largest integer that every JSON reader reads exactly, 2^53 - 1 (RFC 7493, section 2.2). */
#define CAT_NUMBER_SAFE_MAX APR_INT64_C(9007199254740991)

/*
 * Reads a decimal integer: an optional '-' followed by digits only. Returns 1 and sets *value, limited to plus or minus
 * CAT_NUMBER_SAFE_MAX. Returns 0 if `text` is NULL, empty or not an integer.
 */
int cat_number_parse_integer(const char *text, apr_int64_t *value);

/* Reads a JSON number without spaces around it. Returns 1 and sets *value to the nearest double, never -0. Returns 0 if
 * `text` is not a number or too large for a double. */
int cat_number_parse_real(const char *text, double *value);

/*
 * Returns true if the JSON number of `length` bytes has the same decimal value as the text that cat_number_format
 * writes for its double. This holds for any number of at most DBL_DIG digits, unless it is too small for a double. The
 * 17 digits that C programs write with "%.17g" count as exact, although the stored text has fewer. Uses the pool for
 * temporary texts.
 */
int cat_number_is_exact(apr_pool_t *pool, const char *text, apr_size_t length);

/* Returns true if the bytes are a JSON integer that does not fit into 64 bits. */
int cat_number_is_beyond_integer(const char *text, apr_size_t length);

/* Returns an error message for a number that is not exact, on the pool. The message names the number that would be
 * stored. */
const char *cat_number_explain(apr_pool_t *pool, const char *text);

#define CAT_NUMBER_DIGITS 20 /* characters of any 64-bit integer, including the sign */

/* Writes the decimal text at the end of `room`, with a NUL, and returns its beginning. */
const char *cat_number_write_integer(char room[CAT_NUMBER_DIGITS + 1], apr_int64_t value);

/* Reads the number at the beginning of the text like strtod() in the locale "C", so with a decimal point in any
 * locale. */
double cat_number_read(const char *text, char **end);

/*
 * Returns an integer that sorts like the value of a stored number: the bits of its double. `text` is a JSON number of
 * at least 0. Returns 0 for a negative number, and -1 for NULL and for a text that is not a number.
 */
apr_int64_t cat_number_order_key(const char *text);

#endif
