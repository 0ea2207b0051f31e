/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rate limits in shared memory by GCRA (the generic cell rate algorithm), which needs one time per client.
 *
 * A take costs seconds / count and moves the client's theoretical arrival time ahead by that much. The arrival time may
 * be at most `seconds` ahead of now. With 3 takes in 6 seconds, a take costs 2 s:
 *
 *     now     arrival time
 *     0 s     0 -> 2 -> 4 -> 6    three takes are allowed at once
 *     1 s     6                   8 would be more than 6 s ahead: refused, try again after 1 s
 *     2 s     6 -> 8              allowed
 *     8 s     8                   the arrival time has passed: the client has all three takes again
 */
#include "shm/limit.h"

#include <string.h>

#include <apr_siphash.h>

#include "shm/shared.h"

#define BUCKETS 32768
#define WAYS 8

/*
 * A client's cell is one word, so each change is one compare-and-swap, and a process that dies leaves no half-written
 * cell:
 *
 *   63            42   41   40                                  0
 *   | 22 bits of hash | EX | theoretical arrival time, ms       |
 *
 * 15 other bits of the client's hash select the bucket. EX is set if the client had nothing left after its last take.
 * In a full bucket, a new client evicts one cell: first one whose arrival time has passed, then the cell without EX
 * whose arrival time is the earliest, then a cell with EX. So a bucket forgets an exhausted client early only if its
 * other seven cells are exhausted as well.
 */
#define HASH_SHIFT 42
#define EXHAUSTED (UINT64_C(1) << 41)
#define TIME_MASK (EXHAUSTED - 1) /* 69 years */

/* Milliseconds. An arrival time that is further ahead than this beyond the window comes from another clock: the machine
 * was restored from a checkpoint. The times that callers pass differ by less. */
#define OTHER_CLOCK 60000

typedef cat_shared_word_t bucket_t[WAYS];

struct cat_limit_t {
    bucket_t buckets[BUCKETS];
    apr_uint64_t seed; /* constant once set */
};

apr_size_t cat_limit_size(void)
{
    return sizeof(cat_limit_t);
}

void cat_limit_start(cat_limit_t *limit, apr_uint64_t seed)
{
    limit->seed = seed;
}

static apr_uint64_t hash_bytes(apr_uint64_t seed, apr_uint64_t before, const void *data, apr_size_t size)
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

/* Returns the value by which cells are evicted; the cell with the least value goes first. */
static apr_uint64_t worth_of_cell(apr_uint64_t cell, apr_int64_t now)
{
    return arrival_of(cell) <= now ? 0 : cell & (EXHAUSTED | TIME_MASK);
}

/* A client and its rate, in milliseconds. `step` is the cost of one take. */
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
    c.code = hash_bytes(limit->seed, 0, what, strlen(what));
    c.code = hash_bytes(limit->seed, c.code, who, strlen(who));
    c.code = hash_bytes(limit->seed, c.code, &rate, sizeof(rate));
    c.bucket = &limit->buckets[c.code % BUCKETS];
    return c;
}

/* Returns the client's cell, or else the first cell to evict. Sets *value to its contents. */
static cat_shared_word_t *find_cell(const counted_t *c, apr_int64_t now, apr_uint64_t *value)
{
    cat_shared_word_t *least = NULL;

    for (int i = 0; i < WAYS; i++) {
        apr_uint64_t found = atomic_load_explicit(&(*c->bucket)[i], memory_order_acquire);
        if (is_same(found, c->code)) {
            *value = found;
            return &(*c->bucket)[i];
        }
        if (!least || worth_of_cell(found, now) < worth_of_cell(*value, now)) {
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

/* Takes one if the rate allows it, and moves *arrival ahead. */
static cat_verdict_t judge_take(const counted_t *c, apr_int64_t *arrival, apr_int64_t now)
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

/*
 * Racing threads are allowed exactly what the rate says, with one exception: if two threads are the first for a client
 * while a third changes another cell of the bucket, the two may take two cells. Later threads find only the first cell.
 */
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
        verdict = judge_take(&c, &arrival, time);
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
            return; /* the cell was evicted meanwhile */
        }
    } while (!replace_cell(cell, &old, make_cell(c.code, arrival_of(old) - c.step, 0)));
}
