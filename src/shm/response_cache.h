/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_RESPONSE_CACHE_H
#define CAT_SHM_RESPONSE_CACHE_H

#include <apr_pools.h>
#include <apr_time.h>

#include "shm/generations.h"

/*
 * Response bodies in a shared memory segment of fixed size that all children of a server share. New entries evict the
 * oldest ones. Readers take no lock and never wait. A writer that finds another writer at work stores nothing. A child
 * may be killed at any time.
 */
typedef struct cat_response_cache_t cat_response_cache_t;

/* Smallest useful size in bytes. */
#define CAT_RESPONSE_CACHE_LEAST 65536

/* Creates a cache on the pool. Must be called before the children are forked. `size` is the size of the segment in
 * bytes, at least CAT_RESPONSE_CACHE_LEAST. */
apr_status_t cat_response_cache_create(cat_response_cache_t **cache, apr_pool_t *pool, apr_size_t size);

typedef struct cat_item_t {
    const void *owner; /* address in memory that the children share; owners have separate keys */
    const char *key;
    cat_stamp_t stamp; /* stamp taken before the rows were read */
    apr_time_t made;   /* put: a time before the rows were read; get: the current time */
    const char *body;
    apr_size_t length;
    apr_uint64_t hash; /* hash of the body, which the cache stores but does not use */
} cat_item_t;

/* Finds the body stored under the item's owner, key and stamp, made at `since` or later. Returns 1 and sets the item's
 * body, length and hash; the body is a copy on the pool. Returns 0 and leaves the item unchanged if there is no such
 * body. */
int cat_response_cache_get(cat_response_cache_t *cache, apr_pool_t *pool, cat_item_t *item, apr_time_t since);

/* Stores a copy and returns 1. Returns 0 if key and body need more than 1/16 of the ring, or if another writer is at
 * work. */
int cat_response_cache_put(cat_response_cache_t *cache, const cat_item_t *item);

typedef struct cat_response_cache_count_t {
    apr_uint64_t stored;
    apr_size_t size; /* bytes of the segment */
    apr_size_t used; /* bytes of the ring that have been written */
} cat_response_cache_count_t;

cat_response_cache_count_t cat_response_cache_count(const cat_response_cache_t *cache);

#endif
