/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TIME_H
#define CAT_LIB_TIME_H

#include <apr_pools.h>
#include <apr_time.h>

#define CAT_TIME_LENGTH 24 /* characters of "2026-11-21T09:30:00.123Z" */

/* Returns microseconds since an arbitrary moment that is the same for all processes. Use it for intervals, because it
 * does not change when the clock is set. */
apr_time_t cat_time_monotonic(void);

/* Returns the time as stored in the database, on the pool: milliseconds since the epoch, decimal. */
const char *cat_time_store(apr_pool_t *pool, apr_time_t t);

/* Reads a time that cat_time_store wrote. Returns 0 for any other text. */
apr_time_t cat_time_read(const char *stored);

/* Reads a time in RFC 3339 with any offset from UTC, but without leap seconds. Cuts fractions of a second to
 * milliseconds. Returns 1 and sets *milliseconds since the epoch. Returns 0 if the text is not such a time, or if it is
 * outside the years 0 to 9999 in UTC. */
int cat_time_parse(const char *text, apr_int64_t *milliseconds);

/* Writes a time in RFC 3339: UTC, with milliseconds, 'Z' and a NUL. Limits times outside the years 0 to 9999 to that
 * range. */
void cat_time_format(char out[CAT_TIME_LENGTH + 1], apr_int64_t milliseconds);

#endif
