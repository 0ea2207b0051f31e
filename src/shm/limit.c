/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers how much each client has left of its limits (GCRA), in a hash table that all children share. A cell is one word, so that each
 * change is one compare-and-swap, and a process that dies leaves nothing half done:
 *
 *   63            42   41   40                                  0
 *   | 22 bits of hash | EX | GCRA's theoretical arrival time, ms |
 *
 * The hash is the client's; 15 other bits of it choose the bucket. At the arrival time the client has everything left again, and from
 * then on its cell is worth nothing. EX: the client had nothing left after the last take.
 *
 * A client that is new to a full bucket evicts the cell that is worth the least: one that is worth nothing, else of the clients that
 * had something left the one whose arrival time is the soonest, and an exhausted one only where there are no others. So a bucket
 * forgets a client before its time only when eight others in it are exhausted as well.
 *
 * Racing threads are allowed exactly what the rate says, but for one case: two that are the first ones for a client, while a third
 * changes another cell of that bucket, may take two cells. No thread finds the second cell again, nor what was taken from it.
 */
#include "shm/limit.h"

#include <string.h>

#include <apr_siphash.h>

#include "shm/shared.h"

#define BUCKETS 32768
#define WAYS 8
#define HASH_SHIFT 42
#define EXHAUSTED (UINT64_C(1) << 41)
#define TIME_MASK (EXHAUSTED - 1) /* 69 years */

/* An arrival time that is later than the rate allows by more than this is by another clock: that of a machine before it was restored
 * from a checkpoint. A caller whose time is not quite now is off by less. */
#define OTHER_CLOCK 60000

typedef cat_shared_word_t bucket_t[WAYS];

struct cat_limit_t {
    bucket_t buckets[BUCKETS];
    apr_uint64_t seed; /* constant once started */
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

/* A client and its rate. Times in milliseconds; step: what one take costs. */
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

/* The client's cell, else the one that is worth the least; *value: what was in it. */
static cat_shared_word_t *find_cell(const counted_t *c, apr_int64_t now, apr_uint64_t *value)
{
    cat_shared_word_t *least = NULL;

    for (int i = 0; i < WAYS; i++) {
        apr_uint64_t found = atomic_load_explicit(&(*c->bucket)[i], memory_order_acquire);
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

/* Takes one: advances the arrival time, where the rate allows it. */
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

static int replace_cell(cat_shared_word_t *cell, apr_uint64_t *old, apr_uint64_t new)
{
    return new == *old ||
           atomic_compare_exchange_strong_explicit(cell, old, new, memory_order_acq_rel, memory_order_acquire);
}

cat_verdict_t cat_limit_take(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now)
{
    apr_int64_t arrival, time = apr_time_as_msec(now);
    cat_shared_word_t *cell;
    apr_uint64_t old, new;
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
    } while (!replace_cell(cell, &old, new));
    return verdict;
}

void cat_limit_give_back(cat_limit_t *limit, const char *what, const char *who, cat_rate_t rate, apr_time_t now)
{
    cat_shared_word_t *cell;
    apr_uint64_t old;
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
    } while (!replace_cell(cell, &old, make_cell(c.code, arrival_of(old) - c.step, 0)));
}
