/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TIME_H
#define CAT_LIB_TIME_H

#include <apr_pools.h>
#include <apr_time.h>

#define CAT_TIME_LENGTH 24 /* of "2026-11-21T09:30:00.123Z" */

/* Microseconds since an arbitrary moment, the same one for all processes: for intervals that setting the clock must not change. */
apr_time_t cat_time_monotonic(void);

/* Milliseconds since the epoch as stored in the database: decimal text on the pool. */
const char *cat_time_store(apr_pool_t *pool, apr_time_t t);

/* The time that cat_time_store wrote; 0 for anything else. */
apr_time_t cat_time_read(const char *stored);

/* Reads a time as RFC 3339 has it, with any offset from UTC, but no leap second. A second's fraction is cut to milliseconds.
 * 1 and the milliseconds since the epoch; 0: text is none, or it is outside the years 0 to 9999 of UTC. */
int cat_time_parse(const char *text, apr_int64_t *milliseconds);

/* Writes RFC 3339, UTC, milliseconds, 'Z', and a NUL. Times outside the years 0 to 9999 are limited to that range. */
void cat_time_format(char out[CAT_TIME_LENGTH + 1], apr_int64_t milliseconds);

#endif
