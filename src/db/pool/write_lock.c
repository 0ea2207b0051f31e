/* SPDX-License-Identifier: Apache-2.0 */
#include "db/pool/write_lock.h"

#include <string.h>

#include "lib/hash.h"

#define LOCKS 16

/* Increment the number when the layout changes: a graceful restart may load another version of this module. */
#define LOCKS_KEY "catalog:write_locks:1"

struct cat_write_locks_t {
    cat_semaphore_t **semaphores; /* LOCKS of them */
};

static apr_status_t create_semaphores(cat_semaphore_t ***semaphores, apr_pool_t *pool)
{
    const cat_semaphore_size_t one_at_a_time = {.slots = 1, .queue = CAT_SEMAPHORE_ANY};
    apr_status_t rv = APR_SUCCESS;

    *semaphores = apr_palloc(pool, LOCKS * sizeof(**semaphores));
    for (int i = 0; i < LOCKS && rv == APR_SUCCESS; i++) {
        rv = cat_semaphore_create(&(*semaphores)[i], pool, &one_at_a_time);
    }
    return rv == APR_SUCCESS ? apr_pool_userdata_set(*semaphores, LOCKS_KEY, NULL, pool) : rv;
}

apr_status_t cat_write_lock_create(cat_write_locks_t **locks, apr_pool_t *pool, apr_pool_t *process)
{
    void *kept = NULL;

    *locks = apr_pcalloc(pool, sizeof(**locks));
    apr_pool_userdata_get(&kept, LOCKS_KEY, process);
    (*locks)->semaphores = kept;
    return kept ? APR_SUCCESS : create_semaphores(&(*locks)->semaphores, process);
}

cat_semaphore_t *cat_write_lock_find(const cat_write_locks_t *locks, const char *file)
{
    return locks->semaphores[cat_hash(file, strlen(file)) % LOCKS];
}
