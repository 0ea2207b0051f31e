/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_RESPONSE_CACHE_H
#define CAT_SHM_RESPONSE_CACHE_H

#include <apr_pools.h>
#include <apr_time.h>

#include "shm/generations.h"

/*
 * Response bodies, in a segment of fixed size that all children of a server share. New entries evict the oldest. Readers take no
 * lock and wait for nobody; a writer that finds another one writing stores nothing. A child may be killed at any time.
 */
typedef struct cat_response_cache_t cat_response_cache_t;

/* A smaller one is of no use. */
#define CAT_RESPONSE_CACHE_LEAST 65536

/* Call before the children are forked. size: of the whole segment, in octets; at least CAT_RESPONSE_CACHE_LEAST. Lives on the pool. */
apr_status_t cat_response_cache_create(cat_response_cache_t **cache, apr_pool_t *pool, apr_size_t size);

typedef struct cat_item_t {
    const void *owner; /* an address in memory that the children share; the same key of two owners is two keys */
    const char *key;
    cat_stamp_t stamp; /* read before the rows were */
    apr_time_t made;   /* put: a time before that; get: now */
    const char *body;
    apr_size_t length;
    apr_uint64_t hash; /* the body's; the cache only keeps it */
} cat_item_t;

/* 1: the item has a body, copied to the pool, with its length and hash: stored under the item's owner, key and stamp, and made at
 * `since` or later. 0: there is none, and the item is unchanged. */
int cat_response_cache_get(cat_response_cache_t *cache, apr_pool_t *pool, cat_item_t *item, apr_time_t since);

/* Stores a copy and returns 1, unless key and body need more than 1/16 of the ring, or another writer is at work. */
int cat_response_cache_put(cat_response_cache_t *cache, const cat_item_t *item);

typedef struct cat_response_cache_count_t {
    apr_uint64_t stored;
    apr_size_t size; /* octets: of the segment */
    apr_size_t used; /* of the ring, up to where it was written in its first round */
} cat_response_cache_count_t;

cat_response_cache_count_t cat_response_cache_count(const cat_response_cache_t *cache);

#endif
