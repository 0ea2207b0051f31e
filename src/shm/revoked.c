/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/revoked.h"

#include <string.h>

#include <apr_siphash.h>

/*
 * A bucket has the size of a cache line: seven sessions, and until when it lacks some. A session is one word, so that
 * each change is one compare-and-swap, and nobody who dies leaves anything half done: the upper 38 bits are of the id's
 * hash, which has chosen the bucket with 14 others; the lower 26 say until when, in units of 64 seconds. That two ids
 * agree in 52 random bits would end somebody's session too early; with a million sessions and a full table the odds are
 * below one in ten thousand.
 */
#define BUCKETS 16384
#define PLACES 7
#define UNTIL_BITS 26
#define UNTIL_MOST ((UINT64_C(1) << UNTIL_BITS) - 1)
#define UNIT apr_time_from_sec(64)

typedef struct bucket_t {
    apr_uint64_t places[PLACES]; /* 0: free, and so is one whose time is over */
    apr_time_t incomplete_until;
} bucket_t;

struct cat_revoked_t {
    bucket_t buckets[BUCKETS];
};

apr_size_t cat_revoked_size(void)
{
    return sizeof(cat_revoked_t);
}

static apr_uint64_t hash(const char *session)
{
    static const unsigned char key[APR_SIPHASH_KSIZE]; /* nobody can choose ids: there is nothing to keep secret */

    return apr_siphash24(session, strlen(session), key);
}

/* In units, rounded up. */
static apr_uint64_t count_units(apr_time_t until)
{
    apr_uint64_t units = (apr_uint64_t)(until + UNIT - 1) / UNIT;

    return units < UNTIL_MOST ? units : UNTIL_MOST;
}

static int is_live(apr_uint64_t word, apr_time_t now)
{
    return (apr_time_t)(word & UNTIL_MOST) * UNIT > now;
}

static int is_same(apr_uint64_t word, apr_uint64_t other)
{
    return word >> UNTIL_BITS == other >> UNTIL_BITS;
}

static apr_uint64_t load(const apr_uint64_t *place)
{
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

static int swap(apr_uint64_t *place, apr_uint64_t old, apr_uint64_t new)
{
    return __atomic_compare_exchange_n(place, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* The session's own place, or a free one; NULL: the bucket is full. */
static apr_uint64_t *find_place(bucket_t *bucket, apr_uint64_t word, apr_time_t now, apr_uint64_t *old)
{
    apr_uint64_t *vacant = NULL;

    for (int i = 0; i < PLACES; i++) {
        apr_uint64_t found = load(&bucket->places[i]);
        if (is_same(found, word)) {
            *old = found;
            return &bucket->places[i];
        }
        if (!vacant && !is_live(found, now)) {
            *old = found;
            vacant = &bucket->places[i];
        }
    }
    return vacant;
}

static void mark_incomplete(bucket_t *bucket, apr_time_t until)
{
    apr_time_t known = __atomic_load_n(&bucket->incomplete_until, __ATOMIC_ACQUIRE);

    while (known < until && !__atomic_compare_exchange_n(&bucket->incomplete_until, &known, until, 0, __ATOMIC_ACQ_REL,
                                                         __ATOMIC_ACQUIRE)) {
    }
}

void cat_revoked_add(cat_revoked_t *set, const char *session, apr_time_t until, apr_time_t now)
{
    apr_uint64_t code = hash(session), old = 0, word = (code << UNTIL_BITS) | count_units(until);
    bucket_t *bucket = &set->buckets[(code >> (64 - UNTIL_BITS)) % BUCKETS];
    apr_uint64_t *place;

    do {
        place = find_place(bucket, word, now, &old);
        if (!place) {
            mark_incomplete(bucket, until);
            return;
        }
    } while (!(is_same(old, word) && old >= word) && !swap(place, old, word));
}

cat_revoked_state_t cat_revoked_find(const cat_revoked_t *set, const char *session, apr_time_t now)
{
    apr_uint64_t code = hash(session);
    const bucket_t *bucket = &set->buckets[(code >> (64 - UNTIL_BITS)) % BUCKETS];

    for (int i = 0; i < PLACES; i++) {
        apr_uint64_t found = load(&bucket->places[i]);
        if (is_same(found, code << UNTIL_BITS) && is_live(found, now)) {
            return CAT_REVOKED_YES;
        }
    }
    return __atomic_load_n(&bucket->incomplete_until, __ATOMIC_ACQUIRE) > now ? CAT_REVOKED_UNKNOWN : CAT_REVOKED_NO;
}
