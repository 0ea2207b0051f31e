/* SPDX-License-Identifier: Apache-2.0 */
/*
 * APR's atomic functions, compiled with -fsanitize=thread and preloaded into httpd. APR itself is not instrumented, so ThreadSanitizer
 * would not see that these functions synchronize httpd's threads, for example when one thread returns a pool and another takes it.
 */
#include <apr_atomic.h>
#include <stdatomic.h>

#define ATOMIC(type, mem) ((_Atomic type *)(mem))
typedef void *pointer_t;

apr_uint32_t apr_atomic_read32(volatile apr_uint32_t *mem)
{
    return atomic_load(ATOMIC(apr_uint32_t, mem));
}

void apr_atomic_set32(volatile apr_uint32_t *mem, apr_uint32_t value)
{
    atomic_store(ATOMIC(apr_uint32_t, mem), value);
}

apr_uint32_t apr_atomic_add32(volatile apr_uint32_t *mem, apr_uint32_t value)
{
    return atomic_fetch_add(ATOMIC(apr_uint32_t, mem), value);
}

void apr_atomic_sub32(volatile apr_uint32_t *mem, apr_uint32_t value)
{
    atomic_fetch_sub(ATOMIC(apr_uint32_t, mem), value);
}

apr_uint32_t apr_atomic_inc32(volatile apr_uint32_t *mem)
{
    return atomic_fetch_add(ATOMIC(apr_uint32_t, mem), 1);
}

int apr_atomic_dec32(volatile apr_uint32_t *mem)
{
    return atomic_fetch_sub(ATOMIC(apr_uint32_t, mem), 1) != 1;
}

apr_uint32_t apr_atomic_cas32(volatile apr_uint32_t *mem, apr_uint32_t with, apr_uint32_t compare)
{
    atomic_compare_exchange_strong(ATOMIC(apr_uint32_t, mem), &compare, with);
    return compare;
}

apr_uint32_t apr_atomic_xchg32(volatile apr_uint32_t *mem, apr_uint32_t value)
{
    return atomic_exchange(ATOMIC(apr_uint32_t, mem), value);
}

void *apr_atomic_casptr(volatile void **mem, void *with, const void *compare)
{
    void *found = (void *)compare;

    atomic_compare_exchange_strong(ATOMIC(pointer_t, mem), &found, with);
    return found;
}

void *apr_atomic_xchgptr(volatile void **mem, void *with)
{
    return atomic_exchange(ATOMIC(pointer_t, mem), with);
}
