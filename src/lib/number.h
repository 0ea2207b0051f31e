/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_NUMBER_H
#define CAT_LIB_NUMBER_H

#include <apr_pools.h>
#include <jansson.h>

/*
 * The text in which a JSON number is stored and sent: integers in full, reals in the fewest digits that read back as
 * the same double (so 19.99 is "19.99"), no locale, a valid JSON number. All spellings of a number have the same text, so
 * 1e15 is "1000000000000000", unless no integer of 64 bits has its value. Negative zero is "0". On the pool. number must
 * be a json integer or a finite json real.
 */
const char *cat_number_format(apr_pool_t *pool, const json_t *number);

/* The same of a finite double. */
const char *cat_number_format_real(apr_pool_t *pool, double number);

/* The decimal text of an integer, on the pool. */
const char *cat_number_write(apr_pool_t *pool, apr_int64_t number);

/* 2^53-1: the largest integer that every JSON reader takes exactly (RFC 7493, 2.2). */
#define CAT_NUMBER_SAFE_MAX APR_INT64_C(9007199254740991)

/*
 * Reads a decimal integer: an optional '-', then digits, nothing else. Returns 1 and the value, limited to plus or minus
 * CAT_NUMBER_SAFE_MAX; 0 if text is NULL, empty or not an integer.
 */
int cat_number_parse_integer(const char *text, apr_int64_t *value);

/* Reads a number as JSON has it, without space around it. 1 and the nearest double, never -0; 0 if text is none or is too
 * large for a double. */
int cat_number_parse_real(const char *text, double *value);

/*
 * Is the number that these `length` octets of JSON spell the same decimal as the text that cat_number_format makes of its double? A number of
 * at most DBL_DIG digits is, unless it is too small for a double; and so are the 17 digits that C programs write with "%.17g", although the
 * text has fewer. The pool is for the work.
 */
int cat_number_is_exact(apr_pool_t *pool, const char *text, apr_size_t length);

/* Do these octets spell an integer of JSON that no 64-bit integer holds? */
int cat_number_is_beyond_integer(const char *text, apr_size_t length);

/* For numbers that are not exact: a message that says which one is stored instead. text: as above. */
const char *cat_number_explain(apr_pool_t *pool, const char *text);

#define CAT_NUMBER_DIGITS 20 /* of any 64-bit integer, including the sign */

/* Writes the decimal text at the end of the given space. */
const char *cat_number_write_integer(char room[CAT_NUMBER_DIGITS + 1], apr_int64_t value);

/* The number that the text begins with, with a decimal point whatever the locale; as strtod() in the locale "C". */
double cat_number_read(const char *text, char **end);

/*
 * A key of the value of a stored number, which orders like the value: the bits of its double. text: a number that is at
 * least 0, as JSON has it. 0 for what is less; -1 for NULL and what is no number.
 */
apr_int64_t cat_number_order_key(const char *text);

#endif
