/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TIMING_H
#define CAT_LIB_TIMING_H

#include <apr_pools.h>
#include <apr_time.h>

/* Measures how long a request takes, by kinds of work, for the Server-Timing header. Only the request's thread may use
 * it. */

typedef enum {
    CAT_TIMING_DATABASE, /* holds a database connection */
    CAT_TIMING_HASHING,  /* hashes a password */
    CAT_TIMING_QUEUE,    /* waits for a connection, the write lock, a thread that reads or writes for it, or permission
                       * to hash */
    CAT_TIMING_COUNT
} cat_timing_kind_t;

typedef struct cat_timing_t {
    apr_time_t spent[CAT_TIMING_COUNT]; /* microseconds */
} cat_timing_t;

/* Begins an interval and returns its beginning. Does nothing if `timing` is NULL. */
apr_time_t cat_timing_begin(const cat_timing_t *timing);

/* Adds the time since `begun`, a result of cat_timing_begin, to the kind. */
void cat_timing_end(cat_timing_t *timing, cat_timing_kind_t kind, apr_time_t begun);

/* Returns the value of Server-Timing (https://www.w3.org/TR/server-timing/), in milliseconds, on the pool. `total` is
 * in microseconds. */
const char *cat_timing_format(apr_pool_t *pool, const cat_timing_t *timing, apr_time_t total);

#endif
