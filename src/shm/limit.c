/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/limit.h"

#include <string.h>

#include <apr_siphash.h>

/*
 * A cell is one word, so that each change is one compare-and-swap, and nobody who dies leaves anything half done: the
 * upper 22 bits are of the hash of who is counted, which has chosen the bucket with 14 others; the lower 42 are GCRA's
 * theoretical arrival time, in milliseconds: when all that was taken will be made good again. Until then, and not
 * longer, the cell is worth something.
 *
 * Racing takers are allowed exactly what the rate says, but for one case: two that are the first ones for somebody,
 * while a third changes another cell of that bucket, may take two cells. The second of them is not found again, with
 * what was taken from it.
 */
#define BUCKETS 16384
#define WAYS 4
#define TIME_BITS 42 /* until the year 2109 */
#define TIME_MASK ((UINT64_C(1) << TIME_BITS) - 1)

/* An arrival time further away than the rate allows, and this, was written before the clock was set back. A little less
 * may come from a caller whose time is not quite now. */
#define SET_BACK 60000

typedef apr_uint64_t bucket_t[WAYS];

struct cat_limit_t {
    apr_uint64_t seed;
    bucket_t buckets[BUCKETS];
};

apr_size_t cat_limit_size(void)
{
    return sizeof(cat_limit_t);
}

void cat_limit_start(cat_limit_t *limit, apr_uint64_t seed)
{
    limit->seed = seed;
}

static apr_uint64_t hash(apr_uint64_t seed, apr_uint64_t before, const void *data, apr_size_t size)
{
    const apr_uint64_t key[] = {seed, before};

    return apr_siphash24(data, size, (const unsigned char *)key);
}

static int is_same(apr_uint64_t cell, apr_uint64_t other)
{
    return cell >> TIME_BITS == other >> TIME_BITS;
}

/* The cell that has the code, else the one that is worth the least. */
static apr_uint64_t *find_cell(bucket_t *bucket, apr_uint64_t code, apr_uint64_t *value)
{
    apr_uint64_t *least = NULL;

    for (int i = 0; i < WAYS; i++) {
        apr_uint64_t found = __atomic_load_n(&(*bucket)[i], __ATOMIC_ACQUIRE);
        if (is_same(found, code)) {
            *value = found;
            return &(*bucket)[i];
        }
        if (!least || (found & TIME_MASK) < (*value & TIME_MASK)) {
            *value = found;
            least = &(*bucket)[i];
        }
    }
    return least;
}

static int round_up(apr_int64_t milliseconds)
{
    return (int)((milliseconds + 999) / 1000);
}

/* What GCRA says of a cell's arrival time, which it moves on. All in milliseconds; step: that one take costs. */
static cat_verdict_t judge(apr_int64_t *arrival, apr_int64_t now, apr_int64_t step, apr_int64_t window)
{
    cat_verdict_t verdict = {0};

    if (*arrival > now + window + SET_BACK) {
        *arrival = now + window;
    } else if (*arrival < now) {
        *arrival = now;
    }
    verdict.allowed = *arrival + step <= now + window;
    if (verdict.allowed) {
        *arrival += step;
        verdict.remaining = (int)((now + window - *arrival) / step);
    } else {
        verdict.retry_after = round_up(*arrival + step - now - window);
    }
    verdict.reset = round_up(*arrival - now);
    return verdict;
}

cat_verdict_t cat_limit_take(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now)
{
    apr_int64_t step, arrival;
    apr_uint64_t code, old, new, *cell;
    bucket_t *bucket;
    cat_verdict_t verdict;

    if (rate.seconds == 0) {
        return (cat_verdict_t){.allowed = 1, .remaining = rate.count};
    }
    step = rate.seconds * INT64_C(1000) / rate.count;
    step = step ? step : 1;
    code = hash(limit->seed, 0, what, strlen(what));
    code = hash(limit->seed, code, who, strlen(who));
    code = hash(limit->seed, code, &rate, sizeof(rate));
    bucket = &limit->buckets[code % BUCKETS];
    do {
        cell = find_cell(bucket, code, &old);
        arrival = is_same(old, code) ? (apr_int64_t)(old & TIME_MASK) : 0;
        verdict = judge(&arrival, apr_time_as_msec(now), step, step * rate.count);
        new = (code & ~TIME_MASK) | ((apr_uint64_t)arrival & TIME_MASK);
    } while (new != old && !__atomic_compare_exchange_n(cell, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return verdict;
}
