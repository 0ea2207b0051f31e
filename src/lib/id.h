/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_ID_H
#define CAT_LIB_ID_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>

#define CAT_ID_LENGTH 36

/* A new UUIDv7 (RFC 9562, 5.7) for the time, lower case, on the pool. It carries the time to the microsecond (6.2, method 3), so ids
 * of different microseconds sort by time. NULL: the system provides no random bytes. */
const char *cat_id_make(apr_pool_t *pool, apr_time_t now);

#define CAT_ID_TIME_SHIFT 20 /* bits of a number after the milliseconds: 12 of the fraction and 8 random ones */

/* Returns the number of a product's id: 43 bits of milliseconds (enough until 2248), 12 bits of the fraction and the first 8 random bits. Numbers
 * sort as their ids do. Returns -1, which no product has, if `id` is NULL or no id as cat_id_make writes it, if its milliseconds need more than 43
 * bits, or if all bits of the number are set, because APR_INT64_MAX is greater than the number of any product. */
apr_int64_t cat_id_number(const char *id);

/* Returns the result of cat_id_number as decimal digits, on the pool. */
const char *cat_id_number_text(apr_pool_t *pool, const char *id);

/* Returns a list of the numbers of a list of ids (const char *), as decimal digits, on the pool. */
apr_array_header_t *cat_id_numbers(apr_pool_t *pool, const apr_array_header_t *ids);

/* Returns the id with other random bits in its number, on the pool. Returns `id` itself if the system provides no random bytes. */
const char *cat_id_redraw(apr_pool_t *pool, const char *id);

/* Is text a UUID as cat_id_make writes it: 36 characters, lower-case hexadecimal, version 7, RFC 9562 variant? */
int cat_id_check(const char *text);

/* The same, but the digits may be in either case. */
int cat_id_has_form(const char *text);

/* An id that a client sent: RFC 9562, 4, has its digits in either case. The text in lower case, on the pool, if that is an id; otherwise the
 * text itself. */
const char *cat_id_fold(apr_pool_t *pool, const char *text);

#endif
