/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_SHARED_H
#define CAT_SHM_SHARED_H

#include <apr_time.h>
#include <stdatomic.h>

/* Atomic members of structures in shared memory. Zeroed memory is a valid value of 0. */
typedef _Atomic apr_uint64_t cat_shared_word_t;
typedef _Atomic apr_time_t cat_shared_time_t;

/* An atomic type that is not lock-free would use a lock private to each process. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2,
               "atomic types are not lock-free here");
_Static_assert(sizeof(cat_shared_word_t) == 8 && sizeof(cat_shared_time_t) == 8, "atomic types are padded here");

static inline apr_uint64_t cat_shared_load(const cat_shared_word_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* Loads the word so that data written by another thread before it stored the word is visible. */
static inline apr_uint64_t cat_shared_acquire(const cat_shared_word_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

/* Size of a cache line. cat_shared_align returns the first address at or after `memory` that begins a cache line,
 * because APR puts a word of its own at the beginning of a segment. */
#define CAT_SHARED_LINE 64

static inline void *cat_shared_align(void *memory)
{
    return (char *)memory + (CAT_SHARED_LINE - (apr_uintptr_t)memory % CAT_SHARED_LINE) % CAT_SHARED_LINE;
}

#endif
