/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_TIMING_H
#define CAT_LIB_TIMING_H

#include <apr_pools.h>
#include <apr_time.h>

/* What a request spends its time on, for Server-Timing. Used by the request's thread only. */

typedef enum {
    CAT_TIMING_DATABASE, /* it has a connection */
    CAT_TIMING_HASHING,  /* a password is being hashed */
    CAT_TIMING_QUEUE, /* it waits: for a connection, the write lock, a thread that reads or writes for it, or to hash */
    CAT_TIMING_COUNT
} cat_timing_kind_t;

typedef struct cat_timing_t {
    apr_time_t spent[CAT_TIMING_COUNT]; /* microseconds */
} cat_timing_t;

/* Begins an interval; timing NULL: nothing is measured. */
apr_time_t cat_timing_begin(const cat_timing_t *timing);

/* Ends the interval and adds it to its kind. begun: as returned above. */
void cat_timing_end(cat_timing_t *timing, cat_timing_kind_t kind, apr_time_t begun);

/* The value of Server-Timing (https://www.w3.org/TR/server-timing/), in milliseconds, on the pool. total: microseconds. */
const char *cat_timing_format(apr_pool_t *pool, const cat_timing_t *timing, apr_time_t total);

#endif
