/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/limit.h"

#include <string.h>

#include <apr_siphash.h>

/*
 * A cell is one word, so that each change is one compare-and-swap, and a process that dies leaves nothing half done:
 *
 *   63            42   41   40                                  0
 *   | 22 bits of hash | EX | GCRA's theoretical arrival time, ms |
 *
 * The hash is of who is counted, and has chosen the bucket with 15 other bits. At the arrival time all that was taken is made good
 * again; from then on the cell is worth nothing. EX: nothing was left after the last take.
 *
 * A newcomer to a full bucket evicts what is worth the least: a cell that is worth nothing, else of those that had something left
 * the one that is made good the soonest, and an exhausted one only where there are no others. To be forgotten before its time, a
 * client needs eight others in its bucket that are exhausted as well.
 *
 * Racing takers are allowed exactly what the rate says, but for one case: two that are the first ones for somebody,
 * while a third changes another cell of that bucket, may take two cells. The second of them is not found again, with
 * what was taken from it.
 */
#define BUCKETS 32768
#define WAYS 8
#define HASH_SHIFT 42
#define EXHAUSTED (UINT64_C(1) << 41)
#define TIME_MASK (EXHAUSTED - 1) /* 69 years */

/* An arrival time further away than the rate allows, and this, is by another clock: that of a machine before it was restored from a
 * checkpoint. A little less may come from a caller whose time is not quite now. */
#define OTHER_CLOCK 60000

typedef apr_uint64_t bucket_t[WAYS];

struct cat_limit_t {
    bucket_t buckets[BUCKETS];
    apr_uint64_t seed;
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
    return cell >> HASH_SHIFT == other >> HASH_SHIFT;
}

static apr_int64_t arrival_of(apr_uint64_t cell)
{
    return (apr_int64_t)(cell & TIME_MASK);
}

/* The order in which cells are evicted, the least first. */
static apr_uint64_t worth(apr_uint64_t cell, apr_int64_t now)
{
    return arrival_of(cell) <= now ? 0 : cell & (EXHAUSTED | TIME_MASK);
}

/* Who is counted, and how. Times in milliseconds; step: what one take costs. */
typedef struct counted_t {
    apr_uint64_t code;
    bucket_t *bucket;
    apr_int64_t step, window;
} counted_t;

static counted_t find_counted(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate)
{
    counted_t c = {.step = rate.seconds * INT64_C(1000) / rate.count};

    c.step = c.step ? c.step : 1;
    c.window = c.step * rate.count;
    c.code = hash(limit->seed, 0, what, strlen(what));
    c.code = hash(limit->seed, c.code, who, strlen(who));
    c.code = hash(limit->seed, c.code, &rate, sizeof(rate));
    c.bucket = &limit->buckets[c.code % BUCKETS];
    return c;
}

/* The cell that has the code, else the one that is worth the least. */
static apr_uint64_t *find_cell(const counted_t *c, apr_int64_t now, apr_uint64_t *value)
{
    apr_uint64_t *least = NULL;

    for (int i = 0; i < WAYS; i++) {
        apr_uint64_t found = __atomic_load_n(&(*c->bucket)[i], __ATOMIC_ACQUIRE);
        if (is_same(found, c->code)) {
            *value = found;
            return &(*c->bucket)[i];
        }
        if (!least || worth(found, now) < worth(*value, now)) {
            *value = found;
            least = &(*c->bucket)[i];
        }
    }
    return least;
}

static int round_up(apr_int64_t milliseconds)
{
    return (int)((milliseconds + 999) / 1000);
}

/* What GCRA says of a cell's arrival time, which it moves on. */
static cat_verdict_t judge(const counted_t *c, apr_int64_t *arrival, apr_int64_t now)
{
    cat_verdict_t verdict = {0};

    if (*arrival < now || *arrival > now + c->window + OTHER_CLOCK) {
        *arrival = now;
    }
    verdict.allowed = *arrival + c->step <= now + c->window;
    if (verdict.allowed) {
        *arrival += c->step;
        verdict.remaining = (int)((now + c->window - *arrival) / c->step);
    } else {
        verdict.retry_after = round_up(*arrival + c->step - now - c->window);
    }
    verdict.reset = round_up(*arrival - now);
    return verdict;
}

static apr_uint64_t make_cell(apr_uint64_t code, apr_int64_t arrival, int is_exhausted)
{
    return code >> HASH_SHIFT << HASH_SHIFT | (is_exhausted ? EXHAUSTED : 0) | ((apr_uint64_t)arrival & TIME_MASK);
}

static int replace(apr_uint64_t *cell, apr_uint64_t *old, apr_uint64_t new)
{
    return new == *old || __atomic_compare_exchange_n(cell, old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

cat_verdict_t cat_limit_take(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now)
{
    apr_int64_t arrival, time = apr_time_as_msec(now);
    apr_uint64_t old, new, *cell;
    cat_verdict_t verdict;
    counted_t c;

    if (rate.seconds == 0) {
        return (cat_verdict_t){.allowed = 1, .remaining = rate.count};
    }
    c = find_counted(limit, what, who, rate);
    do {
        cell = find_cell(&c, time, &old);
        arrival = is_same(old, c.code) ? arrival_of(old) : 0;
        verdict = judge(&c, &arrival, time);
        new = make_cell(c.code, arrival, verdict.remaining == 0);
    } while (!replace(cell, &old, new));
    return verdict;
}

void cat_limit_give_back(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now)
{
    apr_uint64_t old, *cell;
    counted_t c;

    if (rate.seconds == 0) {
        return;
    }
    c = find_counted(limit, what, who, rate);
    do {
        cell = find_cell(&c, apr_time_as_msec(now), &old);
        if (!is_same(old, c.code) || arrival_of(old) < c.step) {
            return; /* evicted since */
        }
    } while (!replace(cell, &old, make_cell(c.code, arrival_of(old) - c.step, 0)));
}
