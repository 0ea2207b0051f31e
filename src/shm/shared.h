/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_SHARED_H
#define CAT_SHM_SHARED_H

#include <apr_time.h>
#include <stdatomic.h>

/* Fields in memory that processes share. Zeroed memory holds zeros of these types. */
typedef _Atomic apr_uint64_t cat_shared_word_t;
typedef _Atomic apr_time_t cat_shared_time_t;

/* An atomic type that is not lock-free would use a lock that each process has for itself. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LONG_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2,
               "atomic types are not lock-free here");
_Static_assert(sizeof(cat_shared_word_t) == 8 && sizeof(cat_shared_time_t) == 8, "atomic types are padded here");

static inline apr_uint64_t cat_shared_load(const cat_shared_word_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* What another thread has written before it stored the word is seen, too. */
static inline apr_uint64_t cat_shared_acquire(const cat_shared_word_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

/* A line of the processor's caches, and where the next one begins: APR's segments begin with a word of its own. */
#define CAT_SHARED_LINE 64

static inline void *cat_shared_align(void *memory)
{
    return (char *)memory + (CAT_SHARED_LINE - (apr_uintptr_t)memory % CAT_SHARED_LINE) % CAT_SHARED_LINE;
}

#endif
