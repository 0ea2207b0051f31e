/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/time.h"

#include <string.h>
#include <time.h>

#include <apr_strings.h>

#define LEAST APR_INT64_C(-62167219200000) /* 0000-01-01T00:00:00.000Z */
#define MOST APR_INT64_C(253402300799999)  /* 9999-12-31T23:59:59.999Z */

const char *cat_time_store(apr_pool_t *pool, apr_time_t t)
{
    return apr_off_t_toa(pool, apr_time_as_msec(t));
}

static void put(char *out, int digits, int value)
{
    while (digits-- > 0) {
        out[digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

/* By hand rather than with strftime: a list writes one for each row. */
void cat_time_format(char out[CAT_TIME_LENGTH + 1], apr_int64_t milliseconds)
{
    apr_int64_t held = milliseconds < LEAST ? LEAST : milliseconds > MOST ? MOST : milliseconds;
    int fraction = (int)((held - LEAST) % 1000); /* counted from LEAST it is not negative before 1970 */
    time_t seconds = (held - fraction) / 1000;
    struct tm tm;

    gmtime_r(&seconds, &tm);
    memcpy(out, "YYYY-MM-DDThh:mm:ss.000Z", CAT_TIME_LENGTH + 1);
    put(out, 4, tm.tm_year + 1900);
    put(out + 5, 2, tm.tm_mon + 1);
    put(out + 8, 2, tm.tm_mday);
    put(out + 11, 2, tm.tm_hour);
    put(out + 14, 2, tm.tm_min);
    put(out + 17, 2, tm.tm_sec);
    put(out + 20, 3, fraction);
}

apr_time_t cat_time_read(const char *stored)
{
    char *end;
    apr_int64_t milliseconds = apr_strtoi64(stored, &end, 10);
    return *end || milliseconds < LEAST || milliseconds > MOST ? 0 : apr_time_from_msec(milliseconds);
}
