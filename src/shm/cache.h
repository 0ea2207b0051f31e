/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_CACHE_H
#define CAT_SHM_CACHE_H

#include <apr_pools.h>
#include <apr_time.h>

#include "shm/fresh.h"

/*
 * Bodies of answers, in memory that all children of a server share. It has a fixed size; what is stored pushes out what was
 * stored first. Who finds takes no lock and waits for nobody; who stores while another does gives it up. A child may be
 * killed at any time.
 */
typedef struct cat_cache_t cat_cache_t;

/* The size below which it is of no use. */
#define CAT_CACHE_LEAST 65536

/* Before the children are forked. size: octets of shared memory, all in all; at least CAT_CACHE_LEAST. Lives on the pool. */
apr_status_t cat_cache_create(cat_cache_t **cache, apr_pool_t *pool, apr_size_t size);

typedef struct cat_item_t {
    const void *owner; /* in memory that the children share: keys of two owners are two keys */
    const char *key;
    cat_ticket_t ticket; /* drawn before the body was made */
    apr_time_t made;     /* a time before that */
    const char *body;
    apr_size_t length;
    apr_uint64_t hash; /* of the body: whoever stores it says so, to whoever finds it */
} cat_item_t;

/* Is there a body of the item's owner and key, with its ticket, that was made since then and not after item->made, which is now? If
 * so, it is copied to the pool, and the item has it. */
int cat_cache_find(cat_cache_t *cache, apr_pool_t *pool, cat_item_t *item, apr_time_t since);

/* Bodies above a 16th of the size are not stored. */
void cat_cache_store(cat_cache_t *cache, const cat_item_t *item);

typedef struct cat_cache_count_t {
    apr_uint64_t hits, misses, stored;
    apr_size_t size;
} cat_cache_count_t;

cat_cache_count_t cat_cache_count(const cat_cache_t *cache);

#endif
