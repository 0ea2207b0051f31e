/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RESPONSE_CACHE_CHECK_H
#define RESPONSE_CACHE_CHECK_H

/* Is a response cache consistent? It looks at what only the cache itself knows. */
#include "shm/response_cache.c"

#include <sched.h>

/* Its functions hold the write lock, so nothing changes meanwhile. */
typedef struct walk_t {
    const cat_response_cache_t *cache;
    word_t reserved;
    char *taken; /* by line of the ring: an entry seen before has it */
} walk_t;

static inline int is_zero(const cat_shared_word_t *words, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        if (cat_shared_load(&words[i])) {
            return 0;
        }
    }
    return 1;
}

/* A killed writer may have reserved words without storing an entry, never the reverse. */
static inline const char *check_header(const walk_t *walk)
{
    const header_t *header = walk->cache->header;
    cat_response_cache_count_t count = cat_response_cache_count(walk->cache);
    word_t written = walk->reserved - walk->cache->ring_length;

    if (walk->reserved < walk->cache->ring_length || walk->reserved % LINE_WORDS) {
        return "reserved is no position after an entry";
    }
    if (count.stored > written / ENTRY_WORDS) {
        return "more entries are counted than were reserved";
    }
    return is_zero(header->padding, LINE_WORDS - 2) ? NULL : "the padding of the header was written to";
}

/* Called for contiguous words of the ring. */
static inline const char *take_lines(const walk_t *walk, word_t offset, apr_size_t words)
{
    char *line = walk->taken + offset / LINE_WORDS;

    for (apr_size_t i = 0; i < words / LINE_WORDS; i++) {
        if (line[i]++) {
            return "two entries overlap";
        }
    }
    return NULL;
}

static inline const char *check_entry(const walk_t *walk, const bucket_t *bucket, word_t way)
{
    word_t position = way_position(way, walk->reserved), offset = position % walk->cache->ring_length;
    const entry_t *entry = (const entry_t *)(walk->cache->ring + offset);
    word_t lengths = cat_shared_load(&entry->lengths), hash = cat_shared_load(&entry->hash);
    apr_size_t words = count_entry_words(lengths >> 32, lengths & UINT32_MAX);

    if (cat_shared_load(&entry->position) != position) {
        return "an entry has another position than its way";
    }
    if (words > walk->cache->ring_length / LARGEST_SHARE) {
        return "an entry is too large";
    }
    if (words > walk->cache->ring_length - offset) {
        return "an entry extends past the end of the ring";
    }
    if (words > walk->reserved - position) {
        return "an entry extends past reserved";
    }
    if (!has_tag(way, hash) || find_bucket(walk->cache, hash) != bucket) {
        return "an entry has another hash than its way and bucket";
    }
    if ((cat_hash((const char *)entry->text, lengths >> 32) ^ cat_shared_load(&entry->owner)) != hash) {
        return "an entry's hash is not that of its key and owner";
    }
    return take_lines(walk, offset, words);
}

static inline const char *check_way(const walk_t *walk, const bucket_t *bucket, word_t way)
{
    word_t position = way_position(way, walk->reserved);

    if (position < walk->cache->ring_length || position >= walk->reserved || position % LINE_WORDS) {
        return "a way has a position that no entry ever had";
    }
    return walk->reserved - position > walk->cache->ring_length ? NULL : check_entry(walk, bucket, way);
}

static inline const char *check_bucket(const walk_t *walk, const bucket_t *bucket)
{
    const char *fault = NULL;

    for (apr_size_t i = 0; i < WAYS && !fault; i++) {
        word_t way = cat_shared_load(&(*bucket)[i]);
        if (way && i && !cat_shared_load(&(*bucket)[i - 1])) {
            return "a way is in use after a free one";
        }
        for (apr_size_t earlier = 0; way && earlier < i; earlier++) {
            if (has_tag(cat_shared_load(&(*bucket)[earlier]), way)) {
                return "two ways of a bucket have the same tag";
            }
        }
        fault = way ? check_way(walk, bucket, way) : NULL;
    }
    return fault;
}

/* NULL when ring, index and counters are consistent, else what is wrong. Waits for the writer; meanwhile nothing is stored. The pool
 * is for scratch memory. */
static inline const char *check_response_cache(cat_response_cache_t *cache, apr_pool_t *pool)
{
    walk_t walk = {.cache = cache, .taken = apr_pcalloc(pool, cache->ring_length / LINE_WORDS)};
    const char *fault;
    apr_status_t rv;
    int held;

    while ((rv = cat_semaphore_enter(cache->write_lock, NULL, 0, &held)) == APR_EAGAIN) {
        sched_yield();
    }
    if (rv != APR_SUCCESS) {
        return "the write lock does not work";
    }
    walk.reserved = cat_shared_load(&cache->header->reserved);
    fault = check_header(&walk);
    for (apr_size_t i = 0; i < cache->bucket_count && !fault; i++) {
        fault = check_bucket(&walk, &cache->buckets[i]);
    }
    cat_semaphore_leave(cache->write_lock, held);
    return fault;
}

#endif
