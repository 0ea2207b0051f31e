/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/timing.h"

#include <apr_strings.h>

#include "lib/time.h"

static double as_milliseconds(apr_time_t spent)
{
    return (double)spent / 1000;
}

apr_time_t cat_timing_begin(const cat_timing_t *timing)
{
    return timing ? cat_time_monotonic() : 0;
}

void cat_timing_end(cat_timing_t *timing, cat_timing_kind_t kind, apr_time_t begun)
{
    if (timing) {
        timing->spent[kind] += cat_time_monotonic() - begun;
    }
}

const char *cat_timing_format(apr_pool_t *pool, const cat_timing_t *timing, apr_time_t total)
{
    const apr_time_t *spent = timing->spent;

    return apr_psprintf(pool, "db;dur=%.3f, hash;dur=%.3f, queue;dur=%.3f, total;dur=%.3f",
                        as_milliseconds(spent[CAT_TIMING_DATABASE]), as_milliseconds(spent[CAT_TIMING_HASHING]),
                        as_milliseconds(spent[CAT_TIMING_QUEUE]), as_milliseconds(total));
}
