/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of ended sessions in shared memory, which each request with an access token asks.
 *
 * A session is in the set until the last of its access tokens has expired. The set is a hash table of fixed size. A bucket is one
 * cache line: seven cells, and the time until which the bucket lacks a session, because an eighth had no room. An id that is not in
 * such a bucket is looked up in the database. A cell is one word, so that each change is one compare-and-swap, and a process that
 * dies leaves nothing half done:
 *
 *   63                 26   25                       0
 *   | 38 bits of the hash | until, in units of 64 s |
 *
 * 14 other bits of the id's hash choose the bucket. Two ids that agree in all 52 random bits would end a session too early; with a
 * million sessions and a full table the odds are below one in ten thousand.
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
    cat_shared_word_t cells[CELLS]; /* 0: free, and so is one whose time is over */
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
    static const unsigned char key[APR_SIPHASH_KSIZE]; /* nobody can choose ids: there is nothing to keep secret */

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

/* The session's own cell, or a free one; NULL: the bucket is full. */
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
