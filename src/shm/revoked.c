/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of ended sessions in shared memory. Each request with an access token looks its session up here.
 *
 * A session stays in the set until its last access token has expired. The set is a hash table of fixed size. A bucket
 * is one cache line: seven cells, and the time until which the bucket lacks a session because there was no eighth cell.
 * A session id that is not found in such a bucket must be looked up in the database. A cell is one word, so each change
 * is one compare-and-swap, and a process that dies leaves no half-written cell:
 *
 *   63                 26   25                       0
 *   | 38 bits of the hash | until, in units of 64 s |
 *
 * 14 other bits of the hash select the bucket. Two ids that agree in all 52 bits would end a session too early. With a
 * million sessions and a full table, the probability is below 1:10,000.
 */
#include "shm/revoked.h"

#include <string.h>

#include <apr_siphash.h>

#include "shm/shared.h"

#define BUCKETS 16384
#define CELLS 7
#define UNTIL_BITS 26
#define UNTIL_MOST ((UINT64_C(1) << UNTIL_BITS) - 1)
#define UNIT apr_time_from_sec(64)

typedef struct bucket_t {
    cat_shared_word_t cells[CELLS]; /* 0 or an expired cell is free */
    cat_shared_time_t incomplete_until;
} bucket_t;

_Static_assert(sizeof(bucket_t) == CAT_SHARED_LINE, "a bucket is one cache line");

struct cat_revoked_t {
    bucket_t buckets[BUCKETS];
};

apr_size_t cat_revoked_size(void)
{
    return sizeof(cat_revoked_t);
}

static apr_uint64_t hash_session(const char *session)
{
    static const unsigned char key[APR_SIPHASH_KSIZE]; /* a constant key, because no client can choose session ids */

    return apr_siphash24(session, strlen(session), key);
}

static int is_live(apr_uint64_t word, apr_time_t now)
{
    return (apr_time_t)(word & UNTIL_MOST) * UNIT > now;
}

static int is_same(apr_uint64_t word, apr_uint64_t other)
{
    return word >> UNTIL_BITS == other >> UNTIL_BITS;
}

static int replace_cell(cat_shared_word_t *cell, apr_uint64_t old, apr_uint64_t new)
{
    return atomic_compare_exchange_strong_explicit(cell, &old, new, memory_order_acq_rel, memory_order_acquire);
}

/* Returns the session's cell, or a free cell. Returns NULL if the bucket is full. */
static cat_shared_word_t *find_cell(bucket_t *bucket, apr_uint64_t word, apr_time_t now, apr_uint64_t *old)
{
    cat_shared_word_t *vacant = NULL;

    for (int i = 0; i < CELLS; i++) {
        apr_uint64_t found = cat_shared_acquire(&bucket->cells[i]);
        if (is_same(found, word)) {
            *old = found;
            return &bucket->cells[i];
        }
        if (!vacant && !is_live(found, now)) {
            *old = found;
            vacant = &bucket->cells[i];
        }
    }
    return vacant;
}

static void mark_incomplete(bucket_t *bucket, apr_time_t until)
{
    apr_time_t known = atomic_load_explicit(&bucket->incomplete_until, memory_order_acquire);

    while (known < until && !atomic_compare_exchange_strong_explicit(&bucket->incomplete_until, &known, until,
                                                                     memory_order_acq_rel, memory_order_acquire)) {
    }
}

void cat_revoked_add(cat_revoked_t *set, const char *session, apr_time_t until, apr_time_t now)
{
    apr_uint64_t units = (apr_uint64_t)(until + UNIT - 1) / UNIT, old = 0, code = hash_session(session);
    apr_uint64_t word = (code << UNTIL_BITS) | (units < UNTIL_MOST ? units : UNTIL_MOST);
    bucket_t *bucket = &set->buckets[(code >> (64 - UNTIL_BITS)) % BUCKETS];
    cat_shared_word_t *cell;

    do {
        cell = find_cell(bucket, word, now, &old);
        if (!cell) {
            mark_incomplete(bucket, until);
            return;
        }
    } while (!(is_same(old, word) && old >= word) && !replace_cell(cell, old, word));
}

cat_revoked_state_t cat_revoked_find(const cat_revoked_t *set, const char *session, apr_time_t now)
{
    apr_uint64_t code = hash_session(session);
    const bucket_t *bucket = &set->buckets[(code >> (64 - UNTIL_BITS)) % BUCKETS];

    for (int i = 0; i < CELLS; i++) {
        apr_uint64_t found = cat_shared_acquire(&bucket->cells[i]);
        if (is_same(found, code << UNTIL_BITS) && is_live(found, now)) {
            return CAT_REVOKED_YES;
        }
    }
    return atomic_load_explicit(&bucket->incomplete_until, memory_order_acquire) > now ? CAT_REVOKED_UNKNOWN
                                                                                       : CAT_REVOKED_NO;
}
