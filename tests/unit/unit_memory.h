/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_MEMORY_H
#define UNIT_MEMORY_H

#include "unit.h"

#include <sys/mman.h>

typedef struct unit_memory_t {
    void *address;
    size_t size;
} unit_memory_t;

static inline apr_status_t unit_memory_unmap(void *data)
{
    const unit_memory_t *memory = data;

    return munmap(memory->address, memory->size);
}

/* Returns zeroed memory that forked processes share, until the pool is destroyed. */
static inline void *unit_memory(apr_pool_t *pool, size_t size)
{
    unit_memory_t *memory = apr_palloc(pool, sizeof(*memory));

    memory->size = size;
    memory->address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory->address != MAP_FAILED);
    apr_pool_cleanup_register(pool, memory, unit_memory_unmap, apr_pool_cleanup_null);
    return memory->address;
}

#endif
